"""The smallest group that serves a workload within limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.estimates.selection import selection
from generator.specs.load import load

ROOT = Path(__file__).resolve().parents[2]
CHAT = {"prompt_tokens": 1000, "output_tokens": 500}


@pytest.fixture(scope="module")
def library():
    return load(ROOT)


def chosen(library, model, accelerator, **limits):
    return selection(library.models[model], library.accelerators[accelerator], library, **CHAT, **limits)


def test_llama_3_1_70b_in_16_bits_takes_four_h100(library):
    assert chosen(library, "llama-3.1-70b", "h100-sxm", token_limit_s=0.05).group_gpus == 4


def test_the_batch_is_the_largest_within_the_limit(library):
    found = chosen(library, "llama-3.1-70b", "h100-sxm", token_limit_s=0.05)
    assert found.mean_token_s <= 0.05
    assert found.batch < found.served.max_concurrent_requests
    per_request = found.mean_token_s / found.batch
    assert found.mean_token_s + per_request > 0.0499


def test_without_limits_memory_ends_the_batch(library):
    found = chosen(library, "llama-3.1-70b", "h100-sxm")
    assert found.batch == found.served.max_concurrent_requests


def test_a_limit_that_one_request_breaks_is_an_answer_with_the_reason(library):
    found = chosen(library, "llama-3.1-70b", "m3-ultra", token_limit_s=0.05)
    assert not found.feasible
    assert found.group_gpus is None
    assert "above the limit of 50.0 ms" in found.verdict


def test_weights_that_do_not_fit_are_an_answer_with_the_bytes_missing(library):
    found = chosen(library, "deepseek-r1", "rtx-4090")
    assert "short" in found.verdict
    assert "673 GB" in found.verdict


def test_a_request_beyond_the_context_is_an_answer(library):
    found = selection(
        library.models["llama-2-7b"], library.accelerators["h200"], library, prompt_tokens=100_000, output_tokens=1
    )
    assert "beyond the context" in found.verdict


def test_an_accelerator_without_price_serves_and_says_what_is_missing(library):
    found = chosen(library, "llama-3.1-8b", "l40s", token_limit_s=0.05)
    assert found.feasible
    assert found.usd_per_million_tokens_mixed is None
    assert "price" in found.missing["usd_per_million_tokens_mixed"]


def test_a_tighter_limit_never_gives_a_larger_batch_in_the_same_group(library):
    batches = [chosen(library, "llama-3.1-8b", "h100-sxm", token_limit_s=limit).batch for limit in (0.02, 0.03, 0.04)]
    assert batches == sorted(batches)

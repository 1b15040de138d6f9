"""Terms of an engine's memory against start-up logs, worked by hand where that is possible."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.estimates.engine_releases import Release
from generator.estimates.memory import memory
from generator.specs.load import load

LIBRARY = load(Path(__file__).resolve().parents[2])
GIB = 2**30
LOGGED = (
    # vLLM 0.19 on H100 at 95 %, requests up to 8,192 tokens: model, TP, weights and activation peak in GiB, tokens.
    ("llama-3.1-8b", 1, 14.99, 1.89, 476_016),
    ("llama-3.1-8b", 4, 3.77, 1.89, 2_209_792),
    ("qwen2.5-7b", 1, 14.25, 2.21, 1_096_000),
    ("phi-4", 1, 27.39, 1.52, 241_568),
    ("mixtral-8x7b", 2, 43.51, 1.21, 465_936),
    ("qwen3-30b-a3b", 1, 56.88, 2.68, 168_288),
    ("gemma-2-27b", 1, 50.72, 3.66, 58_672),
    ("gemma-3-27b", 1, 51.45, 3.99, 36_560),
    ("llama-4-scout", 4, 53.12, 3.19, 365_968),
)


def engine(model, card="h100-sxm", **settings):
    given = {"prompt_tokens": 8191, "output_tokens": 1, "memory_utilization": 0.95} | settings
    return memory(LIBRARY.find("models", model), LIBRARY.find("accelerators", card), LIBRARY, **given).engine


@pytest.mark.parametrize(("model", "tp", "weights", "peak", "tokens"), LOGGED)
def test_terms_are_those_that_a_log_prints(model, tp, weights, peak, tokens):
    found = engine(model, tp=tp)
    assert found.weights_bytes_per_gpu / GIB == pytest.approx(weights, abs=0.03)
    assert found.activation_bytes / GIB == pytest.approx(peak, rel=0.03)
    assert found.kv_capacity_tokens == pytest.approx(tokens, rel=0.006)


def test_the_table_of_rotary_angles_is_what_weights_have_beyond_the_parameters():
    found = engine("llama-3.1-8b")
    assert found.weights_bytes_per_gpu == 8_030_261_248 * 2 + 131_072 * 128 * 2


def test_groups_of_layers_share_blocks_by_the_rarer_kind():
    # 10 full and 52 windowed layers: one group and six, blocks of ten pages of 2 x 16 heads x 128 x 2 B x 16 tokens.
    pool = engine("gemma-3-27b").pool
    assert pool.layer_groups == 7
    assert pool.block_bytes == 10 * 2 * 16 * 128 * 2 * 16


def test_a_state_stretches_the_block_of_a_full_layer():
    pool = engine("qwen3-next-80b-a3b", tp=4).pool
    assert pool.layer_groups == 4
    assert pool.block_tokens > 16
    assert pool.block_tokens % 16 == 0


def test_newer_releases_count_tokens_by_requests():
    old, new = (engine("gemma-3-27b", release=Release((0, minor)), prompt_tokens=131_071) for minor in (19, 21))
    assert new.kv_capacity_tokens > 3 * old.kv_capacity_tokens
    assert new.graph_bytes > 0 == old.graph_bytes


def test_before_groups_every_layer_was_kept_as_a_full_one():
    found = engine("gemma-3-27b", release=Release((0, 9)))
    assert not found.pool.hybrid
    assert found.pool.block_bytes == 62 * 2 * 16 * 128 * 2 * 16


def test_sorting_the_logits_takes_more_room():
    old, new = (engine("llama-3.1-8b", release=Release((0, minor))) for minor in (14, 19))
    assert old.activation_bytes / GIB == pytest.approx(4.76, rel=0.01)
    assert new.activation_bytes < old.activation_bytes


def test_a_v0_engine_takes_its_longest_request_in_one_step():
    found = engine(
        "llama-3.1-8b", "rtx-3090", release=Release((0, 6), "V0"), prompt_tokens=19_999, memory_utilization=0.9
    )
    assert found.activation_bytes / GIB == pytest.approx(2.07, rel=0.01)


def test_a_quantised_checkpoint_keeps_its_tables_in_16_bits():
    found = engine("llama-3.1-8b", weights="fp8")
    assert found.weights_bytes_per_gpu / GIB == pytest.approx(8.49, abs=0.01)


def test_more_memory_more_tokens_and_larger_steps_fewer():
    small, large = (engine("qwen3-8b", memory_utilization=share) for share in (0.8, 0.9))
    assert small.kv_capacity_tokens < large.kv_capacity_tokens
    narrow, wide = (engine("qwen3-8b", step_tokens=tokens) for tokens in (2048, 65_536))
    assert narrow.kv_capacity_tokens > wide.kv_capacity_tokens

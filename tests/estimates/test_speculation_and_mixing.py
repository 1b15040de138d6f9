"""Chunked prefill and speculative decoding of whole configurations against the plain step."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.estimates.architecture import NotSupported
from generator.estimates.mixing import chunked
from generator.estimates.speculation import speculation
from generator.specs.load import load


@pytest.fixture(scope="module")
def library():
    return load(Path(__file__).resolve().parents[2])


@pytest.fixture(scope="module")
def cards(library):
    return library.find("models", "llama-3.1-8b"), library.find("accelerators", "h100-sxm")


SHAPE = {"prompt_tokens": 1024, "output_tokens": 256}


def test_a_mixed_step_is_never_shorter_than_a_plain_one(library, cards):
    for budget in (64, 512, 4096):
        mixed = chunked(*cards, library, batch=32, token_budget=budget, **SHAPE)
        assert mixed.chunked_step_s >= mixed.plain.tpot_s
        assert mixed.piece_tokens == budget - 32


def test_a_prompt_in_one_piece_computes_like_its_prefill(library, cards):
    mixed = chunked(*cards, library, batch=1, token_budget=1025, **SHAPE)
    assert mixed.piece_steps == 1
    assert mixed.pieced_prefill_s == pytest.approx(float(mixed.plain.prefill_s), rel=0.01)


def test_a_budget_without_room_for_a_prompt_is_refused(library, cards):
    with pytest.raises(NotSupported, match="above the batch"):
        chunked(*cards, library, batch=512, token_budget=512, **SHAPE)


def test_two_groups_are_refused(library, cards):
    with pytest.raises(NotSupported, match="one tensor-parallel group"):
        chunked(*cards, library, gpus=2, tp=1, **SHAPE)
    with pytest.raises(NotSupported, match="one tensor-parallel group"):
        speculation(*cards, library, gpus=2, tp=1, **SHAPE)


def test_a_single_request_is_verified_in_the_time_of_a_plain_step(library, cards):
    run = speculation(*cards, library, batch=1, draft_tokens=3, **SHAPE)
    assert run.verify_step_s == pytest.approx(float(run.plain.tpot_s))
    assert run.speculative_speedup > 1


def test_speedup_never_grows_with_the_batch_of_a_dense_model(library, cards):
    speedups = [
        float(speculation(*cards, library, batch=batch, draft_tokens=3, **SHAPE).speculative_speedup)
        for batch in (1, 16, 64, 128, 256)
    ]
    assert speedups == sorted(speedups, reverse=True)


def test_drafts_that_are_never_accepted_only_cost_time(library, cards):
    run = speculation(*cards, library, batch=1, draft_tokens=3, acceptance=0.0, **SHAPE)
    assert run.tokens_per_round == 1
    assert run.speculative_speedup < 1


def test_a_draft_of_an_moe_model_makes_more_experts_read(library):
    model, card = library.find("models", "deepseek-v3"), library.find("accelerators", "h200")
    run = speculation(model, card, library, gpus=8, tp=8, batch=4, draft_tokens=1, **SHAPE)
    assert run.memory_time_s > run.plain.memory_time_s

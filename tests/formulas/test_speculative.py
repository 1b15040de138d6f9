"""Rounds of drafts: the geometric sum, the speedup of the paper, and measured runs."""

from __future__ import annotations

import pytest

from generator.formulas import speculative


@pytest.mark.parametrize(("acceptance", "drafts"), [(0.5, 1), (0.8, 4), (0.9, 8), (0.01, 3)])
def test_a_round_is_the_sum_of_the_chances_to_come_so_far(acceptance, drafts):
    expected = sum(acceptance**place for place in range(drafts + 1))
    assert speculative.tokens_per_round(acceptance=acceptance, draft_tokens=drafts) == pytest.approx(expected)


def test_limits_of_a_round():
    assert speculative.tokens_per_round(acceptance=0.0, draft_tokens=5) == 1
    assert speculative.tokens_per_round(acceptance=1 - 1e-9, draft_tokens=5) == pytest.approx(6)
    assert speculative.tokens_per_round(acceptance=0.8, draft_tokens=1000) == pytest.approx(5)


def test_the_measured_lengths_of_eagle_3_follow_one_acceptance():
    for drafts, measured in ((2, 2.36), (4, 3.08), (7, 3.54)):
        assert speculative.tokens_per_round(acceptance=0.75, draft_tokens=drafts) == pytest.approx(measured, rel=0.03)


def test_the_speedup_of_leviathan_et_al_theorem_3_8():
    acceptance, drafts, cost = 0.8, 5, 0.05
    step = 0.01
    round_time = speculative.round_s(
        draft_tokens=drafts,
        draft_step_s=speculative.draft_step_s(draft_cost_ratio=cost, tpot_s=step),
        verify_step_s=step,
    )
    length = speculative.tokens_per_round(acceptance=acceptance, draft_tokens=drafts)
    speedup = speculative.speculative_speedup(
        tpot_s=step, speculative_tpot_s=speculative.speculative_tpot_s(round_s=round_time, tokens_per_round=length)
    )
    assert speedup == pytest.approx((1 - acceptance ** (drafts + 1)) / ((1 - acceptance) * (drafts * cost + 1)))
    assert speculative.break_even_tokens_per_round(round_s=round_time, tpot_s=step) == pytest.approx(length / speedup)


def test_a_verification_reads_once_and_computes_all():
    computing = speculative.verify_compute_time_s(
        verified_tokens=speculative.verified_tokens(batch=8, draft_tokens=3), active_params=8e9,
        attention_flops_per_token=0, tp=1, peak_flops_per_s=1e15, compute_efficiency=0.5,
    )  # fmt: skip
    assert computing == pytest.approx(32 * 16e9 / 5e14)
    step = speculative.verify_step_s(memory_time_s=0.006, verify_compute_time_s=computing, communication_time_s=0.001)
    assert step == pytest.approx(0.007)


def test_counters_of_a_run_give_its_rate():
    time = speculative.speculative_run_s(
        target_only_tokens=119, target_tokens_per_s=14.68, drafted_tokens=426, drafted_tokens_per_s=19.86
    )
    rate = speculative.run_tokens_per_s(generated_tokens=503, speculative_run_s=time)
    assert rate == pytest.approx(17.02, abs=0.01)
    assert rate == pytest.approx(16.52, rel=0.05)
    assert speculative.rejected_tokens(drafted_tokens=426, accepted_tokens=384) == 42


def test_a_measured_round_implies_its_drafts():
    whole = speculative.implied_round_s(tpot_s=4.32e-3, tokens_per_round=2.36)
    draft = speculative.implied_draft_step_s(round_s=whole, tpot_s=7.07e-3, draft_tokens=2)
    assert speculative.round_s(draft_tokens=2, draft_step_s=draft, verify_step_s=7.07e-3) == pytest.approx(whole)


def test_a_prediction_module_costs_a_layer_and_a_memory_bound_step_has_room():
    assert speculative.draft_cost_ratio(draft_layers=1, layers=61) == pytest.approx(1 / 61)
    assert speculative.spare_compute(memory_time_s=6e-3, compute_time_s=3e-5) == pytest.approx(200)

"""Stalls, chunked steps, handovers and splits: exact values, limits, and the deployments that people measured."""

from __future__ import annotations

import pytest

from generator.formulas import disaggregation


def test_a_transfer_never_beats_its_links():
    time = disaggregation.kv_transfer_s(
        kv_bytes_per_request=1e9, transfer_links=2, link_bytes_per_s=50e9, transfer_efficiency=1.0
    )
    assert time == pytest.approx(0.01)
    slower = disaggregation.kv_transfer_s(
        kv_bytes_per_request=1e9, transfer_links=2, link_bytes_per_s=50e9, transfer_efficiency=0.5
    )
    assert slower == pytest.approx(2 * time)


def test_a_handover_of_197_ms_with_29_ms_of_transfer_costs_168_ms_beside_it():
    rest = disaggregation.transfer_overhead_s(handover_s=0.197, kv_transfer_s=0.029)
    assert rest == pytest.approx(0.168)
    assert disaggregation.handover_s(handover_overhead_s=rest, kv_transfer_s=0.029) == pytest.approx(0.197)


def test_167_mb_in_38_7_ms_are_4_3_gb_a_second():
    assert disaggregation.transfer_bytes_per_s(moved_bytes=167e6, kv_transfer_s=0.0387) == pytest.approx(
        4.3e9, rel=0.01
    )


def test_a_fit_goes_through_its_two_points():
    slope = disaggregation.transfer_slope_bytes_per_s(
        large_bytes=5e9, small_bytes=2e7, large_transfer_s=0.032, small_transfer_s=0.0005
    )
    fixed = disaggregation.transfer_fixed_s(small_transfer_s=0.0005, small_bytes=2e7, transfer_slope_bytes_per_s=slope)
    for size, time in ((2e7, 0.0005), (5e9, 0.032)):
        fitted = disaggregation.fitted_transfer_s(
            moved_bytes=size, transfer_slope_bytes_per_s=slope, transfer_fixed_s=fixed
        )
        assert fitted == pytest.approx(time)


def test_without_prompts_nobody_is_stopped():
    assert disaggregation.interfered_tpot_s(tpot_s=0.01, batch=32, prefill_s=0, output_tokens=100) == 0.01
    assert disaggregation.longest_gap_s(prefill_s=0, tpot_s=0.01) == 0.01
    assert disaggregation.prefill_stall_steps(prefill_s=0.1, tpot_s=0.01) == pytest.approx(10)


def test_interfered_steps_keep_the_total_time_of_a_batch():
    """b requests need b prefills and o steps; spread over the o tokens of each that is the interfered step."""
    step = disaggregation.interfered_tpot_s(tpot_s=0.01, batch=8, prefill_s=0.2, output_tokens=50)
    assert 50 * step == pytest.approx(50 * 0.01 + 8 * 0.2)


def test_130_000_tokens_at_a_budget_of_512_take_254_steps():
    piece = disaggregation.piece_tokens(token_budget=512, batch=0)
    assert disaggregation.piece_steps(prompt_tokens=130_000, piece_tokens=piece) == 254


def test_decodes_leave_at_least_one_token_for_a_prompt():
    assert disaggregation.piece_tokens(token_budget=64, batch=100) == 1


def test_a_mixed_step_without_decodes_computes_like_a_prefill_of_its_piece():
    time = disaggregation.chunked_compute_time_s(
        batch=0, piece_tokens=512, active_params=8e9, attention_flops_per_token=1e9,
        prompt_attention_flops_per_token=2e9, tp=1, peak_flops_per_s=1e15, compute_efficiency=0.5,
    )  # fmt: skip
    assert time == pytest.approx(512 * (16e9 + 2e9) / 5e14)


def test_a_mixed_step_without_a_piece_reads_like_a_decode_step():
    time = disaggregation.chunked_memory_time_s(
        weights_read_bytes=16e9, batch=4, kv_read_bytes_per_request=1e9, piece_read_bytes=0, kv_replication=1, tp=1,
        bandwidth_bytes_per_s=2e12, bandwidth_efficiency=1,
    )  # fmt: skip
    assert time == pytest.approx(20e9 / 2e12)


def test_the_slower_line_and_communication_make_a_mixed_step():
    step = disaggregation.chunked_step_s(
        chunked_memory_time_s=0.01, chunked_compute_time_s=0.02, communication_time_s=0.003
    )
    assert step == pytest.approx(0.023)
    assert disaggregation.pieced_prefill_s(piece_steps=9, chunked_step_s=step) == pytest.approx(0.207)


@pytest.mark.parametrize(("prefill", "decode"), [(0.1, 0.1), (0.3, 0.1), (0.02, 0.4)])
def test_no_split_beats_all_accelerators_doing_both(prefill, decode):
    common = {"prefill_gpu_s": prefill, "decode_gpu_s": decode, "output_tokens": 256}
    both = disaggregation.shared_tokens_per_s(gpus=8, **common)
    for count in range(1, 8):
        split = disaggregation.split_tokens_per_s(prefill_gpus=count, decode_gpus=8 - count, **common)
        assert split <= both * (1 + 1e-12)
    share = disaggregation.prefill_share(prefill_gpu_s=prefill, decode_gpu_s=decode)
    wanted = disaggregation.balanced_prefill_gpus(gpus=8, prefill_share=share)
    rest = disaggregation.remaining_gpus(gpus=8, prefill_gpus=wanted)
    assert disaggregation.split_tokens_per_s(prefill_gpus=wanted, decode_gpus=rest, **common) == pytest.approx(both)
    assert wanted / rest == pytest.approx(disaggregation.prefill_to_decode(prefill_gpu_s=prefill, decode_gpu_s=decode))


def test_work_counts_all_accelerators_of_an_instance():
    assert disaggregation.prefill_gpu_s(prefill_s=0.1, gpus=4) == pytest.approx(0.4)
    assert disaggregation.decode_gpu_s(output_tokens=100, tpot_s=0.01, gpus=4, batch=8) == pytest.approx(0.5)
    assert disaggregation.transfer_share(handover_s=0.02, prefill_s=0.1) == pytest.approx(0.2)

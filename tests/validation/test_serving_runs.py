"""Serving runs: layouts, a hand-computed row, limits of the step, and no counted row beats its bound."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.formulas import engine_step
from generator.specs.load import load
from generator.validation import calibration
from generator.validation.families import serving_tpot, serving_ttft
from generator.validation.families.serving_layouts import Worker, layout_of
from generator.validation.rows import Row, Uncovered, read

ROOT = Path(__file__).resolve().parents[2]
PLAIN = "agg; tp=2 attn_dp=1 moe_tp=2 moe_ep=1 batch_size=8; gemm fp8; moe fp8; src 2026-04-27; measured 2026-04-17"


@pytest.fixture(scope="module")
def library():
    return load(ROOT)


def row(**fields: str) -> Row:
    given = {
        "id": "x", "metric": "mean_tpot", "unit": "ms", "value": "20", "model": "meta-llama/Llama-3.1-70B",
        "precision_weights": "fp8", "gpu": "h200_sxm", "engine": "vllm", "isl": "1024", "osl": "1024",
        "batch_or_concurrency": "8", "note": PLAIN, **fields,
    }  # fmt: skip
    return Row("x", float(given["value"]), given, "test:1")


def predicted(family, library, **fields: str) -> float:
    case = family.express(row(**fields), library)
    return float(family.predict(case.inputs, calibration.constants_of(family, library.calibrations[family.id], case)))


@pytest.mark.parametrize(
    ("note", "worker"),
    [
        ("agg; tp=8 attn_dp=1 moe_tp=8 moe_ep=1 batch_size=4", Worker(8, 1, 1)),
        ("agg; tp=64 attn_dp=1 moe_tp=8 moe_ep=8 batch_size=4", Worker(8, 1, 8)),
        ("agg; tp=1 attn_dp=64 moe_tp=8 moe_ep=8 batch_size=4", Worker(1, 8, 8)),
        ("agg; tp=4 attn_dp=4 moe_tp=1 moe_ep=16 batch_size=4", Worker(4, 1, 4)),
        ("agg; tp=1 attn_dp=8 moe_tp=1 moe_ep=8 batch_size=16", Worker(1, 8, 8)),
    ],
)
def test_degrees_that_a_list_multiplied_are_divided_again(note: str, worker: Worker):
    assert layout_of(row(note=note)).decoder == worker


def test_layout_of_a_run_with_servers_apart():
    note = "disagg; prefill 4x(tp1 dp4 ep4 bs1) decode 2x(tp8 dp1 ep8 bs16); gemm nvfp4"
    found = layout_of(row(note=note))
    assert (found.prompters, found.prompter) == (4, Worker(1, 4, 4))
    assert (found.decoders, found.decoder) == (2, Worker(8, 1, 8))
    assert found.apart


@pytest.mark.parametrize(
    ("note", "reason"),
    [
        ("disagg; prefill x(tp8 dp1 ep8 bs) decode x(tp8 dp1 ep8 bs); gemm fp8", "number of servers"),
        ("agg; tp=28 attn_dp=1 moe_tp=28 moe_ep=1 batch_size=2150", "sum over several servers"),
        ("agg; tp=2 attn_dp=0 moe_tp=0 moe_ep=0 batch_size=8", "degree of parallelism is 0"),
    ],
)
def test_layouts_without_meaning_are_refused(note: str, reason: str):
    with pytest.raises(Uncovered, match=reason):
        layout_of(row(note=note))


def test_bytes_of_a_dense_row_by_hand(library):
    """Llama 3.1 70B in FP8 on TP 2: 68.45e9 one-byte weights and a 16-bit head of 128,256 x 8,192, halved."""
    inputs = serving_tpot.FAMILY.express(row(), library).inputs
    assert float(inputs["dense_part_bytes"]) == pytest.approx((68.451e9 + 2 * 128256 * 8192) / 2, rel=1e-3)
    mean_context = 0.9 * (1024 + 512)
    assert float(inputs["cache_part_bytes"]) == pytest.approx(8 * mean_context * 80 * 2 * 8 * 128 / 2, rel=1e-3)
    assert float(inputs["dense_flops"]) == pytest.approx(2 * 8 * (68.451e9 + 128256 * 8192) / 2, rel=1e-3)
    assert inputs["expert_read_bytes"] == inputs["expert_flops"] == 0


def test_sparse_reads_count_experts_that_the_batch_picks(library):
    """DeepSeek-R1, batch 1 on TP 8: 8 of 256 experts, 58 layers x 3 x 7,168 x 2,048 each."""
    note = "agg; tp=8 attn_dp=1 moe_tp=8 moe_ep=1 batch_size=1; src 2026-04-27"
    case = serving_tpot.FAMILY.express(
        row(model="deepseek-ai/DeepSeek-R1", note=note, batch_or_concurrency="1"), library
    )
    expert = 3 * 7168 * 2048
    assert float(case.inputs["expert_read_bytes"]) == pytest.approx(58 * 8 * expert / 8, rel=1e-3)
    assert float(case.inputs["expert_flops"]) == pytest.approx(2 * 58 * 8 * expert / 8, rel=1e-6)
    assert case.inputs["latent_layers"] == 61


@pytest.mark.parametrize("requests", ["1", "8", "64", "256"])
@pytest.mark.parametrize("gpu", ["h100_sxm", "h200_sxm", "b200_sxm"])
def test_prediction_is_never_below_the_bound_of_its_inputs(gpu: str, requests: str, library):
    case = serving_tpot.FAMILY.express(row(gpu=gpu, batch_or_concurrency=requests), library)
    assert predicted(serving_tpot.FAMILY, library, gpu=gpu, batch_or_concurrency=requests) > float(
        case.bound if case.bound is not None else 0
    )


def test_more_requests_and_longer_prompts_take_longer(library):
    base = predicted(serving_tpot.FAMILY, library)
    assert predicted(serving_tpot.FAMILY, library, batch_or_concurrency="32") > base
    assert predicted(serving_tpot.FAMILY, library, isl="8192") > base
    ttft = predicted(serving_ttft.FAMILY, library, metric="mean_ttft")
    assert predicted(serving_ttft.FAMILY, library, metric="mean_ttft", isl="8192") > ttft


def test_unmeasured_engine_release_and_accelerator_are_predicted_by_the_general_constants(library):
    assert predicted(serving_tpot.FAMILY, library, engine_version="99.9") > 0
    assert predicted(serving_tpot.FAMILY, library, gpu="mi300x") > 0


def test_a_row_faster_than_the_bound_is_shown_but_not_counted(library):
    case = serving_tpot.FAMILY.express(row(value="3"), library)
    assert not case.fitted
    assert "faster than the bound" in case.remark


@pytest.mark.parametrize("family", [serving_tpot.FAMILY, serving_ttft.FAMILY], ids=lambda one: one.id)
def test_every_claimed_row_is_expressed_or_refused_and_no_counted_one_beats_its_bound(family, library):
    claimed = [one for one in read(library.table("measurements/tables", "inferencex")) if family.claims(one)]
    assert claimed
    for one in claimed[::7]:
        try:
            case = family.express(one, library)
        except Uncovered as reason:
            assert str(reason)
            continue
        assert not case.fitted or case.measured > 0.999 * float(case.bound), one.id


def test_busiest_of_several_accelerators_reads_more_experts_than_the_mean_but_never_more_than_all():
    inputs = {"experts": 256.0}
    assert engine_step.expert_peak_load(ep=1.0, expert_share_read=0.5, **inputs) == 1
    few = engine_step.expert_peak_load(ep=8.0, expert_share_read=0.1, **inputs)
    many = engine_step.expert_peak_load(ep=8.0, expert_share_read=0.9, **inputs)
    assert few > many > 1
    assert engine_step.expert_peak_load(ep=64.0, expert_share_read=0.99, **inputs) <= 1 / 0.99


def test_all_reduce_takes_the_faster_of_both_ways():
    link = {"reductions": 1.0, "tp": 8.0, "link_bytes_per_s": 450e9}
    ways = {
        "one_shot_latency_s": 3e-6, "one_shot_link_share": 0.5, "two_shot_latency_s": 20e-6, "two_shot_link_share": 0.7
    }  # fmt: skip
    small = engine_step.step_reductions_s(reduction_bytes=8192.0, **link, **ways)
    assert small == pytest.approx(3e-6 + 7 * 8192 / (450e9 * 0.5))
    large = engine_step.step_reductions_s(reduction_bytes=64e6, **link, **ways)
    assert large == pytest.approx(20e-6 + 2 * 7 / 8 * 64e6 / (450e9 * 0.7))

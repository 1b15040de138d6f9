"""Queued runs and MLPerf: bytes of a row by hand, limits of the formulas, and no counted row beats its bound."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.formulas import offline as formulas
from generator.provenance import Traced
from generator.validation import rows
from generator.validation.calibration import constants_of
from generator.validation.families import mlperf, offline_cases, offline_throughput
from generator.validation.judge import calibration_of
from generator.validation.rows import Row, Uncovered

FAMILIES = (offline_throughput.FAMILY, mlperf.FAMILY)
EACH = pytest.mark.parametrize("family", FAMILIES, ids=lambda one: one.id)
QUEUED = {
    "model": "Llama 3.3 70B", "precision_weights": "fp8", "precision_kv": "fp8", "gpu": "H100 SXM 80GB",
    "n_gpus": "2", "tp": "2", "pp": "1", "engine": "TensorRT-LLM", "engine_version": "1.0", "isl": "1000",
    "osl": "1000", "batch_or_concurrency": "inf", "metric": "max_output_throughput",
}  # fmt: skip
SYSTEM = {
    "model": "llama2-70b-99", "precision_weights": "fp16", "gpu": "NVIDIA H200-SXM-141GB", "n_gpus": "8",
    "engine": "TensorRT 10.2.0; CUDA 12.4", "engine_version": "mlperf v4.1", "metric": "mlperf_offline",
}  # fmt: skip


def row(fields: dict[str, str] = QUEUED, value: float = 4000.0, **more: str) -> Row:
    return Row("r", value, fields | more, "t:2")


def predicted(family, library, one: Row) -> float:
    case = family.express(one, library)
    return family.predict(case.inputs, constants_of(family, calibration_of(library, family), case))


def queued(library, **more: str) -> float:
    return float(predicted(offline_throughput.FAMILY, library, row(**more)))


def test_the_layers_are_in_the_narrow_format_and_the_tables_in_16_bits(library):
    inputs = offline_throughput.FAMILY.express(row(), library).inputs
    tables = 128_256 * 8192
    assert inputs["body_bytes"] == pytest.approx(70_553_706_496 - 2 * tables)
    assert inputs["table_bytes"] == pytest.approx(2 * 2 * tables)
    # A key and a value of 8 heads of 128 values in 80 layers, one byte each, for 2000 tokens.
    assert inputs["kv_bytes_per_request"] == pytest.approx(2 * 8 * 128 * 80 * 2000)
    assert inputs["queued_requests"] == 3000


def test_the_prediction_can_be_followed_to_the_specs(library):
    assert isinstance(predicted(offline_throughput.FAMILY, library, row()), Traced)
    assert isinstance(predicted(mlperf.FAMILY, library, row(SYSTEM)), Traced)


def test_more_memory_longer_prompts_and_narrower_weights_move_the_rate_as_they_should(library):
    base = queued(library)
    assert queued(library, gpu="H200 SXM 141GB") > base
    assert queued(library, isl="5000") < base
    assert queued(library, precision_weights="bf16", precision_kv="bf16", tp="4", n_gpus="4") < 2 * base


def test_releases_have_backends():
    assert [offline_throughput.backend("TensorRT-LLM", one, False) for one in ("0.9.0", "0.17", "0.20", "1.0")] == [
        "static", "compiled", "pytorch", "pytorch",
    ]  # fmt: skip
    assert offline_throughput.backend("TensorRT-LLM", "0.14.0", True) == "served"
    with pytest.raises(Uncovered, match="version"):
        offline_throughput.backend("TensorRT-LLM", "", False)


def test_a_rate_of_each_accelerator_is_multiplied_but_not_where_the_table_is_wrong(library):
    fixed = {"metric": "output_throughput_per_gpu", "batch_or_concurrency": "64", "isl": "128", "osl": "128"}
    case = offline_throughput.FAMILY.express(row(**fixed, engine_version="0.9.0"), library)
    assert (case.per_unit, case.inputs["fixed_batch"]) == (2.0, 64.0)
    assert offline_throughput.FAMILY.express(row(**fixed, engine_version="0.5"), library).per_unit == 1.0


def test_a_model_with_experts_shares_requests_over_ranks_in_the_newer_engine(library):
    more = {"model": "Qwen3-30B-A3B", "tp": "2", "n_gpus": "2"}
    newer = offline_throughput.FAMILY.express(row(**more), library).inputs
    older = offline_throughput.FAMILY.express(row(**more, engine_version="0.17"), library).inputs
    assert (newer["attention_ranks"], newer["attention_tp"]) == (2.0, 1.0)
    assert (older["attention_ranks"], older["attention_tp"]) == (1.0, 2.0)


def test_a_copy_takes_as_few_accelerators_as_hold_it(library):
    assert mlperf.FAMILY.express(row(SYSTEM), library).inputs["copies"] == 8
    smaller = row(SYSTEM, gpu="NVIDIA H100-SXM-80GB")
    assert mlperf.FAMILY.express(smaller, library).inputs["copies"] == 4


def test_a_limit_on_the_time_per_token_costs_rate(library):
    rates = [
        float(predicted(mlperf.FAMILY, library, row(SYSTEM, metric=f"mlperf_{one}", tp="")))
        for one in ("offline", "server", "interactive")
    ]
    assert rates == sorted(rates, reverse=True)


@given(st.floats(1, 5000), st.floats(1, 20_000), st.floats(1, 8))
@settings(max_examples=50, deadline=None)
def test_waves_serve_every_request_once(batch, requests, ranks):
    batch = math.floor(batch)
    full = formulas.full_waves(queued_requests=requests, attention_ranks=ranks, offline_batch=batch)
    rest = formulas.rest_requests(queued_requests=requests, attention_ranks=ranks, full_waves=full, offline_batch=batch)
    assert 0 <= rest <= batch * (1 + 1e-9)
    assert ranks * (full * batch + rest) == pytest.approx(requests)


@given(st.floats(1e-3, 1), st.floats(1, 4000))
@settings(max_examples=50, deadline=None)
def test_a_batch_within_a_limit_is_between_one_and_all(limit, batch):
    found = formulas.timely_batch(
        token_limit_s=limit, deadline_share=0.5, offline_batch=batch, pp=1, lone_step_s=0.01, full_step_s=0.2
    )
    assert 1 <= found <= batch


@EACH
def test_every_claimed_row_is_expressed_or_refused_and_none_beats_its_bound(family, library):
    counted = 0
    for name in calibration_of(library, family).tables:
        for one in rows.read(library.table("measurements/tables", name)):
            if not family.claims(one):
                continue
            try:
                case = family.express(one, library)
            except Uncovered as reason:
                assert str(reason)
                continue
            assert case.measured <= float(case.bound) * (1 + 1e-3), one.id
            assert float(case.reference) > 0
            counted += 1
    assert counted > 100


def test_an_unknown_format_is_refused(library):
    with pytest.raises(Uncovered, match="no number format"):
        offline_cases.number_format(library, "fp7")

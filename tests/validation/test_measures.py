"""A row is read in the unit that it states, or refused; never in another one."""

from __future__ import annotations

import pytest

from generator.validation.judge import judge
from generator.validation.measures import EXPECTED, checked, factor, measure
from generator.validation.registry import family_of
from generator.validation.reports import measured_rows
from generator.validation.rows import Row, Uncovered

SERVED = {
    "model": "Llama 3.1 8B", "gpu": "H100 SXM 80GB", "n_gpus": "1", "tp": "1", "engine": "vllm",
    "engine_version": "0.19.0", "precision_weights": "fp8", "isl": "1024", "osl": "1024", "batch_or_concurrency": "8",
    "metric": "mean_tpot",
}  # fmt: skip
OFFLINE = SERVED | {
    "n_gpus": "2", "tp": "2", "engine": "TensorRT-LLM", "engine_version": "0.17", "isl": "128", "osl": "128",
    "batch_or_concurrency": "inf", "metric": "max_output_throughput",
}  # fmt: skip


def row(fields: dict[str, str], value: float, unit: str, **more: str) -> Row:
    return Row("a", value, {**fields, "unit": unit, **more}, "t:2")


def shown(library, one: Row) -> float:
    (verdict,) = judge([one], library)
    assert verdict.covered, verdict.refusal
    return verdict.shown()[0]


@pytest.mark.parametrize(
    ("metric", "unit", "n_gpus", "times"),
    [
        ("mean_tpot", "ms", "1", 1), ("mean_tpot", "s", "1", 1e3), ("mean_tpot", "us", "1", 1e-3),
        ("latency", "ms", "8", 1e3), ("busbw", "GiB/s", "8", 2**30 / 1e9), ("busbw", "Gbit/s", "8", 0.125),
        ("max_output_throughput", "tok/s/GPU", "8", 8), ("max_output_throughput", "Tokens/s total", "8", 1),
        ("output_throughput_per_gpu", "tok/s total", "8", 0.125), ("tokens_per_s_per_gpu", "ktok/s/GPU", "8", 1e3),
        ("memory_per_gpu", "GiB", "8", 2**30 / 1e9), ("memory_per_gpu", "MiB", "8", 2**20 / 1e9),
        ("kv_cache_available", "GB", "1", 1e9 / 2**30), ("achievable_matmul", "PFLOP/s", "1", 1e3),
        ("mfu", "1", "8", 100), ("decode_single_stream", "tok/s/user", "1", 1),
    ],
)  # fmt: skip
def test_a_unit_is_turned_into_that_of_the_family(metric, unit, n_gpus, times):
    one = row({}, 1.0, unit, metric=metric, n_gpus=n_gpus)
    assert factor(one) == pytest.approx(times, rel=1e-12)


@pytest.mark.parametrize(
    ("metric", "unit"),
    [
        ("mean_tpot", "tok/s"), ("mean_tpot", ""), ("mean_tpot", "ticks"), ("latency", "GB/s"), ("busbw", "GB"),
        ("max_output_throughput", "req/s"), ("max_output_throughput", "tok/s/node"), ("memory_per_gpu", "tokens"),
        ("kv_cache_tokens", "GiB"), ("step_time", "s/GPU"),
    ],
)  # fmt: skip
def test_a_unit_of_something_else_is_refused(metric, unit):
    with pytest.raises(Uncovered, match=r"unit|part of the system"):
        factor(row({}, 1.0, unit, metric=metric, n_gpus="8"))


def test_a_rate_of_each_accelerator_needs_their_number():
    with pytest.raises(Uncovered, match="n_gpus"):
        factor(row({}, 1.0, "tok/s/GPU", metric="max_output_throughput"))


def test_the_prediction_is_in_the_unit_of_the_row(library):
    thousandths = shown(library, row(SERVED, 8.0, "ms"))
    assert shown(library, row(SERVED, 0.008, "s")) == pytest.approx(thousandths / 1e3)
    assert shown(library, row(SERVED, 8000.0, "us")) == pytest.approx(thousandths * 1e3)
    whole = shown(library, row(OFFLINE, 40_000.0, "tok/s total"))
    assert shown(library, row(OFFLINE, 20_000.0, "tok/s/GPU")) == pytest.approx(whole / 2)


@pytest.mark.parametrize(
    ("name", "value"), [("tp", "-1"), ("tp", "0.5"), ("n_gpus", "inf"), ("isl", "-5"), ("osl", "inf")]
)
def test_a_column_that_cannot_be_is_refused(name, value):
    with pytest.raises(Uncovered, match=f"`{name}` must be"):
        checked(row(SERVED, 8.0, "ms", **{name: value}))


def test_what_is_not_stated_passes():
    checked(row(SERVED, 8.0, "ms", ep="0", pp="nan", batch_or_concurrency="inf"))


def test_every_claimed_row_of_the_tables_has_a_known_unit(library):
    for one in measured_rows(library):
        if family_of(one) is not None:
            assert one.metric in EXPECTED, one.metric
            factor(one)


def test_a_prefix_and_a_scope_are_told_apart():
    assert measure("TFLOP/s/GPU") == ("FLOP/s", 1e12, "GPU")
    assert measure("tok/s per GPU") == ("token/s", 1.0, "GPU")
    assert measure("GiB/GPU") == ("B", 2.0**30, "GPU")


def test_a_step_on_an_unknown_number_of_accelerators_is_not_predicted(library):
    step = SERVED | {"metric": "mean_ttft", "engine": "some engine", "batch_or_concurrency": "1"}
    (with_one,) = judge([row(step, 20.0, "ms")], library)
    (without,) = judge([row(step, 20.0, "ms", tp="", n_gpus="")], library)
    assert with_one.covered and "`n_gpus` is not stated" in without.refusal


def test_queries_are_tokens_only_where_so_many_queries_cannot_be(library):
    fields = {"model": "llama3.1-8b", "precision_weights": "fp8", "gpu": "NVIDIA H200-SXM-141GB", "n_gpus": "8",
              "engine": "TensorRT 10.11", "engine_version": "mlperf v5.1", "metric": "mlperf_offline"}  # fmt: skip
    tokens = shown(library, row(fields, 60_000.0, "Tokens/s total"))
    assert shown(library, row(fields, 60_000.0, "Queries/s total")) == pytest.approx(tokens)
    assert shown(library, row(fields, 500.0, "Queries/s total")) == pytest.approx(tokens / 128, rel=0.01)

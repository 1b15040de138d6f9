"""Latencies at a rate of arrivals: limits of the formulas, and no counted row beats its bound."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.formulas import single_stream as formulas
from generator.validation import rows
from generator.validation.calibration import constants_of
from generator.validation.families.paced_serving import FAMILY
from generator.validation.judge import calibration_of
from generator.validation.rows import Row, Uncovered

FIELDS = {
    "model": "llama-3.1-8b", "precision_weights": "bf16", "precision_kv": "bf16", "gpu": "h100-sxm", "n_gpus": "1",
    "tp": "1", "engine": "TensorRT-LLM", "engine_version": "0.14.0", "isl": "467", "osl": "256",
}  # fmt: skip


def latency(library, metric: str, rate: str, **more: str) -> float:
    fields = FIELDS | {"metric": metric, "batch_or_concurrency": f"qps={rate}"} | more
    case = FAMILY.express(Row("r", 50.0, fields, "t:2"), library)
    found = float(FAMILY.predict(case.inputs, constants_of(FAMILY, calibration_of(library, FAMILY), case)))
    assert found > float(case.bound)
    return found


@pytest.mark.parametrize("metric", ["mean_ttft", "mean_itl"])
def test_a_higher_rate_of_arrivals_is_never_faster_and_a_burst_is_the_slowest(library, metric):
    found = [latency(library, metric, rate) for rate in ("0.1", "2", "8", "32", "100", "INF")]
    assert found == sorted(found)


def test_without_load_a_token_takes_one_step(library):
    weights = 2 * (8_030_261_248 - 128_256 * 4096)
    alone = latency(library, "mean_itl", "0.001")
    assert weights / 3.35e12 < alone < 2 * weights / 3.35e12


@given(
    requests=st.integers(1, 2000),
    prompt=st.integers(1, 4000),
    budget=st.integers(256, 16384),
    output=st.integers(1, 2000),
)
def test_steps_with_prompts_are_at_most_half_of_all_of_them_and_at_most_the_output(requests, prompt, budget, output):
    found = formulas.mixed_steps(
        sent_requests=requests, prompt_tokens=prompt, step_budget_tokens=budget, output_tokens=output
    )
    total = requests * prompt / budget
    assert found <= output * (1 + 1e-9)
    assert found <= max(total / 2, min(output, total)) * (1 + 1e-9)
    if output >= total:
        assert found == pytest.approx(total / 2)


@given(prompt=st.floats(1e-3, 1), gap=st.floats(1e-3, 10), requests=st.integers(1, 1000))
@settings(max_examples=50)
def test_only_requests_that_come_too_fast_pile_up(prompt, gap, requests):
    found = formulas.paced_backlog_s(sent_requests=requests, paced_prompt_s=prompt, arrival_gap_s=gap)
    assert (found > 0) == (prompt > gap)


def test_queue_is_that_of_constant_service_below_the_limit():
    wait = formulas.prompt_queue_s(paced_prompt_s=0.5, arrival_gap_s=1.0, idle_share=0.05)
    assert wait == pytest.approx(0.5 * 0.5 / (2 * (1 - 0.5)))


def test_a_rate_that_is_no_number_is_refused(library):
    with pytest.raises(Uncovered, match="rate of arrivals"):
        latency(library, "mean_itl", "many")


def test_rows_of_runs_at_a_rate_do_not_beat_their_bounds(library):
    claimed = 0
    for one in rows.read(library.table("measurements/tables", "engine-throughput")):
        if FAMILY.claims(one):
            claimed += 1
            case = FAMILY.express(one, library)
            assert case.measured > float(case.bound), one.id
    assert claimed > 100

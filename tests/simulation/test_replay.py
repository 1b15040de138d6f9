"""Recorded engine runs and their replays: what the recordings say, and what must hold for any replay of them."""

from __future__ import annotations

import numpy
import pytest

from generator.estimates.architecture import NotSupported
from generator.formulas.nomenclature import NOMENCLATURE
from generator.replay_studies import engine_timeline
from generator.simulation.engine_runs import prompt_step_s, read
from generator.simulation.outcomes import repeat
from generator.simulation.replay import Replay, experiment

RUNS = ("rtx-4090-llama-3.1-8b", "rtx-pro-6000-qwen3-32b")
FULL, ROOMY = RUNS


@pytest.mark.parametrize("identifier", RUNS)
def test_the_published_figures_are_those_of_the_table(library, identifier):
    recorded = read(library, identifier)
    record, columns = recorded.record, {name: numpy.array(values) for name, values in recorded.columns.items()}
    assert len(recorded.requests) == record.requests
    assert columns["finish_s"].max() == pytest.approx(record.makespan, rel=1e-6)
    first = columns["first_token_s"] - columns["arrival_s"]
    each = (columns["finish_s"] - columns["first_token_s"]) / (columns["output_tokens"] - 1)
    whole = columns["finish_s"] - columns["arrival_s"]
    for name, values in (("ttft", first), ("tpot", each), ("e2e", whole)):
        for rank in (50, 90):
            assert numpy.percentile(values, rank) == pytest.approx(getattr(record, f"{name}_p{rank}"), rel=1e-6)
    last = columns["arrival_s"].max()
    assert prompt_step_s(recorded.columns["first_token_s"], last) == pytest.approx(record.prompt_step, rel=1e-5)
    assert recorded.decode_step_s == pytest.approx(record.decode_step, rel=1e-5)
    steps = recorded.steps_to_first_token(
        recorded.columns["scheduled_s"], recorded.columns["first_token_s"], float(record.prompt_step)
    )
    assert steps == pytest.approx(record.steps_to_first_token, rel=1e-4)


@pytest.mark.parametrize("identifier", RUNS)
def test_times_of_a_recording_are_in_order(library, identifier):
    columns = read(library, identifier).columns
    rows = zip(
        *(columns[name] for name in ("arrival_s", "queued_s", "scheduled_s", "first_token_s", "finish_s")), strict=True
    )
    assert all(list(row) == sorted(row) for row in rows)
    assert min(queued - arrival for queued, arrival in zip(columns["queued_s"], columns["arrival_s"], strict=True)) >= 0


def test_the_recorded_run_fills_its_cache_and_the_other_its_slots(library):
    assert max(read(library, FULL).seconds["kv_use"]) > 0.99
    assert max(read(library, ROOMY).seconds["running"]) == read(library, ROOMY).record.slots


@pytest.mark.parametrize("identifier", RUNS)
def test_with_its_step_times_put_in_a_run_comes_out_to_a_few_per_cent(library, identifier):
    replay = Replay(library, run=identifier, costs="recorded")
    found = replay.metrics(0)
    assert found["makespan_s"] == pytest.approx(replay.record.makespan, rel=0.01)
    assert found["e2e_error_p50"] < 0.06


def test_leaving_out_what_the_engine_does_makes_the_full_run_worse(library):
    errors = [
        Replay(library, run=FULL, costs="recorded", **left_out).metrics(0)["e2e_error_p50"]
        for left_out in ({}, {"prefix_cache": "no"}, {"allocation": "reserved", "prefix_cache": "no"})
    ]
    assert errors == sorted(errors)
    assert errors[-1] > 5 * errors[0]


def test_a_cache_that_never_fills_makes_no_difference(library):
    plain = Replay(library, run=ROOMY, allocation="reserved", prefix_cache="no").metrics(0)
    blocks = Replay(library, run=ROOMY).metrics(0)
    assert blocks["preemptions_per_request"] == 0
    assert blocks["makespan_s"] == pytest.approx(plain["makespan_s"], abs=1e-9)


def test_errors_of_a_perfect_replay_would_be_zero(library):
    from generator.simulation.engine_runs import errors

    recorded = read(library, FULL)
    columns = {name: numpy.array(values) for name, values in recorded.columns.items()}
    columns["ttft_s"] = columns["first_token_s"] - columns["arrival_s"]
    columns["tpot_s"] = (columns["finish_s"] - columns["first_token_s"]) / (columns["output_tokens"] - 1)
    columns["e2e_s"] = columns["finish_s"] - columns["arrival_s"]
    found = errors(recorded, columns)
    counts = {name: value for name, value in found.items() if name.endswith("_requests")}
    assert sum(counts.values()) == recorded.record.requests
    assert all(value == 0 for name, value in found.items() if name not in counts)


def test_a_replay_draws_nothing_and_has_names_for_everything(library):
    outcome = repeat(experiment(library, run=FULL))
    assert outcome.runs == 1
    assert set(outcome.numbers) <= set(NOMENCLATURE)
    assert outcome.inputs["step_overhead_s"] == library.assume("vllm-step-overhead")


def test_a_choice_that_does_not_exist_names_those_that_do(library):
    with pytest.raises(NotSupported, match="valid: engine, reference"):
        Replay(library, run=FULL, step="guessed")


def test_a_chart_shows_the_recording_to_its_end(library):
    study = engine_timeline(
        library, run=FULL, shown="waiting", every=10, x={"label": "s"}, y={"label": "waiting"},
        series=[{"label": "assumed"}, {"label": "timed", "costs": "recorded"}],
    )  # fmt: skip
    recorded, assumed, timed = study.series
    assert recorded.kind == "measured"
    assert len(recorded.values) == len(assumed.values) == len(timed.values) == len(study.x)
    assert assumed.values[-1] == 0
    assert timed.values[-1] is None

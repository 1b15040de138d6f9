"""The JSON contract of `handbook simulate`, the records it writes, and what it says to people."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from generator.cli import main
from generator.simulation.catalogue import SIMULATORS

ROOT = Path(__file__).resolve().parents[2]
SERVING = ("simulate", "serving", "--model", "llama-3-8b", "--accelerator", "h100-sxm", "--requests", "60")


@pytest.fixture(autouse=True)
def in_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    "more",
    [
        ("--policy", "colocated"),
        ("--policy", "chunked", "--gpus", "2"),
        ("--policy", "disaggregated", "--gpus", "3", "--prefill-gpus", "1", "--link-bytes-per-s", "5e10"),
    ],
)
def test_serving_prints_the_fields_of_the_contract_and_the_same_for_the_same_seed(capsys, more):
    arguments = (
        *SERVING, *more, "--rate", "4", "--prompt-median", "1024", "--output-median", "256", "--ttft-slo-s", "1",
        "--tpot-slo-s", "0.05", "--step-overhead-s", "0.0003", "--seed", "3",
    )  # fmt: skip
    found = printed(capsys, *arguments)
    for quantity in ("ttft_s", "tpot_s", "e2e_s"):
        assert found[quantity]["p50"] <= found[quantity]["p90"] <= found[quantity]["p95"] <= found[quantity]["p99"]
    assert 0 <= found["attainment"] <= 1
    assert found["goodput_requests_per_s"] == pytest.approx(60 * found["attainment"] / found["makespan_s"], rel=1e-5)
    assert found == printed(capsys, *arguments)
    assert found != printed(capsys, *arguments[:-1], "4")


def test_records_hold_one_row_a_request_and_agree_with_the_summary(capsys, tmp_path):
    path = tmp_path / "records.csv"
    found = printed(capsys, *SERVING, "--seed", "5", "--records", str(path))
    rows = list(csv.DictReader(path.open()))
    assert list(rows[0]) == [
        "id", "arrival_s", "start_s", "first_token_s", "finish_s", "prompt_tokens", "output_tokens", "instance",
    ]  # fmt: skip
    assert len(rows) == 60
    last = max(float(row["finish_s"]) for row in rows)
    assert last == pytest.approx(found["makespan_s"], rel=1e-5)
    assert not list(tmp_path.glob(".records*")), "no half-written file stays"


def test_a_trace_is_replayed_from_a_file_or_by_its_id(capsys, tmp_path):
    path = tmp_path / "three.csv"
    path.write_text("arrival_s,prompt_tokens,output_tokens\n0,100,3\n1,200,2\n2,300,1\n", encoding="utf-8")
    base = SERVING[:6]
    found = printed(capsys, *base, "--trace", str(path))
    assert found["inputs"]["requests"] == 3
    assert found["settings"]["trace"] == "three.csv"
    whole = printed(capsys, *base, "--trace", "azure-code-2023", "--policy", "chunked")
    assert whole["inputs"]["requests"] == 8819


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--gpus", "2", "--policy", "disaggregated", "--prefill-gpus", "2"), "valid: 1 to 1"),
        (("--tp", "2", "--gpus", "3"), "do not divide into groups of tp 2"),
        (("--rate", "-1"), "rate must be at least 0"),
        (("--trace", "no-such-file.csv"), "no such file"),
        (("--runs", "2", "--records", "x.csv"), "--records holds one run"),
        (("--acceptance", "1.5", "--draft-tokens", "3"), "acceptance is a probability"),
        (("--seed", "-1"), "--seed must be at least 0"),
        (("--step-overhead-s", "-1"), "step_overhead_s must be at least 0"),
    ],
)
def test_bad_input_says_what_would_be_right(capsys, more, says):
    assert main([*SERVING, *more]) == 1
    assert says in capsys.readouterr().err


@pytest.mark.parametrize("number", ["nan", "inf", "1e999"])
def test_what_is_no_finite_number_is_refused_before_anything_runs(capsys, number):
    with pytest.raises(SystemExit):
        main([*SERVING, "--rate", number])
    assert "want a finite number" in capsys.readouterr().err


def test_a_row_that_is_too_short_is_named(capsys, tmp_path):
    path = tmp_path / "short.csv"
    path.write_text("arrival_s,prompt_tokens,output_tokens\n0,100,3\n1,200\n", encoding="utf-8")
    assert main([*SERVING[:6], "--trace", str(path)]) == 1
    assert "short.csv:3: 2 values; want 3" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "flag", "value", "says"),
    [
        ("experts", "--sigma", "-1", "sigma must be at least 0"),
        ("experts", "--dispatch-bytes", "-1", "dispatch_bytes must be at least 0"),
        ("experts", "--limit", "-1", "limit must be at least 0"),
        ("prefixes", "--blocks", "-1", "blocks must be at least 0"),
        ("goodput", "--link", "0", "link must be at least 1"),
        ("operations", "--api-price", "-1", "api_price must be at least 0"),
        ("operations", "--step", "1e-9", "valid: 1 to 1,000,000"),
        ("operations", "--horizon", "1", "valid: 1 to 1,000,000"),
        ("operations", "--replicas", "-1", "replicas must be at least 0"),
        ("operations", "--peak-rate", "1e300", "peak_rate must be at most"),
    ],
)
def test_every_simulation_refuses_what_it_cannot_run(capsys, name, flag, value, says):
    example = SIMULATORS[name].example.items()
    choices = [part for key, one in example for part in (f"--{key.replace('_', '-')}", str(one))]
    assert main(["simulate", name, *choices, "--runs", "1", flag, value]) == 1
    assert says in capsys.readouterr().err


def test_a_model_that_does_not_fit_says_what_would(capsys):
    assert main(["simulate", "serving", "--model", "llama-3-70b", "--accelerator", "h100-sxm"]) == 1
    assert "TP 4 is the smallest" in capsys.readouterr().err


@pytest.mark.parametrize("name", SIMULATORS)
def test_every_simulation_runs_from_the_command_line_and_repeats_itself(capsys, name):
    choices = [
        part for key, value in SIMULATORS[name].example.items() for part in (f"--{key.replace('_', '-')}", str(value))
    ]
    arguments = ("simulate", name, *choices, "--runs", "2", "--seed", "1")
    found = printed(capsys, *arguments)
    assert found["runs"] in (1, 2)
    assert found == printed(capsys, *arguments)
    assert main(list(arguments)) == 0
    assert capsys.readouterr().out.startswith(f"{name}: ")


def test_several_runs_print_the_interval_of_their_mean(capsys):
    found = printed(capsys, *SERVING, "--runs", "5")
    ends = found["interval"]["ttft_mean_s"]
    assert ends["low"] <= found["ttft_s"]["mean"] <= ends["high"]

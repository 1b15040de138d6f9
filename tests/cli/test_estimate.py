"""The JSON contract of `handbook estimate`, and what it says to people."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from generator.cli import main

ROOT = Path(__file__).resolve().parents[2]

SERVING = (
    "weights_bytes", "kv_bytes_per_token", "kv_fixed_bytes_per_request", "kv_capacity_bytes", "kv_capacity_tokens",
    "max_concurrent_requests", "ttft_s", "tpot_s", "memory_time_s", "compute_time_s", "communication_time_s", "binding",
    "tokens_per_s", "tokens_per_s_per_user", "usd_per_million_tokens", "feasible", "reasons",
)  # fmt: skip
TRAINING = ("flops", "seconds", "gpu_hours", "mfu", "state_bytes", "state_bytes_per_gpu", "usd")


@pytest.fixture(autouse=True)
def in_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def estimate(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    assert main(["estimate", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_batch_one_step_is_the_weight_floor_over_the_bandwidth_efficiency(capsys):
    found = estimate(
        capsys, "serving", "--model", "llama-3.1-8b", "--accelerator", "h100-sxm",
        "--batch", "1", "--input", "0", "--output", "2",
    )  # fmt: skip
    floor = 2 * 8_030_261_248 / 3.35e12
    assert found["tpot_s"] == pytest.approx(floor / 0.8, rel=2e-5)
    assert set(SERVING) <= set(found)
    assert found["weights_bytes"] == 16_060_522_496
    assert found["kv_bytes_per_token"] == 131_072
    assert found["binding"] == "memory"
    assert found["feasible"] is True
    assert found["reasons"] == []


def test_a_model_that_does_not_fit_is_an_answer_that_names_the_smallest_group_that_does(capsys):
    found = estimate(
        capsys, "serving", "--model", "llama-3-70b", "--accelerator", "h100-sxm", "--input", "7936", "--output", "256"
    )
    assert found["feasible"] is False
    assert found["max_concurrent_requests"] == 0
    assert any("TP 4 is the smallest that holds one request" in reason for reason in found["reasons"])


def test_training_of_llama_3_1_405b_takes_3_8e25_flops(capsys):
    found = estimate(
        capsys, "training", "--model", "llama-3.1-405b", "--accelerator", "h100-sxm", "--gpus", "16384",
        "--tokens", "15.6e12",
    )  # fmt: skip
    assert set(TRAINING) <= set(found)
    assert found["flops"] == pytest.approx(3.8e25, rel=0.005)
    assert found["state_bytes"] == pytest.approx(6.48e12, rel=0.005)


def test_memory_estimate_prints_one_object(capsys):
    found = estimate(capsys, "memory", "--model", "deepseek-v3", "--accelerator", "h200", "--gpus", "8")
    assert found["weights_bytes"] == pytest.approx(673e9, rel=0.01)


def test_infinities_and_unknowns_are_null_in_json(capsys):
    found = estimate(capsys, "serving", "--model", "deepseek-v4-pro", "--accelerator", "rubin-ultra-vr300", "--tp", "8")
    assert found["tpot_s"] is None
    assert found["feasible"] is False


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--model", "lama-3-8b", "--accelerator", "h100-sxm"], "did you mean llama-3"),
        (["--model", "llama-3-8b", "--accelerator", "h100"], ""),
        (["--model", "llama-3-8b", "--accelerator", "h1000"], "h100"),
        (["--model", "llama-3-8b", "--accelerator", "h100-sxm", "--weights", "bf61"], "bf16"),
        (["--model", "llama-3-8b", "--accelerator", "h100-sxm", "--gpus", "3", "--tp", "2"], "do not divide"),
        (["--model", "llama-3-8b", "--accelerator", "h100-sxm", "--gpus", "2", "--ep", "2"], "no routed experts"),
        (["--model", "deepseek-v4-pro", "--accelerator", "h200", "--kv", "int8"], "cannot be chosen"),
        (["--model", "llama-3-8b", "--accelerator", "h100-sxm", "--batch", "0"], "at least 1"),
        (["--model", "llama-3-8b", "--accelerator", "h100-sxm", "--batch", "nan"], "batch"),
        (["--model", "llama-3-8b", "--accelerator", "h100-sxm", "--input", "inf"], "input"),
        (["--model", "llama-3-8b", "--accelerator", "h100-sxm", "--usd-per-gpu-hour", "-3"], "price"),
        (["--model", "llama-3-8b", "--accelerator", "h100-sxm", "--tp", "0"], "tp"),
    ],
)
def test_a_wrong_argument_says_what_would_be_right(capsys, arguments, words):
    code = main(["estimate", "serving", *arguments])
    assert code == (1 if words else 0)
    assert words in capsys.readouterr().err


def test_outside_a_project_the_command_says_where_it_looked(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["check"]) == 1
    assert "no handbook project" in capsys.readouterr().err

"""A calibrated time for a configuration that nobody measured."""

from __future__ import annotations

import json

import pytest

from generator.cli import main
from generator.validation import asked
from generator.validation.rows import Uncovered


def tpot(library, **more):
    given = {"engine": "vllm", "tp": 4, "weights": "fp8", "batch": 32, **more}
    return asked.serving(library, library.find("models", "llama-3.1-70b"), "h100-sxm", **given)["tpot_s"]


def test_a_measured_combination_has_a_narrow_band_and_another_a_wide_one(library):
    like = tpot(library)
    unlike = asked.serving(library, library.find("models", "qwen3-14b"), "l40s", engine="vllm", batch=8)["tpot_s"]
    assert like.alike and not unlike.alike
    assert like.low < float(like.value) < like.high
    assert like.high / like.low < unlike.high / unlike.low


def test_more_requests_take_longer_and_an_engine_is_slower_than_the_roofline(library):
    times = [float(tpot(library, batch=batch).value) for batch in (1, 8, 64, 256)]
    assert times == sorted(times)
    assert times[0] > 35e9 * 2 / 4 / 3.35e12, "half the weights' bytes in FP8 over four cards at full bandwidth"


def test_the_prediction_is_derived(library):
    number = tpot(library).value
    assert (number.name, number.unit, number.kind) == ("serving_tpot_s", "s", "calibrated")


def test_the_command_adds_it_to_the_estimate(capsys):
    command = ["estimate", "serving", "--model", "llama-3.1-70b", "--accelerator", "h100-sxm", "--tp", "4"]
    assert main([*command, "--weights", "fp8", "--batch", "32", "--engine", "vllm", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["calibrated"]
    assert found["tpot_low_s"] < found["tpot_s"] < found["tpot_high_s"]
    assert found["of"] == "vllm" and found["alike"] is True
    assert main([*command, "--engine", "vllm"]) == 0
    assert "80 % band" in capsys.readouterr().out


def test_what_cannot_be_predicted_is_said(library, capsys):
    with pytest.raises(Uncovered):
        asked.serving(library, library.find("models", "llama-3.1-8b"), "rtx-4090", engine="vllm", tp=3)
    model = ["--model", "llama-3.1-8b", "--accelerator", "rtx-4090", "--tp", "3", "--gpus", "3"]
    assert main(["estimate", "serving", *model, "--engine", "vllm"]) == 0
    assert "no calibrated time of vllm" in capsys.readouterr().out


def test_further_accelerators_are_replicas_that_share_the_requests(library):
    alone, shared = tpot(library, batch=16), tpot(library, batch=64, gpus=16)
    assert float(shared.value) == pytest.approx(float(alone.value))


def test_stages_and_weights_that_do_not_fit_are_refused(library):
    with pytest.raises(Uncovered, match="stages"):
        tpot(library, pp=2)
    with pytest.raises(Uncovered, match="do not fit"):
        tpot(library, tp=1, weights="bf16")


def test_a_training_step_is_slower_than_its_products_at_the_dense_peak(library, capsys):
    command = ["estimate", "training", "--model", "llama-3.1-70b", "--accelerator", "h100-sxm", "--gpus", "64"]
    command += ["--tokens", "1e12", "--tp", "4", "--pp", "4", "--software", "megatron", "--zero", "1"]
    assert main([*command, "--sequence", "8192", "--global-batch", "128", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["calibrated"]
    floor = 6 * 70e9 * 128 * 8192 / 64 / 989.4e12
    assert floor < found["step_s"] < 4 * floor
    assert found["step_low_s"] < found["step_s"] < found["step_high_s"]
    assert main(command) == 0
    assert "give --sequence and --global-batch" in capsys.readouterr().out

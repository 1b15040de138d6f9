"""`handbook explain-log` on logs in the wording of vLLM V0 and V1, shortened to the lines that matter."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from generator import engine_logs
from generator.cli import main
from generator.log_comparison import checkpoint
from generator.validation.names import spellings

ROOT = Path(__file__).resolve().parents[2]
LOGS = Path(__file__).parent / "logs"
GIB = 2**30


@pytest.fixture(autouse=True)
def in_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def explained(capsys: pytest.CaptureFixture[str], name: str, *flags: str) -> dict:
    assert main(["explain-log", str(LOGS / name), *flags, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    found["by_name"] = {row["quantity"]: row for row in found["rows"]}
    return found


def refused(capsys: pytest.CaptureFixture[str], name: str, *flags: str) -> str:
    assert main(["explain-log", str(LOGS / name), *flags]) == 1
    return capsys.readouterr().err


def test_a_v1_log_with_debug_lines_agrees_within_a_percent_everywhere(capsys):
    found = explained(capsys, "v1-llama-3.1-8b-h100.log")
    assert (found["model"], found["accelerator"], found["tp"]) == ("llama-3.1-8b", "h100-sxm", 1)
    assert found["engine"] == {"generation": "V1", "version": "0.19.0"}
    differences = [row["difference"] for row in found["rows"] if row["difference"] is not None]
    assert len(differences) == 7
    assert max(map(abs, differences)) < 0.01
    assert found["by_name"]["KV cache, tokens"]["logged"] == 476_016
    assert found["by_name"]["requests of 16,384 tokens"]["logged"] == 29.05
    assert found["by_name"]["captured graphs"]["predicted"] is None


def test_rows_name_the_line_and_the_formula(capsys):
    row = explained(capsys, "v1-llama-3.1-8b-h100.log")["by_name"]["KV cache on one GPU"]
    assert row["formula"] == "engine_kv_bytes"
    lines = (LOGS / "v1-llama-3.1-8b-h100.log").read_text(encoding="utf-8").splitlines()
    assert "Available KV cache memory: 58.11 GiB" in lines[row["line"] - 1]


def test_workers_of_a_group_are_merged_and_the_smallest_cache_counts(capsys):
    found = explained(capsys, "v1-llama-3.1-8b-h100-tp4.log")
    assert found["tp"] == 4
    assert found["by_name"]["KV cache on one GPU"]["logged"] == pytest.approx(67.44 * GIB, rel=1e-5)
    assert abs(found["by_name"]["KV cache, tokens"]["difference"]) < 0.01


def test_a_quantised_checkpoint_keeps_its_tables_in_16_bits(capsys):
    found = explained(capsys, "v1-qwen2.5-7b-w8a8-h100.log")
    assert (found["model"], found["weights"]) == ("qwen2.5-7b", "int8")
    assert abs(found["by_name"]["weights on one GPU"]["difference"]) < 0.005


def test_windows_take_blocks_by_groups_of_layers_as_the_log_counts_them(capsys):
    found = explained(capsys, "v1-gemma-3-27b-h100.log")["by_name"]
    assert abs(found["KV cache, tokens"]["difference"]) < 0.01
    assert abs(found["requests of 8,192 tokens"]["difference"]) < 0.01


def test_a_v0_log_counts_blocks_and_its_memory_names_the_card(capsys):
    found = explained(capsys, "v0-llama-3.1-8b-a10g.log")
    assert (found["accelerator"], found["engine"]["generation"]) == ("a10g", "V0")
    assert found["by_name"]["KV cache, tokens"]["logged"] == 2356 * 16
    assert found["by_name"]["requests of 131,072 tokens"]["logged"] == 0.29
    assert abs(found["by_name"]["KV cache, tokens"]["difference"]) < 0.05


def test_an_early_v0_wording_prints_the_peak_with_the_weights(capsys):
    found = explained(capsys, "v0-llama-3.1-8b-24gb.log", "--accelerator", "rtx-4090")
    activations = found["by_name"]["activation peak"]
    assert activations["logged"] == pytest.approx(2.07 * GIB, rel=0.002)
    assert abs(activations["difference"]) < 0.02
    assert abs(found["by_name"]["requests of 20,000 tokens"]["difference"]) < 0.1


def test_graphs_are_inside_the_share_since_0_21_and_fp8_keys_are_seen(capsys):
    found = explained(capsys, "v1-qwen3-8b-fp8kv-h200-0.22.log")
    assert (found["model"], found["accelerator"], found["kv"]) == ("qwen3-8b", "h200", "fp8")
    assert abs(found["by_name"]["graphs, as estimated"]["difference"]) < 0.02
    assert abs(found["by_name"]["KV cache, tokens"]["difference"]) < 0.005


def test_a_memory_size_that_several_cards_show_is_said(capsys):
    found = explained(capsys, "v0-llama-3.1-8b-24gb.log")
    assert found["accelerator"] == "rtx-3090"
    assert any("rtx-4090" in note for note in found["notes"])


def test_a_log_without_gpu_and_memory_asks_for_the_accelerator(capsys):
    assert "--accelerator" in refused(capsys, "v1-qwen3.5-hybrid-h20.log", "--model", "qwen3-30b-a3b")


def test_an_unknown_model_asks_for_it_and_suggests_one(capsys, tmp_path):
    text = (LOGS / "v1-llama-3.1-8b-h100.log").read_text(encoding="utf-8").replace("Llama-3.1-8B", "Lama-3.1-8C")
    (tmp_path / "other.log").write_text(text, encoding="utf-8")
    assert main(["explain-log", str(tmp_path / "other.log")]) == 1
    message = capsys.readouterr().err
    assert "Lama-3.1-8C" in message
    assert "did you mean" in message
    assert "--model" in message


def test_flags_override_what_the_log_says(capsys):
    found = explained(capsys, "v1-llama-3.1-8b-h100.log", "--model", "llama-3-8b", "--accelerator", "h100-pcie")
    assert (found["model"], found["accelerator"]) == ("llama-3-8b", "h100-pcie")


def test_two_lines_of_a_hybrid_that_disagree_are_named(capsys):
    found = explained(capsys, "v1-qwen3.5-hybrid-h20.log", "--model", "qwen3-30b-a3b", "--accelerator", "h20")
    assert "disagree" in found["by_name"]["requests of 32,768 tokens"]["reason"]


def test_a_file_that_is_no_log_says_so(capsys, tmp_path):
    (tmp_path / "other.log").write_text("nothing of interest\n", encoding="utf-8")
    assert main(["explain-log", str(tmp_path / "other.log")]) == 1
    assert "no line of a vLLM start-up log" in capsys.readouterr().err


def test_text_shows_predicted_beside_logged(capsys):
    assert main(["explain-log", str(LOGS / "v1-llama-3.1-8b-h100.log")]) == 0
    shown = capsys.readouterr().out
    assert "58.09 GiB  58.11 GiB" in shown
    assert "formulas: engine_budget_bytes" in shown


@pytest.mark.parametrize(
    ("name", "spelling"),
    [
        ("meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b"),
        ("/data/models--meta-llama--Meta-Llama-3.1-8B-Instruct/snapshots/0e9e39f2", "llama-3.1-8b"),
        ("RedHatAI/Qwen2.5-7B-Instruct-fp8-dynamic", "qwen2.5-7b"),
        ("deepseek-ai/DeepSeek-V4-Flash-0731", "deepseek-v4-flash"),
        ("google/gemma-3-27b-it", "gemma-3-27b"),
    ],
)
def test_names_of_checkpoints_lead_to_models(name, spelling):
    assert spelling in spellings(checkpoint(name))


def test_an_empty_log_has_no_facts():
    assert engine_logs.parse("").facts == {}

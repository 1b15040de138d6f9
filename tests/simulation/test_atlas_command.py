"""`handbook simulate atlas`: its output, an interrupted run, and what is left for the next one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.simulation.test_atlas import GRID

ROOT = Path(__file__).parents[2]
MORE = GRID.replace("gpus: [2]", "gpus: [2, 3, 4]").replace("seeds: 2", "seeds: 3")


def handbook(*arguments, **options):
    command = [sys.executable, "-m", "generator", "simulate", "atlas", *map(str, arguments)]
    return subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )  # fmt: skip


def finished(out: Path) -> list[Path]:
    return sorted((out / "cells").rglob("*.json"))


def test_json_and_files_are_the_same_for_one_and_two_workers(tmp_path):
    (tmp_path / "grid.yaml").write_text(GRID)
    printed = []
    for workers in (1, 2):
        out = tmp_path / str(workers)
        run = handbook("--grid", tmp_path / "grid.yaml", "--out", out, "--workers", workers, "--json")
        told, complaints = run.communicate(timeout=300)
        assert (run.returncode, complaints) == (0, "")
        printed.append((told, (out / "atlas.json").read_bytes(), (out / "cells.csv").read_bytes()))
    assert printed[0] == printed[1]
    questions = json.loads(printed[0][0])["questions"]
    assert [one["best"] is None for one in questions] == [False, True]
    assert printed[0][2].decode().count("\n") == 5


def test_an_interrupted_run_keeps_its_finished_cells_and_goes_on(tmp_path):
    (tmp_path / "grid.yaml").write_text(MORE)
    arguments = ("--grid", tmp_path / "grid.yaml", "--out", tmp_path / "out", "--workers", "1", "--progress")
    run = handbook(*arguments, start_new_session=True)
    deadline = time.monotonic() + 200
    while not finished(tmp_path / "out") and time.monotonic() < deadline and run.poll() is None:
        time.sleep(0.02)
    os.killpg(run.pid, signal.SIGINT)
    run.communicate(timeout=120)
    kept = {path: path.stat().st_mtime_ns for path in finished(tmp_path / "out")}
    assert kept
    for path in kept:
        json.loads(path.read_bytes())
    again = handbook(*arguments, "--json")
    told, _ = again.communicate(timeout=300)
    assert again.returncode == 0
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    other = handbook("--grid", tmp_path / "grid.yaml", "--out", tmp_path / "other", "--workers", "2", "--json")
    assert other.communicate(timeout=300)[0] == told


def test_progress_is_for_terminals_or_for_who_asks(tmp_path):
    (tmp_path / "grid.yaml").write_text(GRID)
    run = handbook("--grid", tmp_path / "grid.yaml", "--out", tmp_path / "out", "--progress")
    assert "2 of 2 cells" in run.communicate(timeout=300)[1]
    quiet = handbook("--grid", tmp_path / "grid.yaml", "--out", tmp_path / "out")
    told, complaints = quiet.communicate(timeout=300)
    assert complaints == ""
    assert "llama-3.1-8b/h100-sxm/rag-short/server/x2" in told

"""validate and calibrate: what they print for people and for scripts, and what they say to bad input."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from generator.cli import main
from generator.validation.registry import families

ROOT = Path(__file__).parent.parent.parent
TABLES = ROOT / "specs/measurements/tables"


def first_lines(tmp_path: Path, table: str, count: int) -> Path:
    """A file of the first rows of a table."""
    lines = (TABLES / f"{table}.csv").read_text(encoding="utf-8").splitlines()[: count + 1]
    file = tmp_path / "mine.csv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def test_each_row_is_answered_in_its_own_unit(tmp_path, capsys):
    file = first_lines(tmp_path, "vllm-start-up-logs", 20)
    assert main(["validate", str(file), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["rows"]) == 20
    for row in found["rows"]:
        assert {"id", "predicted", "low", "high", "measured", "family", "covered"} <= set(row)
        assert row["covered"] == (row["predicted"] is not None)
        if row["low"] is not None:
            assert row["covered"] and 0 < row["low"] < row["high"]
    assert set(found["families"]["kv-capacity"]) == {"n", "median_ape", "p90_ape", "bias", "inside_band"}
    assert found["families"]["kv-capacity"]["median_ape"] < 0.02
    assert sum(found["skipped"].values()) == sum(not row["covered"] for row in found["rows"])


def test_what_is_not_covered_is_counted_by_reason(tmp_path, capsys):
    file = tmp_path / "mine.csv"
    file.write_text("id,model,gpu,metric,value,unit\na,no such model,H100,mean_tpot,5,ms\nb,x,y,colour,5,ms\n")
    assert main(["validate", str(file)]) == 0
    said = capsys.readouterr().out
    assert "2 of 2 rows skipped" in said
    assert "no family predicts `colour`" in said


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("id,metric,value\n", "column `unit` is missing"),
        ("id,metric,value,unit\na,m,x,ms\n", "`value` must be a number"),
    ],
)
def test_a_bad_file_is_refused_with_line_and_rule(tmp_path, capsys, content, said):
    file = tmp_path / "mine.csv"
    file.write_text(content)
    assert main(["validate", str(file)]) == 1
    assert said in capsys.readouterr().err


def test_a_missing_file_is_named(tmp_path, capsys):
    assert main(["validate", str(tmp_path / "none.csv")]) == 1
    assert "none.csv: no such file" in capsys.readouterr().err


def test_calibrate_knows_its_families(capsys):
    assert main(["calibrate", "serving"]) == 2
    assert "no family is called serving; known: " in capsys.readouterr().err


def test_calibrate_shows_what_changes_and_writes_only_when_asked(tmp_path, monkeypatch, capsys):
    for name in ("specs", "mkdocs.yml"):
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    file = tmp_path / "specs/calibrations/matmul.yaml"
    before = file.read_text()
    monkeypatch.chdir(tmp_path)
    assert main(["calibrate", "matmul"]) == 0
    said = capsys.readouterr().out
    assert "held out whole groups" in said and "product_efficiency" in said
    assert file.read_text() == before
    assert main(["calibrate", "matmul", "--write", "--date", "2026-12-01"]) == 0
    assert "2026-12-01" in file.read_text()
    capsys.readouterr()
    assert main(["calibrate", "matmul"]) == 0
    changed = [line for line in capsys.readouterr().out.splitlines() if " -> " in line]
    assert changed == [], "a second fit of the same rows moves nothing"


def test_every_family_says_what_it_predicts():
    for family in families().values():
        assert family.what.endswith(".") and family.name[0].isupper()

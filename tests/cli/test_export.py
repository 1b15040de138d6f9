"""export: each kind from a built site, and what is said when that cannot be."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from generator import pages
from generator.cli import main
from tests.small_project import small_project


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    return small_project(tmp_path_factory.mktemp("export") / "project")


@pytest.fixture(scope="module")
def rendered(project) -> Path:
    """The pages of the small project as files: all that the database and the CSV are made from."""
    site = project.parent / "site"
    for path, content in pages.render(project).items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_bytes(content)
    return site


@pytest.mark.parametrize("kind", ["sqlite", "csv"])
def test_the_specs_and_the_site_built_from_them_give_the_same_file(
    project, rendered, tmp_path, monkeypatch, capsys, kind
):
    monkeypatch.chdir(project)
    assert main(["export", kind, "--out", str(tmp_path / "from-specs")]) == 0
    assert main(["export", kind, "--site", str(rendered), "--out", str(tmp_path / "from-site")]) == 0
    assert (tmp_path / "from-specs").read_bytes() == (tmp_path / "from-site").read_bytes()
    assert f"wrote {tmp_path / 'from-site'}" in capsys.readouterr().out


def test_the_csv_is_the_one_of_the_site(project, rendered, tmp_path, monkeypatch):
    monkeypatch.chdir(project)
    assert main(["export", "csv", "--site", str(rendered), "--out", str(tmp_path / "all.csv")]) == 0
    assert (tmp_path / "all.csv").read_bytes() == (rendered / "data/results.csv").read_bytes()


def test_without_a_name_the_file_is_written_here(project, rendered, tmp_path, monkeypatch):
    monkeypatch.chdir(project)
    assert main(["export", "sqlite", "--site", str(rendered)]) == 0
    with sqlite3.connect(project / "handbook.sqlite") as database:
        assert database.execute("SELECT count(*) FROM results").fetchone()[0] > 100
    assert not list(project.glob(".handbook.sqlite*"))


def test_all_that_is_wrong_with_the_arguments_is_said_at_once(project, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(project)
    monkeypatch.setenv("CHROMIUM", "/nowhere/chromium")
    out = tmp_path / "gone" / "book.pdf"
    assert main(["export", "pdf", "--site", str(tmp_path), "--out", str(out)]) == 1
    error = capsys.readouterr().err
    assert "there is no folder" in error
    assert "no built site" in error
    assert "apt-get install chromium" in error
    assert not out.parent.exists()


def test_a_folder_is_no_file_to_write_to(project, rendered, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(project)
    assert main(["export", "csv", "--site", str(rendered), "--out", str(tmp_path)]) == 1
    assert "is a folder; give the name of a file" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["export"], ["export", "excel"], ["export", "csv", "--all"]])
def test_wrong_usage_ends_with_two_and_names_what_is_valid(project, monkeypatch, capsys, arguments):
    monkeypatch.chdir(project)
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage: handbook" in capsys.readouterr().err


def test_a_failed_export_leaves_the_earlier_file(project, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(project)
    earlier = tmp_path / "handbook.sqlite"
    earlier.write_text("earlier")
    broken = tmp_path / "site"
    (broken / "api/v1").mkdir(parents=True)
    (broken / "api/v1/results.json").write_text("{}")
    assert main(["export", "sqlite", "--site", str(broken), "--out", str(earlier)]) == 1
    assert "api/v1/index.json" in capsys.readouterr().err
    assert earlier.read_text() == "earlier"


def test_a_worked_example_that_moved_is_not_exported(tmp_path, monkeypatch, capsys):
    project = small_project(tmp_path / "project")
    path = project / "specs/accelerators/h100-sxm.yaml"
    path.write_text(path.read_text().replace("capacity: 80 GB", "capacity: 84 GB"))
    monkeypatch.chdir(project)
    assert main(["export", "csv", "--out", str(tmp_path / "all.csv")]) == 1
    assert "WX-" in capsys.readouterr().err
    assert not (tmp_path / "all.csv").exists()

"""build, render, explain and new, on a copy of the project."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator import pages
from generator.cli import main
from generator.specs.load import load_file
from generator.specs.records import COLLECTIONS
from tests.small_project import small_project

HOSTILE = "<script>alert(1)</script> {{ 7 * 7 }} {% raw %} \\(x\\) **bold** [a](b)"


def test_a_fault_in_a_spec_is_located_and_leaves_the_earlier_site_untouched(project, monkeypatch, capsys):
    monkeypatch.chdir(project)
    site = project / "site"
    site.mkdir()
    for name in ("index.html", "404.html", "sitemap.xml"):
        (site / name).write_text("earlier")
    path = project / "specs" / "accelerators" / "h200.yaml"
    path.write_text(path.read_text().replace("bandwidth: 4.8 TB/s", "bandwidth: 4.8 TB"))
    assert main(["build"]) == 1
    error = capsys.readouterr().err
    assert "specs/accelerators/h200.yaml:" in error
    assert "did you mean `TB/s`" in error
    assert (site / "index.html").read_text() == "earlier"
    assert not list(project.glob(".site.*"))


def test_a_spec_edit_that_moves_a_worked_example_fails_and_names_it(project, monkeypatch, capsys):
    monkeypatch.chdir(project)
    path = project / "specs" / "accelerators" / "h100-sxm.yaml"
    path.write_text(path.read_text().replace("capacity: 80 GB", "capacity: 84 GB"))
    assert main(["build"]) == 1
    error = capsys.readouterr().err
    assert "WX-007" in error
    assert "53" in error


def test_text_of_a_spec_appears_as_text_on_every_page(project):
    for collection, name in (("accelerators", "h200"), ("models", "llama-3-8b"), ("systems", "hgx-h200-8")):
        path = project / "specs" / collection / f"{name}.yaml"
        lines = path.read_text().splitlines()
        at = next(index for index, line in enumerate(lines) if line.startswith("name:"))
        lines[at] = f"name: '{HOSTILE}'"
        path.write_text("\n".join(lines) + "\n")
    files = pages.write_book(pages.open_book(project)).files
    pages_with_name = 0
    for path, content in files.items():
        if not path.endswith(".md"):
            continue
        text = content.decode()
        assert "<script>" not in text, path
        pages_with_name += "alert(1)" in text or "alert&#40;1&#41;" in text
    assert pages_with_name > 5


def test_pages_are_the_same_bytes_every_time(tmp_path):
    """Twice in one process; the whole book is built by two processes whenever a change is tested."""
    project = small_project(tmp_path / "small")
    first = pages.write_book(pages.open_book(project)).files
    second = pages.write_book(pages.open_book(project)).files
    assert first == second


@pytest.mark.parametrize(
    ("identifier", "words"),
    [
        ("WX-007", "kv_capacity_bytes"),
        ("models/llama-3-8b/total_params", "embedding_params"),
        ("accelerators/h100-sxm#memory.bandwidth", "seen 20"),
    ],
)
def test_explain_leads_down_to_a_source(project, monkeypatch, capsys, identifier, words):
    monkeypatch.chdir(project)
    assert main(["explain", identifier]) == 0
    text = capsys.readouterr().out
    assert words in text
    assert "https://" in text


def test_explain_of_an_unknown_id_suggests_a_near_one(project, monkeypatch, capsys):
    monkeypatch.chdir(project)
    assert main(["explain", "models/llama-3-8b/total_parms"]) == 1
    assert "did you mean `models/llama-3-8b/total_params`" in capsys.readouterr().err


KINDS = [
    "accelerator",
    "system",
    "link",
    "tier",
    "model",
    "number-format",
    "assumption",
    "workload",
    "gpu-price",
    "api-price",
    "reference",
    "measurement",
    "example",
]


@pytest.mark.parametrize("kind", KINDS)
def test_new_writes_a_file_that_lists_what_is_missing(project, monkeypatch, capsys, kind):
    monkeypatch.chdir(project)
    name = "WX-999" if kind == "example" else "my-new-thing"
    assert main(["new", kind, name]) == 0
    from generator.cli import new

    collection = new.KINDS[kind]
    path = project / "specs" / collection / f"{name}.yaml"
    _, faults, file = load_file(path, project, collection)
    assert COLLECTIONS[collection].__name__
    assert not file.faults, "the file is valid YAML"
    assert faults, "what is to be filled in is missing until it is filled in"
    assert main(["new", kind, name]) == 1, "an existing file is never overwritten"


@pytest.mark.parametrize("identifier", ["../../x", "a/b", "A B", ""])
def test_new_refuses_an_id_that_is_no_file_name_and_writes_nothing(project, monkeypatch, capsys, identifier):
    monkeypatch.chdir(project)
    before = sorted(project.rglob("*"))
    assert main(["new", "model", identifier]) != 0
    assert capsys.readouterr().err
    assert sorted(project.rglob("*")) == before


def test_render_writes_the_pages_without_mkdocs(tmp_path, monkeypatch):
    project = small_project(tmp_path / "small")
    monkeypatch.chdir(project)
    assert main(["render", "--out", str(project / "pages")]) == 0
    assert (project / "pages" / "index.md").is_file()
    assert (project / "pages" / "api" / "v1" / "results.json").is_file()


def test_the_project_is_found_from_a_folder_below_it(project, monkeypatch, capsys):
    monkeypatch.chdir(Path(project, "specs", "models"))
    assert main(["explain", "accelerators/h100-sxm#memory.capacity"]) == 0
    assert "80.0 GB" in capsys.readouterr().out

"""What has been published stays: moved values name the datum, revisions keep what was before, ids never go."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from generator import published
from generator.cache import Cache
from generator.cli import main
from generator.examples import work, work_all
from generator.simulation import outcomes
from generator.specs.load import load

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(ROOT / "specs", tmp_path / "specs")
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    # Simulations that the edit does not concern are not run again.
    monkeypatch.setattr(outcomes.RESULTS, "cache", Cache(ROOT / ".cache" / "handbook"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def edit(project: Path, file: str, before: str, after: str) -> None:
    path = project / "specs" / file
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after), encoding="utf-8")


def faults(project: Path) -> list[str]:
    library = load(project)
    return published.faults(published.read(project), work_all(library), library.files)


def test_every_example_is_recorded_as_it_stands(library):
    record = published.read(ROOT)
    assert set(record) == set(library.examples)
    for identifier, example in library.examples.items():
        assert [one["revision"] for one in record[identifier]] == list(range(1, int(example.revision) + 1))


def test_a_moved_value_names_what_it_was_what_it_is_and_the_line_that_moved_it(project):
    edit(project, "accelerators/h200.yaml", "4.8 TB/s", "5 TB/s")
    found = {fault.split(": ")[1].split()[0]: fault for fault in faults(project)}
    assert "206.125 FLOP/B, now computes 197.88 (-4.000%)" in found["WX-050"]
    assert "specs/accelerators/h200.yaml:" in found["WX-050"]
    assert "memory.bandwidth was 4800000000000, now 5000000000000 B/s" in found["WX-050"]
    assert "WX-001" not in found


def test_a_revision_keeps_the_value_before_with_its_reason_and_the_check_is_content(project, capsys):
    edit(project, "accelerators/h200.yaml", "4.8 TB/s", "5 TB/s")
    moved = [fault.split(": ")[1].split()[0] for fault in faults(project)]
    assert main(["example", "revise", *moved, "--reason", "the data sheet was read again", "--date", "2026-12-01"]) == 0
    assert faults(project) == []
    library = load(project)
    record = library.examples["WX-050"]
    assert record.revision == 2
    assert (record.history[0].value, record.history[0].reason) == ("206.125", "the data sheet was read again")
    first, second = published.read(project)["WX-050"]
    assert (first["value"], second["value"]) == (206.125, 197.88)
    assert first["digest"] != second["digest"]


def test_a_revision_of_an_exact_value_has_all_its_digits(project, capsys):
    edit(project, "accelerators/h200.yaml", "4.8 TB/s", "4.9 TB/s")
    found = faults(project)
    moved = [fault.split(": ")[1].split()[0] for fault in found]
    assert "WX-205" in moved, "its value is to be met exactly"
    assert published.advice(found).endswith(f'handbook example revise {" ".join(moved)} --reason "..."')
    assert main(["example", "revise", *moved, "--reason", "read again", "--date", "2026-12-01"]) == 0
    assert faults(project) == []
    assert published.advice([]) == ""


def test_what_has_not_moved_is_not_revised(project, capsys):
    before = (project / "specs/examples/WX-001.yaml").read_bytes()
    assert main(["example", "revise", "WX-001", "--reason", "for no reason"]) == 1
    assert "WX-001: nothing to revise" in capsys.readouterr().err
    assert (project / "specs/examples/WX-001.yaml").read_bytes() == before


def test_a_value_that_is_edited_without_a_revision_is_a_fault(project):
    edit(project, "examples/WX-050.yaml", "value: 206.125", "value: 206.126")
    [fault] = faults(project)
    assert "was published with 206.125 FLOP/B, its file says 206.126" in fault


def test_an_id_that_was_published_stays_for_ever(project):
    (project / "specs/examples/WX-050.yaml").unlink()
    [fault] = faults(project)
    assert "WX-050 has been published and is gone" in fault


def test_recording_refuses_while_a_value_has_moved_and_repeats_itself_otherwise(project, capsys):
    before = (project / published.EXAMPLES).read_bytes()
    assert main(["example", "record"]) == 0
    assert (project / published.EXAMPLES).read_bytes() == before
    edit(project, "accelerators/h200.yaml", "4.8 TB/s", "5 TB/s")
    assert main(["example", "record"]) == 1
    assert (project / published.EXAMPLES).read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("WX-999", "--reason", "x"), "WX-999"),
        (("WX-001", "--reason", " "), "--reason is empty"),
        (("WX-001", "--reason", "x", "--date", "1.12.2026"), "--date"),
    ],
)
def test_a_wrong_revision_is_refused_and_nothing_is_written(project, capsys, arguments, says):
    before = (project / "specs/examples/WX-001.yaml").read_bytes()
    assert main(["example", "revise", *arguments]) == 1
    assert says in capsys.readouterr().err
    assert (project / "specs/examples/WX-001.yaml").read_bytes() == before


def test_the_digest_changes_with_a_datum_a_choice_and_nothing_else(library):
    one = work(library.examples["WX-001"], library).answer
    again = work(library.examples["WX-001"], library).answer
    other = work(library.examples["WX-002"], library).answer
    assert published.digest(one) == published.digest(again) != published.digest(other)

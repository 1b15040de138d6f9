"""What an edit would move is what it moves: predicted before it is made, found afterwards, for many random edits."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from generator.cli import differences, main
from generator.differences import as_json, as_text, difference
from generator.ledger import RESULTS, Ledger, file_of
from generator.overlay import overlay, replace_value
from generator.pages import formulary, reference
from generator.specs import load, positions
from generator.specs.library import UnknownId
from generator.specs.load import SpecFaults
from generator.worksheets import WorksheetFault
from tests.small_project import small_project

EDITS = 200


@pytest.fixture(scope="module", autouse=True)
def files_read_once() -> Iterator[None]:
    """Hundreds of renderings differ in one file each: a file with the same name and text is loaded once."""
    load_file, known = load.load_file, {}

    def load_once(path: Path, root: Path, collection: str) -> Any:
        key = (path.relative_to(root), path.read_bytes(), collection)
        record, faults, file = known.get(key) or known.setdefault(key, load_file(path, root, collection))
        return record, list(faults), file

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(load, "load_file", load_once)
        yield


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_project(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def base(project: Path) -> Ledger:
    return differences.rendered(project)


def numbers_of(project: Path) -> list[tuple[str, str, str]]:
    """File, field and text of every value of the specs that is a number, with or without a unit."""
    found = []
    for path in sorted((project / "specs").rglob("*.yaml")):
        name = path.relative_to(project).as_posix()
        if name.startswith(("specs/examples", "specs/references")):
            continue

        def walk(node: object, field: tuple[str, ...], name: str = name) -> None:
            if isinstance(node, dict):
                for key, value in node.items():
                    walk(value, (*field, str(key)))
            elif isinstance(node, list):
                for place, value in enumerate(node):
                    walk(value, (*field, str(place)))
            elif not isinstance(node, bool) and str(node)[:1].isdigit() and field[0] not in ("sources", "notes"):
                found.append((name, ".".join(field), str(node)))

        walk(positions.read(path.read_text(encoding="utf-8"), name).data, ())
    return found


def edited_value(generator: random.Random, given: str) -> str:
    number, space, unit = given.partition(" ")
    try:
        value = float(number)
    except ValueError:
        return given
    factor = generator.choice((0.5, 0.9, 1.1, 2))
    changed = value * factor
    whole = "." not in number and "e" not in number
    return f"{max(1, round(changed)) if whole else changed:g}{space}{unit}"


def test_what_an_edit_is_predicted_to_move_is_what_it_moves(project, base, tmp_path, monkeypatch):
    # Pages of formulas hold no result, and make up half of so small a project.
    about_formulas = (formulary.write_formulas, formulary.write_nomenclature, formulary.write_calibrated_nomenclature)
    writers = tuple(one for one in reference.WRITERS if one not in about_formulas)
    monkeypatch.setattr(reference, "WRITERS", writers)
    generator = random.Random(2026)
    everything = numbers_of(project)
    behind = {f"{file_of(path)}#{path.partition('#')[2]}" for path in base.dependents}
    in_use = [one for one in everything if f"{one[0]}#{one[1]}" in behind]
    moving = checked = 0
    while checked < EDITS:
        # Mostly data that results rest on; the others must move nothing, or do so through a choice.
        name, field, given = generator.choice(in_use if generator.random() < 0.8 else everything)
        text = (project / name).read_text(encoding="utf-8")
        changed = replace_value(text, name, field, edited_value(generator, given))
        try:
            predicted = difference(base, differences.rendered(project, {name: changed}))
        except (SpecFaults, WorksheetFault, ValueError):
            continue
        checked += 1
        # The edit is made in a copy, which is rendered to files as a maintainer would.
        copy, out = tmp_path / "copy", tmp_path / "out"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(project, copy, symlinks=True)
        (copy / name).write_text(changed, encoding="utf-8")
        found = difference(base, Ledger.read(_written(copy, out)))
        assert as_json(found)["groups"] == as_json(predicted)["groups"], (name, field)
        moving += bool(found.moves)
        for move in found.moves:
            assert not move.causes or {cause.datum.partition("#")[0] for cause in move.causes} == {
                name.removeprefix("specs/").removesuffix(".yaml")
            }, "nothing but the edited file is a cause"
    assert moving > EDITS / 4, "most edits must move something, else this shows nothing"


def _written(project: Path, out: Path) -> bytes:
    from generator import pages

    content = pages.ledger(project)
    out.mkdir(exist_ok=True)
    (out / "results.json").write_bytes(content)
    return (out / "results.json").read_bytes()


def test_the_bandwidth_of_an_h200_moves_what_reads_its_memory_and_names_it_as_the_cause(project, base):
    name = "specs/accelerators/h200.yaml"
    changed = replace_value((project / name).read_text(encoding="utf-8"), name, "memory.bandwidth", "5 TB/s")
    found = difference(base, differences.rendered(project, {name: changed}))
    moved = {move.id for move in found.moves}
    assert "accelerators/h200/ridge_point_bf16" in moved
    assert not any(one.startswith(("accelerators/h100-sxm/", "models/llama-3-8b/on/h100-sxm")) for one in moved)
    [group] = found.groups
    [cause] = group.causes
    assert (cause.datum, cause.before.value, cause.after.value) == ("accelerators/h200#memory.bandwidth", 4.8e12, 5e12)
    assert moved <= set(base.dependents["accelerators/h200#memory.bandwidth"])
    sizes = [move.size for move in group.moves]
    assert sizes == sorted(sizes, reverse=True)
    assert "accelerators/h200#memory.bandwidth: 4.8e+12 B/s -> 5e+12 B/s" in as_text(found)


def test_the_ledger_is_what_a_build_publishes(project):
    from generator import pages

    assert pages.ledger(project) == pages.render(project)[RESULTS]


def test_an_overlay_never_writes_to_the_project(project):
    name = "specs/accelerators/h200.yaml"
    before = (project / name).read_bytes()
    with overlay(project, {name: "id: other\n"}) as copy:
        assert (copy / name).read_text(encoding="utf-8") == "id: other\n"
        assert (copy / "specs/accelerators/h800.yaml").read_bytes()
    assert (project / name).read_bytes() == before
    assert (project / "specs/accelerators/h800.yaml").is_file()


def test_equal_builds_do_not_differ(base):
    assert difference(base, base).moves == ()
    assert as_text(difference(base, base)) == "nothing moved"


def test_results_that_appear_and_go_are_told_apart(base):
    document = {"release": "x", "results": [], "steps": {}}
    gone = difference(base, Ledger(document))
    assert {move.what for move in gone.moves} == {"went"}
    assert {move.what for move in difference(Ledger(document), base).moves} == {"appeared"}


def test_diff_of_two_rendered_sites_says_by_its_exit_code_whether_anything_moved(
    project, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(project)
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        (folder / RESULTS).parent.mkdir(parents=True)
        (folder / RESULTS).write_bytes(_written(project, tmp_path / "out"))
    assert main(["diff", str(one), str(two)]) == 0
    assert capsys.readouterr().out == "nothing moved\n"
    document = json.loads((two / RESULTS).read_bytes())
    document["results"][0]["value"] = 123.0
    (two / RESULTS).write_text(json.dumps(document), encoding="utf-8")
    assert main(["diff", str(one), str(two), "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["moved"] == 1
    assert said["groups"][0]["moves"][0]["id"] == document["results"][0]["id"]


def test_impact_lists_what_rests_on_a_datum_and_what_an_edit_would_move(project, monkeypatch, capsys):
    monkeypatch.chdir(project)
    assert main(["impact", "accelerators/h200#memory.bandwidth", "--json"]) == 0
    resting = json.loads(capsys.readouterr().out)["results"]
    assert "accelerators/h200/drain_seconds" in resting
    assert main(["impact", "specs/accelerators/h200.yaml", "--set", "memory.bandwidth=5 TB/s", "--json"]) == 0
    moved = [move["id"] for group in json.loads(capsys.readouterr().out)["groups"] for move in group["moves"]]
    assert set(moved) <= set(resting)
    assert "accelerators/h200/drain_seconds" in moved


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("specs/accelerators/h2000.yaml",), "did you mean `h200`"),
        (("h200",), "did you mean `accelerators/h200`"),
        (("accelerators/h200", "--set", "memory.bandwith=5 TB/s"), "did you mean `bandwidth`"),
        (("accelerators/h200", "--set", "memory=5 TB/s"), "holds more than one value"),
        (("accelerators/h200", "--set", "memory.bandwidth"), "--set wants FIELD=VALUE"),
        (("accelerators/h200", "--set", "memory.bandwidth=5 TB"), "unknown unit"),
        (("accelerators/h200#memory.width",), "no result rests on"),
    ],
)
def test_impact_says_what_would_be_right(project, monkeypatch, capsys, arguments, says):
    monkeypatch.chdir(project)
    assert main(["impact", *arguments]) == 1
    assert says in capsys.readouterr().err


def test_diff_says_what_can_be_compared(project, monkeypatch, capsys):
    monkeypatch.chdir(project)
    assert main(["diff", "no-such-release", "neither"]) == 1
    assert "is no site, no project, no release (none) and no git revision" in capsys.readouterr().err


def test_an_edit_keeps_comments_and_everything_else():
    text = "id: x  # the id\nmemory:\n  # dense\n  bandwidth: 4.8 TB/s  # per card\n  capacity: 141 GB\n"
    changed = replace_value(text, "x.yaml", "memory.bandwidth", "5 TB/s")
    assert changed == text.replace("4.8 TB/s", "5 TB/s")
    with pytest.raises(UnknownId, match="none of id, memory"):
        replace_value(text, "x.yaml", "links.bandwidth", "1")

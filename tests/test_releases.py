"""Releases lie beside each other, whole: whatever kills the run that lays one, and at whatever moment."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from generator import releases
from generator.publish import SiteFault, publish

ROOT = Path(__file__).resolve().parent.parent
KILLS = 50

# Counts what a run does to files and kills itself before one of them; a kill between two of them shows nothing else.
SCRIPT = """
import os, random, signal, sys
from pathlib import Path
from tests.test_releases import lay, page
from generator.publish import publish

at, count, renames = int(sys.argv[1]), 0, []
SEEN = ("open", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.chmod", "os.listdir", "os.scandir")

def count_one(event, arguments):
    global count
    if event not in SEEN:
        return
    count += 1
    if event == "os.rename":
        renames.append(count)
    if count == at:
        os.kill(os.getpid(), signal.SIGKILL)

what, place, version = sys.argv[2:5]
sys.addaudithook(count_one)
if what == "release":
    lay(Path(place), version)
else:
    publish(page(version), Path(place))
total = count
print(total, *renames)
"""


def page(version: str):
    """Fills a directory with what stands for a site."""

    def build(directory: Path) -> None:
        for name in ("index.html", "404.html", "sitemap.xml", *(f"models/{number}.html" for number in range(30))):
            (directory / name).parent.mkdir(parents=True, exist_ok=True)
            (directory / name).write_text(f"{version} {name}", encoding="utf-8")
        for name in ("index", "results"):
            (directory / "api/v1").mkdir(parents=True, exist_ok=True)
            (directory / f"api/v1/{name}.json").write_text(json.dumps({"release": version}), encoding="utf-8")

    return build


def lay(public: Path, version: str) -> None:
    """As `handbook release` does: what an earlier run left is put right, then the release is laid."""
    with releases.held(public):
        releases.settle(public)
        if version not in releases.released(public):
            releases.lay(version, public, page(version))


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def killed(at: int, *arguments: str) -> tuple[int, list[int]]:
    """A run that dies at its `at`-th step: its exit code, and if it lived the number of its steps and its renames."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(at), *arguments], env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert run.returncode in (0, -signal.SIGKILL), run.stderr
    return run.returncode, [int(one) for one in run.stdout.split()]


def moments(total: int, renames: list[int]) -> list[int]:
    """Before and after each rename, and random others."""
    chosen = {moment for one in renames for moment in (one, one + 1)}
    others = [one for one in range(1, total + 1) if one not in chosen]
    return sorted({*chosen, *random.Random(5).sample(others, KILLS - len(chosen))})


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    public = tmp_path_factory.mktemp("first") / "public"
    lay(public, "2026.11")
    return public


def test_a_release_lies_beside_the_earlier_ones_and_latest_is_its_copy(first, tmp_path):
    public = shutil.copytree(first, tmp_path / "public")
    before = tree(public / "2026.11")
    lay(public, "2026.12")
    assert sorted(one.name for one in public.iterdir()) == [
        "2026.11", "2026.12", "index.html", "latest", "versions.json",
    ]  # fmt: skip
    assert tree(public / "2026.11") == before
    assert tree(public / "latest") == tree(public / "2026.12")
    assert json.loads((public / "versions.json").read_bytes()) == [
        {"version": "2026.12", "title": "2026.12", "aliases": ["latest"]},
        {"version": "2026.11", "title": "2026.11", "aliases": []},
    ]
    front = (public / "index.html").read_text(encoding="utf-8")
    assert '<meta http-equiv="refresh" content="0; url=latest/index.html">' in front
    assert "<script" not in front


def test_a_release_killed_at_50_moments_is_there_whole_or_not_at_all_and_the_next_run_finishes_it(first, tmp_path):
    clean = shutil.copytree(first, tmp_path / "clean")
    lived, (total, *renames) = killed(0, "release", str(clean), "2026.12")
    assert lived == 0
    whole = {name: tree(clean / name) for name in ("2026.11", "2026.12")}
    placed = 0
    chosen = moments(total, renames)
    assert len(chosen) == KILLS
    for at in chosen:
        public = shutil.copytree(first, tmp_path / f"public-{at}")
        code, _ = killed(at, "release", str(public), "2026.12")
        assert code == -signal.SIGKILL
        for entry in json.loads((public / "versions.json").read_bytes()):
            assert tree(public / entry["version"]) == whole[entry["version"]], at
        for one in public.iterdir():
            if not one.name.startswith(".") and one.is_dir():
                assert tree(one) in (
                    (whole["2026.11"], whole["2026.12"]) if one.name == "latest" else (whole[one.name],)
                )
        assert tree(public / "2026.11") == whole["2026.11"]
        placed += (public / "2026.12").exists()
        lay(public, "2026.12")
        assert tree(public) == tree(clean), at
        shutil.rmtree(public)
    assert 0 < placed < KILLS, "some died before the release was in its place, some after"


def test_a_first_release_killed_at_any_rename_leaves_no_list_without_its_release(tmp_path):
    _, (total, *renames) = killed(0, "release", str(tmp_path / "clean"), "2026.11")
    for at in [moment for one in renames for moment in (one, one + 1) if moment <= total]:
        public = tmp_path / f"public-{at}"
        killed(at, "release", str(public), "2026.11")
        assert (public / "2026.11").exists() >= (public / "versions.json").exists()
        lay(public, "2026.11")
        assert tree(public) == tree(tmp_path / "clean")


def test_a_build_killed_at_50_moments_leaves_the_old_site_or_the_new_one(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    publish(page("old"), old)
    publish(page("new"), new)
    clean = shutil.copytree(old, tmp_path / "clean")
    _, (total, *renames) = killed(0, "build", str(clean), "new")
    seen = []
    for at in moments(total, renames):
        site = shutil.copytree(old, tmp_path / f"folder-{at}" / "site")
        killed(at, "build", str(site), "new")
        assert tree(site) in (tree(old), tree(new)), at
        seen.append(tree(site) == tree(new))
        publish(page("new"), site)
        assert [one.name for one in site.parent.iterdir()] == ["site"]
        assert tree(site) == tree(new)
    assert len(seen) == KILLS
    assert set(seen) == {False, True}


@pytest.mark.parametrize(
    "version", ["2026", "2026.13", "2026.00", "26.11", "2026.11.0", "v2026.11", "latest", "../x", ""]
)
def test_a_version_has_a_year_and_a_month(tmp_path, version):
    with pytest.raises(SiteFault, match=r"is no version; valid: YYYY\.MM"):
        releases.lay(version, tmp_path / "public", page(version))
    assert not (tmp_path / "public").exists()


def test_corrections_come_after_what_they_correct_and_before_the_next_month():
    versions = ["2026.12", "2026.11.10", "2026.11", "2027.01", "2026.11.2"]
    assert sorted(versions, key=releases.order) == ["2026.11", "2026.11.2", "2026.11.10", "2026.12", "2027.01"]


@pytest.mark.parametrize(
    ("version", "says"),
    [("2026.11", "is never written again"), ("2026.10", "is older than 2026.11")],
)
def test_a_published_version_is_never_rewritten(first, tmp_path, version, says):
    public = shutil.copytree(first, tmp_path / "public")
    before = tree(public)
    with pytest.raises(SiteFault, match=says):
        releases.lay(version, public, page("another"))
    assert tree(public) == before


def test_even_a_release_that_appears_while_another_is_built_stays(first, tmp_path):
    public = shutil.copytree(first, tmp_path / "public")

    def slow(directory: Path) -> None:
        page("mine")(directory)
        publish(page("2026.12"), public / "2026.12", replace=False)

    with pytest.raises(SiteFault, match="never written again"):
        releases.lay("2026.12", public, slow)
    assert (public / "2026.12/index.html").read_text(encoding="utf-8").startswith("2026.12")


def test_two_people_cannot_release_into_one_folder_at_once(first, tmp_path):
    public = shutil.copytree(first, tmp_path / "public")
    with releases.held(public), pytest.raises(SiteFault, match="another release is being made"), releases.held(public):
        pass


@pytest.mark.parametrize(
    ("name", "says"),
    [("index.html", "is another page"), ("2026.12/notes.txt", "is none"), ("latest/notes.txt", "is not a copy")],
)
def test_what_is_nothing_of_a_release_is_not_touched_and_all_of_it_is_named(tmp_path, name, says):
    mine = tmp_path / "public" / name
    mine.parent.mkdir(parents=True)
    mine.write_text("mine", encoding="utf-8")
    with pytest.raises(SiteFault, match=says):
        releases.lay("2026.12", tmp_path / "public", page("2026.12"))
    assert tree(tmp_path / "public") == {name: b"mine"}

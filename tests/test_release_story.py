"""From one release to the next, as a maintainer lives it: edit, check, impact, revise, release, diff. Then kills."""

from __future__ import annotations

import json
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.release_project import ENVIRONMENT, handbook, release_project
from tests.test_releases import tree

BANDWIDTH = "accelerators/h200#memory.bandwidth"
REAL_KILLS = 6


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With its first release."""
    made = release_project(tmp_path_factory.mktemp("story"))
    run = handbook(made, "release", "2026.11")
    assert run.returncode == 0, run.stderr
    assert "the first release" in run.stdout
    return made


@pytest.fixture(scope="module")
def story(project: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What each command said on the way to the second release, in a copy."""
    copy = tmp_path_factory.mktemp("second") / "project"
    shutil.copytree(project, copy, symlinks=True)
    said: dict[str, object] = {"project": copy, "first": tree(copy / "public/2026.11")}
    edit = ("impact", "specs/accelerators/h200.yaml", "--set", "memory.bandwidth=5 TB/s", "--json")
    said["impact"] = json.loads(handbook(copy, *edit).stdout)
    path = copy / "specs/accelerators/h200.yaml"
    text = path.read_text(encoding="utf-8")
    assert "bandwidth: 4.8 TB/s" in text
    path.write_text(text.replace("bandwidth: 4.8 TB/s", "bandwidth: 5 TB/s"), encoding="utf-8")
    said["check"] = handbook(copy, "check")
    said["refused"] = handbook(copy, "release", "2026.12")
    said["published"] = tree(copy / "specs/published")
    moved = sorted(set(re.findall(r"WX-\d+", said["check"].stderr)))
    revised = handbook(
        copy, "example", "revise", *moved, "--reason", "the sheet was read again", "--date", "2026-12-01"
    )
    assert revised.returncode == 0, revised.stderr
    said["moved"] = moved
    said["dry"] = handbook(copy, "release", "2026.12", "--dry-run")
    said["dry public"] = sorted(one.name for one in (copy / "public").iterdir())
    said["release"] = handbook(copy, "release", "2026.12")
    said["diff"] = handbook(copy, "diff", "2026.11", "2026.12", "--json")
    return said


def test_check_names_the_examples_that_an_edit_moves_and_the_line_that_moved_them(story):
    assert story["check"].returncode == 1
    assert story["moved"] == ["WX-050"]
    assert "specs/accelerators/h200.yaml:" in story["check"].stderr


def test_no_release_is_made_while_a_fixed_value_has_moved_and_nothing_is_recorded(story, project):
    assert story["refused"].returncode == 1
    assert "WX-050" in story["refused"].stderr
    assert story["published"] == tree(project / "specs/published")


def test_a_dry_run_says_what_moved_and_writes_nothing(story):
    assert story["dry"].returncode == 0
    assert f"{BANDWIDTH}: 4.8e+12 B/s -> 5e+12 B/s" in story["dry"].stdout
    assert story["dry public"] == ["2026.11", "index.html", "latest", "versions.json"]


def test_what_the_release_moved_is_what_was_predicted_with_one_cause(story):
    assert story["release"].returncode == 0, story["release"].stderr
    found = json.loads(story["diff"].stdout)
    assert story["diff"].returncode == 1, "something moved"
    assert found["groups"] == story["impact"]["groups"]
    [group] = found["groups"]
    assert [cause["datum"] for cause in group["causes"]] == [BANDWIDTH]
    assert (found["old"], found["new"]) == ("2026.11", "2026.12")


def test_the_first_release_is_byte_for_byte_what_it_was(story):
    assert tree(story["project"] / "public/2026.11") == story["first"]


def test_the_site_has_what_moved_by_cause_for_people_and_for_programs(story):
    site = story["project"] / "public/2026.12"
    newest, first = json.loads((site / "api/v1/moved.json").read_bytes())["releases"]
    assert (newest["version"], newest["previous"]) == ("2026.12", "2026.11")
    assert (first["version"], first["previous"], first["groups"]) == ("2026.11", None, [])
    [group] = newest["groups"]
    assert group["count"] == newest["changed"] == story["impact"]["moved"]
    text = (site / "reference/moved.html").read_text(encoding="utf-8")
    assert text.index('id="r-2026-12"') < text.index('id="r-2026-11"')
    assert "memory.bandwidth" in text
    assert 'href="../api/v1/changelog.json"' in text
    assert "Nothing has been released yet" not in text


def test_a_release_knows_its_name_its_address_and_the_switch_and_a_plain_build_does_not(story):
    site = story["project"] / "public/2026.12"
    home = (site / "index.html").read_text(encoding="utf-8")
    assert '<link rel="canonical" href="https://example.org/handbook/2026.12/index.html">' in home
    assert json.loads((site / "api/v1/index.json").read_bytes())["release"] == "2026.12"
    assert '"provider": "mike"' in home
    assert handbook(story["project"], "build").returncode == 0
    plain = (story["project"] / "site/index.html").read_text(encoding="utf-8")
    assert "mike" not in plain
    assert "older release" not in plain


def test_a_thing_that_was_published_cannot_lose_its_id_and_an_alias_leads_on(story, tmp_path):
    copy = tmp_path / "project"
    shutil.copytree(story["project"], copy, symlinks=True)
    for user in (copy / "specs").rglob("*.yaml"):
        given = user.read_text(encoding="utf-8")
        user.write_text(re.sub(r"(accelerators?(: |/))h800(?=[#\n])", r"\1h800-sxm", given), encoding="utf-8")
    path = copy / "specs/accelerators/h800.yaml"
    text = path.read_text(encoding="utf-8").replace("id: h800\n", "id: h800-sxm\n", 1)
    path.unlink()
    renamed = path.with_name("h800-sxm.yaml")
    renamed.write_text(text, encoding="utf-8")
    run = handbook(copy, "check")
    assert run.returncode == 1
    assert "add `aliases: [h800]`" in run.stderr
    renamed.write_text(text.replace("id: h800-sxm\n", "id: h800-sxm\naliases: [h800]\n", 1), encoding="utf-8")
    run = handbook(copy, "build")
    assert run.returncode == 0, run.stderr
    left = (copy / "site/accelerators/h800.html").read_text(encoding="utf-8")
    assert 'url=h800-sxm.html"' in left
    assert "h800.html" not in (copy / "site/sitemap.xml").read_text(encoding="utf-8")
    assert "accelerators/h800.html" not in (copy / "site/search/search_index.json").read_text(encoding="utf-8")


def test_the_folder_must_hold_the_last_release(project, tmp_path):
    run = handbook(project, "release", "2026.12", "--public", str(tmp_path / "elsewhere"))
    assert run.returncode == 1
    assert "2026.11 was released last" in run.stderr
    assert not (tmp_path / "elsewhere").exists()


def test_the_real_commands_killed_at_random_leave_no_half_version_and_the_next_run_finishes(story, project, tmp_path):
    generator = random.Random(2026)
    copy = tmp_path / "project"
    shutil.copytree(story["project"], copy, symlinks=True)
    shutil.rmtree(copy / "public")
    shutil.rmtree(copy / "specs/published")
    for folder in ("public", "specs/published"):
        shutil.copytree(project / folder, copy / folder)
    shutil.copy(story["project"] / "specs/published/examples.json", copy / "specs/published")
    site = tree(copy / "site")
    whole = {name: tree(story["project"] / "public" / name) for name in ("2026.11", "2026.12")}
    for number in range(REAL_KILLS):
        command = ["release", "2026.12"] if number % 2 else ["build"]
        process = subprocess.Popen(
            [sys.executable, "-m", "generator", *command], cwd=copy, env=ENVIRONMENT, stdout=subprocess.DEVNULL
        )
        time.sleep(generator.uniform(0.5, 10))
        process.send_signal(signal.SIGKILL)
        process.wait()
        for entry in json.loads((copy / "public/versions.json").read_bytes()):
            assert tree(copy / "public" / entry["version"]) == whole[entry["version"]]
        assert tree(copy / "public/2026.11") == whole["2026.11"]
        assert set(tree(copy / "site")) == set(site), "the old site or a new one, both whole"
    last = handbook(copy, "release", "2026.12")
    assert last.returncode == 0 or "is never written again" in last.stderr
    assert tree(copy / "public") == tree(story["project"] / "public")
    assert tree(copy / "specs/published") == tree(story["project"] / "specs/published")

"""Readers find the old site or the new one, whatever happens to the build."""

from __future__ import annotations

import logging
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from generator import publish as publishing
from generator.publish import SiteFault, build_site, publish


def page(text: str):
    def build(directory: Path) -> None:
        (directory / "index.html").write_text(text, encoding="utf-8")
        (directory / "404.html").write_text("", encoding="utf-8")
        (directory / "sitemap.xml").write_text("", encoding="utf-8")

    return build


def content(site: Path) -> str:
    return (site / "index.html").read_text(encoding="utf-8")


@pytest.fixture(params=["exchange", "two renames"])
def site(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    if request.param == "two renames":
        monkeypatch.setattr(publishing, "_exchange", lambda *_: False)
    return tmp_path / "deep" / "site"


def test_a_new_site_replaces_the_old_one_and_leaves_nothing_beside_it(site: Path) -> None:
    for text in ("first", "second", "third"):
        publish(page(text), site)
        assert content(site) == text
        assert [path.name for path in site.parent.iterdir()] == ["site"]


def test_files_of_the_old_site_do_not_survive(site: Path) -> None:
    publish(page("first"), site)
    (site / "stale.html").write_text("", encoding="utf-8")
    publish(page("second"), site)
    assert not (site / "stale.html").exists()


@pytest.mark.parametrize("fault", [RuntimeError, KeyboardInterrupt])
def test_a_failing_build_leaves_the_old_site(site: Path, fault: type[BaseException]) -> None:
    def failing(directory: Path) -> None:
        page("half")(directory)
        raise fault

    publish(page("first"), site)
    with pytest.raises(fault):
        publish(failing, site)
    assert content(site) == "first"
    assert [path.name for path in site.parent.iterdir()] == ["site"]


SLOW_BUILD = """
import sys, time
from pathlib import Path
from generator.publish import publish

def build(directory):
    (directory / "index.html").write_text("half")
    print("building", flush=True)
    time.sleep(60)

publish(build, Path(sys.argv[1]))
"""


@pytest.fixture
def running_build(tmp_path: Path):
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW_BUILD, str(tmp_path / "site")], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "building\n"
    yield process
    process.kill()
    process.wait()


def test_what_a_killed_build_left_is_removed_by_the_next(tmp_path: Path, running_build: subprocess.Popen) -> None:
    running_build.send_signal(signal.SIGKILL)
    running_build.wait()
    assert [path.name.startswith(".site.new-") for path in tmp_path.iterdir()] == [True]
    publish(page("next"), tmp_path / "site")
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


@pytest.mark.usefixtures("running_build")
def test_a_build_that_still_runs_keeps_its_directory(tmp_path: Path) -> None:
    publish(page("next"), tmp_path / "site")
    assert sorted(path.name[:9] for path in tmp_path.iterdir()) == [".site.new", "site"]


def test_a_site_parked_by_a_build_that_died_between_two_renames_comes_back(tmp_path: Path) -> None:
    site, parked = tmp_path / "site", tmp_path / ".site.old-1"
    publish(page("first"), site)
    site.rename(parked)

    def look(directory: Path) -> None:
        assert content(site) == "first"
        page("second")(directory)

    publish(look, site)
    assert content(site) == "second"
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_readers_never_miss_the_site_during_an_exchange(tmp_path: Path) -> None:
    site = tmp_path / "site"
    publish(page("0"), site)
    reader = subprocess.Popen(
        [sys.executable, "-c", f"while True: open({str(site / 'index.html')!r}).read()"], stderr=subprocess.PIPE
    )
    time.sleep(0.3)
    for number in range(50):
        publish(page(str(number)), site)
    still_reading = reader.poll() is None
    reader.kill()
    assert still_reading, reader.communicate()[1].decode()


def test_a_site_is_readable_by_everyone(tmp_path: Path) -> None:
    publish(page("first"), tmp_path / "site")
    assert (tmp_path / "site").stat().st_mode & 0o777 == 0o755


def test_build_site_lists_warnings_and_faults_together_and_publishes_nothing(tmp_path: Path) -> None:
    def run_mkdocs(directory: Path) -> None:
        page("<a href='gone'>x</a>")(directory)
        logging.getLogger("mkdocs.structure").warning("page %s is not in nav", "x.md")

    with pytest.raises(SiteFault) as caught:
        build_site(tmp_path / "project", tmp_path / "site", run_mkdocs)
    assert caught.value.problems == [
        "mkdocs: page x.md is not in nav",
        "index.html:1: link gone leads nowhere",
    ]
    assert not (tmp_path / "site").exists()


def test_build_site_publishes_a_sound_site(tmp_path: Path) -> None:
    build_site(tmp_path / "project", tmp_path / "site", page("sound"))
    assert content(tmp_path / "site") == "sound"


def test_a_directory_that_is_not_a_site_is_never_replaced(tmp_path: Path) -> None:
    project, photos = tmp_path / "project", tmp_path / "photos"
    project.mkdir()
    photos.mkdir()
    (photos / "summer.jpg").write_text("", encoding="utf-8")
    for destination in (photos, project, tmp_path):
        with pytest.raises(SiteFault):
            build_site(project, destination, page("sound"))
    assert (photos / "summer.jpg").exists()

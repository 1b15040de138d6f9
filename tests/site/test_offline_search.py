"""The offline zip, unpacked and opened from a file: search finds things, nothing else is asked for."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from generator.exports import offline
from generator.site_checks import check_site
from tests.release_project import handbook, release_project

RESULT = ".md-search-result__link"


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory) -> Path:
    """The site of the small project as a reader unpacks it."""
    pytest.importorskip("playwright.sync_api", reason="needs the `browser` extra")
    folder = tmp_path_factory.mktemp("offline")
    project = release_project(folder / "project")
    run = handbook(project, "export", "offline", "--out", str(folder / "handbook.zip"))
    assert run.returncode == 0, run.stderr
    with zipfile.ZipFile(folder / "handbook.zip") as pack:
        pack.extractall(folder)
    # Nothing may lead back to where the site was built.
    shutil.rmtree(project)
    return next(folder.glob("handbook-*/index.html")).parent


@pytest.fixture
def tab(browser) -> Iterator[Any]:
    """A tab that remembers what it asked for and what went wrong."""
    page = browser.new_page()
    page.asked, page.wrong = [], []
    page.on("request", lambda request: page.asked.append(request.url))
    page.on("pageerror", lambda error: page.wrong.append(str(error)))
    page.on("console", lambda message: page.wrong.append(message.text) if message.type == "error" else None)
    yield page
    page.close()


def search(tab: Any, words: str) -> list[str]:
    """Type into the search of the page; addresses of what it finds."""
    tab.keyboard.press("/")
    tab.fill("input.md-search__input", words)
    tab.keyboard.press("Shift")
    tab.wait_for_selector(RESULT, state="attached", timeout=20_000)
    tab.wait_for_function("!/Initializing|Type to/.test(document.querySelector('.md-search-result__meta').textContent)")
    tab.wait_for_timeout(300)
    return [link.get_attribute("href") for link in tab.query_selector_all(RESULT)]


@pytest.mark.parametrize("start", ["index.html", "chapters/memory.html"])
@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("h100", "accelerators/h100-sxm.html"),
        ("WX-007", "examples/wx-007.html"),
        ("8b", "models/llama-3-8b.html"),
    ],
)
def test_search_finds_things_without_a_server(unpacked: Path, tab: Any, start: str, words: str, page: str) -> None:
    tab.goto((unpacked / start).as_uri())
    assert any(f"/{page}" in found for found in search(tab, words)), words
    assert [address for address in tab.asked if not address.startswith("file:")] == []
    assert tab.wrong == []


def test_what_search_finds_opens(unpacked: Path, tab: Any) -> None:
    tab.goto((unpacked / "index.html").as_uri())
    tab.goto(next(found for found in search(tab, "WX-007") if "wx-007" in found))
    assert "8,192 tokens" in tab.inner_text("article")


def test_a_page_from_a_file_reads_without_scripts(unpacked: Path, browser: Any) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((unpacked / "index.html").as_uri())
    page.click("article a:text('How much does it hold?')")
    assert "A token takes" in page.inner_text("article")
    context.close()


def test_every_file_that_a_page_names_is_in_the_zip(unpacked: Path) -> None:
    assert check_site(unpacked) == []
    assert (unpacked / offline.INDEX_SCRIPT).is_file()

"""The switch between releases, and what an old one says: two releases of a small project, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from browser import axe_violations, served

from tests.release_project import release, release_project

PHONE, DESK = (400, 800), (1300, 900)


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory, browser: Any) -> Path:
    project = release_project(tmp_path_factory.mktemp("releases"))
    for version in ("2026.11", "2026.12"):
        assert release(project, version) == 0
    return project / "public"


@pytest.fixture(scope="module")
def address(public: Path) -> Iterator[str]:
    with served(public) as address:
        yield address


@pytest.fixture(params=[("light", DESK), ("dark", DESK), ("light", PHONE), ("dark", PHONE)], ids=str)
def page(request: pytest.FixtureRequest, browser: Any, address: str) -> Iterator[Any]:
    scheme, (width, height) = request.param
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": height})
    asked: list[str] = []
    context.on("request", lambda one: asked.append(one.url))
    shown = context.new_page()
    try:
        yield shown
        elsewhere = [url for url in asked if urlsplit(url).netloc != urlsplit(address).netloc]
        assert elsewhere == [], "no request leaves the site"
    finally:
        context.close()


def opened(page: Any, where: str) -> Any:
    page.goto(where)
    page.wait_for_selector(".md-version__current")
    page.wait_for_timeout(200)
    return page


def test_the_switch_lists_both_releases_and_the_address_without_a_version_is_the_newest(page, address):
    opened(page, address)
    assert page.url == f"{address}latest/index.html"
    assert page.locator(".md-version__link").all_inner_texts() == ["2026.12", "2026.11"]
    assert page.locator(".md-version__current").inner_text().strip() == "2026.12"


def test_an_old_release_says_so_and_leads_to_the_same_page_of_the_newest(page, address):
    opened(page, f"{address}2026.11/accelerators/h200.html")
    banner = page.locator("[data-md-component=outdated]")
    assert banner.is_visible()
    assert "older release" in banner.inner_text()
    banner.locator("a").click()
    page.wait_for_url(f"{address}latest/accelerators/h200.html")
    assert page.locator("h1").first.is_visible()


@pytest.mark.parametrize("where", ["2026.12/accelerators/h200.html", "latest/accelerators/h200.html"])
def test_the_newest_release_says_nothing(page, address, where):
    opened(page, address + where)
    assert not page.locator("[data-md-component=outdated]").is_visible()


def test_nothing_of_it_keeps_a_reader_out_or_makes_the_page_wider_than_the_screen(page, address):
    opened(page, f"{address}2026.11/index.html")
    assert axe_violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")

"""The built site in a real browser: axe finds nothing, no other host is asked, keyboard and thumb reach everything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser import axe_violations, one_page_of_each_kind

pytestmark = pytest.mark.browser

SETTLED_MS = 400
PHONE = {"width": 400, "height": 900}
DESKTOP = {"width": 1300, "height": 900}


def page_with(browser: Any, site: Path, address: str, selector: str, **context: Any) -> Any:
    """The first of the pages of each kind that has such an element, opened."""
    page = browser.new_context(**context).new_page()
    for path in one_page_of_each_kind(site):
        page.goto(address + path)
        if page.locator(selector).count():
            page.wait_for_timeout(SETTLED_MS)
            return page
    pytest.skip(f"no page has {selector}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["1300px", "400px"])
def test_no_page_has_a_violation_or_asks_another_host(
    browser: Any, site: Path, address: str, scheme: str, size: dict[str, int]
) -> None:
    page = browser.new_context(color_scheme=scheme, viewport=size).new_page()
    elsewhere: list[str] = []
    faults: list[str] = []
    page.on("request", lambda request: elsewhere.append(request.url))
    page.on("pageerror", lambda error: faults.append(f"{page.url}: script error: {error}"))
    for path in one_page_of_each_kind(site):
        page.goto(address + path)
        page.wait_for_timeout(SETTLED_MS)
        faults += [f"{path}: {violation}" for violation in axe_violations(page)]
        page.evaluate("document.querySelectorAll('article details').forEach((part) => { part.open = true })")
        faults += [f"{path}, unfolded: {violation}" for violation in axe_violations(page)]
        if page.evaluate("document.documentElement.scrollWidth") > size["width"]:
            faults.append(f"{path}: the page itself scrolls sideways")
    assert faults == []
    assert [url for url in elsewhere if not url.startswith((address, "data:", "blob:"))] == []


def test_a_number_opens_its_derivation_for_the_keyboard_and_escape_closes_it(
    browser: Any, site: Path, address: str
) -> None:
    page = page_with(browser, site, address, "article a.num[data-card]")
    page.keyboard.press("Tab")
    page.locator("article a.num[data-card]").first.focus()
    card = page.locator("[role=tooltip]")
    assert card.count() == 1
    assert page.evaluate("document.activeElement.getAttribute('aria-describedby')") == card.get_attribute("id")
    assert axe_violations(page) == []
    page.keyboard.press("Escape")
    assert card.count() == 0


def test_a_tap_on_a_phone_opens_a_sheet_that_can_be_closed(browser: Any, site: Path, address: str) -> None:
    page = page_with(browser, site, address, "article a.num[data-card]", viewport=PHONE, has_touch=True)
    page.locator("article a.num[data-card]").first.tap()
    assert page.locator("dialog.card[open]").count() == 1
    assert axe_violations(page) == []
    page.locator("dialog.card button").tap()
    assert page.locator("dialog.card").count() == 0


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_link_to_a_derivation_unfolds_it(browser: Any, site: Path, address: str, scripts: bool) -> None:
    page = page_with(browser, site, address, ".derivation[id]", java_script_enabled=scripts)
    derivation = page.locator(".derivation[id]").last
    page.goto(f"{page.url}#{derivation.get_attribute('id')}")
    page.wait_for_timeout(SETTLED_MS)
    assert derivation.is_visible()


def test_arrow_keys_read_the_values_of_a_chart(browser: Any, site: Path, address: str) -> None:
    page = page_with(browser, site, address, "figure[data-chart]")
    figure = page.locator("figure[data-chart]").first
    figure.locator("svg").focus()
    page.keyboard.press("End")
    last = figure.locator("[role=status]").inner_text()
    page.keyboard.press("ArrowLeft")
    assert last
    assert figure.locator("[role=status]").inner_text() != last


def test_a_header_sorts_its_column_both_ways(browser: Any, site: Path, address: str) -> None:
    page = page_with(browser, site, address, ".table th button")
    header = page.locator(".table th", has=page.locator("button")).last
    header.locator("button").press("Enter")
    first = header.get_attribute("aria-sort")
    header.locator("button").press("Enter")
    assert {first, header.get_attribute("aria-sort")} == {"ascending", "descending"}

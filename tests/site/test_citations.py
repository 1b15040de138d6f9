""" "cite" in a real browser: one click copies the line with the address at which the site is read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import axe_violations, served

pytestmark = pytest.mark.browser

PHONE = {"width": 400, "height": 900}


@pytest.fixture(scope="module")
def local(site: Path) -> Iterator[str]:
    """The site on localhost, where a browser lets a page write to the clipboard."""
    with served(site) as address:
        yield address.replace("127.0.0.1", "localhost")


@pytest.fixture(scope="module")
def cited(site: Path) -> dict[str, dict[str, Any]]:
    """Each kind of thing that can be cited, one of each."""
    items = json.loads((site / "api/v1/citations.json").read_text(encoding="utf-8"))["items"]
    return {item["kind"]: item for item in reversed(items)}


@pytest.fixture
def page(browser: Any, local: str) -> Iterator[Any]:
    context = browser.new_context()
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=local.removesuffix("/handbook/"))
    yield context.new_page()
    context.close()


def link_of(page: Any, local: str, item: dict[str, Any]) -> Any:
    """The cite link of a thing, on its page."""
    page.goto(local + item["address"].partition("#")[0])
    return page.locator(f'a.cite[data-cite*="Digest {item["digest"]}."]').first


@pytest.mark.parametrize("kind", ["example", "figure", "table", "run"])
def test_a_click_copies_the_line_with_the_whole_address_and_says_so(page, local, cited, kind):
    item = cited[kind]
    link = link_of(page, local, item)
    link.click()
    page.wait_for_function("document.querySelector('a.cite[data-copied]')")
    assert link.inner_text() == "copied"
    line = page.evaluate("navigator.clipboard.readText()")
    assert line == item["one_line"].removesuffix(item["address"]) + local + item["address"]
    page.wait_for_function("!document.querySelector('a.cite[data-copied]')")
    assert link.inner_text() == "cite"


def test_the_copied_address_shows_the_thing(page, local, cited):
    link_of(page, local, cited["figure"]).click()
    page.wait_for_function("document.querySelector('a.cite[data-copied]')")
    page.goto(page.evaluate("navigator.clipboard.readText()").rpartition(" ")[2])
    assert page.locator("figure.chart:target").count() == 1


@pytest.mark.parametrize("kind", ["figure", "table", "run"])
def test_without_scripts_the_link_leads_to_the_thing(browser, local, cited, kind):
    page = browser.new_context(java_script_enabled=False).new_page()
    link_of(page, local, cited[kind]).click()
    assert page.url == local + cited[kind]["address"]
    assert page.locator(":target").count() == 1


def test_who_may_not_write_to_the_clipboard_is_led_to_the_thing(browser, local, cited):
    context = browser.new_context()
    page = context.new_page()
    page.add_init_script("navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'))")
    link_of(page, local, cited["figure"]).click()
    page.wait_for_url(local + cited["figure"]["address"])
    context.close()


def test_the_keyboard_cites_too(page, local, cited):
    link = link_of(page, local, cited["table"])
    link.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('a.cite[data-copied]')")


def test_entries_that_are_shown_in_full_have_the_whole_address(page, local, cited):
    page.goto(local + "reference/cite.html")
    for entry in page.locator("[data-address]").all():
        assert local in entry.text_content()
        assert entry.text_content().count("http") == 1


@pytest.mark.parametrize("path", ["reference/cite.html", "reference/freshness.html"])
def test_the_pages_about_citing_and_dates_fit_a_phone(browser, local, path):
    context = browser.new_context(viewport=PHONE)
    page = context.new_page()
    page.goto(local + path)
    page.evaluate("document.querySelectorAll('article details').forEach((part) => { part.open = true })")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    context.close()


@pytest.mark.parametrize("path", ["reference/cite.html", "reference/freshness.html", "examples/wx-050.html"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_the_pages_about_citing_and_dates(browser, local, path, scheme):
    context = browser.new_context(color_scheme=scheme)
    page = context.new_page()
    page.goto(local + path)
    page.wait_for_timeout(400)
    page.evaluate("document.querySelectorAll('article details').forEach((part) => { part.open = true })")
    assert axe_violations(page) == []
    context.close()

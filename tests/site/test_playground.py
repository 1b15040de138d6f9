"""The playground in a real browser: it filters, sorts, opens a row, follows its address, and needs no server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import axe_violations

pytestmark = pytest.mark.browser

PAGE = "playground/index.html"
ROW = "#m=llama-3.1-70b&a=h200&l=tp4&f=fp8&s=chat&b=64"
PHONE = {"width": 400, "height": 900}


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:
    context = browser.new_context()
    page = context.new_page()
    page.goto(address + PAGE)
    page.locator(".explorer tbody tr").first.wait_for()
    yield page
    context.close()


def column(page: Any, name: str) -> list[str]:
    """Text of a column of the rows that are shown."""
    at = page.locator(f".explorer th[data-column={name}]").evaluate("header => header.cellIndex")
    return page.locator(f".explorer tbody tr:not(.detail) td:nth-child({at + 1})").all_inner_texts()


def number(text: str) -> float:
    return float(text.replace("\u2009", "").replace("\u00a0", ""))


def found(page: Any) -> int:
    """Configurations that pass the filter, as the page counts them."""
    return int(number(page.locator(".explorer .count").inner_text().split(" configuration")[0]))


def test_a_filter_leaves_what_was_asked_for(page: Any) -> None:
    before = found(page)
    page.locator("select[name=a]").select_option("h200")
    page.locator("select[name=l]").select_option("tp8")
    assert 0 < found(page) < before
    assert len(set(column(page, "accelerator"))) == 1
    assert set(column(page, "spread")) == {"TP 8"}
    page.locator("input[name=u]").fill("100")
    assert min(map(number, column(page, "user"))) >= 100
    page.locator("input[name=t]").fill("40")
    assert max(map(number, column(page, "ttft"))) <= 40
    assert "a=h200" in page.url
    assert "u=100" in page.url
    page.get_by_role("button", name="Start again").click()
    assert found(page) == before


def test_at_most_a_hundred_rows_are_shown_and_the_count_says_so(page: Any) -> None:
    page.locator("select[name=m]").select_option("")
    assert found(page) > 1000
    assert page.locator(".explorer tbody tr").count() == 100
    assert "first 100" in page.locator(".explorer [role=status]").inner_text()


def test_a_header_sorts_with_the_keyboard_in_both_directions(page: Any) -> None:
    header = page.locator(".explorer th[data-column=tpot]")
    header.locator("button").press("Enter")
    assert header.get_attribute("aria-sort") == "ascending"
    rising = list(map(number, column(page, "tpot")))
    assert rising == sorted(rising)
    header.locator("button").press("Enter")
    assert header.get_attribute("aria-sort") == "descending"
    falling = list(map(number, column(page, "tpot")))
    assert falling == sorted(falling, reverse=True)
    assert page.locator(".explorer th[aria-sort]").count() == 1


def test_what_does_not_fit_says_why_when_it_is_asked_for(page: Any) -> None:
    page.locator("select[name=a]").select_option("l40s")
    page.locator("select[name=l]").select_option("tp1")
    before = found(page)
    page.locator("input[name=fits]").uncheck()
    assert found(page) > before
    assert any("short" in text for text in column(page, "bound"))


def test_an_address_opens_its_configuration(browser: Any, address: str) -> None:
    page = browser.new_context().new_page()
    page.goto(address + PAGE + ROW)
    page.locator(".detail").wait_for()
    assert found(page) == 1
    commands = page.locator(".detail code").all_inner_texts()
    assert commands[0] == (
        "handbook estimate serving --model llama-3.1-70b --accelerator h200 --tp 4 --weights fp8 --batch 64 "
        "--input 1000 --output 500"
    )
    assert commands[1] == "handbook explain playground/llama-3.1-70b/h200/tp4/fp8/b64/chat"
    assert axe_violations(page) == []
    assert page.locator(".detail a").first.get_attribute("href") == "../models/llama-3.1-70b.html"


def test_a_row_opens_with_the_keyboard_and_its_link_leads_back_to_it(page: Any) -> None:
    button = page.locator(".explorer tbody td:first-child > button").nth(3)
    button.press("Enter")
    assert button.get_attribute("aria-expanded") == "true"
    shown = page.locator(".detail code").nth(1).inner_text()
    before = found(page)
    page.get_by_role("link", name="link to this configuration").click()
    page.wait_for_function("document.querySelectorAll('.explorer tbody tr').length === 2")
    assert found(page) == 1
    assert page.locator(".detail code").nth(1).inner_text() == shown
    page.go_back()
    page.wait_for_function("document.querySelectorAll('.explorer tbody tr').length > 2")
    assert found(page) == before


def test_a_command_can_be_copied(browser: Any, address: str) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(address + PAGE + ROW)
    page.get_by_role("button", name="Copy").first.click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").startswith("handbook estimate serving")


def test_it_works_from_a_disk(browser: Any, site: Path) -> None:
    page = browser.new_context().new_page()
    page.goto((site / PAGE).as_uri() + ROW)
    page.locator(".detail").wait_for()
    assert found(page) == 1


def test_without_scripts_the_best_configurations_stand_there(browser: Any, address: str) -> None:
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(address + PAGE)
    assert not page.locator(".filters").is_visible()
    assert page.get_by_text("takes JavaScript").is_visible()
    assert page.locator("#table-best-chat tbody tr").count() > 20


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_nothing_scrolls_sideways_but_the_table(browser: Any, address: str, scheme: str) -> None:
    page = browser.new_context(viewport=PHONE, color_scheme=scheme).new_page()
    for path in (PAGE + ROW, "playground/fit.html"):
        page.goto(address + path)
        page.wait_for_timeout(400)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        assert axe_violations(page) == []


def test_names_of_models_and_accelerators_stay_in_sight_in_the_fit_matrix(browser: Any, address: str) -> None:
    page = browser.new_context().new_page()
    page.goto(address + "playground/fit.html")
    box = page.locator(".fit .md-typeset__scrollwrap").first
    box.wait_for()
    box.evaluate("box => box.scrollTo(400, 500)")
    page.wait_for_timeout(200)
    edge = box.bounding_box()
    head = page.locator(".fit thead th").first.bounding_box()
    last = page.locator(".fit").first.locator("tbody th").last.bounding_box()
    assert abs(head["x"] - edge["x"]) < 2
    assert abs(head["y"] - edge["y"]) < 3
    assert abs(last["x"] - edge["x"]) < 2

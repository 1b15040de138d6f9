"""The book has the pages in the order of the navigation; its links stay inside it where they can."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from generator.exports import chromium, printed
from generator.exports.published import ExportFault


def test_chapters_and_reference_follow_the_navigation_without_overviews(small_site: Path):
    assert printed.order(small_site, printed.PARTS) == [
        "chapters/one.html", "chapters/two.html", "reference/links.html"
    ]  # fmt: skip


def test_all_adds_the_examples_but_not_their_steps(small_site: Path):
    assert printed.order(small_site, printed.ALL_PARTS) == [
        "chapters/one.html", "chapters/two.html", "examples/wx-001.html", "reference/links.html"
    ]  # fmt: skip


@pytest.mark.parametrize("everything", [False, True])
def test_every_link_within_the_book_has_its_place_and_no_id_comes_twice(small_site: Path, everything: bool):
    page = printed.assembled(small_site, everything=everything)
    ids = re.findall(r'\sid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    targets = re.findall(r'href="#([^"]+)"', page) + re.findall(r"url\(#([^)]+)\)", page)
    assert targets
    assert set(targets) <= set(ids)
    labels = re.findall(r'aria-labelledby="([^"]+)"', page)
    assert labels
    assert set(labels) <= set(ids)


def test_a_number_leads_to_its_derivation_on_the_site(small_site: Path):
    page = printed.assembled(small_site)
    assert 'href="https://handbook.example/chapters/one.html#d-One">50</a>' in page
    assert 'id="p1-d-One"' not in page
    assert "inner" not in page


def test_links_lead_into_the_book_else_to_the_site_else_where_they_led(small_site: Path):
    page = printed.assembled(small_site)
    assert '<a href="#p2-figure">there</a>' in page
    assert '<a href="#p1-here">here</a>' in page
    assert '<a href="#contents">all</a>' in page
    assert '<a href="https://handbook.example/examples/wx-001.html">WX-001</a>' in page
    assert '<a href="https://arxiv.org/abs/1?a=1&amp;b=2">paper</a>' in page
    assert '<a href="#p3">WX-001</a>' in printed.assembled(small_site, everything=True)


def test_what_paper_cannot_use_is_left_out(small_site: Path):
    page = printed.assembled(small_site)
    for gone in ("headerlink", 'class="files"', 'class="cite"', "page-foot", "data-chart", "<script"):
        assert gone not in page, gone
    assert "<figcaption>caption</figcaption>" in page


def test_the_title_page_says_release_date_licence_and_how_to_cite(small_site: Path):
    page = printed.assembled(small_site)
    for said in ("2026.11", "2026-11-29", "CC-BY-4.0", "MIT", "Contributors (2026). Handbook."):
        assert f"{said}" in page


def test_page_numbers_are_read_from_the_pdf():
    pdf = b"x\n4 0 obj\n<</Type /Page\n/x 1>>\n9 0 obj\n<</Type /Page\n>>\n<</Type /Pages>>\n/p1 [9 0 R /XYZ 0 1 0]\n"
    assert chromium.places(pdf) == {"p1": 2}
    assert chromium.places(b"%PDF-1.7 of somebody else") == {}


def test_without_chromium_the_message_says_what_to_install(small_site: Path, monkeypatch):
    monkeypatch.setenv("CHROMIUM", "/nowhere/chromium")
    with pytest.raises(ExportFault, match="apt-get install chromium"):
        printed.book(small_site)


def test_chromium_prints_the_book_with_its_title_and_page_numbers(small_site: Path):
    if chromium.found() is None:
        pytest.skip("no Chromium found: install it, or set CHROMIUM to its path")
    pdf = printed.book(small_site)
    assert pdf.startswith(b"%PDF-")
    places = chromium.places(pdf)
    assert places["p1"] == 3, "after the title page and the contents"
    assert places["p1"] < places["p2"] < places["p3"]

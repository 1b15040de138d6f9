"""Ids and addresses that have been published stay, as aliases and redirects; else the check says what to add."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from generator import addresses
from generator.site_checks import check_site
from generator.specs.library import Library

PUBLISHED = {
    "release": "2026.11",
    "accelerators": ["h200"],
    "systems": [],
    "models": ["llama-3-8b"],
    "pages": [
        "accelerators/h200.html",
        "chapters/batching-steps.html",
        "chapters/batching.html",
        "models/llama-3-8b.html",
    ],
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / addresses.IDS).parent.mkdir(parents=True)
    (tmp_path / addresses.IDS).write_text(addresses.text_of(PUBLISHED), encoding="utf-8")
    (tmp_path / "docs").mkdir()
    return tmp_path


def kept(root: Path, pages: set[str], redirects: str = "", **aliases: list[str]) -> addresses.Kept:
    """aliases: id of an accelerator -> its aliases; the model stays."""
    if redirects:
        (root / addresses.REDIRECTS).write_text(redirects, encoding="utf-8")
    named = {one.replace("_", "-"): SimpleNamespace(aliases=given) for one, given in aliases.items()}
    library = Library({"accelerators": named, "systems": {}, "models": {"llama-3-8b": SimpleNamespace(aliases=[])}})
    return addresses.keep(root, library, pages.__contains__)


ALL = set(PUBLISHED["pages"])


def test_nothing_is_asked_for_while_everything_is_where_it_was(root):
    assert kept(root, ALL, h200=[]) == addresses.Kept({}, ())


def test_before_the_first_release_nothing_is_published(tmp_path):
    (tmp_path / "docs").mkdir()
    assert kept(tmp_path, set()) == addresses.Kept({}, ())


def test_an_id_that_is_renamed_without_an_alias_is_named_once_with_what_to_add(root):
    found = kept(root, ALL - {"accelerators/h200.html"} | {"accelerators/h200-sxm.html"}, h200_sxm=[])
    [fault] = found.faults
    assert "`h200` was published in 2026.11 or before and is neither an id nor an alias any more" in fault
    assert "add `aliases: [h200]`" in fault


def test_an_alias_brings_the_redirect_of_the_page_with_it(root):
    pages = ALL - {"accelerators/h200.html"} | {"accelerators/h200-sxm.html"}
    assert kept(root, pages, h200_sxm=["h200"]) == addresses.Kept(
        {"accelerators/h200.html": "accelerators/h200-sxm.html"}, ()
    )


def test_a_page_that_is_gone_needs_a_line_and_with_it_is_a_redirect(root):
    pages = ALL - {"chapters/batching.html", "chapters/batching-steps.html"} | {"chapters/batches.html"}
    gone = kept(root, pages, h200=[])
    assert len(gone.faults) == 2
    assert all("is gone; add the line `chapters/batching" in fault for fault in gone.faults)
    found = kept(root, pages, "chapters/batching.html: chapters/batches.html#why\n", h200=[])
    assert found.faults == ()
    assert found.redirects["chapters/batching.html"] == "chapters/batches.html#why"
    assert found.redirects["chapters/batching-steps.html"] == "chapters/batches.html#why"


def test_derivations_that_need_no_page_of_their_own_any_more_are_found_on_their_page(root):
    found = kept(root, ALL - {"chapters/batching-steps.html"}, h200=[])
    assert found == addresses.Kept({"chapters/batching-steps.html": "chapters/batching.html"}, ())


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("old.html: gone.html", "gone.html is no page of the site"),
        ("chapters/batching.html: models/llama-3-8b.html", "chapters/batching.html is a page of the site"),
        ("old.html: https://example.org/x.html", "both must be pages"),
        ("old.html: ../x.html", "both must be pages"),
        ("chapters/old.md: chapters/batching.html", "both must be pages"),
        ("- old.html", "must be lines of"),
        ("old.html: [", "docs/redirects.yaml:"),
    ],
)
def test_a_line_that_leads_nowhere_is_located(root, line, says):
    [fault] = kept(root, ALL, line + "\n", h200=[]).faults
    assert says in fault
    assert fault.startswith("docs/redirects.yaml:")


def test_every_wrong_line_is_named_at_once(root):
    found = kept(root, ALL, "a.html: b.html\nc.html: d.html\n", h200=[])
    assert [fault.partition(": ")[0] for fault in found.faults] == [
        "docs/redirects.yaml:1:9",
        "docs/redirects.yaml:2:9",
    ]


def test_a_redirect_works_without_scripts_and_passes_the_checks_of_the_site(tmp_path):
    (tmp_path / "new/deep").mkdir(parents=True)
    (tmp_path / "old").mkdir()
    (tmp_path / "new/deep/page.html").write_text('<h2 id="part">x</h2>', encoding="utf-8")
    text = addresses.redirect_page("old/page.html", "new/deep/page.html#part")
    (tmp_path / "old/page.html").write_text(text, encoding="utf-8")
    assert 'content="0; url=../new/deep/page.html#part"' in text
    assert '<link rel="canonical" href="../new/deep/page.html#part">' in text
    assert check_site(tmp_path) == []
    (tmp_path / "new/deep/page.html").write_text("<h2>x</h2>", encoding="utf-8")
    assert "there is no `#part`" in check_site(tmp_path)[0]


def test_what_a_release_published_is_added_to_what_earlier_ones_did(tmp_path):
    for collection, ids in (("accelerators", ["b200"]), ("systems", []), ("models", ["llama-3-8b"])):
        (tmp_path / f"api/v1/{collection}").mkdir(parents=True)
        content = json.dumps({"items": [{"id": one} for one in ids]})
        (tmp_path / f"api/v1/{collection}/index.json").write_text(content, encoding="utf-8")
    for name in ("index.html", "404.html"):
        (tmp_path / name).write_text("", encoding="utf-8")
    record = addresses.with_release(PUBLISHED, "2026.12", tmp_path)
    assert record["release"] == "2026.12"
    assert record["accelerators"] == ["b200", "h200"]
    assert record["pages"] == sorted([*PUBLISHED["pages"], "index.html"])

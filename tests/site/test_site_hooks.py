"""What the hooks tell MkDocs."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.site_hooks import label_landmarks, newest_datum_epoch


def test_the_site_is_as_old_as_its_newest_datum(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "a.yaml").write_text("- {value: 1, seen: 2026-11-20}\n- seen: '2026-10-01'\n", encoding="utf-8")
    (tmp_path / "deep" / "b.yaml").write_text('seen: "2025-12-31"  # unseen: 2027-01-01\n', encoding="utf-8")
    assert newest_datum_epoch(tmp_path) == 1795132800


def test_without_dates_the_site_is_from_1970(tmp_path: Path) -> None:
    assert newest_datum_epoch(tmp_path) == 0


@pytest.mark.parametrize(("language", "search"), [("en", "Search"), ("ko", "검색"), ("fr", "Search")])
def test_the_search_dialog_and_the_breadcrumbs_have_names(language: str, search: str) -> None:
    page = '<div data-md-component="search" role="dialog"><nav class="md-path" aria-label="Navigation" >'
    labelled = label_landmarks(page, language)
    assert f'role="dialog" aria-label="{search}"' in labelled
    assert 'aria-label="Navigation"' not in labelled


def test_finished_html_goes_around_markdown_and_comes_back_where_it_stood():
    from generator.pages.markup import as_is
    from generator.site_hooks import put_back, set_aside

    text = f"before\n\n{as_is('<b>*one*</b>')}\n\nbetween {as_is('two')} after"
    kept: list[str] = []
    shortened = set_aside(text, kept)
    assert "one" not in shortened
    assert put_back(shortened, kept) == "before\n\n<b>*one*</b>\n\nbetween two after"


def test_the_search_worker_of_the_theme_names_nodes_in_one_place_and_gets_a_separator():
    import material

    from generator.site_hooks import separate_nodes

    workers = list(Path(material.__file__).parent.rglob("workers/search.*.min.js"))
    assert workers
    for worker in workers:
        script = worker.read_text("utf-8")
        assert len(separate_nodes(script)) == len(script) + len('","+')
    with pytest.raises(ValueError, match="0 places"):
        separate_nodes("function other() {}")

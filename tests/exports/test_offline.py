"""The zip is the site, the same bytes each time, with what a page from a file needs to search."""

from __future__ import annotations

import io
import shutil
import zipfile
from pathlib import Path, PurePosixPath

import pytest

from generator.exports import offline
from generator.exports.published import ExportFault
from tests.exports.conftest import lay_site


def unpacked(content: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(content)) as pack:
        return {name: pack.read(name).decode() for name in pack.namelist()}


def test_the_zip_is_the_same_bytes_whenever_and_wherever_it_is_made(small_site: Path, tmp_path: Path):
    copy = tmp_path / "elsewhere"
    shutil.copytree(small_site, copy)
    for path in copy.rglob("*"):
        path.chmod(0o700)
    assert offline.archive(small_site) == offline.archive(copy)


def test_every_path_is_relative_below_one_folder_that_names_the_release(small_site: Path):
    with zipfile.ZipFile(io.BytesIO(offline.archive(small_site))) as pack:
        entries = pack.infolist()
    assert [one.filename for one in entries] == sorted(one.filename for one in entries)
    for one in entries:
        path = PurePosixPath(one.filename)
        assert path.parts[0] == "handbook-2026.11"
        assert ".." not in path.parts
        assert str(small_site) not in one.filename
        assert one.date_time == (2026, 11, 29, 0, 0, 0)
        assert one.external_attr >> 16 == 0o100644


def test_each_page_loads_the_frame_worker_ahead_of_the_theme(small_site: Path):
    files = unpacked(offline.archive(small_site))
    for name, up in (("index.html", ""), ("chapters/one.html", "../")):
        page = files[f"handbook-2026.11/{name}"]
        worker = page.index(f'<script src="{up}assets/iframe-worker.js"></script>')
        assert worker < page.index(f'<script src="{up}assets/javascripts/bundle.')


def test_the_search_index_is_a_script_that_every_browser_can_read(small_site: Path):
    files = unpacked(offline.archive(small_site))
    script = files["handbook-2026.11/search/search_index.js"]
    assert script.startswith('var __index = {"docs"')
    assert script.isascii()
    assert "handbook-2026.11/search/search_index.json" not in files


def test_what_only_a_server_needs_and_other_downloads_stay_out(small_site: Path):
    names = [name.removeprefix("handbook-2026.11/") for name in unpacked(offline.archive(small_site))]
    assert not {"404.html", "sitemap.xml", "downloads/handbook.pdf"} & set(names)


def test_a_release_taken_away_does_not_ask_for_the_releases_beside_it(tmp_path: Path):
    site = lay_site(tmp_path / "site", version={"provider": "mike"})
    page = unpacked(offline.archive(site))["handbook-2026.11/index.html"]
    assert "mike" not in page
    assert '"version": null' in page


def test_a_site_without_what_search_needs_is_refused_by_name(small_site: Path):
    (small_site / "assets/iframe-worker.js").unlink()
    with pytest.raises(ExportFault, match=r"assets/iframe-worker\.js"):
        offline.archive(small_site)

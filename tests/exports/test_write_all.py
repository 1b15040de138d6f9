"""What stands beside a release is made from its site."""

from __future__ import annotations

from generator import exports


def test_without_chromium_everything_but_the_book_stands_beside_a_release(small_site, tmp_path, monkeypatch):
    monkeypatch.setenv("CHROMIUM", "/nowhere/chromium")
    monkeypatch.setattr(exports.database, "as_sqlite", lambda published: b"database")
    made = exports.write_all(small_site, tmp_path / "downloads")
    assert [path.name for path in made] == ["handbook.sqlite", "handbook-offline.zip"]
    assert sorted((tmp_path / "downloads").iterdir()) == sorted(made)

"""The handbook to take away: a database, the site without a server, the book as PDF. Each from a built site."""

from __future__ import annotations

from pathlib import Path

from generator.exports import chromium, database, offline, printed
from generator.exports.published import ExportFault, Published, site_of
from generator.pages.downloads import DATABASE, OFFLINE, PRINTED
from generator.publish import write_file

__all__ = ["ExportFault", "Published", "site_of", "write_all"]


def write_all(site: Path, folder: Path) -> list[Path]:
    """Everything that stands beside a release, made from its built site; the PDF only where Chromium is installed.

    Each file is written whole or not at all. Raises ExportFault.
    """
    folder.mkdir(parents=True, exist_ok=True)
    published = site_of(site)
    made = {DATABASE: lambda: database.as_sqlite(published), OFFLINE: lambda: offline.archive(site)}
    if chromium.found():
        made[PRINTED] = lambda: printed.book(site)
    for name, make in made.items():
        write_file(folder / name, make())
    return [folder / name for name in made]

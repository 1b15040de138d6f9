"""The handbook as files: a pure function from a project's specs and prose to `{path: bytes}`, and its navigation.

Nothing here knows MkDocs; `generator.adapter` hands the files over to it.
"""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from generator import addresses, equations, published
from generator.cache import Cache, source_digest
from generator.ledger import RESULTS, Ledger
from generator.pages import (
    accelerators,
    api,
    atlas,
    bibliography,
    book,
    chapters,
    cite,
    coverage,
    disagreements,
    downloads,
    examples,
    freshness,
    home,
    markup,
    models,
    moved,
    playground,
    reference,
    simulations,
    systems,
    validation,
)
from generator.simulation import outcomes
from generator.simulation.atlas_run import Sweep
from generator.specs.library import Library
from generator.specs.load import load

ENTITIES = (accelerators, systems, models)
REFERENCE = (reference, simulations, bibliography, disagreements, freshness, moved, coverage, cite, downloads)


@dataclass(frozen=True)
class Site:
    """Everything that is published: files by path, and the navigation as MkDocs wants it."""

    files: dict[str, bytes]
    nav: list[Any]
    moved: tuple[str, ...] = ()
    """A fault for each worked example that is not what it was published with, and for each published id or address that
    would be lost."""


def open_book(root: Path, library: Library | None = None, language: str = "en", release: str = "") -> book.Book:
    """Specs loaded, examples worked, the numbers of every thing published: ready to write pages or to explain a number.

    release: what the pages say they belong to, where it is not the version of the package.

    Raises SpecFaults, WorksheetFault.
    """
    cache = Cache(root / ".cache" / "handbook")
    equations.TEMPLATES.cache = cache
    outcomes.RESULTS.cache = cache
    opened = book.Book(root, library or load(root), cache, language)
    opened.release = release or opened.release
    for entity in ENTITIES:
        entity.prepare(opened)
    opened.prepare()
    return opened


def write_book(opened: book.Book) -> Site:
    """Write every file of an opened book."""
    nav = _write_pages(opened)
    api.write(opened)
    downloads.write_files(opened)
    lost = _keep_addresses(opened)
    return Site(
        dict(sorted(opened.files.items())),
        nav,
        (*published.faults(opened.published, opened.examples, opened.library.files), *lost),
    )


def _write_pages(opened: book.Book) -> list[Any]:
    """Write every page, so that every result is published; returns the navigation.

    Meanwhile other processes search the cells of the atlas.
    """
    with atlas.started(opened) as cells:
        return _written(opened, cells)


def _written(opened: book.Book, cells: Sweep | None) -> list[Any]:
    written = [
        chapters.write(opened, path)
        for path in sorted(
            (opened.root / "docs" / "chapters").glob("*.md"), key=lambda one: chapters.order(one, opened.root)
        )
    ]
    nav: list[Any] = [{"Home": "index.md"}, {"Chapters": ["chapters/index.md", *written]}]
    nav += [{"Worked examples": examples.write(opened)}]
    nav += [{entity.TITLE: entity.write(opened)} for entity in ENTITIES]
    nav.insert(2, {playground.TITLE: playground.write(opened)})
    if cells is not None:
        nav.insert(3, {atlas.TITLE: atlas.write(opened, cells)})
    if judged := validation.write(opened):
        nav += [{validation.TITLE: judged}]
    nav += [{"Reference": [page for part in REFERENCE for page in part.write(opened)]}]
    chapters.write_index(opened, written)
    home.write(opened, written)
    return nav


def _keep_addresses(opened: book.Book) -> tuple[str, ...]:
    """Write a redirect for each address that a page has left; a fault for each that would be lost."""
    written = {markup.address(path) for path in opened.files}

    def is_page(address: str) -> bool:
        return address in written or (opened.root / "docs" / f"{address.removesuffix('.html')}.md").is_file()

    kept = addresses.keep(opened.root, opened.library, is_page)
    for old, new in kept.redirects.items():
        opened.write(old, addresses.redirect_page(old, new, opened.language))
    return kept.faults


def site(root: Path, language: str = "en", release: str = "") -> Site:
    """The whole handbook of a project; written once for one process, however often it is asked for."""
    return _site(root, language, release)


@functools.lru_cache(maxsize=1)
def _site(root: Path, language: str, release: str) -> Site:
    return write_book(open_book(root, language=language, release=release))


def ledger(root: Path, language: str = "en") -> bytes:
    """`results.json` alone: every page is written, no chart is drawn, nothing is made from the results."""
    opened = open_book(root, language=language)
    opened.draws = False
    _write_pages(opened)
    api.write_results(opened)
    return opened.files[RESULTS]


def dependent_counts(root: Path) -> dict[str, int]:
    """Datum path -> how many published results rest on it; counted once for the same specs, prose and code."""
    digest = hashlib.sha256(source_digest("**/*.py").encode())
    for path in sorted(one for folder in ("specs", "docs") for one in (root / folder).rglob("*") if one.is_file()):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")

    def count() -> dict[str, int]:
        return {path: len(ids) for path, ids in Ledger.read(ledger(root)).dependents.items()}

    return Cache(root / ".cache" / "handbook").get("dependent counts", digest.hexdigest(), count)


def render(root: Path, language: str = "en") -> dict[str, bytes]:
    """Files of the handbook by path."""
    return site(root, language).files

"""The handbook as files: a pure function from a project's specs and prose to `{path: bytes}`, and its navigation.

Nothing here knows MkDocs; `generator.adapter` hands the files over to it.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from generator import equations, published
from generator.cache import Cache
from generator.ledger import RESULTS
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
    examples,
    freshness,
    home,
    models,
    playground,
    reference,
    simulations,
    systems,
)
from generator.simulation import outcomes
from generator.simulation.atlas_run import Sweep
from generator.specs.library import Library
from generator.specs.load import load

ENTITIES = (accelerators, systems, models)
REFERENCE = (reference, simulations, bibliography, disagreements, freshness, coverage, cite)


@dataclass(frozen=True)
class Site:
    """Everything that is published: files by path, and the navigation as MkDocs wants it."""

    files: dict[str, bytes]
    nav: list[Any]
    moved: tuple[str, ...] = ()
    """A fault for each worked example that is not what it was published with."""


def open_book(root: Path, library: Library | None = None, language: str = "en") -> book.Book:
    """Specs loaded, examples worked, the numbers of every thing published: ready to write pages or to explain a number.

    Raises SpecFaults, WorksheetFault.
    """
    cache = Cache(root / ".cache" / "handbook")
    equations.TEMPLATES.cache = cache
    outcomes.RESULTS.cache = cache
    opened = book.Book(root, library or load(root), cache, language)
    for entity in ENTITIES:
        entity.prepare(opened)
    opened.prepare()
    return opened


def write_book(opened: book.Book) -> Site:
    """Write every page of an opened book; meanwhile other processes search the cells of the atlas."""
    with atlas.started(opened) as cells:
        return _written(opened, cells)


def _written(opened: book.Book, cells: Sweep | None) -> Site:
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
    nav += [{"Reference": [page for part in REFERENCE for page in part.write(opened)]}]
    chapters.write_index(opened, written)
    home.write(opened, written)
    api.write(opened)
    return Site(
        dict(sorted(opened.files.items())),
        nav,
        tuple(published.faults(opened.published, opened.examples, opened.library.files)),
    )


@functools.lru_cache(maxsize=1)
def site(root: Path, language: str = "en") -> Site:
    """The whole handbook of a project; written once for one process, however often it is asked for."""
    return write_book(open_book(root, language=language))


def ledger(root: Path, language: str = "en") -> bytes:
    """`results.json` alone: every page is written, no chart is drawn."""
    opened = open_book(root, language=language)
    opened.draws = False
    return write_book(opened).files[RESULTS]


def render(root: Path, language: str = "en") -> dict[str, bytes]:
    """Files of the handbook by path."""
    return site(root, language).files

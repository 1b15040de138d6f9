"""The book in the making: specs, published results, and what every page can refer to."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from generator import __version__, published
from generator.cache import Cache
from generator.citations import Citable, Edition, one_line
from generator.examples import WorkedExample, work_all
from generator.freshness import Span, newest_date
from generator.results import Registry
from generator.simulation.outcomes import Outcome
from generator.specs.library import Library


@dataclass
class Book:
    """What the pages share. `files` grows as pages are written; nothing else changes after `prepare`."""

    root: Path
    library: Library
    cache: Cache
    language: str = "en"
    registry: Registry = field(default_factory=Registry)
    examples: dict[str, WorkedExample] = field(default_factory=dict)
    published: published.Record = field(default_factory=dict)
    """Every revision of every example that has been published."""
    files: dict[str, bytes] = field(default_factory=dict)
    shown: dict[str, list[str]] = field(default_factory=dict)
    """Page -> ids of the results it shows."""

    simulations: dict[str, tuple[str, Outcome]] = field(default_factory=dict)
    """Id of a published run, `chapter/step` or `WX-nnn/step` -> the page that shows it, and what it came to."""

    documents: dict[str, tuple[str, str, int, dict[str, Any]]] = field(default_factory=dict)
    """Documents that pages add to the API: path -> schema, what it is, how many things, content."""

    dates: dict[str, Span] = field(default_factory=dict)
    """Page -> dates of the data behind it."""

    citables: dict[str, Citable] = field(default_factory=dict)
    """What can be cited, by kind and id."""

    draws: bool = True
    """False where only the numbers are wanted: charts then stay empty."""

    release: str = __version__

    def prepare(self) -> None:
        """Work the examples, so that every page can refer to them."""
        self.examples = work_all(self.library)
        self.published = published.read(self.root)
        for example in self.examples.values():
            page = example_page(example.record.id)
            self.registry.publish(f"{example.record.id}/answer", example.answer, page)
            self.keep_runs(example.record.id, example.worksheet.steps, page)

    def keep_runs(self, name: str, steps: Mapping[str, Any], page: str) -> None:
        """The simulations among the steps of a worksheet, for the list of published runs."""
        for step, value in steps.items():
            if isinstance(value, Outcome):
                self.simulations[f"{name}/{step}"] = (page, value)

    @functools.cached_property
    def edition(self) -> Edition:
        """Release and date that citations carry."""
        return Edition(self.release, newest_date(self.library))

    def cite(self, thing: Citable) -> str:
        """Make a thing citable; its line for a list of references. Two things must not want the same id."""
        if self.citables.setdefault(f"{thing.kind} {thing.id}", thing) != thing:
            raise ValueError(f"two things want to be cited as {thing.kind} {thing.id}")
        return one_line(thing, self.edition)

    def write(self, path: str, content: str | bytes) -> None:
        """Add one file of the site; two pages must not want the same path."""
        if path in self.files:
            raise ValueError(f"two pages want the path {path}")
        self.files[path] = content.encode() if isinstance(content, str) else content


def example_page(identifier: str) -> str:
    """Path of a worked example's page."""
    return f"examples/{identifier.lower()}.md"


def entity_page(collection: str, identifier: str) -> str:
    """Path of the page of an accelerator, a system or a model."""
    return f"{collection}/{identifier}.md"


def spec_json(collection: str, identifier: str) -> str:
    """Path of a thing's JSON."""
    return f"api/v1/{collection}/{identifier}.json"


def label_of(book: Book, collection: str, identifier: str) -> Any:
    """Name of a thing as its spec gives it."""
    return book.library.find(collection, identifier).name

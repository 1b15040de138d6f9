"""What is in the handbook and what is not: counted, with every file and the page that shows it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from generator import equations, formatting
from generator.freshness import is_stale, newest_date, specs
from generator.pages import markup, printed
from generator.pages.book import Book
from generator.pages.lookups import TITLES, name_of, page_of
from generator.pages.writer import Writer
from generator.specs import positions

PLAN = "docs/planned.yaml"
"""Chapters that are to be written, and what is left out on purpose."""

BOOK_NUMBERS = {
    "A": "Devices and rooflines",
    "B": "Collectives and links",
    "C": "Parameters and KV caches",
    "D": "Serving on TPU and GPU",
    "E": "One day of a large service",
    "F": "Training",
    "G": "Golden values of a simulator",
    "H": "Latency, experts, tools beside measurements",
    "I": "MLPerf",
}
"""First letter of a case id -> what those numbers are about."""


def write(book: Book) -> list[str]:
    """Write the page; returns what goes into the navigation."""
    writer = Writer(book, "reference/coverage.md")
    sections = (_missing, _counts, _examples, _book_numbers, _unconfirmed, _stale, _files)
    body = "# Coverage\n\nCounted when the site was built.\n\n" + "\n\n".join(section(writer) for section in sections)
    writer.page("Coverage", body, description="What is in the handbook and what is not.")
    return [writer.path]


def _missing(writer: Writer) -> str:
    root = writer.book.root
    plan = positions.read((root / PLAN).read_text(encoding="utf-8"), PLAN)
    if plan.faults:
        raise ValueError("\n".join(map(str, plan.faults)))
    chapters = [
        one["title"] for one in plan.data["chapters"] if not (root / "docs" / "chapters" / f"{one['file']}.md").exists()
    ]
    parts = ["## What is not in here"]
    if chapters:
        parts.append(f"Chapters not written yet: {markup.prose(', '.join(chapters))}.")
    parts.append(f"Also missing:\n\n{_list(map(markup.text, plan.data['missing']))}")
    return "\n\n".join(parts)


def _counts(writer: Writer) -> str:
    book = writer.book
    references = book.library.references.values()
    checked = sum(1 for entry in references if entry.checked)
    kinds = Counter(result.kind for result in book.registry.results.values())
    chapters = len(list((book.root / "docs" / "chapters").glob("*.md")))
    rows = [(TITLES[collection], len(records)) for collection, records in book.library.collections.items()]
    rows += [
        ("References checked against the publisher’s record", checked),
        ("References not yet checked", len(references) - checked),
        ("Chapters", chapters),
        ("Formulas", len(equations.all_formulas())),
        ("Names in the nomenclature", sum(map(len, equations.all_names().values()))),
        ("Published results before this page", len(book.registry.results)),
        *((f"Results of kind {kind}", kinds[kind]) for kind in markup.KIND_MARKS if kinds[kind]),
    ]
    cells = [(markup.text(what), formatting.grouped(count)) for what, count in rows]
    return f"## What is in here\n\n{markup.table(('What', 'How many'), cells, right=(1,))}"


def _examples(writer: Writer) -> str:
    by_chapter: dict[str, list[Any]] = {}
    for example in writer.book.examples.values():
        by_chapter.setdefault(example.record.chapter, []).append(example)
    rows = [
        (
            markup.text(chapter),
            formatting.grouped(len(examples)),
            ", ".join(writer.example_link(one.record.id) for one in examples),
            markup.text(", ".join(case for one in examples for case in one.record.cases)),
        )
        for chapter, examples in sorted(by_chapter.items())
    ]
    head = ("Chapter", "How many", "Examples", "Cases covered")
    return f"## Worked examples by chapter\n\n{markup.table(head, rows, right=(1,))}"


def _book_numbers(writer: Writer) -> str:
    """Numbers that books, repositories and test suites print, by what they are about: covered, agreeing, differing."""
    examples = [(case, one) for one in writer.book.examples.values() for case in one.record.cases]
    rows, covered = [], 0
    for letter, about in BOOK_NUMBERS.items():
        answered = [one for case, one in examples if re.fullmatch(rf"{letter}\d\d", case)]
        quotes = [printed.Quoted(one, statement) for one in answered for statement in one.record.printed]
        covered += len(answered)
        rows.append((f"{letter}: {about}", *map(formatting.grouped, (len(answered), *printed.counts(quotes)))))
    head = ("First letter of the case", "Numbers covered", "Agree", "Differ", "Inputs only")
    page = writer.link(printed.PAGE, "printed values by source")
    return (
        f"## Numbers of books {{#numbers-of-books}}\n\n<p>{covered} numbers from books, repositories and test suites "
        f"are worked examples. The case of an example names the number. What each work prints, and what agrees: "
        f"{page}.</p>\n\n{markup.table(head, rows, right=(1, 2, 3, 4))}"
    )


def _unconfirmed(writer: Writer) -> str:
    """Data that no second source confirms, with the page that shows them."""
    items = []
    for collection, identifier, record in specs(writer.book.library):
        for source in getattr(record, "sources", ()):
            if not source.confirmed:
                fields = ", ".join(f"<code>{markup.text(field)}</code>" for field in source.covers)
                evidence = f": {markup.text(source.evidence)}" if source.evidence else ""
                place = _place(writer, collection, identifier, record)
                origin = f"{markup.text(source.status)}, {writer.source(source.source)}"
                items.append(f"{place} {fields} ({origin}){evidence}")
    unread = [entry for entry in writer.book.library.references.values() if not entry.checked]
    works = ", ".join(writer.cite(entry.id) for entry in unread)
    unchecked = f"<p>References not yet checked: {works or 'none'}.</p>"
    return f"## Data that wait for a confirmation\n\n{_list(items)}\n\n{unchecked}"


def _stale(writer: Writer) -> str:
    newest = newest_date(writer.book.library)
    items = [
        f'{_place(writer, collection, identifier, record)} <time datetime="{record.date}">{record.date}</time>'
        for collection, identifier, record in specs(writer.book.library)
        if hasattr(record, "date") and is_stale(record.date, newest)
    ]
    return f"## Prices older than a quarter\n\nCounted from the newest date in the data, {newest}.\n\n{_list(items)}"


def _files(writer: Writer) -> str:
    parts = ["## Every file of the data\n\nEach thing is one YAML file; its page shows it."]
    for collection, records in writer.book.library.collections.items():
        entries = []
        for identifier, record in sorted(records.items()):
            file = writer.book.library.files[f"{collection}/{identifier}"].removeprefix(f"specs/{collection}/")
            place = _place(writer, collection, identifier, record)
            entries.append(f"<li><code>{markup.text(file)}</code> {place}</li>")
        parts.append(
            f"<details><summary>{TITLES[collection]}: {len(records)} in <code>specs/{collection}/</code></summary>"
            f"<ul>{''.join(entries)}</ul></details>"
        )
    return "\n\n".join(parts)


def _place(writer: Writer, collection: str, identifier: str, record: Any) -> str:
    page, anchor = page_of(collection, identifier)
    return writer.link(page, name_of(record), anchor)


def _list(items: Iterable[str]) -> str:
    entries = "".join(f"<li>{item}</li>" for item in items)
    return f"<ul>{entries}</ul>" if entries else "None at present."

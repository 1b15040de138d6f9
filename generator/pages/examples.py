"""One page for each worked example, with its whole derivation, and the catalogue."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from generator import formatting
from generator.citations import Citable
from generator.examples import WorkedExample
from generator.pages import chapters, cite, markup, printed
from generator.pages.book import Book, example_page, spec_json
from generator.pages.writer import Writer
from generator.provenance import Derivation, Traced
from generator.published import digest, snapshot
from generator.results import derivation, published
from generator.study import Cell, Column, Table

INDEX = "examples/index.md"


@dataclass(frozen=True)
class Chapter:
    """Title, place in the book and page of a chapter; no page, and last, while it is not written."""

    title: str
    order: float
    page: str = ""


def write(book: Book) -> list[str]:
    """Write the pages; returns what goes into the navigation."""
    groups = by_chapter(book)
    written = {name: _chapter(book, name) for name in groups}
    groups = dict(sorted(groups.items(), key=lambda one: (written[one[0]].order, one[0])))
    for name, group in groups.items():
        for place, example in enumerate(group):
            before = group[place - 1] if place else None
            after = group[place + 1] if place + 1 < len(group) else None
            _page(book, example, written[name], (before, after))
    _catalogue(book, groups, written)
    return [INDEX, printed.write(book)]


def by_chapter(book: Book) -> dict[str, list[WorkedExample]]:
    """Examples of each chapter, in the order of their ids."""
    groups: dict[str, list[WorkedExample]] = {}
    for example in book.examples.values():
        groups.setdefault(example.record.chapter, []).append(example)
    return groups


def _chapter(book: Book, name: str) -> Chapter:
    path = book.root / "docs" / "chapters" / f"{name}.md"
    if not path.exists():
        return Chapter(name.replace("-", " ").capitalize(), 1e9)
    matter, _ = chapters.read(path, book.root)
    return Chapter(matter["title"], float(matter.get("order", 99)), f"chapters/{name}.md")


def _catalogue(book: Book, groups: Mapping[str, list[WorkedExample]], written: Mapping[str, Chapter]) -> None:
    writer = Writer(book, INDEX)
    files = writer.files(
        "catalogue", _table(writer, [one for group in groups.values() for one in group], with_chapter=True)
    )
    parts = [
        "# Worked examples",
        "Each has a permanent id and an expected value: a spec change that moves it fails the check "
        "until its revision is raised with a reason.",
        f"<p>{len(book.examples)} examples by chapter, all in one file: {files}. What other works print for them: "
        f"{writer.link(printed.PAGE, 'printed values by source')}. What a case is: "
        f"{writer.link('reference/coverage.md', 'numbers of books', 'numbers-of-books')}.</p>",
    ]
    for name, group in groups.items():
        parts.append(f"## {markup.prose(written[name].title)} {{#{name}}}")
        parts.append(writer.table(name, _table(writer, group), f"Worked examples of this chapter: {len(group)}."))
    writer.page("Worked examples", "\n\n".join(parts))


def _table(writer: Writer, examples: Sequence[WorkedExample], *, with_chapter: bool = False) -> Table:
    names = ("id", "question", "answer", "kind", *(("chapter",) if with_chapter else ()), "cases")
    columns = tuple(Column(name, _HEADERS[name], "text" if name == "answer" else "") for name in names)
    rows = []
    for one in examples:
        cells = {
            "id": Cell(one.record.id, link=markup.href(writer.path, example_page(one.record.id))),
            "question": Cell(one.record.question),
            "answer": Cell(printed.answer_text(one)),
            "kind": Cell(one.answer.kind),
            "chapter": Cell(one.record.chapter),
            "cases": Cell(", ".join(one.record.cases)),
        }
        rows.append(tuple(cells[name] for name in names))
    return Table(columns, tuple(rows))


_HEADERS = {
    "id": "Example",
    "question": "Question",
    "answer": "Answer",
    "kind": "Kind",
    "chapter": "Chapter",
    "cases": "Case",
}


def _page(
    book: Book,
    example: WorkedExample,
    chapter: Chapter,
    neighbours: tuple[WorkedExample | None, WorkedExample | None],
) -> None:
    record = example.record
    writer = Writer(book, example_page(record.id))
    title = f"{record.id} {record.title}"
    parts = [f"# {markup.prose(title)}", f'<p class="question"><strong>{markup.text(record.question)}</strong></p>']
    inside = printed.in_gibibytes(example)
    inside = f" ({inside})" if inside else ""
    parts.append(f"<p>Answer: {writer.number(example.answer)}{inside}. {markup.text(record.explanation)}</p>")
    if isinstance(example.answer.origin, Derivation):
        parts.append(markup.as_is(writer.equation(example.answer)))
    steps = [
        (name, value)
        for name, value in example.worksheet.steps.items()
        if isinstance(value, Traced) and name != record.answer
    ]
    if steps:
        parts.append("## Steps\n")
        for name, value in steps:
            parts.append(f"<p>{markup.text(name.replace('_', ' '))}: {writer.number(value)}</p>")
            if isinstance(value.origin, Derivation):
                parts.append(markup.as_is(writer.equation(value)))
    for estimate in example.worksheet.steps.values():
        reasons = getattr(estimate, "reasons", ())
        if reasons:
            parts.append("<ul>" + "".join(f"<li>{markup.text(reason)}</li>" for reason in reasons) + "</ul>")
    if record.printed:
        parts.append("## Printed elsewhere\n")
        for one in record.printed:
            parts.append(
                f"<p>{markup.text(one.statement.rstrip('.'))} ({writer.source(one.source)}){printed.verdict(one)}.</p>"
            )
    parts += [_measured(writer, book, identifier) for identifier in record.measured]
    parts += [
        _published(writer, example, chapter),
        _cited(writer, example),
        _around(writer, record.chapter, neighbours),
    ]
    writer.page(title, "\n\n".join(parts), description=record.question, json_path=spec_json("examples", record.id))


def _measured(writer: Writer, book: Book, identifier: str) -> str:
    measurement = book.library.find("measurements", identifier)
    return (
        f"<p>Measured: {writer.number(measurement.value)}, {markup.text(measurement.setting)} "
        f"({writer.datum_source(measurement.value)}).</p>"
    )


def _published(writer: Writer, example: WorkedExample, chapter: Chapter) -> str:
    record = example.record
    tolerance = f"within {formatting.percent(record.expected.tolerance, 1)}" if record.expected.tolerance else "exactly"
    cases = f" Case: {', '.join(record.cases)}." if record.cases else ""
    history = "".join(
        f"<li>Until {entry.date}, {_revision_link(writer, record.id, int(entry.revision))}: "
        f"{markup.text(entry.value)}. {markup.text(entry.reason)}</li>"
        for entry in record.history
    )
    listed = f"<ul>{history}</ul>" if history else ""
    place = writer.link(chapter.page, chapter.title) if chapter.page else markup.text(chapter.title)
    expected = formatting.text(example.expected, example.answer.unit, 6)
    return (
        "## Published value\n\n"
        f"<p>Revision {record.revision:g}: {expected}, to be met {tolerance}.{cases} "
        f"Chapter: {place}.</p>{listed}"
    )


def _revision_link(writer: Writer, identifier: str, revision: int) -> str:
    path = f"api/v1/examples/{identifier}/r{revision}.json"
    return writer.link(path, f"revision {revision}")


def citable(example: WorkedExample) -> Citable:
    """An example as it is cited: id with revision, title, address and digest."""
    record = example.record
    address = markup.address(example_page(record.id))
    return Citable(
        "example", f"{record.id} revision {record.revision:g}", record.title, address, digest(example.answer)
    )


def _cited(writer: Writer, example: WorkedExample) -> str:
    """One line, BibTeX and CSL-JSON of an example, to copy."""
    thing, edition = citable(example), writer.book.edition
    line = writer.book.cite(thing)
    address = f' data-address="{markup.text(thing.address)}"'
    return (
        "## Cite\n\n"
        f"<p><span{address}>{markup.text(line)}</span> "
        f'<a class="cite" href="#cite" data-cite="{markup.text(line)}">cite</a></p>{cite.formats(thing, edition)}'
    )


def revisions(book: Book, example: WorkedExample) -> list[dict[str, object]]:
    """Every published revision of an example, oldest first, the present one last."""
    kept = book.published.get(example.record.id, [])
    present = int(example.record.revision)
    return [one for one in kept if one["revision"] != present] + [snapshot(example)]


def _around(writer: Writer, chapter: str, neighbours: tuple[WorkedExample | None, WorkedExample | None]) -> str:
    """Links to the example before and the one after it in the same chapter, and to the catalogue."""
    links = [
        f"{word} {writer.example_link(one.record.id)} {markup.text(one.record.title)}"
        for word, one in zip(("Before:", "Next:"), neighbours, strict=True)
        if one is not None
    ]
    links.append(writer.link(INDEX, "all examples of this chapter", chapter))
    return f'<p class="around">{" · ".join(links)}</p>'


def as_json(book: Book, example: WorkedExample) -> str:
    """An example for `api/v1/examples`: question, inputs, steps, answer, expected value, cases."""
    record = example.record
    ids = book.registry.ids
    steps = {
        name: {"value": published(value), "unit": value.unit, "kind": value.kind} | derivation(value, {})
        for name, value in example.worksheet.steps.items()
        if isinstance(value, Traced)
    }
    content = {
        "id": record.id,
        "revision": int(record.revision),
        "revisions": [f"{record.id}/r{one['revision']}.json" for one in revisions(book, example)],
        "digest": digest(example.answer),
        "title": record.title,
        "question": record.question,
        "chapter": record.chapter,
        "cases": record.cases,
        "case": record.cases[0] if record.cases else None,
        "inputs": record.steps,
        "steps": steps,
        "answer": {
            "value": published(example.answer),
            "unit": example.answer.unit,
            "kind": example.answer.kind,
            **derivation(example.answer, {key: value for key, value in ids.items() if value != f"{record.id}/answer"}),
        },
        "expected": {"value": example.expected, "tolerance": float(record.expected.tolerance)},
        "holds": example.holds,
        "explanation": record.explanation,
        "printed": [vars(printed) for printed in record.printed],
        "page": markup.address(example_page(record.id)),
    }
    return json.dumps(content, ensure_ascii=False, indent=1, default=str) + "\n"

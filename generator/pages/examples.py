"""One page for each worked example, with its whole derivation, and the catalogue."""

from __future__ import annotations

import json

from generator import formatting
from generator.examples import WorkedExample
from generator.pages import markup
from generator.pages.book import Book, example_page, spec_json
from generator.pages.writer import Writer
from generator.provenance import Derivation, Traced
from generator.results import derivation, published
from generator.study import Cell, Column, Table


def write(book: Book) -> list[str]:
    """Write the pages; returns what goes into the navigation."""
    for example in book.examples.values():
        _page(book, example)
    writer = Writer(book, "examples/index.md")
    columns = (
        Column("id", "Example", ""),
        Column("question", "Question", ""),
        Column("answer", "Answer", "text"),
        Column("kind", "Kind", ""),
        Column("chapter", "Chapter", ""),
        Column("cases", "Case", ""),
    )
    rows = tuple(
        (
            Cell(one.record.id, link=markup.href(writer.path, example_page(one.record.id))),
            Cell(one.record.question),
            Cell(formatting.short(one.answer, one.answer.unit)),
            Cell(one.answer.kind),
            Cell(one.record.chapter),
            Cell(", ".join(one.record.cases)),
        )
        for one in book.examples.values()
    )
    body = (
        "# Worked examples\n\n"
        "Each has a permanent id and an expected value: a spec change that moves it fails the check "
        "until its revision is raised with a reason.\n\n"
        + writer.table("catalogue", Table(columns, rows), "All worked examples.")
    )
    writer.page("Worked examples", body)
    return ["examples/index.md"]


def _page(book: Book, example: WorkedExample) -> None:
    record = example.record
    writer = Writer(book, example_page(record.id))
    title = f"{record.id} {record.title}"
    parts = [f"# {markup.prose(title)}", f'<p class="question"><strong>{markup.text(record.question)}</strong></p>']
    parts.append(f"<p>Answer: {writer.number(example.answer)}. {markup.text(record.explanation)}</p>")
    if isinstance(example.answer.origin, Derivation):
        parts.append(writer.equation(example.answer))
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
                parts.append(writer.equation(value))
    for estimate in example.worksheet.steps.values():
        reasons = getattr(estimate, "reasons", ())
        if reasons:
            parts.append("<ul>" + "".join(f"<li>{markup.text(reason)}</li>" for reason in reasons) + "</ul>")
    if record.printed:
        parts.append("## Printed elsewhere\n")
        for printed in record.printed:
            verdict = "agrees" if printed.agrees else "differs"
            why = f": {markup.text(printed.why)}" if printed.why else ""
            parts.append(f"<p>{markup.text(printed.statement)} ({writer.source(printed.source)}) {verdict}{why}.</p>")
    parts += [_measured(writer, book, identifier, example.answer) for identifier in record.measured]
    parts.append(_published(writer, example))
    writer.page(title, "\n\n".join(parts), description=record.question, json_path=spec_json("examples", record.id))


def _measured(writer: Writer, book: Book, identifier: str, answer: Traced) -> str:
    measurement = book.library.find("measurements", identifier)
    return (
        f"<p>Measured: {writer.number(measurement.value)}, {markup.text(measurement.setting)} "
        f"({writer.datum_source(measurement.value)}).</p>"
    )


def _published(writer: Writer, example: WorkedExample) -> str:
    record = example.record
    tolerance = f"within {formatting.percent(record.expected.tolerance)}" if record.expected.tolerance else "exactly"
    cases = f" Case: {', '.join(record.cases)}." if record.cases else ""
    history = "".join(
        f"<li>r{entry.revision:g}, {entry.date}: {markup.text(entry.value)}. {markup.text(entry.reason)}</li>"
        for entry in record.history
    )
    listed = f"<ul>{history}</ul>" if history else ""
    expected = formatting.text(example.expected, example.answer.unit, 6)
    return (
        "## Published value\n\n"
        f"<p>Revision {record.revision:g}: {expected}, to be met {tolerance}.{cases} "
        f"Chapter: {markup.text(record.chapter)}.</p>{listed}"
    )


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

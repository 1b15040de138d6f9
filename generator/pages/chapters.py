"""Chapters: Markdown with the numbers, charts and tables that its front matter asks for.

The front matter of `docs/chapters/<name>.md` holds `steps` (a worksheet), `charts` and `tables`; the text refers to
them by name. A template computes nothing: it places numbers, and every number it places is a published result.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2

from generator import formatting
from generator.estimates.studies import STUDIES, StudyFault
from generator.pages import markup, validation_points
from generator.pages.book import Book
from generator.pages.tables import chapter_table, column
from generator.pages.writer import Writer
from generator.provenance import Traced
from generator.specs import positions
from generator.specs.library import UnknownId
from generator.study import Cell, Column, Table
from generator.timeline_studies import timelines
from generator.worksheet_studies import WORKSHEET_STUDIES
from generator.worksheets import WorksheetFault, evaluate

FIELDS = ("title", "question", "answer", "order", "steps", "charts", "tables", "description")


class ChapterFault(ValueError):
    """A chapter that cannot be written: file, place, and what would be right."""


def read(path: Path, root: Path) -> tuple[dict[str, Any], str]:
    """Front matter and text of a chapter."""
    name = path.relative_to(root).as_posix()
    source = path.read_text(encoding="utf-8")
    if not source.startswith("---\n") or "\n---\n" not in source:
        raise ChapterFault(f"{name}:1:1: a chapter begins with front matter between two lines of `---`")
    matter, _, text = source[4:].partition("\n---\n")
    file = positions.read(matter, name)
    faults = list(map(str, file.faults))
    unknown = [key for key in file.data or {} if key not in FIELDS]
    faults += [
        f"{name}:{file.mark((key,))[0] + 1}:1: unknown field `{key}`; valid: {', '.join(FIELDS)}" for key in unknown
    ]
    if faults:
        raise ChapterFault("\n".join(faults))
    return file.data, text


def write(book: Book, path: Path) -> str:
    """Write one chapter and return the path of its page."""
    matter, text = read(path, book.root)
    page = f"chapters/{path.stem}.md"
    writer = Writer(book, page)
    name = path.relative_to(book.root).as_posix()
    try:
        sheet = evaluate(path.stem, matter.get("steps", {}), book.library)
        book.keep_runs(path.stem, sheet.steps, page)
        context = _context(book, writer, matter, sheet, path.stem)
        environment = jinja2.Environment(
            undefined=jinja2.StrictUndefined,
            keep_trailing_newline=True,
            autoescape=False,
            # `{#anchor}` behind a heading is its id, not the beginning of a comment.
            comment_start_string="{%#",
            comment_end_string="#%}",
        )
        body = environment.from_string(text).render(context)
    except (WorksheetFault, StudyFault, UnknownId, jinja2.TemplateError) as error:
        line = getattr(error, "lineno", None) or 1
        raise ChapterFault(f"{name}:{line}:1: {error}") from error
    writer.page(matter["title"], body, description=matter.get("description", matter.get("question", "")))
    return page


def _context(book: Book, writer: Writer, matter: Mapping[str, Any], sheet: Any, chapter: str) -> dict[str, Any]:
    """What the text of a chapter can call."""

    def find(reference: str) -> Traced:
        """A number by step, by example (`WX-007`), or by spec path (`models/llama-3-8b#total_params`)."""
        if reference.startswith("WX-"):
            identifier, _, step = reference.partition(".")
            if identifier not in book.examples:
                raise UnknownId(f"no example is called `{identifier}`")
            example = book.examples[identifier]
            return example.worksheet.number(step) if step else example.answer
        if "#" in reference:
            from generator.worksheets import lookup

            return lookup(book.library, reference)
        value = sheet.number(reference)
        if not isinstance(value, Traced):
            raise UnknownId(f"`{reference}` is no number: {value!r}")
        book.registry.publish(f"{chapter}/{reference}", value, writer.path)
        return value

    def chart(name: str) -> str:
        given = dict(matter["charts"][name])
        caption, kind = given.pop("caption"), given.pop("kind")
        alternative = given.pop("alt", "")
        study = {**STUDIES, **WORKSHEET_STUDIES, "timelines": timelines}[given.pop("study")](book.library, **given)
        return writer.chart(f"{chapter}-{name}", kind, study, caption, alternative)

    def table(name: str) -> str:
        given = matter["tables"][name]
        built = chapter_table(book, writer, f"{chapter}/{name}", given)
        return writer.table(f"{chapter}-{name}", built, given["caption"])

    def text_of(reference: str, field: str) -> str:
        value = sheet.steps[reference]
        given = getattr(value, field)
        return markup.prose("; ".join(given) if isinstance(given, (list, tuple)) else given)

    return {
        "n": lambda reference, **style: writer.number(find(reference), **style),
        "words": lambda reference: writer.words(find(reference)),
        "equation": lambda reference: writer.equation(find(reference)),
        "facts": lambda *facts: writer.facts([(label, find(reference), *unit) for label, reference, *unit in facts]),
        "chart": chart,
        "table": table,
        "says": text_of,
        "cite": writer.cite,
        "model": lambda identifier: writer.entity("models", identifier),
        "accelerator": lambda identifier: writer.entity("accelerators", identifier),
        "system": lambda identifier: writer.entity("systems", identifier),
        "example": lambda identifier: _example_box(book, writer, identifier),
        "measured": lambda identifier, reference, **style: _measured_box(
            book, writer, identifier, find(reference), style
        ),
        "compared": lambda name, caption, *pairs, shown=None: writer.table(
            f"{chapter}-{name}",
            _compared(book, writer, [(one, find(reference)) for one, reference in pairs], shown),
            caption,
        ),
        "validated": lambda family, **where: validation_points.of_family(
            writer, f"{chapter}-measured-{family}{''.join(f'-{one}' for one in where.values())}", family, where
        ),
        "takeaway": lambda words: f'<p class="takeaway"><strong>{words}</strong></p>',
        "page": lambda there, label, anchor="": writer.link(there, label, anchor),
    }


def _example_box(book: Book, writer: Writer, identifier: str) -> str:
    """A worked example in a chapter: question, answer, link to the whole derivation."""
    example = book.examples[identifier]
    record = example.record
    anchor = "" if identifier in writer.boxes else f' id="{identifier.lower()}"'
    writer.boxes.add(identifier)
    return (
        f'<div class="example"{anchor}><p><strong>{writer.example_link(identifier)}</strong> '
        f"{markup.text(record.question)}</p><p>{writer.number(example.answer)}. "
        f"{markup.text(record.explanation)}</p></div>"
    )


def _measured_box(book: Book, writer: Writer, identifier: str, predicted: Traced, style: Mapping[str, Any]) -> str:
    """A measured value beside the predicted one, with the difference."""
    record = book.library.find("measurements", identifier)
    measured = record.value
    difference = (float(predicted) - float(measured)) / float(measured)
    side = "above" if difference > 0 else "below"
    verdict = f"{formatting.percent(abs(difference), 2)} {side}" if difference else "equal to"
    return (
        f'<div class="measured"><p><strong>Measured</strong> {writer.number(measured, **style)}: '
        f"{markup.text(record.setting)} "
        f"({writer.datum_source(measured)}). <strong>Predicted</strong> {writer.number(predicted, **style)}, "
        f"{verdict} the measured value.</p></div>"
    )


def _short(source: str) -> str:
    """An address as words: without scheme, and of a file on GitHub only repository and name."""
    shown = source.split("://", 1)[-1].removeprefix("github.com/")
    return re.sub(r"/blob/[0-9a-f]{40}/(?:.*/)?", ", ", shown)


def _compared(book: Book, writer: Writer, pairs: Sequence[tuple[str, Traced]], shown: str | None = None) -> Table:
    """Measured values beside the predicted ones, all in one unit, with the differences."""
    unit = pairs[0][1].unit
    columns = (
        Column("measurement", "Measurement", ""),
        column("measured", "measured", unit, shown),
        column("predicted", "predicted", unit, shown),
        Column("difference", "difference (%)", "%"),
        Column("source", "source", ""),
    )
    rows = []
    for identifier, predicted in pairs:
        record = book.library.find("measurements", identifier)
        source = record.value.origin.sources[0].address
        writer.numbers.append(record.value)
        rows.append(
            (
                Cell(record.name),
                Cell(record.value, record.setting),
                Cell(predicted),
                Cell(float(predicted) / float(record.value) - 1),
                Cell(_short(source), link=source),
            )
        )
    return Table(columns, tuple(rows), tuple(identifier for identifier, _ in pairs))


def order(path: Path, root: Path) -> tuple[float, str]:
    """Place of a chapter in the book."""
    return float(read(path, root)[0].get("order", 99)), path.stem


def write_index(book: Book, pages: list[str]) -> None:
    """The list of chapters as questions."""
    writer = Writer(book, "chapters/index.md")
    entries = []
    for page in pages:
        matter, _ = read(book.root / "docs" / page, book.root)
        entries.append(
            f"<li>{writer.link(page, matter['question'])}<p>{markup.text(matter['title'])}: "
            f"{markup.text(matter['answer'])}</p></li>"
        )
    writer.page("Chapters", f'# Chapters\n\n<ul class="questions">{"".join(entries)}</ul>')

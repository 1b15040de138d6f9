"""What other works print for the questions of the worked examples: by work, with what agrees and what does not."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from generator import formatting, units
from generator.examples import WorkedExample
from generator.pages import markup
from generator.pages.book import Book
from generator.pages.writer import Writer

PAGE = "examples/by-source.md"
DIGITS = 5
"""Digits of an answer beside a printed value, so that one sees how it was rounded."""

FEWEST_FOR_A_SECTION = 3
"""Works of which fewer statements are quoted share one section."""

_REPOSITORY = re.compile(r"https?://(?:www\.)?github\.com/([^/]+/[^/#?]+)")
_PROJECT_PAGE = re.compile(r"https?://([^./]+)\.github\.io/([^/#?]+)")


@dataclass(frozen=True)
class Quoted:
    """One statement of a work and the example whose question it answers."""

    example: WorkedExample
    printed: Any


def verdict(printed: Any) -> str:
    """What to think of a statement, as the end of a sentence about it."""
    if printed.of == "inputs":
        return ": inputs of this example"
    why = f": {markup.text(printed.why)}" if printed.why else ""
    return f" {'agrees' if printed.agrees else 'differs'}{why}"


def answer_text(example: WorkedExample, digits: int = 3) -> str:
    """The answer as text, with the GiB beside the GB where the example is published in GiB."""
    answer = example.answer
    shown = formatting.short(answer, answer.unit)
    if formatting.is_share(answer.name, answer.unit):
        shown = formatting.percent(answer, digits)
    elif answer.unit != "param":
        shown = formatting.text(answer, answer.unit, digits)
    inside = in_gibibytes(example, digits)
    return f"{shown} ({inside})" if inside else shown


def in_gibibytes(example: WorkedExample, digits: int = 3) -> str:
    """The answer in GiB where the example is published in GiB, else nothing."""
    if not str(example.record.expected.value).endswith("GiB"):
        return ""
    return formatting.in_unit(float(example.answer), units.size_of("GiB", "B"), "GiB", digits)


def work_of(source: str, references: Mapping[str, Any]) -> str:
    """The work that an address or a bibliography id belongs to: `owner/repository`, a bibliography id, or a host."""
    if source in references:
        return _place(references[source].address) or source
    place = _place(source)
    if place:
        return place
    addresses = {_bare(entry.address): identifier for identifier, entry in references.items()}
    return addresses.get(_bare(source)) or source.split("://", 1)[-1].split("/", 1)[0].removeprefix("www.")


def _place(address: str) -> str:
    if found := _REPOSITORY.match(address):
        return found[1]
    found = _PROJECT_PAGE.match(address)
    return f"{found[1]}/{found[2]}" if found else ""


def _bare(address: str) -> str:
    return address.split("://", 1)[-1].removeprefix("www.").rstrip("/").lower()


def quoted_by_work(book: Book) -> dict[str, list[Quoted]]:
    """Every statement quoted in an example, by work; the work that is quoted most comes first."""
    references = book.library.references
    works: dict[str, list[Quoted]] = {}
    for example in book.examples.values():
        for printed in example.record.printed:
            works.setdefault(work_of(printed.source, references), []).append(Quoted(example, printed))
    return dict(sorted(works.items(), key=lambda one: (-len(one[1]), one[0].lower())))


def counts(quotes: Sequence[Quoted]) -> tuple[int, int, int]:
    """Values that agree, values that differ, and statements that are inputs only."""
    values = [one.printed for one in quotes if one.printed.of == "answer"]
    agreeing = sum(1 for printed in values if printed.agrees)
    return agreeing, len(values) - agreeing, len(quotes) - len(values)


def write(book: Book) -> str:
    """Write the page and return its path."""
    writer = Writer(book, PAGE)
    works = quoted_by_work(book)
    everything = [one for quotes in works.values() for one in quotes]
    agreeing, differing, inputs = counts(everything)
    parts = [
        "# Printed values by source",
        f"<p>{len(everything)} statements of {len(works)} works stand beside worked examples: {agreeing} values agree, "
        f"{differing} differ, {inputs} are inputs from which an answer is computed. A value agrees when it is the "
        f"answer as the work rounds it. Why values differ is said here and on "
        f"{writer.link('reference/disagreements.md', 'where sources disagree')}.</p>",
        "## All works {#works}",
        markup.as_is(_overview(writer, works)),
    ]
    small: list[Quoted] = []
    for work, quotes in works.items():
        if len(quotes) < FEWEST_FOR_A_SECTION:
            small += quotes
            continue
        parts += [
            f"## {markup.prose(_name(book, work))} {{#{markup.slug(work)}}}",
            markup.as_is(_table(writer, quotes)),
        ]
    if small:
        parts += ["## Works with one or two values {#others}", markup.as_is(_table(writer, small))]
    writer.page(
        "Printed values by source", "\n\n".join(parts), description="What other works print, and whether it agrees."
    )
    return PAGE


def _name(book: Book, work: str) -> str:
    """Title of a work that is in the bibliography, else its repository or host."""
    for identifier, entry in book.library.references.items():
        if work in (identifier, _place(entry.address)):
            return f"{entry.title} ({markup.short_authors(entry.authors)} {entry.year:g})"
    return work


def _overview(writer: Writer, works: Mapping[str, Sequence[Quoted]]) -> str:
    rows = []
    for work, quotes in works.items():
        agreeing, differing, inputs = counts(quotes)
        anchor = markup.slug(work) if len(quotes) >= FEWEST_FOR_A_SECTION else "others"
        apart = dict.fromkeys(
            one.example.record.id for one in quotes if one.printed.of == "answer" and not one.printed.agrees
        )
        rows.append(
            (
                writer.link(PAGE, _name(writer.book, work), anchor),
                *map(formatting.grouped, (agreeing, differing, inputs)),
                ", ".join(f'<span style="white-space: nowrap">{writer.example_link(one)}</span>' for one in apart)
                or "none",
            )
        )
    head = ("Work", "Agree", "Differ", "Inputs only", "Examples that differ")
    return markup.table(head, rows, right=(1, 2, 3))


def _table(writer: Writer, quotes: Sequence[Quoted]) -> str:
    rows = []
    for one in quotes:
        record = one.example.record
        said = "inputs" if one.printed.of == "inputs" else "agrees" if one.printed.agrees else "differs"
        why = f": {markup.text(one.printed.why)}" if one.printed.why else ""
        rows.append(
            (
                f"{writer.example_link(record.id)} {markup.text(record.title)}",
                markup.text(answer_text(one.example, DIGITS)),
                f"{said}{why}",
                f"{markup.text(one.printed.statement)} {writer.source(one.printed.source)}",
            )
        )
    return markup.table(("Example", "Here", "Verdict", "Source"), rows, right=(1,))

"""The home page: what this is, the ten numbers people look up most, the chapters as questions, how to cite."""

from __future__ import annotations

from typing import Any

from generator.citations import TITLE, one_line
from generator.pages import atlas, cite, markup
from generator.pages import chapters as chapter_pages
from generator.pages.book import Book
from generator.pages.writer import Writer
from generator.provenance import Traced
from generator.specs import positions
from generator.worksheets import Worksheet, evaluate

NUMBERS = "docs/home.yaml"
LEAD = (
    "How much memory, compute, bandwidth, time and money it takes to serve and to train large language models. "
    "Every number is computed from sourced data; press one to see how."
)


def write(book: Book, chapters: list[str]) -> None:
    """Write the home page."""
    writer = Writer(book, "index.md")
    parts = [
        "# The LLM Capacity Handbook",
        f'<p class="lead">{markup.text(LEAD)}</p>',
        f'<div class="home"><section><h2 id="numbers">Ten numbers</h2>{_ten(writer)}</section>'
        f'<section><h2 id="questions">Questions</h2>{_questions(writer, chapters)}</section></div>',
        f'<p class="home-links">{" · ".join(_links(writer))}</p>',
        f"<p>Cite as: {markup.text(one_line(cite.WHOLE, book.edition))} "
        f"{writer.link('reference/cite.md', 'How to cite an example or a number')}</p>",
    ]
    writer.page(TITLE, "\n\n".join(parts), description=LEAD, hide=("navigation", "toc"))


def _ten(writer: Writer) -> str:
    path = writer.book.root / NUMBERS
    file = positions.read(path.read_text(encoding="utf-8"), NUMBERS)
    if file.faults:
        raise ValueError("\n".join(map(str, file.faults)))
    sheet = evaluate("home", file.data["steps"], writer.book.library)
    rows = [
        (markup.text(entry["label"]), writer.number(_find(writer, sheet, entry["number"]), short=True))
        for entry in file.data["numbers"]
    ]
    return markup.table(("What", "How much"), rows, right=(1,), name="ten")


def _find(writer: Writer, sheet: Worksheet, reference: str) -> Traced:
    """A number by worked example, by published result, or by step; a step gets an id unless it has one."""
    book = writer.book
    if reference in book.examples:
        return book.examples[reference].answer
    if reference in book.registry.results:
        return book.registry.results[reference].traced
    number = sheet.number(reference)
    if book.registry.of(number) is None:
        book.registry.publish(f"home/{reference}", number, writer.path)
    return number


def _questions(writer: Writer, chapters: list[str]) -> str:
    if not chapters:
        return f"<p>{writer.link('examples/index.md', 'Worked examples')} come first; chapters follow.</p>"
    entries = []
    for page in chapters:
        matter, _ = chapter_pages.read(writer.book.root / "docs" / page, writer.book.root)
        entries.append(f"<li>{writer.link(page, matter['question'])} <span>{markup.text(matter['title'])}</span></li>")
    return f'<ul class="map">{"".join(entries)}</ul>'


def _links(writer: Writer) -> list[str]:
    """Ways in, with how many things stand behind each."""
    library = writer.book.library
    counted: list[tuple[str, str, Any]] = [
        ("accelerators/index.md", "accelerators", library.accelerators),
        ("systems/index.md", "systems", library.systems),
        ("models/index.md", "models", library.models),
        ("examples/index.md", "worked examples", writer.book.examples),
    ]
    links = [writer.link(page, f"{len(things)} {name}") for page, name, things in counted]
    if atlas.GRID in library.grids:
        links.append(writer.link(atlas.PAGE, "goodput atlas"))
    return [
        *links,
        writer.link("playground/index.md", "playground"),
        writer.link("reference/formulas.md", "formulas"),
        writer.link("reference/simulations.md", "simulations"),
        writer.link("reference/disagreements.md", "where sources disagree"),
        writer.link("reference/json.md", "JSON"),
        writer.link("reference/coverage.md", "what is not in here"),
    ]

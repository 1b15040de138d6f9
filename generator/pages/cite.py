"""How to cite the handbook, one worked example, one number; and the licences."""

from __future__ import annotations

import json
from typing import Any

from generator.pages import markup
from generator.pages.book import Book
from generator.pages.lookups import newest_date
from generator.pages.writer import Writer

TITLE = "The LLM Capacity Handbook"
AUTHORS = "LLM Capacity Handbook contributors"


def one_line(book: Book) -> str:
    """The handbook as one line of a list of references; the date is that of the newest datum."""
    return f"{AUTHORS} ({newest_date(book.library)[:4]}). {TITLE}, release {book.release}."


def bibtex(book: Book) -> str:
    """The handbook as a BibTeX entry."""
    year = newest_date(book.library)[:4]
    fields = {
        "title": f"{{{TITLE}}}",
        "author": f"{{{AUTHORS}}}",
        "year": year,
        "edition": f"release {book.release}",
        "note": f"Data as of {newest_date(book.library)}",
    }
    lines = "".join(f"  {name:<7} = {{{value}}},\n" for name, value in fields.items())
    return f"@book{{llm-capacity-handbook,\n{lines}}}\n"


def csl(book: Book) -> dict[str, Any]:
    """The handbook as a CSL-JSON item."""
    return {
        "id": "llm-capacity-handbook",
        "type": "book",
        "title": TITLE,
        "author": [{"literal": AUTHORS}],
        "edition": f"release {book.release}",
        "issued": {"date-parts": [[int(part) for part in newest_date(book.library).split("-")]]},
        "note": f"Data as of {newest_date(book.library)}",
    }


def write(book: Book) -> list[str]:
    """Write the page; returns what goes into the navigation."""
    writer = Writer(book, "reference/cite.md")
    body = "\n\n".join(
        [
            "# How to cite",
            "The release says which text and data you read. Add the address of the page and the day you read it.",
            "## The handbook",
            _block(one_line(book)),
            "BibTeX:",
            _block(bibtex(book)),
            "CSL-JSON, for reference managers:",
            _block(json.dumps([csl(book)], ensure_ascii=False, indent=2)),
            *_example(writer),
            *_number(writer),
            "## Permanent ids",
            "The id of a worked example (`WX-007`), of a number (`h100-sxm/ridge_point`) and of a symbol or a formula "
            "stays for ever, and so does its anchor. A worked example keeps its earlier revisions, each with the "
            "reason for the change. An id that is given up is never used for something else.",
            "## Licences",
            f"<ul><li>Text, tables, charts and data: CC BY 4.0. Name the handbook and the release.</li>"
            f"<li>Code: MIT.</li>"
            f"<li>Bundled files of others: {writer.link('assets/LICENSES.md', 'their licences')}.</li>"
            f"<li>Facts belong to their sources: every number names them, and the "
            f"{writer.link('reference/bibliography.md', 'bibliography')} lists the works.</li></ul>",
        ]
    )
    writer.page("How to cite", body, description="How to cite the handbook, an example or a number; licences.")
    return [writer.path]


def _example(writer: Writer) -> list[str]:
    example = next(iter(writer.book.examples.values()), None)
    if example is None:
        return []
    record = example.record
    cited = f"{one_line(writer.book).removesuffix('.')}, {record.id} revision {record.revision:g}."
    return [
        "## A worked example",
        f"By its id and revision. {writer.example_link(record.id)}, for instance:",
        _block(cited),
    ]


def _number(writer: Writer) -> list[str]:
    """A number by its id, with the value it has in this release."""
    result = next(iter(writer.book.registry.results.values()), None)
    if result is None:
        return []
    cited = (
        f"{one_line(writer.book).removesuffix('.')}, result {result.id}: "
        f"{markup.quantity(result.traced)} ({result.kind})."
    )
    return [
        "## A number",
        f"By its id, which its derivation shows, with its kind. All of them are in "
        f"{writer.link('api/v1/results.json', 'results.json')}, unrounded to six digits:",
        _block(cited.replace("\u00a0", " ").replace("\u202f", " ")),
    ]


def _block(given: str) -> str:
    """Text to copy, as it is."""
    return f'<div class="highlight"><pre><code>{markup.text(given.rstrip())}</code></pre></div>'

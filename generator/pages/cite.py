"""How to cite the handbook, an example, a figure, a table, a simulation, a number; and the licences."""

from __future__ import annotations

import json

from generator.citations import NAMED, Citable, Edition, bibtex, csl, escaped, one_line
from generator.pages import markup
from generator.pages.book import Book
from generator.pages.writer import Writer

CITATIONS = "api/v1/citations.json"
WHOLE = Citable("handbook", "", "", "")


def write(book: Book) -> list[str]:
    """Write the page; returns what goes into the navigation."""
    writer = Writer(book, "reference/cite.md")
    body = "\n\n".join(
        [
            "# How to cite",
            "The release says which text and data you read; the digest says which inputs are behind one thing. Add the "
            "day you read it.",
            "## The handbook",
            *_entry(WHOLE, book.edition),
            "## An example, a figure, a table, a simulation {#one}",
            "Each has an id that stays, and <em>cite</em> beside it copies its line with the address. A worked example "
            "is cited with its revision. The digest is made from everything behind it (data, choices, formulas, "
            "seeds), or from the published rows of a figure or a table: who rebuilds the release sees the same digits. "
            f"All entries, with BibTeX and CSL-JSON, are in {writer.link(CITATIONS, 'citations.json')}.",
            *[part for thing in _samples(book) for part in (f"### {_heading(thing)}", *_entry(thing, book.edition))],
            *_number(writer),
            "## Permanent ids",
            "The id of a worked example (`WX-007`), of a number (`h100-sxm/ridge_point`) and of a symbol or a formula "
            "stays for ever, and so does its anchor. A worked example keeps its earlier revisions, each with the "
            "reason for the change. An id that is given up is never used for something else; a thing that gets another "
            "id answers to the old one, and a page that moves leaves its address behind.",
            "## Licences",
            f"<ul><li>Text, tables, charts and data: CC BY 4.0. Name the handbook and the release.</li>"
            f"<li>Code: MIT.</li>"
            f"<li>Bundled files of others: {writer.link('assets/LICENSES.md', 'their licences')}.</li>"
            f"<li>Facts belong to their sources: every number names them, and the "
            f"{writer.link('reference/bibliography.md', 'bibliography')} lists the works.</li></ul>",
        ]
    )
    writer.page("How to cite", body, description="How to cite the handbook or one thing of it; licences.")
    return [writer.path]


def _heading(thing: Citable) -> str:
    """`Figure chapters/batching/gap`, with an anchor that does not depend on which figure is shown."""
    return f"{NAMED[thing.kind].capitalize()} <code>{markup.prose(thing.id)}</code> {{#{thing.kind}}}"


def _samples(book: Book) -> list[Citable]:
    """The first thing of each kind that the book has, one in a chapter if there is one."""
    found: dict[str, Citable] = {}
    for _, thing in sorted(book.citables.items(), key=lambda one: (not one[1].id.startswith("chapters/"), one[0])):
        found.setdefault(thing.kind, thing)
    return [found[kind] for kind in NAMED if kind in found]


def _entry(thing: Citable, edition: Edition) -> list[str]:
    """One line to copy, and BibTeX and CSL-JSON folded."""
    return [_block(one_line(thing, edition), thing.address), formats(thing, edition)]


def formats(thing: Citable, edition: Edition) -> str:
    """BibTeX and CSL-JSON of a thing to copy, folded."""
    fields = (
        f"  {json.dumps(name)}: {json.dumps(one, ensure_ascii=False)}" for name, one in csl(thing, edition).items()
    )
    item = "[{\n" + ",\n".join(fields) + "\n}]"
    blocks = _block(bibtex(thing, edition), escaped(thing.address)) + _block(item, thing.address)
    return f'<details class="problem"><summary>BibTeX and CSL-JSON</summary>{blocks}</details>'


def entries(book: Book) -> list[dict[str, object]]:
    """Every citable thing for programs."""
    return [
        {
            "kind": thing.kind,
            "id": thing.id,
            "title": thing.title,
            "address": thing.address,
            "digest": thing.digest,
            "one_line": one_line(thing, book.edition),
            "bibtex": bibtex(thing, book.edition),
            "csl": csl(thing, book.edition),
        }
        for thing in (WHOLE, *(one for _, one in sorted(book.citables.items())))
    ]


def _number(writer: Writer) -> list[str]:
    """A number by its id, with the value it has in this release."""
    result = next(iter(writer.book.registry.results.values()), None)
    if result is None:
        return []
    cited = (
        f"{one_line(WHOLE, writer.book.edition).removesuffix('.')}, result {result.id}: "
        f"{markup.quantity(result.traced)} ({result.kind})."
    )
    return [
        "## A number",
        f"By its id, which its derivation shows, with its kind. All of them are in "
        f"{writer.link('api/v1/results.json', 'results.json')}, unrounded to six digits:",
        _block(cited.replace("\u00a0", " ").replace("\u202f", " ")),
    ]


def _block(given: str, address: str = "") -> str:
    """Text to copy, as it is. Where the site is published stands before the address only in the reader's browser."""
    completed = f' data-address="{markup.text(address)}"' if address else ""
    return f'<div class="highlight cited"><pre><code{completed}>{markup.text(given.rstrip())}</code></pre></div>'

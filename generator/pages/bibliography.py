"""Every work that a formula or a spec cites, and what cites it."""

from __future__ import annotations

from typing import Any

from generator.pages import markup
from generator.pages.book import Book
from generator.pages.formulary import formula_link
from generator.pages.lookups import formulas_by_reference, name_of, page_of, specs_by_reference
from generator.pages.writer import Writer

_RANGES = ("A–D", "E–K", "L–O", "P–S", "T–Z")


def write(book: Book) -> list[str]:
    """Write the page; returns what goes into the navigation."""
    writer = Writer(book, "reference/bibliography.md")
    references = book.library.references
    formulas, specs = formulas_by_reference(), specs_by_reference(book.library)
    unchecked = [entry for entry in references.values() if not entry.checked]
    parts = [
        f"# Bibliography\n\n{len(references)} works. Authors, title, year and venue of "
        f"{len(references) - len(unchecked)} of them were compared with the "
        "publisher’s record on the date given; the others say that they were not.",
    ]
    for letters in _RANGES:
        first, last = letters[0].lower(), letters[-1].lower()
        entries = [
            _entry(writer, entry, formulas.get(entry.id, []), specs.get(entry.id, []))
            for _, entry in sorted(references.items())
            if first <= entry.id[0] <= last
        ]
        if entries:
            parts.append(f'## {letters}\n\n<div class="bibliography">{"".join(entries)}</div>')
    writer.page("Bibliography", "\n\n".join(parts), description="Every work cited, and what cites it.")
    return [writer.path]


def _entry(writer: Writer, entry: Any, formulas: list[str], specs: list[tuple[str, str]]) -> str:
    venue = f" {markup.text(entry.venue)}." if entry.venue else ""
    checked = (
        f'Checked <time datetime="{entry.checked}">{entry.checked}</time>.'
        if entry.checked
        else '<span class="unconfirmed">not yet checked</span>'
    )
    title = markup.text(entry.title)
    if entry.address.startswith(("https://", "http://")):
        title = f'<a href="{markup.text(entry.address)}" rel="external">{title}</a>'
    cited = []
    if formulas:
        cited.append("Formulas: " + ", ".join(formula_link(writer.path, name) for name in formulas))
    if specs:
        cited.append("Data: " + ", ".join(_spec(writer, *one) for one in specs))
    uses = f'<br><span class="used">{". ".join(cited)}.</span>' if cited else ""
    return (
        f'<p class="entry" id="{markup.text(entry.id)}">{markup.text(entry.authors)} ({entry.year:g}). {title}.{venue} '
        f"{checked}{uses}</p>"
    )


def _spec(writer: Writer, collection: str, identifier: str) -> str:
    page, anchor = page_of(collection, identifier)
    return writer.link(page, name_of(writer.book.library.find(collection, identifier)), anchor)

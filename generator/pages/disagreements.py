"""Where sources disagree: with each other, with this handbook, and published sizes with those the shape gives."""

from __future__ import annotations

from typing import Any

from generator import formatting
from generator.pages import markup
from generator.pages.book import Book
from generator.pages.lookups import TITLES, name_of, page_of, specs
from generator.pages.writer import Writer
from generator.provenance import Traced

LARGEST_AGREEMENT = 0.005
"""A published count within this of the computed one is called rounded, not different."""

_CONVENTIONS = {"all": "active", "no_input_embedding": "active, one table", "no_embeddings": "active, no tables"}
"""What a publisher counts as active."""


def write(book: Book) -> list[str]:
    """Write the page; returns what goes into the navigation."""
    writer = Writer(book, "reference/disagreements.md")
    parts = [
        "# Where sources disagree\n\nWhat each source says, and which value is used here. A correction with a better "
        "source is welcome: the value is one line of one file.",
        _counts(writer),
        *_conflicts(writer),
        _printed(writer),
    ]
    writer.page(
        "Where sources disagree", "\n\n".join(parts), description="What each source says and which value is used here."
    )
    return [writer.path]


def _conflicts(writer: Writer) -> list[str]:
    """Conflicts noted in the specs, by collection and then by maker."""
    groups: dict[str, dict[str, list[str]]] = {}
    for collection, identifier, record in specs(writer.book.library):
        conflicts = getattr(record, "conflicts", ())
        if conflicts:
            maker = getattr(record, "vendor", None) or getattr(record, "org", None) or ""
            page, anchor = page_of(collection, identifier)
            thing = writer.link(page, name_of(record), anchor)
            entries = "".join(_conflict(one) for one in conflicts)
            block = f'<div class="conflict"><p><strong>{thing}</strong></p><dl>{entries}</dl></div>'
            groups.setdefault(collection, {}).setdefault(maker, []).append(block)
    parts = []
    for collection, makers in groups.items():
        parts.append(f"## {TITLES[collection]}")
        for maker, blocks in sorted(makers.items(), key=lambda one: one[0].lower()):
            heading = f"### {markup.prose(maker)}\n\n" if maker else ""
            parts.append(heading + "\n".join(blocks))
    return parts


def _conflict(conflict: Any) -> str:
    kept = f"<br><strong>Used here:</strong> {markup.text(conflict.kept)}" if conflict.kept else ""
    return f"<dt><code>{markup.text(conflict.field)}</code></dt><dd>{markup.text(conflict.statement)}{kept}</dd>"


def _printed(writer: Writer) -> str:
    """Values printed elsewhere for the question of a worked example that differ from its answer."""
    entries = []
    for example in writer.book.examples.values():
        for printed in example.record.printed:
            if not printed.agrees:
                why = f" {markup.text(printed.why)}" if printed.why else ""
                entries.append(
                    f"<li>{writer.example_link(example.record.id)} {markup.text(example.record.title)}: "
                    f"{writer.number(example.answer)} here. {markup.text(printed.statement)} "
                    f"({writer.source(printed.source)}){why}</li>"
                )
    listed = f"<ul>{''.join(entries)}</ul>" if entries else "None at present."
    return f"## Printed elsewhere, and computed differently here\n\n{listed}"


def _counts(writer: Writer) -> str:
    """Published parameter counts that the shape of the model does not give; the model pages compare them."""
    rows, compared = [], 0
    for _, model in sorted(writer.book.library.models.items()):
        convention = _CONVENTIONS[model.published.active_convention or "all"]
        for part, what in (("total", "total"), ("active", convention)):
            result = writer.book.registry.results.get(f"models/{model.id}/published_{part}_difference")
            if result is None:
                continue
            compared += 1
            difference = result.traced
            if abs(float(difference)) > LARGEST_AGREEMENT:
                inputs = difference.origin.inputs
                rows.append(
                    (
                        writer.entity("models", model.id),
                        markup.text(what),
                        writer.number(inputs["value"], short=True),
                        writer.number(inputs["reference_value"], short=True),
                        _signed(writer, difference),
                        markup.text(model.published.note),
                    )
                )
    table = markup.table(("Model", "Count", "Published", "Computed", "Difference", "Note"), rows, right=(2, 3, 4))
    return (
        f"## Parameter counts\n\n{compared} published counts were compared with the count that the shape gives. "
        f"{len(rows)} differ by more than {formatting.percent(LARGEST_AGREEMENT, 1)}: publishers round, and count what "
        f"is active by different conventions. Where more is known, the note says it.\n\n{table}"
    )


def _signed(writer: Writer, difference: Traced) -> str:
    shown = writer.number(difference, percent=True, digits=2)
    return shown.replace(">", ">+", 1) if difference > 0 else shown

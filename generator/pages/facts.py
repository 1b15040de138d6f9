"""Pieces that the pages of accelerators, systems and models share: data with sources, disagreements, small tables."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

from generator import formatting
from generator.pages import markup
from generator.pages.book import Book
from generator.pages.writer import Writer
from generator.provenance import Traced
from generator.specs.records import FORMATS
from generator.study import Cell

NOT_PUBLISHED = '<span class="infeasible">not published</span>'

_WORDS = {
    "tdp": "design power (TDP)", "kv_format": "cache format", "scale_up": "scale-up", "scale_out": "scale-out",
    "d_model": "width", "n_heads": "query heads", "n_kv_heads": "key-value heads", "head_dim": "size of a head",
    "top_k": "top-k", "domain_gpus": "accelerators in the domain", "gpus": "accelerators",
    "gpu_share": "share of the GPU", "gpu_hours": "accelerator hours", "cpus": "processors",
    "scale_up_total": "scale-up total", "kv_layout": "cache layout", "published_kv": "published cache size",
    "max_context": "longest context",
}  # fmt: skip


def size(value: Traced | None) -> str:
    """Bytes in both units: `80.0 GB (74.5 GiB)`."""
    if value is None:
        return NOT_PUBLISHED
    return f"{formatting.text(value, 'B')} ({binary(value)})"


def binary(value: float) -> str:
    """Bytes with a binary prefix: `74.5 GiB`."""
    for factor, unit in ((2.0**40, "TiB"), (2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB")):
        if abs(value) >= factor:
            return f"{formatting.significant(value / factor)}\u00a0{unit}"
    return f"{formatting.significant(value)}\u00a0B"


def shown(value: Traced) -> str:
    """A datum as text: sizes in both units, shares as per cent, counts whole."""
    if value.unit == "B" and value >= 1e6:
        return size(value)
    if value.unit == "1":
        return formatting.percent(value)
    if value.unit in formatting.EXACT_UNITS:
        return f"{formatting.grouped(value)} {'tokens' if value.unit == 'token' else ''}".strip()
    return formatting.text(value, value.unit, 4)


def label(path: str) -> str:
    """A field path in words: `scale_up.domain_gpus` becomes `scale-up: accelerators in the domain`."""
    words = []
    for step in path.split("."):
        if step.isdigit():
            words[-1] += f" {int(step) + 1}"
        elif step in FORMATS:
            words.append(step.upper())
        else:
            words.append(_WORDS.get(step, step.replace("_", " ")))
    return ": ".join(words)


def numbers_of(record: Any) -> Iterator[Traced]:
    """Every datum of a record, in the order of its fields."""
    if isinstance(record, Traced):
        yield record
    elif dataclasses.is_dataclass(record):
        for field in dataclasses.fields(record):
            yield from numbers_of(getattr(record, field.name))
    elif isinstance(record, (list, tuple)):
        for item in record:
            yield from numbers_of(item)


def in_table(rows: Sequence[Sequence[Cell]]) -> list[Traced]:
    """The traced numbers of a table, for the dates at the foot of its page."""
    return [cell.value for row in rows for cell in row if isinstance(cell.value, Traced)]


def grid(headers: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), caption: str = "") -> str:
    """A small table of finished HTML cells; `right` are the columns of numbers."""

    def line(tag: str, cells: Sequence[str]) -> str:
        scope = ' scope="col"' if tag == "th" else ""
        aligned = [' style="text-align: right"' if index in right else "" for index in range(len(cells))]
        written = (f"<{tag}{scope}{style}>{cell}</{tag}>" for style, cell in zip(aligned, cells, strict=True))
        return f"<tr>{''.join(written)}</tr>"

    body = "".join(line("td", row) for row in rows)
    foot = f'<p class="caption">{caption}</p>' if caption else ""
    return f'<div class="table"><table><thead>{line("th", headers)}</thead><tbody>{body}</tbody></table>{foot}</div>'


def strip(writer: Writer, facts: Sequence[tuple[str, Traced | str | None]]) -> str:
    """The fact strip; what nobody has published is a dash, and its label says so."""
    unknown = ((f"{name}: not published", "–") if value is None else (name, value) for name, value in facts)
    return writer.facts(list(unknown))


def paragraph(*sentences: str) -> str:
    """Finished HTML as one paragraph; empty sentences are left out."""
    return f"<p>{' '.join(filter(None, sentences))}</p>"


def listed(items: Sequence[str]) -> str:
    """Finished HTML as a list."""
    return "<ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>"


def data(writer: Writer, record: Any, *, folded: bool = False) -> str:
    """Every datum of a spec: value, status, source with date."""
    rows = []
    for value in numbers_of(record):
        best = value.origin.sources[0] if value.origin.sources else None
        rows.append(
            [
                markup.text(label(value.name)),
                shown(value),
                best.status if best else "",
                _source(writer, value),
            ]
        )
    table = grid(("Datum", "Value", "Status", "Source, date read"), rows, right=(1,))
    if not folded:
        return f"## Data and sources {{#data}}\n\n{table}"
    count = formatting.grouped(len(rows))
    return (
        f"## Data and sources {{#data}}\n\n"
        f'<details class="problem"><summary>All {count} values of the spec</summary>{table}</details>'
    )


def _source(writer: Writer, value: Traced) -> str:
    """Best source of a datum, and how many more there are."""
    if not value.origin.sources:
        return ""
    best, *more = value.origin.sources
    unconfirmed = "" if best.confirmed else ' <span class="unconfirmed">unconfirmed</span>'
    others = f" and {len(more)} more" if more else ""
    return f'{writer.source(best.address)}{others}, <time datetime="{best.seen}">{best.seen}</time>{unconfirmed}'


def sources(writer: Writer, record: Any) -> str:
    """What each source of a spec says, folded."""
    rows = [
        [
            writer.source(note.source) + ("" if note.confirmed else ' <span class="unconfirmed">unconfirmed</span>'),
            note.status,
            markup.text(note.evidence),
            markup.text("; ".join(label(cover) for cover in note.covers)),
            f'<time datetime="{note.seen}">{note.seen}</time>',
        ]
        for note in record.sources
    ]
    table = grid(("Source", "Status", "What it says", "For", "Read"), rows)
    return f'<details class="problem"><summary>What each source says</summary>{table}</details>'


def conflicts(writer: Writer, record: Any, more: Sequence[Any] = ()) -> str:
    """Where sources disagree about a thing, and what was kept."""
    found = [*record.conflicts, *(conflict for other in more for conflict in other.conflicts)]
    if not found:
        return ""
    items = [
        f"<strong>{markup.text(label(one.field))}</strong>. {markup.text(one.statement)}"
        + (f" Kept: {markup.text(one.kept)}" if one.kept else "")
        for one in found
    ]
    everywhere = writer.link("reference/disagreements.md", "All disagreements of the book")
    return f"## Where sources disagree {{#sources-disagree}}\n\n{listed(items)}\n\n{paragraph(everywhere + '.')}"


def notes(record: Any) -> str:
    """Notes of a spec."""
    if not record.notes:
        return ""
    return "## Notes {#notes}\n\n" + listed([markup.text(note) for note in record.notes])


def command(line: str) -> str:
    """A command to paste."""
    broken = line.replace(" --tp", " \\\n    --tp")
    return f"## Compute your own {{#compute}}\n\n```sh\n{broken}\n```"


def publish(book: Book, page: str, prefix: str, numbers: dict[str, Traced]) -> None:
    """Give numbers their permanent ids; one that is published already keeps the id it has."""
    for name, value in numbers.items():
        if book.registry.of(value) is None:
            book.registry.publish(f"{prefix}/{name}", value, page)


def derive(writer: Writer, numbers: dict[str, Traced]) -> None:
    """Put the derivation of each number on the page, so that other pages can link to it."""
    for value in numbers.values():
        writer.derivations.anchor(value)


def sections(groups: dict[str, list[str]], least: int = 3) -> list[Any]:
    """Navigation by group in the order of size; groups with fewer than `least` pages are put together."""
    small = [page for pages in groups.values() if len(pages) < least for page in pages]
    large = {name: pages for name, pages in groups.items() if len(pages) >= least}
    ordered = sorted(large.items(), key=lambda group: (-len(group[1]), group[0]))
    return [{name: pages} for name, pages in ordered] + ([{"Other": small}] if small else [])

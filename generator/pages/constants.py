"""Reference pages of what formulas are fed with: assumptions, number formats, links, workloads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from generator import formatting
from generator.pages import markup
from generator.pages.book import Book
from generator.pages.formulary import formula_link
from generator.pages.lookups import formulas_by_datum
from generator.pages.writer import Writer

_GROUPS = (
    (("engine-",), "What an engine keeps for itself"),
    (("training-", "adam-", "master-"), "Training"),
    (("",), "Serving"),
)
"""Assumptions by the beginning of their id; the last group takes the rest and is printed first."""


def write_assumptions(book: Book) -> str:
    """Every assumption with its range, why it has this value, and the formulas it enters."""
    writer = Writer(book, "reference/assumptions.md")
    uses = formulas_by_datum(book)
    groups: dict[str, list[Any]] = {title: [] for _, title in reversed(_GROUPS)}
    for identifier, record in sorted(book.library.assumptions.items()):
        groups[next(title for starts, title in _GROUPS if identifier.startswith(starts))].append(record)
    parts = [
        "# Assumptions\n\nConstants of the reference model that no data sheet gives. Each has the range in which real "
        "systems lie; a number that rests on one of them is at best a *reference* number.",
    ]
    for title, records in groups.items():
        entries = [_assumption(writer, record, uses.get(f"assumptions/{record.id}#value", [])) for record in records]
        parts.append(f"## {title}\n\n" + "\n".join(entries))
    writer.page("Assumptions", "\n\n".join(parts), description="Constants of the reference model with their ranges.")
    return writer.path


def _assumption(writer: Writer, record: Any, formulas: list[str]) -> str:
    limits = [formatting.text(one, record.unit) for one in (record.low, record.high) if one is not None]
    span = f"range {' to '.join(limits)}" if len(set(limits)) > 1 else "fixed" if limits else "no range given"
    used = ", ".join(formula_link(writer.path, name) for name in formulas) or "no published number yet"
    says = " ".join(markup.text(words) for words in (record.why, *record.notes))
    return (
        f'<section class="entry" id="{record.id}"><p class="head"><strong>{markup.text(record.name)}</strong> '
        f'<span class="value">{markup.math(record.symbol)} = {writer.number(record.value)}</span> '
        f'<span class="span">{markup.text(span)}</span></p><p>{says}</p>'
        f'<p class="used">{writer.datum_source(record.value)}. Enters: {used}.</p></section>'
    )


def write_formats(book: Book) -> str:
    """Number formats: bits with scales, the tensor-core rates they can use, whether a cache can be kept in them."""
    head = ("Format", "Bits per value", "Computes as, best first", "KV cache", "Notes")
    return _listed(
        book,
        "formats",
        "number_formats",
        "Number formats",
        "Bits include the scales that a format stores beside its values. A format computes at the first rate of the "
        "list that an accelerator has.",
        head,
        lambda writer, record: (
            writer.number(record.bits),
            markup.text(", ".join(name.upper() for name in record.computes_as)),
            "yes" if record.kv_cache else "no",
            _notes(record),
        ),
        right=(1,),
    )


def write_links(book: Book) -> str:
    """Links: per direction, with the sum of both directions that data sheets print, and what tests reach."""
    head = ("Link", "One way", "Nominal", "Both ways", "Measured one way", "Reach")
    return _listed(
        book,
        "links",
        "links",
        "Links",
        "Bandwidth of one device in one direction. Data sheets of scale-up links print both directions together. "
        "Press a number for its source.",
        head,
        lambda writer, record: (
            writer.number(record.bandwidth),
            *(_maybe(writer, one) for one in (record.nominal, record.bidirectional, record.measured)),
            markup.text(record.reach),
        ),
        right=(1, 2, 3, 4),
    )


def write_tiers(book: Book) -> str:
    """Memories that can keep a cache: capacity, and the bandwidth of the way to the accelerator."""
    return _listed(
        book,
        "tiers",
        "tiers",
        "Memory tiers",
        "Where a KV cache can be kept beside the memory of the accelerator. Bandwidth is that of the slowest part of "
        "the way to the accelerator. What to expect of a reload: the chapter on caches.",
        ("Tier", "Capacity", "Bandwidth", "Of", "Medium", "Notes"),
        lambda writer, record: (
            _maybe(writer, record.capacity),
            writer.number(record.bandwidth),
            markup.text(record.per),
            markup.text(record.medium),
            _notes(record),
        ),
        right=(1, 2),
    )


def write_workloads(book: Book) -> str:
    """Request shapes that pages use by name, and the traces of real requests below them."""

    def traces(writer: Writer) -> str:
        records = [record for _, record in sorted(book.library.traces.items())]
        rows = [
            (
                markup.text(record.name),
                writer.number(record.requests),
                writer.link(_trace_table(writer, record.id), "CSV"),
                _repository(record),
            )
            for record in records
        ]
        table = markup.table(
            ("Trace", "Requests", "Table", "Source"), rows, ids=[record.id for record in records], right=(1,)
        )
        lead = "Requests of real services, replayed by the simulations."
        return f"## Request traces {{#traces}}\n\n{lead}\n\n{table}\n\n{_paragraphs(records)}\n\n{_engine_runs(writer)}"

    return _listed(
        book,
        "workloads",
        "workloads",
        "Workloads",
        "Request shapes that pages and the command line use by name. They are choices, not measurements.",
        ("Workload", "Prompt", "Output", "Id", "What it stands for"),
        lambda writer, record: (
            writer.number(record.prompt),
            writer.number(record.output),
            f'<code class="id">{markup.text(record.id)}</code>',
            _notes(record),
        ),
        right=(1, 2),
        below=traces,
    )


def _engine_runs(writer: Writer) -> str:
    """Recorded runs of serving engines: what they served, and what came out."""
    records = [record for _, record in sorted(writer.book.library.engine_runs.items())]
    rows = []
    for record in records:
        tables = []
        for what, label in (("", "requests"), ("seconds", "seconds")):
            path = f"data/engine_runs/{record.id}{'.' if what else ''}{what}.csv"
            writer.book.write(path, writer.book.library.table("engine_runs", record.id, what).read_bytes())
            tables.append(writer.link(path, label))
        rows.append(
            (
                markup.text(record.name),
                writer.number(record.ttft_p50),
                writer.number(record.tpot_p50),
                writer.number(record.makespan),
                ", ".join(tables),
                _repository(record),
            )
        )
    table = markup.table(
        ("Run", "TTFT p50", "TPOT p50", "Makespan", "Tables", "Source"), rows,
        ids=[record.id for record in records], right=(1, 2, 3),
    )  # fmt: skip
    lead = "Real engines under load, request by request."
    return f"## Recorded engine runs {{#engine-runs}}\n\n{lead}\n\n{table}\n\n{_paragraphs(records)}"


def _repository(record: Any) -> str:
    """Where a recording comes from, by the name of its repository, and its licence."""
    address = record.sources[0].source
    name = "/".join(address.split("/")[3:5])
    return f'<a href="{markup.text(address)}">{markup.text(name)}</a>, {markup.text(record.licence)}'


def _paragraphs(records: Sequence[Any]) -> str:
    """What each record is, as text below a table that has no room for it."""
    return "\n\n".join(
        f"**{markup.text(record.name)}.** {' '.join(markup.text(note) for note in record.notes)}" for record in records
    )


def _trace_table(writer: Writer, identifier: str) -> str:
    """Publish the requests of a trace beside the page."""
    path = f"data/traces/{identifier}.csv"
    writer.book.write(path, writer.book.library.table("traces", identifier).read_bytes())
    return path


def _listed(
    book: Book,
    page: str,
    collection: str,
    title: str,
    lead: str,
    head: Sequence[str],
    cells: Any,
    right: Sequence[int],
    below: Any = None,
) -> str:
    """A page with one table of a whole collection, one row a record; `below` writes what follows it."""
    writer = Writer(book, f"reference/{page}.md")
    records = [record for _, record in sorted(book.library.collections[collection].items())]
    rows = [(markup.text(record.name), *cells(writer, record)) for record in records]
    table = markup.table(head, rows, ids=[record.id for record in records], right=right)
    more = f"\n\n{below(writer)}" if below else ""
    writer.page(title, f"# {title}\n\n{lead}\n\n{table}{more}", description=lead)
    return writer.path


def _maybe(writer: Writer, value: Any) -> str:
    return "–" if value is None else writer.number(value)


def _notes(record: Any) -> str:
    return "<br>".join(markup.text(note) for note in record.notes)

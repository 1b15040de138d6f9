"""Quoted numbers with a date: price points and measurements."""

from __future__ import annotations

from typing import Any

from generator import formatting
from generator.freshness import is_stale, newest_date
from generator.pages import markup
from generator.pages.book import Book
from generator.pages.lookups import anchor_of
from generator.pages.writer import Writer

SHORT = 30
"""Characters of a source in a table."""

_API_FIELDS = ("input", "output", "cached_input")


def write_prices(book: Book) -> str:
    """GPU-hour and API prices, each with its date; old ones say so."""
    writer = Writer(book, "reference/prices.md")
    newest = newest_date(book.library)
    gpus = sorted(book.library.collections["prices/gpus"].values(), key=lambda one: (-float(one.typical), one.id))
    apis = sorted(book.library.collections["prices/apis"].values(), key=lambda one: (one.provider, one.id))
    gpu_rows = [_gpu_price(writer, record, newest) for record in gpus]
    api_rows, api_ids = [], []
    for record in apis:
        rows = _api_price(writer, record, newest)
        name = anchor_of("prices/apis", record.id)
        api_rows += rows
        api_ids += [name, *(f"{name}-above-{step + 1}" for step in range(len(rows) - 1))]
    gpu_table = markup.table(
        ("GPU", "Typical", "Range", "Date", "Source"),
        gpu_rows,
        ids=[anchor_of("prices/gpus", record.id) for record in gpus],
        right=(1, 2),
    )
    api_table = markup.table(
        ("Model", "Input", "Output", "Cached input", "Provider", "Date", "Source"),
        api_rows,
        ids=api_ids,
        right=(1, 2, 3),
    )
    body = (
        "# Prices\n\nPrice points as they were on their date, in US dollars. Age is counted from the newest date in "
        f"the data, {markup.text(newest)}, not from the day you read this: check a price before you spend money "
        "on it.\n\n"
        f"## Accelerators, per hour and device\n\n{gpu_table}\n\n## APIs, per million tokens\n\n{api_table}"
    )
    writer.page("Prices", body, description="GPU-hour and API prices with their dates and sources.")
    return writer.path


def _dated(given: str, newest: str) -> str:
    old = ' <span class="unconfirmed">older than a quarter</span>' if is_stale(given, newest) else ""
    return f'<time datetime="{given}">{given}</time>{old}'


def _origin(writer: Writer, record: Any) -> str:
    """The best source of a record, short enough for a table."""
    return markup.source_link(writer.path, record.sources[0].source, writer.book.library.references, SHORT)


def _gpu_price(writer: Writer, record: Any, newest: str) -> tuple[str, ...]:
    limits = [writer.number(one) for one in (record.low, record.high) if one is not None]
    only = "from " if record.high is None else "to "
    span = " to ".join(limits) if len(limits) > 1 else only + limits[0] if limits else ""
    notes = "".join(f"<br>{markup.text(note)}" for note in record.notes)
    return (
        f"{writer.entity('accelerators', record.accelerator)}<br>{markup.text(record.name)}",
        writer.number(record.typical),
        span or "–",
        _dated(record.date, newest),
        f"{_origin(writer, record)}{notes}",
    )


def _api_price(writer: Writer, record: Any, newest: str) -> list[tuple[str, ...]]:
    """A row for the price, and one for each price beyond a context length."""

    def price(value: Any) -> str:
        if value is None:
            return "–"
        return writer.number(value).replace("\u00a0USD per 1M tokens", "")

    name = markup.text(record.name)
    if record.model:
        name = f"{writer.entity('models', record.model)}<br>{name}"
    about = (markup.text(record.provider), _dated(record.date, newest), _origin(writer, record))
    rows = [(name, *(price(getattr(record, field)) for field in _API_FIELDS), *about)]
    for step in record.long_context:
        above = f"{markup.text(record.name)}, above {formatting.text(step.above, step.above.unit)}"
        rows.append((above, *(price(getattr(step, field)) for field in _API_FIELDS), *about))
    return rows


def write_measurements(book: Book) -> str:
    """Published measurements that predictions are set beside, by quantity."""
    writer = Writer(book, "reference/measurements.md")
    groups: dict[str, list[Any]] = {}
    for _, record in sorted(book.library.measurements.items()):
        groups.setdefault(record.quantity, []).append(record)
    parts = [
        "# Measurements\n\nNumbers that other people measured and published, with their setting. Chapters and worked "
        "examples set predictions beside them.",
    ]
    for quantity, records in sorted(groups.items()):
        entries = "\n".join(_measurement(writer, record) for record in records)
        parts.append(f"## {markup.prose(quantity[0].upper() + quantity[1:])}\n\n{entries}")
    values = [record.value for record in book.library.measurements.values()]
    writer.page(
        "Measurements",
        "\n\n".join(parts),
        description="Published measurements with setting and source.",
        more=values,
    )
    return writer.path


def _measurement(writer: Writer, record: Any) -> str:
    things = [
        writer.entity(collection, identifier)
        for collection, identifier in (("models", record.model), ("accelerators", record.accelerator))
        if identifier
    ]
    about = f"{' on '.join(things)}. " if things else ""
    return (
        f'<section class="entry" id="{record.id}"><p class="head"><strong>{markup.text(record.name)}</strong> '
        f'<span class="value">{markup.quantity(record.value)}{markup.kind_mark(record.value.kind)}</span></p>'
        f"<p>{about}{markup.text(record.setting)}</p>"
        f'<p class="used">{writer.datum_source(record.value)}</p></section>'
    )

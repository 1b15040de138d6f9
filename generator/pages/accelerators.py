"""One page for each accelerator: which peak, all data with sources, links, what it serves, price; and the index."""

from __future__ import annotations

from typing import Any

from generator import formatting
from generator.estimates import entities as estimates
from generator.estimates import fitting
from generator.estimates.studies import rooflines
from generator.pages import entities, facts, markup, validation_points
from generator.pages.book import Book, entity_page, spec_json
from generator.pages.writer import Writer
from generator.provenance import Traced
from generator.specs.records import FORMATS, Accelerator
from generator.study import Cell, Column, Table

TITLE = "Accelerators"
COLLECTION = "accelerators"
_OPERATIONS = {"model": "llama-3.1-8b", "context": 4096}
_CHART_FORMATS = ("bf16", "fp16", "fp32")


def prepare(book: Book) -> None:
    """Publish the ridge points, drain time and fits of every accelerator."""
    for accelerator in book.library.accelerators.values():
        page = entity_page(COLLECTION, accelerator.id)
        numbers = estimates.accelerator_numbers(accelerator, book.library)
        facts.publish(book, page, f"{COLLECTION}/{accelerator.id}", numbers.by_id())
        for fit in _fits(book, accelerator):
            entities.publish_fit(book, fit)


def write(book: Book) -> list[Any]:
    """Write the pages; returns the navigation of the section."""
    groups: dict[str, list[str]] = {}
    for accelerator in book.library.accelerators.values():
        groups.setdefault(accelerator.vendor, []).append(_page(book, accelerator))
    return [_index(book), *facts.sections(groups)]


def _fits(book: Book, accelerator: Accelerator) -> list[fitting.Fit]:
    return fitting.fits(entities.models(book), [accelerator], book.library)


def _page(book: Book, accelerator: Accelerator) -> str:
    path = entity_page(COLLECTION, accelerator.id)
    writer = Writer(book, path)
    numbers = estimates.accelerator_numbers(accelerator, book.library)
    fits = _fits(book, accelerator)
    answer = _answer(writer, accelerator, numbers)
    best = next((fit for fit in fits if fit.served is not None and fit.served.feasible), fits[0])
    parts = [
        f"# {markup.prose(accelerator.name)}",
        answer,
        _strip(writer, accelerator, numbers),
        _peaks(writer, accelerator, numbers),
        _roofline(writer, accelerator, numbers),
        _links(writer, accelerator),
        "## What it serves {#what-it-serves}",
        entities.fit_table(writer, "fit", fits, of="models"),
        validation_points.of_thing(writer, "accelerator", accelerator.id),
        _price(writer, accelerator),
        _systems(writer, accelerator),
        facts.data(writer, accelerator),
        facts.sources(writer, accelerator),
        facts.conflicts(writer, accelerator),
        facts.notes(accelerator),
        entities.command(best.model.id, best),
    ]
    facts.derive(writer, numbers.by_id())
    writer.page(
        accelerator.name,
        "\n\n".join(filter(None, parts)),
        description=f"{accelerator.name}: memory, bandwidth, dense peaks, ridge point, links, and models it serves.",
        more=facts.numbers_of(accelerator),
        json_path=spec_json(COLLECTION, accelerator.id),
    )
    return path


def _main_format(accelerator: Accelerator) -> str | None:
    """The format that the headline is about: 16 bits where there is a peak for it."""
    return next((name for name in _CHART_FORMATS if getattr(accelerator.dense_peak, name) is not None), None)


def _answer(writer: Writer, accelerator: Accelerator, numbers: estimates.AcceleratorNumbers) -> str:
    memory = accelerator.memory
    held = f"One {markup.text(accelerator.name)} holds {writer.number(memory.capacity)}"
    seen = facts.binary(memory.visible or memory.capacity)
    if memory.visible is not None:
        visible = formatting.text(memory.visible, "B")
        seen = f"{visible} as software sees it, {seen}" if visible != formatting.text(memory.capacity, "B") else seen
    first = f"{held} ({seen})"
    if memory.gpu_share is not None:
        first += f", of which the GPU may use {writer.number(memory.gpu_share, percent=True)},"
    if numbers.drain_seconds is None:
        return facts.paragraph(f"{first}; its memory bandwidth is not published.", _announced(accelerator))
    first += f" and reads all of it in {writer.number(numbers.drain_seconds)}"
    name = _main_format(accelerator)
    if name is None:
        return facts.paragraph(f"{first}; no dense peak is published.", _announced(accelerator))
    ridge = writer.number(numbers.ridge_points[name])
    return facts.paragraph(f"{first}; {name.upper()} work becomes compute bound from {ridge}.", _announced(accelerator))


def _announced(accelerator: Accelerator) -> str:
    if accelerator.availability != "announced":
        return ""
    return f"It is announced for {accelerator.released}, not shipping."


def _strip(writer: Writer, accelerator: Accelerator, numbers: estimates.AcceleratorNumbers) -> str:
    name = _main_format(accelerator)
    peak = getattr(accelerator.dense_peak, name) if name else None
    words = (name or "bf16").upper()
    return facts.strip(
        writer,
        [
            (f"memory, {accelerator.memory.type}", accelerator.memory.capacity),
            ("memory bandwidth", accelerator.memory.bandwidth),
            (f"dense {words}", peak),
            (f"ridge point, {words}", numbers.ridge_points.get(name) if name else None),
            ("drain time (all memory read once)", numbers.drain_seconds),
        ],
    )


def _peaks(writer: Writer, accelerator: Accelerator, numbers: estimates.AcceleratorNumbers) -> str:
    sparse = None if isinstance(accelerator.sparse_peak, str) else accelerator.sparse_peak
    measured = accelerator.matmul_efficiency
    rows = []
    for name in FORMATS:
        dense, printed = getattr(accelerator.dense_peak, name), getattr(sparse, name, None)
        if dense is None and printed is None:
            continue
        reached = getattr(measured, name, None)
        mark = " *" if name in accelerator.peak_exceptions else ""
        rows.append(
            [
                f"{name.upper()}{mark}",
                writer.number(dense, written=_tera(dense)) if dense is not None else facts.NOT_PUBLISHED,
                _tera(printed) if printed is not None else "–",
                _ridge(writer, numbers.ridge_points.get(name)),
                writer.number(reached, percent=True) if reached is not None else "–",
            ]
        )
    heading = "## Which peak? {#which-peak}"
    if not rows:
        text = "No dense peak is published, so no ridge point and no compute time follows."
        return f"{heading}\n\n{facts.paragraph(text)}"
    if sparse is None:
        rule = "The data sheet prints no peak for sparse matrices, so its figure is the dense one."
    else:
        rule = (
            "The handbook computes with the dense peak. The sparse one, which data sheets print in larger type, holds "
            "only for weights pruned to 2 of 4."
        )
    headers = ("Format", "Dense (TFLOP/s)", "Sparse, printed (TFLOP/s)", "Ridge, dense (FLOP/B)", "Best measured share")
    caption = "FP32 is the plain vector rate; all others are matrix rates."
    table = facts.grid(headers, rows, right=(1, 2, 3, 4), caption=caption)
    odd = [f"* {name.upper()}: {markup.text(why)}" for name, why in accelerator.peak_exceptions.items()]
    exceptions = facts.paragraph("<br>".join(odd)) if odd else ""
    return "\n\n".join(filter(None, [heading, facts.paragraph(rule), table, exceptions]))


def _tera(rate: Traced) -> str:
    """A peak in TFLOP/s with all the digits that a data sheet gives."""
    return formatting.significant(rate / 1e12, 4)


def _ridge(writer: Writer, ridge: Traced | None) -> str:
    return writer.number(ridge, written=formatting.significant(ridge)) if ridge is not None else "–"


def _roofline(writer: Writer, accelerator: Accelerator, numbers: estimates.AcceleratorNumbers) -> str:
    name = _main_format(accelerator)
    if name is None or name not in numbers.ridge_points:
        return ""
    operations = [
        {"label": "decode, batch 1", "phase": "decode", "batch": 1, **_OPERATIONS},
        {"label": "decode, batch 64", "phase": "decode", "batch": 64, **_OPERATIONS},
        {"label": "attention alone", "phase": "attention", **_OPERATIONS},
        {"label": "prefill", "phase": "prefill", "prompt": _OPERATIONS["context"], **_OPERATIONS},
    ]
    study = rooflines(writer.book.library, accelerators=[accelerator.id], number_format=name, operations=operations)
    ridge = numbers.ridge_points[name]
    decode, prefill = study.points[1], study.points[-1]
    model = writer.book.library.find("models", _OPERATIONS["model"]).name
    bound = {True: "memory bound", False: "compute bound"}
    text = (
        f"On {accelerator.name} a decode step of {model} with a batch of 64 does "
        f"{formatting.significant(decode.x)} FLOP/B and is {bound[decode.x < ridge]}; "
        f"prefill does {formatting.significant(prefill.x)} FLOP/B and is "
        f"{bound[prefill.x < ridge]}."
    )
    return f"## Roofline {{#roofline}}\n\n{writer.chart('roofline-' + accelerator.id, 'rooflines', study, text)}"


def _links(writer: Writer, accelerator: Accelerator) -> str:
    rows = []
    measured = {link.name: link.measured for link in writer.book.library.links.values()}
    for reach in ("scale_up", "host_link", "scale_out"):
        link = getattr(accelerator, reach)
        if link is None:
            continue
        both = getattr(link, "bidirectional", None) or getattr(link, "nominal", None)
        printed = "both ways" if getattr(link, "bidirectional", None) else "raw rate"
        found = measured.get(link.link)
        rows.append(
            [
                {"scale_up": "Scale-up", "host_link": "Host", "scale_out": "Scale-out"}[reach],
                markup.text(link.link),
                writer.number(link.bandwidth) if link.bandwidth is not None else facts.NOT_PUBLISHED,
                f"{formatting.text(both, 'B/s')}, {printed}" if both is not None else "–",
                writer.number(found) if found is not None else "–",
            ]
        )
    heading = "## Links {#links}"
    domain = accelerator.scale_up.domain_gpus if accelerator.scale_up else None
    if domain is not None:
        text = f"{writer.number(domain)} accelerators share one scale-up domain. Rates are per accelerator, one way."
    else:
        text = "There is no scale-up link: accelerators of one host talk over the host link. Rates are per direction."
    if not rows:
        return f"{heading}\n\n{facts.paragraph('No link to other accelerators is known.')}"
    headers = ("Link", "Kind", "One way", "Printed", "Measured, one way")
    return f"{heading}\n\n{facts.paragraph(text)}\n\n{facts.grid(headers, rows, right=(2, 3, 4))}"


def _price(writer: Writer, accelerator: Accelerator) -> str:
    listed = writer.book.library.collections["prices/gpus"].values()
    prices = [one for one in listed if one.accelerator == accelerator.id]
    if not prices:
        return ""
    parts = ["## Price {#price}"]
    for price in prices:
        text = f"{markup.text(price.name)}, {price.date}: {writer.number(price.typical)}"
        if price.low is not None and price.high is not None:
            text += f", seen from {writer.number(price.low)} to {writer.number(price.high)}"
        old = _quarters(price.date, price.sources[0].seen)
        age = " Older than a quarter when it was last checked." if old else ""
        parts.append(facts.paragraph(f"{text} ({writer.datum_source(price.typical)}).{age}"))
        parts.append(facts.listed([markup.text(note) for note in price.notes]) if price.notes else "")
    return "\n\n".join(filter(None, parts))


def _quarters(date: str, seen: str) -> bool:
    """Whether a price was more than three months old when its source was read."""
    (year, month), (year_seen, month_seen) = (map(int, day.split("-")[:2]) for day in (date, seen))
    return 12 * (year_seen - year) + month_seen - month > 3


def _systems(writer: Writer, accelerator: Accelerator) -> str:
    found = [system for system in writer.book.library.systems.values() if system.accelerator == accelerator.id]
    if not found:
        return ""
    items = [
        f"{writer.entity('systems', system.id)}: {formatting.grouped(system.gpus)} accelerators, "
        f"{facts.size(system.memory)}"
        for system in found
    ]
    return f"## Systems {{#systems}}\n\n{facts.listed(items)}"


def _index(book: Book) -> str:
    writer = Writer(book, f"{COLLECTION}/index.md")
    columns = (
        Column("accelerator", "Accelerator", ""),
        Column("memory_bytes", "Memory (GB)", "B", 1e9),
        Column("visible_bytes", "Visible (GiB)", "B", 2.0**30),
        Column("bandwidth_bytes_per_s", "Bandwidth (TB/s)", "B/s", 1e12),
        *(
            Column(f"{name}_flops_per_s", f"{name.upper()} dense (TFLOP/s)", "FLOP/s", 1e12)
            for name in ("bf16", "fp8", "fp4")
        ),
        Column("ridge_point", "Ridge (FLOP/B)", "FLOP/B"),
        Column("tdp_w", "TDP (W)", "W"),
    )
    rows = []
    for one in sorted(book.library.accelerators.values(), key=lambda one: -(one.memory.bandwidth or 0)):
        ridges = estimates.accelerator_numbers(one, book.library).ridge_points
        memory, peak, unknown = one.memory, one.dense_peak, "not published"
        visible = Cell(memory.visible) if memory.visible is not None else Cell(memory.capacity, "nominal size")
        values = (memory.bandwidth, peak.bf16, peak.fp8, peak.fp4, ridges.get("bf16"), one.tdp)
        link = markup.href(writer.path, entity_page(COLLECTION, one.id))
        rates = (Cell(value, unknown) for value in values)
        rows.append((Cell(one.name, link=link), Cell(memory.capacity), visible, *rates))
    fastest = rows[0][0].value
    text = (
        f"{len(rows)} accelerators, the one that reads memory fastest first: {markup.text(fastest)}. Peaks are dense. "
        "A dash is a figure that nobody has published."
    )
    table = writer.table("accelerators", Table(columns, tuple(rows)), _CAPTION)
    description = "Memory, bandwidth, dense peaks and ridge point of every accelerator of the handbook."
    more = facts.in_table(rows)
    body = f"# Accelerators\n\n{facts.paragraph(text)}\n\n{table}"
    writer.page(TITLE, body, description=description, more=more, hide=("toc",))
    return writer.path


_CAPTION = (
    "Sorted by memory bandwidth; press a header to sort by another column. The ridge point is that of dense BF16; "
    "visible memory is what software sees, or the nominal size where that is not known."
)

"""One page for each system: what the whole domain holds and reads, which models it serves; and the index."""

from __future__ import annotations

from typing import Any

from generator import formatting
from generator.estimates import entities as estimates
from generator.estimates import fitting
from generator.estimates.architecture import describe
from generator.pages import entities, facts, markup
from generator.pages.book import Book, entity_page, spec_json
from generator.pages.writer import Writer
from generator.specs.records import FORMATS, Accelerator, System
from generator.study import Cell, Column, Table

TITLE = "Systems"
COLLECTION = "systems"


def prepare(book: Book) -> None:
    """Publish the memory, drain time and fits of every system."""
    for system in book.library.systems.values():
        page = entity_page(COLLECTION, system.id)
        numbers = estimates.system_numbers(system, book.library)
        facts.publish(book, page, f"{COLLECTION}/{system.id}", numbers.by_id())
        for fit in _fits(book, system):
            facts.publish(book, page, f"{COLLECTION}/{system.id}/serves/{fit.model.id}", fit.by_id())


def write(book: Book) -> list[Any]:
    """Write the pages; returns the navigation of the section."""
    return [_index(book), *(_page(book, system) for system in book.library.systems.values())]


def _fits(book: Book, system: System) -> list[fitting.SystemFit]:
    return [fitting.system_fit(model, system, book.library) for model in entities.models(book)]


def _page(book: Book, system: System) -> str:
    path = entity_page(COLLECTION, system.id)
    writer = Writer(book, path)
    card = book.library.find("accelerators", system.accelerator)
    numbers = estimates.system_numbers(system, book.library)
    parts = [
        f"# {markup.prose(system.name)}",
        _answer(writer, system, numbers),
        _strip(writer, system),
        _domain(writer, system, card, numbers),
        _serves(writer, system),
        _peaks(writer, system, numbers),
        facts.data(writer, system),
        facts.sources(writer, system),
        facts.conflicts(writer, system),
        facts.notes(system),
        _command(system, _fits(book, system)),
    ]
    facts.derive(writer, numbers.by_id())
    writer.page(
        system.name,
        "\n\n".join(filter(None, parts)),
        description=f"{system.name}: memory, bandwidth and links of the whole domain, and the models it serves.",
        more=facts.numbers_of(system),
        json_path=spec_json(COLLECTION, system.id),
    )
    return path


def _command(system: System, fits: list[fitting.SystemFit]) -> str:
    """The command that repeats the estimate of the first model that fits."""
    fit = next((fit for fit in fits if fit.served is not None), None)
    if fit is None:
        return ""
    layout, load = fit.served.layout, fit.served.load
    return facts.command(
        f"handbook estimate serving --model {fit.model.id} --accelerator {system.accelerator} --gpus {layout.gpus:g} "
        f"--tp {layout.tp:g} --batch {load.batch:g} --input {load.prompt_tokens:g} --output {load.output_tokens:g}"
    )


def _answer(writer: Writer, system: System, numbers: estimates.SystemNumbers) -> str:
    first = (
        f"One {markup.text(system.name)} joins {writer.number(system.gpus)} × "
        f"{writer.entity('accelerators', system.accelerator)} to {writer.number(system.memory)} "
        f"({facts.binary(system.memory)}) of accelerator memory"
    )
    if numbers.drain_seconds is not None:
        first += f", all of which it reads in {writer.number(numbers.drain_seconds)}"
    largest = fitting.largest_model(system, writer.book.library)
    second = "No model of this book fits."
    if largest is not None:
        own = describe(largest, writer.book.library)
        second = (
            f"The largest model of this book that it holds with one request of "
            f"{entities.request_words(writer.book, largest)} is {writer.entity('models', largest.id)}, "
            f"{writer.number(own.total_params, short=True)} parameters in "
            f"{writer.number(own.weights_bytes)}."
        )
    announced = "It is announced, not shipping." if system.availability == "announced" else ""
    return facts.paragraph(f"{first}.", second, announced)


def _strip(writer: Writer, system: System) -> str:
    return facts.strip(
        writer,
        [
            ("accelerators in the domain", system.gpus),
            ("accelerator memory", system.memory),
            ("memory bandwidth of all", system.bandwidth),
            ("scale-up bandwidth of all, both ways", system.scale_up_total),
            ("power of the system", system.power),
        ],
    )


def _domain(writer: Writer, system: System, card: Accelerator, numbers: estimates.SystemNumbers) -> str:
    one, rate = card.memory, card.scale_up.bandwidth if card.scale_up else None
    published, held, total = system.memory, numbers.domain_memory_bytes, system.scale_up_total
    rows = [
        ["Memory", facts.size(one.capacity), f"{writer.number(held)} ({facts.binary(held)})", facts.size(published)],
        [
            "Memory bandwidth",
            formatting.text(one.bandwidth, "B/s") if one.bandwidth else facts.NOT_PUBLISHED,
            "–",
            writer.number(system.bandwidth) if system.bandwidth else facts.NOT_PUBLISHED,
        ],
        [
            "Scale-up link, one way",
            formatting.text(rate, "B/s") if rate else facts.NOT_PUBLISHED,
            "–",
            f"{formatting.text(total, 'B/s')} both ways" if total else facts.NOT_PUBLISHED,
        ],
    ]
    gap = numbers.memory_difference
    if gap == 0:
        text = "The published memory is that of the accelerators, added up."
    else:
        off = writer.number(gap, percent=True)
        text = f"The published memory differs by {off} from the accelerators times their own memory."
    extra = [f"Processors: {markup.text(system.cpus)}."] if system.cpus else []
    if system.host_memory is not None:
        extra.append(f"Memory of the processors: {facts.size(system.host_memory)}.")
    if system.scale_out:
        extra.append(f"Links to other systems: {markup.text(system.scale_out)}.")
    table = facts.grid(("", "One accelerator", "All, computed", "All, published"), rows, right=(1, 2, 3))
    return "\n\n".join(["## The domain {#domain}", facts.paragraph(text, *extra), table])


def _serves(writer: Writer, system: System) -> str:
    columns = (
        Column("model", "Model", ""),
        Column("tp", "Smallest TP", "count"),
        Column("replicas", "Replicas", "count"),
        Column("max_concurrent_requests", "Requests all hold", "count"),
        Column("tokens_per_s_per_user", "Tokens/s per user, batch 1", "token/s"),
        Column("note", "Note", ""),
    )
    rows = []
    card = writer.book.library.find("accelerators", system.accelerator)
    for fit in _fits(writer.book, system):
        numbers = fit.by_id()
        if fit.served is not None:
            numbers |= {"tp": fit.served.layout.tp, "replicas": fit.served.layout.dp}
        link = markup.href(writer.path, entity_page("models", fit.model.id))
        why = entities.readable(fit.why, card.name)
        cells = [Cell(numbers.get(column.name), "" if column.name in numbers else why) for column in columns[1:-1]]
        rows.append((Cell(fit.model.name, link=link), *cells, Cell(why)))
    said, table = entities.without_equal_notes(Table(columns, tuple(rows)))
    shape = writer.book.library.find("workloads", fitting.REQUEST)
    words = (
        f"Replicas of the smallest tensor-parallel group, as many as there are accelerators for. Each request has "
        f"{formatting.grouped(shape.prompt)} prompt and {formatting.grouped(shape.output)} output tokens."
    )
    parts = ["## What it serves {#what-it-serves}", said, writer.table("serves", table, words)]
    return "\n\n".join(filter(None, parts))


def _peaks(writer: Writer, system: System, numbers: estimates.SystemNumbers) -> str:
    if system.dense_peak is None:
        return ""
    rows = []
    for name in FORMATS:
        peak = getattr(system.dense_peak, name)
        if peak is not None:
            ridge = numbers.ridge_points.get(name)
            rows.append([name.upper(), writer.number(peak), writer.number(ridge) if ridge is not None else "–"])
    table = facts.grid(("Format", "Dense, whole system", "Ridge point"), rows, right=(1, 2))
    return f"## Peaks {{#peaks}}\n\n{table}"


def _index(book: Book) -> str:
    writer = Writer(book, f"{COLLECTION}/index.md")
    columns = (
        Column("system", "System", ""),
        Column("accelerator", "Accelerator", ""),
        Column("gpus", "Accelerators", "count"),
        Column("memory_bytes", "Memory (TB)", "B", 1e12),
        Column("bandwidth_bytes_per_s", "Bandwidth (TB/s)", "B/s", 1e12),
        Column("scale_up_bytes_per_s", "Scale-up, both ways (TB/s)", "B/s", 1e12),
        Column("power_w", "Power (kW)", "W", 1e3),
    )
    rows = []
    for one in sorted(book.library.systems.values(), key=lambda one: -one.memory):
        card = book.library.find("accelerators", one.accelerator)
        values = (one.gpus, one.memory, one.bandwidth, one.scale_up_total, one.power)
        rows.append(
            (
                Cell(one.name, link=markup.href(writer.path, entity_page(COLLECTION, one.id))),
                Cell(card.name, link=markup.href(writer.path, entity_page("accelerators", card.id))),
                *(Cell(value, "not published") for value in values),
            )
        )
    text = (
        f"{len(rows)} systems: boards, racks and pods whose accelerators share one scale-up domain, the one with most "
        "memory first."
    )
    caption = "Sorted by memory; a dash is a figure that nobody has published."
    body = f"# Systems\n\n{facts.paragraph(text)}\n\n{writer.table('systems', Table(columns, tuple(rows)), caption)}"
    description = "Memory, bandwidth and power of scale-up domains as sold."
    writer.page(TITLE, body, description=description, more=facts.in_table(rows), hide=("toc",))
    return writer.path

"""One page for each model: parameters, weights, cache, what it fits on, training; and the index."""

from __future__ import annotations

from typing import Any

from generator import formatting
from generator.estimates import entities as estimates
from generator.estimates import fitting
from generator.estimates.architecture import describe
from generator.estimates.entities import ModelNumbers
from generator.pages import entities, facts, markup, model_parts, validation_points
from generator.pages.book import Book, entity_page, spec_json
from generator.pages.writer import Writer
from generator.provenance import Traced
from generator.specs.records import Model
from generator.study import Cell, Column, Table

TITLE = "Models"
COLLECTION = "models"


def prepare(book: Book) -> None:
    """Publish parameters, weights, cache and fits of every model."""
    for model in book.library.models.values():
        numbers = estimates.model_numbers(model, book.library)
        facts.publish(book, entity_page(COLLECTION, model.id), f"{COLLECTION}/{model.id}", numbers.by_id())
        for fit in _fits(book, model):
            entities.publish_fit(book, fit)


def write(book: Book) -> list[Any]:
    """Write the pages; returns the navigation of the section."""
    groups: dict[str, list[str]] = {}
    for model in book.library.models.values():
        groups.setdefault(model.org, []).append(_page(book, model))
    return [_index(book), *facts.sections(groups)]


def _fits(book: Book, model: Model) -> list[fitting.Fit]:
    return fitting.fits([model], entities.accelerators(book), book.library)


def _page(book: Book, model: Model) -> str:
    path = entity_page(COLLECTION, model.id)
    writer = Writer(book, path)
    numbers = estimates.model_numbers(model, book.library)
    fits = _fits(book, model)
    smallest = _smallest(fits)
    request = entities.request_words(book, model)
    parts = [
        f"# {markup.prose(model.name)}",
        _answer(writer, model, numbers),
        _strip(writer, model, numbers, smallest, request),
        model_parts.parameters(writer, model, numbers),
        model_parts.weights(writer, numbers),
        model_parts.cache(writer, model, numbers),
        f"## What it fits on {{#what-it-fits-on}}\n\n{_fits_text(writer, smallest, request)}",
        entities.fit_table(writer, "fit", fits, of="accelerators"),
        model_parts.training(writer, model, numbers),
        validation_points.of_thing(writer, "model", model.id),
        facts.data(writer, model, folded=True),
        facts.sources(writer, model),
        facts.conflicts(writer, model),
        facts.notes(model),
        entities.command(model.id, smallest or fits[0]),
    ]
    facts.derive(writer, numbers.by_id())
    writer.page(
        model.name,
        "\n\n".join(filter(None, parts)),
        description=f"{model.name}: parameters, weights by format, KV cache by token and request, and what it fits on.",
        more=facts.numbers_of(model),
        json_path=spec_json(COLLECTION, model.id),
    )
    return path


def _smallest(fits: list[fitting.Fit]) -> fitting.Fit | None:
    """The fit with the least memory in all; of equals the one that reads it fastest."""
    served = [fit for fit in fits if fit.served is not None and fit.served.feasible]

    def memory(fit: fitting.Fit) -> tuple[float, float]:
        card = fit.accelerator.memory
        return float(fit.served.layout.gpus) * float(card.capacity), -float(card.bandwidth or 0)

    return min(served, key=memory, default=None)


def _system(fit: fitting.Fit) -> str:
    """`2 × H100 SXM5 80 GB`: a group in few words."""
    card = fit.accelerator
    name = card.name.removeprefix(f"{card.vendor} ").partition(" (")[0]
    return f"{fit.served.layout.gpus:g}\u00a0× {name}"


def _answer(writer: Writer, model: Model, numbers: ModelNumbers) -> str:
    own = numbers.architecture
    total = writer.number(own.total_params, short=True)
    first = f"{markup.text(model.name)} has {total} parameters ({_count(model, numbers)})"
    if own.routed_expert_params:
        first += f", of which a token uses {writer.number(own.active_params, short=True)}"
    fixed = own.kv_fixed_bytes_per_request
    if own.kv_bytes_per_token:
        whole = float(own.kv_bytes_per_token).is_integer()
        digits = f"{formatting.grouped(own.kv_bytes_per_token)}\u00a0B"
        digits = digits if whole else formatting.text(own.kv_bytes_per_token, "B", 4)
        second = f"each token of context adds {writer.number(own.kv_bytes_per_token, written=digits)} to the KV cache"
        if fixed:
            second += f", beside {writer.number(fixed)} that each request keeps whatever its length"
    else:
        second = f"its KV cache stops growing: a request keeps {writer.number(fixed)} once its windows are full"
    return facts.paragraph(f"{first}; {second}.", _checkpoint(model, numbers))


def _count(model: Model, numbers: ModelNumbers) -> str:
    """All digits of the computed count, and whether they are those of the publisher."""
    own = numbers.architecture
    exact = formatting.grouped(own.total_params)
    if model.published.exact is None:
        return f"{exact}; the publisher says {formatting.short(model.published.total, 'param')}"
    if own.checkpoint_params is own.total_params and numbers.total_difference == 0:
        return f"{exact}, equal to the checkpoint's own count"
    return exact


def _checkpoint(model: Model, numbers: ModelNumbers) -> str:
    """A checkpoint that holds more than the decoder, and is met to the last parameter."""
    own = numbers.architecture
    if model.published.exact is None or own.checkpoint_params is own.total_params or numbers.total_difference != 0:
        return ""
    total = formatting.grouped(own.checkpoint_params)
    return f"With the {_extras(model)} it is {total}, the checkpoint's own count to the last parameter."


def _extras(model: Model) -> str:
    names = [extra.name.partition(",")[0] for extra in model.extra_params if extra.in_checkpoint]
    shown = " and the ".join(names) if len(names) < 3 else f"{len(names)} parts beside the decoder"
    return markup.text(shown)


def _strip(writer: Writer, model: Model, numbers: ModelNumbers, smallest: fitting.Fit | None, request: str) -> str:
    own = numbers.architecture
    growing: tuple[str, Traced | str] = ("KV cache per token", own.kv_bytes_per_token)
    if not own.kv_bytes_per_token:
        growing = ("KV cache of a request, at most", own.kv_fixed_bytes_per_request)
    system = _system(smallest) if smallest else "none of those below"
    return writer.facts(
        [
            ("parameters", own.total_params),
            ("active per token", own.active_params),
            growing,
            ("weights as published", own.weights_bytes),
            (f"least memory that serves a request of {request}", system),
        ]
    )


def _fits_text(writer: Writer, smallest: fitting.Fit | None, request: str) -> str:
    if smallest is None:
        return facts.paragraph(f"No group of these accelerators holds a request of {request}.")
    card = writer.entity("accelerators", smallest.accelerator.id)
    served = smallest.served
    return facts.paragraph(
        f"The group with the least memory that serves a request of {request} is {served.layout.gpus:g} × {card}; the "
        f"cache beside the weights holds {writer.number(served.max_concurrent_requests)} of them at once."
    )


def _index(book: Book) -> str:
    writer = Writer(book, f"{COLLECTION}/index.md")
    columns = (
        Column("model", "Model", ""),
        Column("org", "Publisher", ""),
        Column("total_params", "Total (billion)", "param", 1e9),
        Column("active_params", "Active (billion)", "param", 1e9),
        Column("kv_bytes_per_token", "KV (KiB/token)", "B/token", 1024.0),
        Column("kv_fixed_bytes_per_request", "Fixed KV (MB/request)", "B", 1e6),
        Column("weights_bytes", "Weights (GB)", "B", 1e9),
        Column("max_context", "Context (tokens)", "token"),
    )
    rows = []
    records = sorted(book.library.models.values(), key=lambda one: -float(describe(one, book.library).total_params))
    for one in records:
        own = describe(one, book.library)
        values = (getattr(own, column.name) for column in columns[2:-1])
        link = markup.href(writer.path, entity_page(COLLECTION, one.id))
        cells = (Cell(value) for value in (*values, one.max_context))
        rows.append((Cell(one.name, link=link), Cell(one.org), *cells))
    text = (
        f"{len(rows)} models with their parameters counted from their shape, the largest first. Active parameters "
        "include both vocabulary tables; the page of each model has the other conventions."
    )
    caption = (
        "Weights and cache are in the formats of the checkpoint. Fixed KV is what each request keeps whatever its "
        "length: full windows and recurrent states."
    )
    body = f"# Models\n\n{facts.paragraph(text)}\n\n{writer.table('models', Table(columns, tuple(rows)), caption)}"
    description = "Parameters, weights and KV cache of every model of the handbook."
    writer.page(TITLE, body, description=description, more=facts.in_table(rows), hide=("toc",))
    return writer.path

"""What the pages of accelerators, systems and models have in common: what fits where, and which things are compared."""

from __future__ import annotations

import re
from collections.abc import Sequence

from generator import formatting
from generator.estimates import fitting
from generator.estimates.fitting import Fit
from generator.pages import facts, markup
from generator.pages.book import Book, entity_page
from generator.pages.writer import Writer
from generator.specs.records import Accelerator, Model
from generator.study import Cell, Column, Table

MODELS = (
    "llama-3.1-8b", "gpt-oss-20b", "qwen3-32b", "llama-3.1-70b", "gpt-oss-120b", "qwen3-235b-a22b", "llama-3.1-405b",
    "deepseek-v3",
)  # fmt: skip
"""The models that accelerator and system pages show, small ones first."""

ACCELERATORS = (
    "rtx-4090", "l40s", "a100-80gb-sxm", "h100-sxm", "h200", "b200", "gb200", "mi300x", "mi355x", "tpu-v6e", "m3-ultra",
)  # fmt: skip
"""The accelerators that model pages show."""


def models(book: Book) -> list[Model]:
    """The models that accelerator and system pages show."""
    return [book.library.models[name] for name in MODELS if name in book.library.models]


def accelerators(book: Book) -> list[Accelerator]:
    """The accelerators that model pages show."""
    return [book.library.accelerators[name] for name in ACCELERATORS if name in book.library.accelerators]


def publish_fit(book: Book, fit: Fit) -> None:
    """Publish the numbers of a model on an accelerator, once, whichever page shows them first."""
    shown_by_model = fit.accelerator.id in ACCELERATORS
    home = entity_page("models", fit.model.id) if shown_by_model else entity_page("accelerators", fit.accelerator.id)
    facts.publish(book, home, f"models/{fit.model.id}/on/{fit.accelerator.id}", fit.by_id())


def fit_table(writer: Writer, name: str, fits: Sequence[Fit], *, of: str) -> str:
    """The smallest group that holds one request: a row for each model (`of` models) or each accelerator."""
    head = {"models": "Model", "accelerators": "Accelerator"}[of]
    columns = (
        Column(of.rstrip("s"), head, ""),
        Column("tp", "Smallest TP", "count"),
        Column("max_concurrent_requests", "Requests it holds", "count"),
        Column("batch_one_floor_s", "Floor of a step (ms)", "s", 1e-3),
        Column("tpot_s", "TPOT, batch 1 (ms)", "s", 1e-3),
        Column("tokens_per_s_per_user", "Tokens/s per user", "token/s"),
        Column("note", "Note", ""),
    )
    rows = []
    for fit in fits:
        record = fit.model if of == "models" else fit.accelerator
        numbers = fit.by_id() | ({"tp": fit.tp} if fit.tp is not None else {})
        why = readable(fit.why, fit.accelerator.name)
        link = markup.href(writer.path, entity_page(of, record.id))
        values = [Cell(numbers.get(column.name), "" if column.name in numbers else why) for column in columns[1:-1]]
        rows.append((Cell(record.name, link=link), *values, Cell(why)))
    said, table = without_equal_notes(Table(columns, tuple(rows)))
    words = caption(writer.book, fits[0].model if of == "accelerators" else None)
    return "\n\n".join(filter(None, [said, writer.table(name, table, words)]))


def short_name(card: Accelerator) -> str:
    """Name of an accelerator for a narrow column: without its vendor and without what stands in brackets."""
    return re.sub(r" \(.*\)$", "", card.name.removeprefix(f"{card.vendor} "))


def readable(why: str, name: str) -> str:
    """A reason without the name of the accelerator, which the page or the row names."""
    unnamed = why.replace(f" of {name}", "").replace(f" x {name}", "")
    return re.sub(r" is published for [\w-]+", " is published", unnamed)


def without_equal_notes(table: Table) -> tuple[str, Table]:
    """A note that all rows share as a sentence, and the table without its last column; as it was if notes differ."""
    notes = {row[-1].value for row in table.rows}
    if len(notes) > 1:
        return "", table
    shared = notes.pop() if notes else ""
    said = facts.paragraph(f"{markup.text(shared[0].upper() + shared[1:])}.") if shared else ""
    return said, Table(table.columns[:-1], tuple(row[:-1] for row in table.rows), table.ids)


def _shape(book: Book, model: Model | None) -> tuple[float, float]:
    """Prompt and output of that request, for one model or in general."""
    if model is not None:
        return fitting.request_shape(model, book.library)
    shape = book.library.find("workloads", fitting.REQUEST)
    return shape.prompt, shape.output


def request_words(book: Book, model: Model | None = None) -> str:
    """The one request that the fits are about, in words."""
    prompt, output = _shape(book, model)
    return f"{formatting.grouped(prompt + output)}\u00a0tokens"


def caption(book: Book, model: Model | None = None) -> str:
    """What the numbers of a fit table assume."""
    prompt, output = _shape(book, model)
    return (
        f"Each request has {formatting.grouped(prompt)} prompt and {formatting.grouped(output)} output tokens; weights "
        "and cache are in the formats of the checkpoint. The floor reads the weights of one token at the whole "
        "bandwidth; TPOT uses the reference assumptions."
    )


def command(model: str, fit: Fit) -> str:
    """The command that repeats the estimate of a fit."""
    served = fit.served
    if served is None:
        return facts.command(f"handbook estimate serving --model {model} --accelerator {fit.accelerator.id}")
    load = served.load
    return facts.command(
        f"handbook estimate serving --model {model} --accelerator {fit.accelerator.id} --tp {served.layout.tp:g} "
        f"--batch {load.batch:g} --input {load.prompt_tokens:g} --output {load.output_tokens:g}"
    )

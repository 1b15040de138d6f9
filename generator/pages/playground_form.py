"""The form that filters the configurations and the frame of their table; `docs/assets/playground.js` fills both."""

from __future__ import annotations

from collections.abc import Iterable

from generator import formatting
from generator.estimates.configurations import Grid
from generator.pages import markup
from generator.pages.playground_data import label_of
from generator.pages.writer import Writer

COLUMNS = (
    ("model", "Model", False),
    ("accelerator", "Accelerator", False),
    ("spread", "Layout", False),
    ("weights", "Weights", False),
    ("batch", "Batch", True),
    ("ttft", "TTFT (ms)", True),
    ("tpot", "TPOT (ms)", True),
    ("user", "Tokens/s per user", True),
    ("gpu", "Tokens/s per accelerator", True),
    ("usd", "USD per 1M output", True),
    ("holds", "Requests it holds", True),
    ("bound", "Bound by", False),
)
"""Name of a column in the script, its header, and whether it is a number."""

_WEIGHTS = {"native": "of the checkpoint"}


def explorer(writer: Writer, grid: Grid, csv: str, script: str) -> str:
    """Form, count, table and scripts. Without JavaScript a sentence says where the same numbers stand."""
    library = writer.book.library
    names = [
        _select("m", "Model", _named(library.models, grid.models), "all models"),
        _select("a", "Accelerator", _named(library.accelerators, grid.accelerators), "all accelerators"),
        _select("l", "Layout", [(one.id, label_of(one)) for one in grid.spreads], "all layouts"),
        _select("f", "Weights", [(name, _weights(writer, name)) for name in grid.weights], "all formats"),
        _select("s", "Request", [(name, _request(writer, name)) for name in grid.workloads]),
        _select("b", "Batch", _batches(grid), "all batches"),
        _number("u", "Tokens/s per user, at least"),
        _number("t", "TTFT in ms, at most"),
        '<label class="check"><input type="checkbox" name="fits" checked> Only what fits</label>',
        '<button type="reset">Start again</button>',
    ]
    head = "".join(
        f'<th scope="col" data-column="{name}"{_right(number)}><button type="button">{markup.text(title)}</button></th>'
        for name, title, number in COLUMNS
    )
    folders = " ".join(
        f'data-{name}="{markup.href(writer.path, f"{name}/x").removesuffix("x")}"'
        for name in ("models", "accelerators")
    )
    formulas = markup.href(writer.path, "reference/formulas.md")
    files = writer.link(csv, "CSV of every configuration")
    return (
        f'<div class="explorer" id="explorer" {folders} data-formulas="{formulas}" data-search-exclude>'
        f'<form class="filters" aria-label="Filter the configurations" hidden>{"".join(names)}</form>'
        '<p class="count" role="status"></p>'
        f'<div class="table" hidden><table><thead><tr>{head}</tr></thead><tbody></tbody></table></div>'
        '<p class="without-scripts">To filter and sort here takes JavaScript. The best configurations stand below, all '
        f'of them in the CSV.</p><p class="caption">{files}</p></div>\n'
        f'<script src="{markup.href(writer.path, script)}" defer></script>\n'
        f'<script src="{markup.href(writer.path, "assets/playground.js")}" defer></script>'
    )


def _named(records: dict[str, object], identifiers: Iterable[str]) -> list[tuple[str, str]]:
    return [(identifier, records[identifier].name) for identifier in identifiers]


def _weights(writer: Writer, name: str) -> str:
    return _WEIGHTS.get(name) or writer.book.library.find("number_formats", name).id.upper()


def _request(writer: Writer, name: str) -> str:
    shape = writer.book.library.find("workloads", name)
    return f"{shape.name} ({formatting.grouped(shape.prompt)} in, {formatting.grouped(shape.output)} out)"


def _batches(grid: Grid) -> list[tuple[str, str]]:
    every = sorted({batch for spread in grid.spreads for batch in spread.batches})
    return [(str(batch), formatting.grouped(batch)) for batch in every]


def _select(name: str, label: str, options: Iterable[tuple[str, str]], every: str = "") -> str:
    first = f'<option value="">{markup.text(every)}</option>' if every else ""
    listed = "".join(f'<option value="{markup.text(value)}">{markup.text(shown)}</option>' for value, shown in options)
    return f'<label>{markup.text(label)} <select name="{name}">{first}{listed}</select></label>'


def _number(name: str, label: str) -> str:
    field = f'<input type="number" name="{name}" min="0" step="any" inputmode="decimal">'
    return f"<label>{markup.text(label)} {field}</label>"


def _right(number: bool) -> str:
    return ' style="text-align: right"' if number else ""

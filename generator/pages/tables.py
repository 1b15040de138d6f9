"""Tables of estimates: one configuration a row, one quantity a column, as a page asks for them in its front matter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator import formatting, units
from generator.estimates.architecture import NotSupported
from generator.formulas.nomenclature import NOMENCLATURE
from generator.pages import markup
from generator.pages.book import Book, entity_page
from generator.pages.format_tables import peaks_table
from generator.pages.writer import Writer
from generator.provenance import Traced
from generator.study import Cell, Column, Table
from generator.worksheets import UNITS, WorksheetFault, evaluate, filled, needed, run_estimate

SHOWN_IN = {
    "B": ("GB", 1e9),
    "B/token": ("KiB/token", 1024.0),
    "s": ("ms", 1e-3),
    "B/s": ("TB/s", 1e12),
    "FLOP/s": ("TFLOP/s", 1e12),
    "FLOP/USD": ("EFLOP/USD", 1e18),
    "B/USD": ("PB/USD", 1e15),
    "token/USD": ("million tokens/USD", 1e6),
}
"""Unit of a table column and its size in base units, for quantities that have a prefix."""

SHOWN_INSTEAD = {
    "B": ("B", 1.0),
    "per 1,000": ("USD", 1e-3),
    "GiB": ("GiB", 2.0**30),
    "MB": ("MB", 1e6),
    "s": ("s", 1.0),
    "GB/s": ("GB/s", 1e9),
    "KB": ("KB/token", 1e3),
    "%": ("%", 1.0),
    "bytes": ("B", 1.0),
    "TB": ("TB", 1e12),
    "min": ("min", 60.0),
    "h": ("h", 3600.0),
    "d": ("days", 86400.0),
    "us": ("µs", 1e-6),
    "million tokens": ("million tokens", 1e6),
    "billion": ("billion", 1e9),
    "trillion": ("trillion", 1e12),
    "Ttokens": ("trillion tokens", 1e12),
    "kGPU-h": ("thousand GPU-hours", 1e3),
    "YFLOP": ("10²⁴ FLOP", 1e24),
    "GFLOP": ("GFLOP/token", 1e9),
}
"""The same for columns that ask for another unit by `shown`."""

_OWN = ("label", "link")
_LOAD = {"input": "prompt_tokens", "output": "output_tokens"}


def column(
    name: str, header: str | None = None, unit: str | None = None, shown: str | None = None, key: str | None = None
) -> Column:
    """A column for a quantity: header from the nomenclature, unit in the header; `key` is its name in the CSV."""
    quantity = name.rpartition(".")[2]
    base = unit or (NOMENCLATURE[quantity].unit if quantity in NOMENCLATURE else "count")
    in_unit, scale = SHOWN_INSTEAD[shown] if shown else SHOWN_IN.get(base, (base, 1.0))
    title = header or (NOMENCLATURE[quantity].meaning if quantity in NOMENCLATURE else quantity.replace("_", " "))
    named = in_unit in ("count", "1", "param") or "(" in title
    suffix = "" if named else f" ({formatting.unit_name(in_unit)})"
    return Column(key or name, title + suffix, "%" if shown == "%" else base, scale)


def chapter_table(book: Book, writer: Writer, name: str, given: Mapping[str, Any]) -> Table:
    """A table as a chapter asks for it: `steps` worked for each row, estimates, or peaks over number `formats`.

    `sort: -column` is descending.
    """
    if "formats" in given:
        return peaks_table(book, writer, name, given)
    build = steps_table if "steps" in given else estimate_table
    built = build(book, writer, name, given)
    return _sorted(built, given["sort"]) if "sort" in given else built


def _sorted(table: Table, by: str) -> Table:
    """Rows by one column, what is unknown last."""
    place = table.header().index(by.removeprefix("-"))
    order = sorted(
        range(len(table.rows)),
        key=lambda row: _place(table.rows[row][place].value, descending=by.startswith("-")),
    )
    return Table(table.columns, tuple(table.rows[row] for row in order), tuple(table.ids[row] for row in order))


def _place(value: Any, *, descending: bool) -> tuple[bool, float]:
    if value is None:
        return True, 0.0
    return False, -float(value) if descending else float(value)


def steps_table(book: Book, writer: Writer, name: str, given: Mapping[str, Any]) -> Table:
    """The same worksheet for each row: `{accelerator}` in a step stands for that field of the row.

    A column names a step. Where the specs leave out a number that it needs, or where the first of `within` is larger
    than the second, its cell is empty and says the column's `why`.
    """
    asked = [dict(one) if isinstance(one, Mapping) else {"name": one} for one in given["columns"]]
    reasons = [one.pop("why", None) for one in asked]
    limits = [one.pop("within", None) for one in asked]
    rows, ids, units_of = [], [], {}
    for row in _rows(book, given):
        identifier = f"{name}/{markup.slug(row['label'])}"
        ids.append(identifier)
        steps = filled(given["steps"], row)
        cells = [Cell(row["label"], link=_row_link(writer, row))]
        for one, why, limit in zip(asked, reasons, limits, strict=True):
            value = _step(book, name, steps, one["name"], why)
            if value is not None and limit is not None:
                least, most = (_step(book, name, steps, path, why) for path in limit)
                value = value if least is not None and most is not None and least <= most else None
            if isinstance(value, Traced):
                units_of.setdefault(one["name"], value.unit)
                key = one.get("key", one["name"])
                book.registry.publish(f"{identifier}/{key}", value, writer.path, derived_there=False)
            cells.append(Cell(value, why or "" if value is None else ""))
        rows.append(tuple(cells))
    columns = [column(**{"unit": units_of.get(one["name"], "1"), **one}) for one in asked]
    return Table((Column("label", given.get("head", ""), ""), *columns), tuple(rows), tuple(ids))


def _step(book: Book, name: str, steps: Mapping[str, Any], path: str, why: str | None) -> Any:
    """A number of the worksheet; None where a column that says `why` needs a number that is not published."""
    try:
        return evaluate(name, needed(steps, path.partition(".")[0]), book.library).number(path)
    except WorksheetFault as error:
        if why is None or "is not known" not in str(error):
            raise
        return None


def estimate_table(book: Book, writer: Writer, name: str, given: Mapping[str, Any]) -> Table:
    """`rows` of configurations over `base`, `columns` of fields; a row that is not feasible says why in its cells.

    A column is a field of the estimate (`engine.activation_bytes` for a field of a field). With `at` it changes the
    configuration of its row, so a table can go over contexts or degrees: `{name: ..., header: 8K, at: {input: 7936}}`.
    `where: {feasible: false}` keeps the rows whose estimate has that field; a field may be text.
    A configuration that has no meaning, such as a cache format that a model cannot keep, is an empty cell that says so.
    """
    asked = [dict(one) if isinstance(one, Mapping) else {"name": one} for one in given["columns"]]
    changes = [one.pop("at", {}) for one in asked]
    columns = [column(**one) for one in asked]
    head = Column("label", given.get("head", "configuration"), "")
    rows, ids = [], []
    for row in _rows(book, given):
        if any(getattr(_estimate(book, given, row), key) != wanted for key, wanted in given.get("where", {}).items()):
            continue
        identifier = f"{name}/{markup.slug(row['label'])}"
        ids.append(identifier)
        cells = [Cell(row["label"], link=_row_link(writer, row))]
        for one, shape, change in zip(asked, columns, changes, strict=True):
            cell = _cell(book, given, {**row, **change}, one["name"])
            if isinstance(cell.value, Traced):
                book.registry.publish(f"{identifier}/{shape.name}", cell.value, writer.path, derived_there=False)
            cells.append(cell)
        rows.append(tuple(cells))
    shapes = [_as_text(shape, [row[place] for row in rows]) for place, shape in enumerate((head, *columns))]
    return Table(tuple(shapes), tuple(rows), tuple(ids))


def _as_text(shape: Column, cells: list[Cell]) -> Column:
    """The column, without a unit where its cells are words."""
    words = any(isinstance(cell.value, str) for cell in cells)
    return Column(shape.name, shape.header, "") if words else shape


def _estimate(book: Book, given: Mapping[str, Any], row: Mapping[str, Any]) -> Any:
    """The estimate of one configuration. Raises NotSupported for one that has no meaning."""
    configuration = {**given.get("base", {}), **row}
    arguments = {_LOAD.get(key, key): value for key, value in configuration.items() if key not in _OWN}
    for key in arguments.keys() & UNITS.keys():
        if isinstance(arguments[key], str):
            arguments[key] = units.parse(arguments[key], UNITS[key])
    if "workload" in arguments:
        shape = book.library.find("workloads", arguments.pop("workload"))
        arguments = {"prompt_tokens": shape.prompt, "output_tokens": shape.output} | arguments
    return run_estimate(given.get("estimate", "serving"), book.library, **arguments)


def _cell(book: Book, given: Mapping[str, Any], row: Mapping[str, Any], field: str) -> Cell:
    """One field of one configuration; None with the reason where there is none."""
    try:
        estimate = _estimate(book, given, row)
    except NotSupported as error:
        return Cell(None, str(error))
    value: Any = estimate
    for part in field.split("."):
        value = getattr(value, part)
    missing = value is None or value != value
    why = getattr(estimate, "missing", {}).get(field, "") if missing else ""
    return Cell(None if missing else value, why or "; ".join(getattr(estimate, "reasons", ())))


def _rows(book: Book, given: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Rows as listed, or one for each thing of a collection: `rows: {each: models, ids: [...]}`."""
    rows = given["rows"]
    if isinstance(rows, list):
        return rows
    collection = rows["each"]
    key = collection.rstrip("s")
    chosen = rows.get("ids") or list(book.library.collections[collection])
    return [
        {"label": book.library.find(collection, identifier).name, key: identifier, "link": f"{collection}/{identifier}"}
        for identifier in chosen
    ]


def _row_link(writer: Writer, row: Mapping[str, Any]) -> str:
    if "link" not in row:
        return ""
    collection, _, identifier = row["link"].rpartition("/")
    return markup.href(writer.path, entity_page(collection, identifier))

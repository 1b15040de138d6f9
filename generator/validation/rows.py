"""Rows of a measurement file: one line each, as text; columns that a file lacks are empty.

Columns: id, model, precision_weights, precision_kv, gpu, n_gpus, tp, pp, ep, engine, engine_version, isl, osl,
batch_or_concurrency, metric, value, unit, source_address, note; each kind of measurement adds its own.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from generator.specs.validate import suggestion

NEEDED = ("id", "metric", "value", "unit")
COLUMNS = (
    "id", "model", "precision_weights", "precision_kv", "gpu", "n_gpus", "tp", "pp", "ep", "engine", "engine_version",
    "isl", "osl", "batch_or_concurrency", "metric", "value", "unit", "source_address", "note",
)  # fmt: skip
"""What all kinds of measurements have."""
MOST_FAULTS = 20


class RowFault(ValueError):
    """Every fault of a measurement file, one a line: file, line, field, value and rule."""


class Uncovered(Exception):
    """Why a row is not predicted, in words that do not name the row, so that equal reasons can be counted."""


@dataclass(frozen=True)
class Row:
    """One measurement as it was published."""

    id: str
    value: float
    fields: Mapping[str, str]
    place: str
    """`table:line`."""

    def text(self, name: str) -> str:
        """A column without the spaces around it; empty if the file lacks it."""
        return (self.fields.get(name) or "").strip()

    def number(self, name: str) -> float | None:
        """A column as a number; None if it is empty, holds words, or says that it is none."""
        try:
            found = float(self.text(name).replace(",", ""))
        except ValueError:
            return None
        return None if found != found else found

    def needed(self, name: str) -> float:
        """A number without which the row cannot be predicted. Raises Uncovered."""
        found = self.number(name)
        if found is None:
            raise Uncovered(f"`{name}` is not stated")
        if not 0 < found < float("inf"):
            raise Uncovered(f"`{name}` must be a finite number above 0")
        return found

    @property
    def metric(self) -> str:
        return self.text("metric")

    @property
    def unit(self) -> str:
        return self.text("unit")


def read(path: Path) -> list[Row]:
    """The rows of a file. Raises RowFault with every fault, OSError."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise RowFault(f"{path}:1: not a text file: {error.reason}") from None
    lines = csv.DictReader(io.StringIO(text, newline=""))
    try:
        return _rows(lines, path)
    except csv.Error as error:
        raise RowFault(f"{path}:{lines.line_num}: {error}") from None


def _rows(lines: csv.DictReader[str], path: Path) -> list[Row]:
    header = list(lines.fieldnames or [])
    twice = sorted({name for name in header if name and header.count(name) > 1})
    if twice:
        raise RowFault("\n".join(f"{path}:1: column `{name}` is there more than once" for name in twice))
    missing = [name for name in NEEDED if name not in header]
    if missing:
        raise RowFault("\n".join(f"{path}:1: column `{name}` is missing{suggestion(name, header)}" for name in missing))
    rows: list[Row] = []
    faults: list[str] = []
    seen: dict[str, int] = {}
    for fields in lines:
        number = lines.line_num
        found = _row(fields, path, number, seen)
        if isinstance(found, str):
            faults.append(f"{path}:{number}: {found}")
        else:
            rows.append(found)
    if not rows and not faults:
        faults.append(f"{path}:2: no measurement follows the header")
    if faults:
        more = [f"{path}: {len(faults) - MOST_FAULTS} more"] if len(faults) > MOST_FAULTS else []
        raise RowFault("\n".join(faults[:MOST_FAULTS] + more))
    return rows


def _row(fields: Mapping[str | None, str], path: Path, line: int, seen: dict[str, int]) -> Row | str:
    """A row, or what is wrong with it."""
    if None in fields:
        return "more fields than the header has"
    identifier = (fields["id"] or "").strip()
    if not identifier:
        return "`id` is empty"
    if identifier in seen:
        return f"`id` is that of line {seen[identifier]}: {identifier}"
    seen[identifier] = line
    try:
        value = float((fields["value"] or "").replace(",", ""))
    except ValueError:
        return f"`value` must be a number, got {fields['value']!r}"
    if not 0 < value < float("inf"):
        return f"`value` must be a finite number above 0, got {fields['value']!r}"
    return Row(identifier, value, fields, f"{path.name}:{line}")

"""Errors by family, of rows from one file or from all tables of the specs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from generator.specs.library import Library
from generator.validation.errors import Errors, errors
from generator.validation.judge import Verdict, merged
from generator.validation.registry import families, with_derived
from generator.validation.rows import Row, read


def by_family(verdicts: Iterable[Verdict]) -> dict[str, Errors]:
    """Errors of the counted rows, in the order of the families; those without a row are left out."""
    found = merged(verdicts)
    by = {name: [one for one in found if one.family == name] for name in families()}
    return {name: errors_of(several) for name, several in by.items() if several}


def errors_of(verdicts: Sequence[Verdict]) -> Errors:
    """Errors of some verdicts, in the unit of each row."""
    shown = [one.shown() for one in verdicts]
    return errors(
        [predicted or 0.0 for predicted, _, _ in shown],
        [one.row.value for one in verdicts],
        [None if low is None or high is None else (low, high) for _, low, high in shown],
    )


def measured_rows(library: Library, tables: Iterable[str] | None = None) -> list[Row]:
    """The rows of the tables of the specs, or of some of them."""
    names = sorted(library.collections["measurements/tables"]) if tables is None else tables
    return [row for name in names for row in with_derived(read(library.table("measurements/tables", name)))]

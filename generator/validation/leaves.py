"""Numbers that a row states, as leaves: the prediction rests on them as on a datum of the table."""

from __future__ import annotations

from generator.provenance import Choice, Traced
from generator.validation.rows import Row


def stated(row: Row, value: float, name: str, unit: str = "1") -> Traced:
    """A number of a row, such as its batch, as a traced leaf."""
    return Traced(value, name=name, unit=unit, kind="exact", origin=Choice(f"stated with measurement {row.id}"))

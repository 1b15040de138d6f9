"""A grid of one's own: a file like those below `specs/grids`, wherever it lies and without sources."""

from __future__ import annotations

from pathlib import Path

from generator.specs import consistency, positions, validate
from generator.specs.library import Library
from generator.specs.load import SpecFaults
from generator.specs.records import Grid

CHOSEN = "\nsources:\n  - {covers: [all], source: chosen by whoever runs it, status: choice, seen: '2000-01-01'}\n"


def read_grid(path: Path, library: Library) -> Grid:
    """The grid of a file; without `sources` its numbers are choices. Raises SpecFaults with every fault, OSError."""
    text = path.read_text(encoding="utf-8")
    file = positions.read(text, path.name)
    if isinstance(file.data, dict) and "sources" not in file.data:
        file = positions.read(text + CHOSEN, path.name)
    record, faults = validate.validate(file, Grid)
    if record is None:
        raise SpecFaults(faults)
    record, untraced = validate.trace(record, file, "grids", "exact")
    complaints = [*consistency.references(record, "grids", library, ()), *consistency.grid(record)]
    faults += [*untraced, *(file.fault(at, message) for at, message in complaints)]
    if faults:
        raise SpecFaults(faults)
    return record

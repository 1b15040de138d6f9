"""The one list of names: every argument and result of every formula, with its symbol, unit and meaning.

The nomenclature page prints this list, equations take their symbols from it, and the unit test of each formula
takes its units from it. Names that end in `_by_group` or `_by_component` are tuples; their symbol gets an index.
The rows stand in `generator/formulas/names`, a file for each section.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType

from generator.formulas.names import (
    atlas,
    batching,
    caching,
    collectives,
    cost,
    disaggregation,
    engine_memory,
    engine_step,
    expert_balance,
    expert_exchange,
    failures,
    fleet,
    goodput,
    hosting,
    interconnect,
    links,
    measured_links,
    memory,
    offline,
    operation,
    paging,
    parallelism,
    parameters,
    passes,
    planning,
    prices,
    quantisation,
    rollouts,
    roofline,
    service,
    sessions,
    shape,
    silicon,
    simulation,
    single_stream,
    speculative,
    steps,
    training,
    training_memory,
    training_rates,
    training_scale,
    training_step,
    validation,
)

TABLES: tuple[ModuleType, ...] = (
    shape,
    parameters,
    memory,
    engine_memory,
    roofline,
    silicon,
    quantisation,
    steps,
    passes,
    single_stream,
    offline,
    engine_step,
    parallelism,
    interconnect,
    collectives,
    expert_exchange,
    expert_balance,
    disaggregation,
    caching,
    sessions,
    speculative,
    links,
    measured_links,
    service,
    simulation,
    paging,
    batching,
    goodput,
    atlas,
    cost,
    operation,
    prices,
    training,
    training_scale,
    training_rates,
    training_memory,
    training_step,
    rollouts,
    failures,
    planning,
    hosting,
    fleet,
    validation,
)


@dataclass(frozen=True, slots=True)
class Name:
    """Symbol in LaTeX, base unit, and what it means."""

    symbol: str
    unit: str
    meaning: str


def _read(tables: tuple[ModuleType, ...]) -> tuple[dict[str, Name], dict[str, list[str]]]:
    names: dict[str, Name] = {}
    sections: dict[str, list[str]] = {}
    for table in tables:
        section = sections.setdefault(table.SECTION, [])
        for line in filter(None, table.ROWS.splitlines()):
            name, symbol, unit, meaning = (cell.strip() for cell in line.split("|"))
            if name in names:
                raise ValueError(f"nomenclature lists {name} twice")
            names[name] = Name(symbol, unit, meaning)
            section.append(name)
    return names, sections


NOMENCLATURE, SECTIONS = _read(TABLES)
"""Every name, and the names of each section in the order of the table."""

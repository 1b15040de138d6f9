"""Where the nomenclature lists a name: what calibrated predictions alone take has a page of its own."""

from __future__ import annotations

import functools

from generator.formulas.nomenclature import SECTIONS

PAGE = "reference/nomenclature.md"
CALIBRATED_PAGE = "reference/nomenclature-calibrated.md"
CALIBRATED = (
    "Memory of an engine",
    "A lone request",
    "All requests at once",
    "Steps of a serving engine",
    "Collectives, transfers and products as measured",
    "Time of a training step",
    "Predicted against measured",
)
"""Sections of names that calibrated predictions take."""


def page_of(name: str) -> str:
    """Page of the nomenclature that lists a name."""
    return CALIBRATED_PAGE if name in _calibrated() else PAGE


@functools.cache
def _calibrated() -> frozenset[str]:
    return frozenset(name for section in CALIBRATED for name in SECTIONS[section])

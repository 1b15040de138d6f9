"""One case for each run: what was published several times counts once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from generator.validation.family import Case


def one_each(cases: Iterable[Case]) -> list[Case]:
    """The cases that a fit uses: counted ones, of several on the same run the first."""
    found: dict[Any, Case] = {}
    for case in cases:
        if case.fitted:
            found.setdefault(case.identity or case.row.id, case)
    return list(found.values())

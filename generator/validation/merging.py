"""One case for each run: what was published several times counts once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from generator.validation.family import Case

Thing = TypeVar("Thing")


def one_each(things: Iterable[Thing], case_of: Callable[[Thing], Case] = lambda case: case) -> list[Thing]:  # type: ignore
    """Cases that count, or what belongs to such cases: of several on the same run the first."""
    found: dict[Any, Thing] = {}
    for thing in things:
        case = case_of(thing)
        if case.fitted:
            found.setdefault(case.identity or case.row.id, thing)
    return list(found.values())

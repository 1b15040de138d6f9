"""What makes a plain function a formula: a name in the nomenclature, a reference, and traced results."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from generator.formulas.nomenclature import NOMENCLATURE
from generator.provenance import Derivation, Traced, flatten, weakest

FORMULAS: dict[str, Callable[..., Any]] = {}
"""Every formula by name, which is the quantity it computes; the nomenclature has its symbol, unit and meaning."""


def formula(*, reference: str, kind: str = "exact") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function of keyword numbers as a formula.

    reference: bibliography id, with `#` and the equation or section, or "definition".
    kind: the strongest kind that a result can have ("bound" for a roofline, "exact" for counting).

    Called with at least one traced number and no array, it returns a `Traced`; otherwise whatever the function returns.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        name = function.__name__
        unit = NOMENCLATURE[name].unit

        @functools.wraps(function)
        def traced(**inputs: Any) -> Any:
            value = function(**inputs)
            if not isinstance(value, (float, int)):
                return value
            kinds = {number.kind for number in flatten(inputs) if isinstance(number, Traced)}
            if not kinds:
                return value
            # Constants fitted on measurements are calibrated; no measurement by themselves.
            found = kind if kind == "calibrated" else weakest(iter(kinds), kind)
            return Traced(value, name=name, unit=unit, kind=found, origin=Derivation(traced, inputs))

        traced.reference = reference
        traced.kind = kind
        traced.arguments = tuple(inspect.signature(function).parameters)
        if name in FORMULAS:
            raise ValueError(f"two formulas are called {name}")
        FORMULAS[name] = traced
        return traced

    return register

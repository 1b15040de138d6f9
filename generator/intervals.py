"""Confidence intervals: of the mean over seeded runs, and of what a formula makes of such means."""

from __future__ import annotations

from functools import cache
from math import cos, isfinite, pi, sin, sqrt, tan
from statistics import fmean, stdev
from typing import Any

from generator.provenance import Derivation, Simulation, Traced, flatten

CONFIDENCE = 0.95


@cache
def t_quantile(degrees: int, confidence: float = CONFIDENCE) -> float:
    """Two-sided quantile of Student's t: within so far of 0 lies this share of the distribution."""
    # In the angle whose tangent is t over the root of the degrees, the whole line is a finite interval.
    low, high = 0.0, pi / 2
    while low < (angle := (low + high) / 2) < high:
        low, high = (angle, high) if _t_share(degrees, angle) < confidence else (low, angle)
    return sqrt(degrees) * tan(high)


def _t_share(degrees: int, angle: float) -> float:
    """Share of Student's t within an angle of 0. Source: Abramowitz and Stegun 1964, equations 26.7.3 and 26.7.4."""
    odd = degrees % 2
    term = total = (cos(angle) if degrees > 1 else 0.0) if odd else 1.0
    for power in range(2 + odd, degrees - 1, 2):
        term *= (power - 1) / power * cos(angle) ** 2
        total += term
    return 2 / pi * (angle + sin(angle) * total) if odd else sin(angle) * total


def interval(values: list[float], confidence: float = CONFIDENCE) -> tuple[float, float, float]:
    """Mean of one metric over independent runs, and the ends of its confidence interval; one run has no width."""
    mean = fmean(values)
    if len(values) == 1:
        return mean, mean, mean
    half = t_quantile(len(values) - 1, confidence) * stdev(values) / sqrt(len(values))
    return mean, mean - half, mean + half


def interval_of(number: Any) -> tuple[float, float, int] | None:
    """Ends of the interval of a simulated number and the runs behind it; None for one without.

    A number that a formula makes of simulated means is computed once for each seed: its runs share their seeds, so what
    moves both sides of a ratio cancels. None where the runs do not pair, or where the formula fails for a seed.
    """
    origin = getattr(number, "origin", None)
    if isinstance(origin, Simulation):
        return (origin.low, origin.high, origin.runs) if origin.runs > 1 else None
    if not isinstance(origin, Derivation) or number.kind != "simulated":
        return None
    runs = {len(one) for one in _simulated(number)}
    if len(runs) != 1 or runs == {1}:
        return None
    (count,) = runs
    try:
        values = [_of_run(number, run) for run in range(count)]
    except (ArithmeticError, ValueError):
        return None
    if not all(isfinite(value) for value in values):
        return None
    mean, low, _ = interval(values)
    half = mean - low
    return float(number) - half, float(number) + half, count


def _simulated(number: Any) -> list[tuple[float, ...]]:
    """Values by run of every simulated mean behind a number; one run each where nothing is drawn is no mean."""
    origin = getattr(number, "origin", None)
    if isinstance(origin, Simulation):
        return [origin.values] if origin.runs > 1 else []
    if isinstance(origin, Derivation) and number.kind == "simulated":
        return [values for given in flatten(origin.inputs) for values in _simulated(given)]
    return []


def _of_run(number: Any, run: int) -> float:
    """What a number would be if only this run had been made."""
    origin = getattr(number, "origin", None)
    if isinstance(origin, Simulation) and origin.runs > 1:
        return origin.values[run]
    if not isinstance(number, Traced) or not isinstance(origin, Derivation) or number.kind != "simulated":
        return float(number)
    inputs = {
        name: tuple(_of_run(one, run) for one in given) if isinstance(given, (tuple, list)) else _of_run(given, run)
        for name, given in origin.inputs.items()
    }
    return float(origin.formula.__wrapped__(**inputs))

"""Refits the constants of a family, and measures its errors on groups that the fit did not see.

Least squares of the logarithm of predicted over measured with a soft loss, so that a few odd rows do not lead; each
group weighs the square root of its rows. A constant stays within its limits, and is drawn to the less specific one of
its name: of an engine release that few rows tell of, more is known from the others. The least specific one is drawn
weakly to the value it has, so that what the rows do not tell stays as it was.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from generator.specs.records import Calibration
from generator.validation import calibration as lookup
from generator.validation.calibration import ALIKE
from generator.validation.errors import Errors, errors
from generator.validation.family import Case, Family

FOLDS = 5
SOFT = 0.1
"""Error from which a row pulls with constant force."""
PRIOR = 0.02
"""Weight of one constant's present value, against a group of one row."""
BAND = (0.1, 0.9)
FEWEST_IN_A_BAND = 8


@dataclass(frozen=True)
class Held:
    """Errors on what was held out, and the ratios measured over predicted, by the keys that bands have."""

    what: str
    where: Mapping[str, str]
    rows: int
    groups: int
    errors: Errors
    low: float
    high: float


@dataclass(frozen=True)
class Fit:
    """New values of all constants by position, and what was held out."""

    values: Any
    rows: list[int]
    groups: list[int]
    held: list[Held]
    seen: list[dict[str, str]]


def fit(family: Family, cases: Sequence[Case], calibration: Calibration) -> Fit:
    """Refit on all cases, and on parts of them."""
    start = numpy.array([float(one.value) for one in calibration.constants])
    where = lookup.places(family, calibration, cases)
    problem = _Problem(family, cases, calibration, where, start)
    values = problem.solve(numpy.ones(len(cases), bool))
    used: list[set[int]] = [set() for _ in calibration.constants]
    for index in where.values():
        for row, position in enumerate(index):
            used[position].add(row)
    groups = [len({cases[row].group for row in rows}) for rows in used]
    seen = sorted({tuple(sorted(lookup.combination(family, case).items())) for case in cases})
    return Fit(values, [len(rows) for rows in used], groups, _held(problem, values), [dict(one) for one in seen])


class _Problem:
    """What one least-squares fit needs, for any choice of rows."""

    def __init__(
        self, family: Family, cases: Sequence[Case], calibration: Calibration, where: Mapping[str, Any], start: Any
    ):
        self.family, self.cases, self.calibration = family, cases, calibration
        self.where, self.start = where, start
        self.inputs = lookup.stack(cases)
        self.measured = numpy.array([case.measured for case in cases])
        groups = [case.group for case in cases]
        sizes = {group: groups.count(group) for group in set(groups)}
        self.weights = numpy.array([sizes[group] ** -0.25 for group in groups])
        constants = calibration.constants
        self.free = numpy.array(
            [index for index, one in enumerate(constants) if one.how == "fitted" and float(one.value) > 0], int
        )
        least = [float(constants[index].low or 1e-300) for index in self.free]
        most = [float(constants[index].high or 1e300) for index in self.free]
        self.limits = (numpy.log(least), numpy.log(most))

    def predict(self, values: Any, rows: Any, where: Mapping[str, Any] | None = None) -> Any:
        """Predictions of the chosen rows."""
        inputs = {name: column[rows] for name, column in self.inputs.items()}
        constants = {name: values[index[rows]] for name, index in (where or self.where).items()}
        return self.family.predict(inputs, constants)

    def known(self, chosen: Any) -> set[int]:
        """Positions of the constants that the chosen rows tell, or that are no matter of a fit."""
        told = {position for index in self.where.values() for position in index[chosen].tolist()}
        return told | (set(range(len(self.start))) - set(self.free.tolist()))

    def pooled(self, values: Any, known: set[int]) -> tuple[Any, set[int]]:
        """A constant that no row tells takes the median of the more specific ones that rows do tell."""
        values, found = values.copy(), set(known)
        constants = self.calibration.constants
        for position in set(self.free.tolist()) - known:
            one = constants[position]
            alike = [
                values[other]
                for other in known
                if constants[other].name == one.name and lookup.holds(one.where, constants[other].where)
            ]
            if alike:
                values[position] = numpy.exp(numpy.median(numpy.log(alike)))
                found.add(position)
        return values, found

    def unseen(self, chosen: Any, known: set[int]) -> dict[str, Any]:
        """For each constant the position that holds for each row, if only the known ones are there to be had."""
        found = {}
        memory: dict[tuple[str, tuple[tuple[str, str], ...]], int] = {}
        for name in self.family.constants:
            index = self.where[name].copy()
            for row in numpy.flatnonzero(chosen):
                key = (name, tuple(sorted(self.cases[row].keys.items())))
                if key not in memory:
                    order = lookup.ranked(self.calibration, name, self.cases[row].keys)
                    memory[key] = next((position for position in order if position in known), order[-1])
                index[row] = memory[key]
            found[name] = index
        return found

    def _parents(self) -> dict[int, int]:
        """Place among the free constants -> position of the next less specific constant of its name."""
        constants = self.calibration.constants
        found = {}
        for place, position in enumerate(self.free.tolist()):
            less = [
                other
                for other in lookup.ranked(self.calibration, constants[position].name, constants[position].where)
                if len(constants[other].where) < len(constants[position].where) and self.start[other] > 0
            ]
            if less:
                found[place] = less[0]
        return found

    def solve(self, chosen: Any) -> Any:
        """Values of all constants, fitted to the chosen rows."""
        if not self.free.size:
            return self.start
        from scipy.optimize import least_squares

        rows = numpy.flatnonzero(chosen)
        low, high = self.limits
        origin = numpy.clip(numpy.log(self.start[self.free]), low + 1e-9, high - 1e-9)
        parents = self._parents()

        def whole(logs: Any) -> Any:
            values = self.start.copy()
            values[self.free] = numpy.exp(logs)
            return values

        def residuals(logs: Any) -> Any:
            values = whole(logs)
            off = numpy.log(self.predict(values, rows) / self.measured[rows]) * self.weights[rows]
            drawn = [
                self.family.pooling * (logs[place] - numpy.log(values[parent])) for place, parent in parents.items()
            ]
            return numpy.concatenate([_soft(off), PRIOR * (logs - origin), drawn])

        found = least_squares(residuals, origin, bounds=(low, high), x_scale=0.1, max_nfev=100)
        return self.pooled(whole(found.x), self.known(chosen))[0]


def _soft(off: Any) -> Any:
    """A residual whose square grows like the size of the error beyond SOFT."""
    return SOFT * numpy.sign(off) * numpy.sqrt(2 * (numpy.sqrt(1 + (off / SOFT) ** 2) - 1))


@dataclass(frozen=True)
class _Left:
    """Predictions of rows by fits that did not see their part: row, prediction and name of the part, one each."""

    rows: Any
    predicted: Any
    parts: Any


def _held(problem: _Problem, values: Any) -> list[Held]:
    """Errors held out by group, and by each value of the keys that make a case unlike others, by the keys of bands."""
    family, cases = problem.family, problem.cases
    every = numpy.arange(len(cases))
    folds = numpy.array([_fold(case.group) for case in cases])
    found = _report(problem, _Left(every, _out_of(problem, folds, values), folds), "whole groups", {ALIKE: "yes"})
    several = [key for key in family.alike_by if len({case.keys[key] for case in cases}) > 1]
    if several:
        parts = [numpy.array([f"{key} {case.keys[key]}" for case in cases]) for key in several]
        predicted = [_out_of(problem, one, values) for one in parts]
        left = _Left(numpy.tile(every, len(several)), numpy.concatenate(predicted), numpy.concatenate(parts))
        found += _report(problem, left, " and ".join(f"each {key}" for key in several), {ALIKE: "no"})
    return found


def _out_of(problem: _Problem, parts: Any, values: Any) -> Any:
    """Predictions of every row by a fit that did not see its part; constants that only that part tells are not had."""
    found = numpy.empty(len(problem.cases))
    for part in sorted(set(parts.tolist())):
        inside = parts == part
        rows = numpy.flatnonzero(inside)
        if inside.all():
            found[rows] = problem.predict(values, rows)
            continue
        others, known = problem.pooled(problem.solve(~inside), problem.known(~inside))
        found[rows] = problem.predict(others, rows, problem.unseen(inside, known))
    return found


def _report(problem: _Problem, left: _Left, what: str, also: Mapping[str, str]) -> list[Held]:
    """Errors and bands of held-out predictions, over all rows and by each combination of the keys of bands."""
    by: dict[tuple[tuple[str, str], ...], list[int]] = defaultdict(list)
    for place, row in enumerate(left.rows.tolist()):
        by[()].append(place)
        if problem.family.banded_by:
            by[tuple((name, problem.cases[row].keys[name]) for name in problem.family.banded_by)].append(place)
    found = []
    for keys, places in sorted(by.items()):
        rows, predicted = left.rows[places], left.predicted[places]
        if keys and len(set(rows.tolist())) < FEWEST_IN_A_BAND:
            continue
        measured, weights = problem.measured[rows], problem.weights[rows]
        low, high = _ends(measured / predicted, weights)
        off = errors(predicted, measured, _bands(predicted, measured / predicted, weights, left.parts[places]))
        groups = len({problem.cases[row].group for row in rows})
        found.append(Held(what, {**dict(keys), **also}, len(set(rows.tolist())), groups, off, low, high))
    return found


def _bands(predicted: Any, ratio: Any, weights: Any, parts: Any) -> list[tuple[float, float]]:
    """For each row the band that the other parts give: what a reader's own measurement would meet."""
    ends = {}
    for part in sorted(set(parts.tolist())):
        others = parts != part
        chosen = others if others.any() else ~others
        ends[part] = _ends(ratio[chosen], weights[chosen])
    return [
        (ends[part][0] * value, ends[part][1] * value) for part, value in zip(parts.tolist(), predicted, strict=True)
    ]


def _ends(ratio: Any, weights: Any) -> tuple[float, float]:
    """Quantiles of the ratios, in which a group weighs as it does in the fit: one with many rows is no whole band."""
    order = numpy.argsort(ratio)
    share = weights[order] ** 2
    places = (numpy.cumsum(share) - share / 2) / share.sum()
    low, high = numpy.interp(BAND, places, ratio[order])
    return float(low), float(high)


def _fold(group: str) -> int:
    """Which of the folds a group is in; the same on any machine."""
    return hashlib.sha256(group.encode()).digest()[0] % FOLDS

"""Every row of a table: predicted with its band, beside measured; or why it is not predicted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy

from generator.estimates.architecture import NotSupported
from generator.specs.library import Library, UnknownId
from generator.specs.records import Calibration
from generator.validation import calibration as lookup
from generator.validation.calibration import ALIKE
from generator.validation.family import Case, Family
from generator.validation.measures import express
from generator.validation.merging import one_each
from generator.validation.registry import families, family_of
from generator.validation.rows import Row, Uncovered

SMALLEST_VIOLATION = 1e-3
"""A measurement that beats a bound by less is a matter of rounding."""
BEYOND_THE_BOUND = "the prediction would beat the bound: such a run does not fit"


@dataclass(frozen=True)
class Verdict:
    """One row. Without a case `refusal` says why; values are in the unit of the family."""

    row: Row
    family: str | None
    case: Case | None = None
    predicted: float | None = None
    low: float | None = None
    high: float | None = None
    refusal: str = ""
    alike: bool = True

    @property
    def covered(self) -> bool:
        return self.predicted is not None

    def shown(self) -> tuple[float | None, float | None, float | None]:
        """Predicted, low and high in the unit of the row; None for what there is not."""
        if self.case is None or self.predicted is None:
            return None, None, None
        predicted = self.case.in_row_unit(self.predicted)
        if self.low is None or self.high is None:
            return predicted, None, None
        low, high = sorted(map(self.case.in_row_unit, (self.low, self.high)))
        return predicted, low, high

    @property
    def error(self) -> float:
        """Signed error as a share of the measured value, in the unit of the row."""
        predicted = self.shown()[0]
        assert predicted is not None
        return predicted / self.row.value - 1

    @property
    def beats_bound(self) -> bool:
        """Whether the measurement is better than a bound allows."""
        if self.case is None or self.case.bound is None or self.family is None:
            return False
        return _beyond(families()[self.family], self.case, self.case.measured)


def _beyond(family: Family, case: Case, value: float) -> bool:
    """Whether a value, in the unit of the prediction, is better than the bound of a case."""
    if case.bound is None or not float(case.bound) > 0:
        return False
    ratio = value / float(case.bound)
    return ratio < 1 - SMALLEST_VIOLATION if family.bound_is == "least" else ratio > 1 + SMALLEST_VIOLATION


def calibration_of(library: Library, family: Family) -> Calibration | None:
    """The calibration of a family; None if its prediction has no constants of its own."""
    return library.collections["calibrations"].get(family.id)


def express_all(
    rows: Iterable[Row], library: Library, only: str | None = None
) -> tuple[dict[str, list[Case]], list[Verdict]]:  # fmt: skip
    """Cases by family, and verdicts on rows that are not covered."""
    cases: dict[str, list[Case]] = defaultdict(list)
    refused = []
    for row in rows:
        family = family_of(row)
        if only is not None and (family is None or family.id != only):
            continue
        if family is None:
            refused.append(Verdict(row, None, refusal=f"no family predicts `{row.metric}`"))
            continue
        try:
            cases[family.id].append(express(family, row, library))
        except (Uncovered, NotSupported) as reason:
            refused.append(Verdict(row, family.id, refusal=str(reason)))
        except UnknownId as reason:
            refused.append(Verdict(row, family.id, refusal=str(reason).partition(";")[0]))
        except (ZeroDivisionError, OverflowError):
            refused.append(Verdict(row, family.id, refusal="its numbers are no run that can be"))
    return dict(cases), refused


def judge(rows: Sequence[Row], library: Library, only: str | None = None) -> list[Verdict]:
    """A verdict on each row, in the order of the rows; `only` takes the rows of one family."""
    cases, found = express_all(rows, library, only)
    for name, several in cases.items():
        found += judge_cases(families()[name], several, calibration_of(library, families()[name]))
    order = {row.id: index for index, row in enumerate(rows)}
    return sorted(found, key=lambda verdict: order[verdict.row.id])


def judge_cases(family: Family, cases: Sequence[Case], calibration: Calibration | None) -> list[Verdict]:
    """Verdicts on the cases of one family."""
    found: list[Verdict] = []
    placed: list[Case] = []
    reasons: dict[tuple[tuple[str, str], ...], str] = {}
    for case in cases:
        keys = tuple(sorted(case.keys.items()))
        if keys not in reasons:
            reasons[keys] = _unplaced(family, calibration, case)
        if reasons[keys]:
            found.append(Verdict(case.row, family.id, refusal=reasons[keys]))
        else:
            placed.append(case)
    if not placed:
        return found
    if calibration is None:
        values = family.predict(lookup.stack(placed), {})
    else:
        table = numpy.array([float(one.value) for one in calibration.constants])
        values = lookup.predict_all(family, placed, lookup.places(family, calibration, placed), table)
    values = numpy.broadcast_to(numpy.asarray(values, float), len(placed))
    return found + [_verdict(family, case, value, calibration) for case, value in zip(placed, values, strict=True)]


def _unplaced(family: Family, calibration: Calibration | None, case: Case) -> str:
    """Why no constants hold for a case; empty if they do."""
    if calibration is None:
        return f"`{family.id}` is not calibrated" if family.constants else ""
    try:
        for name in family.constants:
            lookup.place(calibration, name, case.keys)
    except Uncovered as reason:
        return str(reason)
    return ""


def _verdict(family: Family, case: Case, value: Any, calibration: Calibration | None) -> Verdict:
    if not 0 < value < float("inf"):
        return Verdict(case.row, family.id, refusal="the prediction is not a number above 0")
    verdict = Verdict(case.row, family.id, case, float(value))
    if _beyond(family, case, float(value)):
        return Verdict(case.row, family.id, refusal=BEYOND_THE_BOUND)
    if calibration is None:
        return verdict
    alike = lookup.is_alike(family, calibration, case)
    band = lookup.band_of(calibration, {**case.keys, ALIKE: "yes" if alike else "no"})
    if band is None:
        return replace(verdict, alike=alike)
    return replace(verdict, low=float(value) * float(band.low), high=float(value) * float(band.high), alike=alike)


def merged(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Covered and counted verdicts, of several on one run the first."""
    return one_each((one for one in verdicts if one.covered and one.case is not None), lambda one: one.case)

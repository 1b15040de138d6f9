"""Intervals: of means over runs, and of what formulas make of them, run by run."""

from __future__ import annotations

from statistics import fmean

import pytest

from generator.formulas import FORMULAS
from generator.intervals import interval, interval_of
from generator.provenance import Simulation, Traced, choice


def simulated(*values: float, name: str = "value") -> Traced:
    mean, low, high = interval(list(values))
    origin = Simulation("serving", {}, {}, 1, len(values), low, high, values)
    return Traced(mean, name=name, unit="1", kind="simulated", origin=origin)


def ratio(value, reference_value):
    return FORMULAS["ratio_of"](value=value, reference_value=reference_value)


def test_a_simulated_mean_has_the_interval_of_its_runs():
    number = simulated(1.0, 2.0, 3.0)
    assert interval_of(number) == (*interval([1.0, 2.0, 3.0])[1:], 3)


def test_what_moves_both_sides_of_a_ratio_cancels():
    low, high, runs = interval_of(ratio(simulated(2.0, 4.0, 6.0), simulated(1.0, 2.0, 3.0)))
    assert (low, high, runs) == (2.0, 2.0, 3)


def test_the_interval_of_a_ratio_is_that_of_its_values_by_run_around_the_published_value():
    above, below = (3.0, 4.0, 5.0, 4.0), (1.0, 1.5, 2.0, 1.0)
    number = ratio(simulated(*above), simulated(*below))
    by_run = [one / other for one, other in zip(above, below, strict=True)]
    _, start, end = interval(by_run)
    low, high, _ = interval_of(number)
    assert high - low == pytest.approx(end - start)
    assert (low + high) / 2 == pytest.approx(float(number)) == fmean(above) / fmean(below)


def test_a_constant_beside_a_simulated_mean_scales_its_interval():
    half = choice(0.5, name="reference_value", unit="1", reason="half")
    low, high, _ = interval_of(ratio(simulated(1.0, 2.0, 3.0), half))
    assert (low, high) == tuple(2 * end for end in interval([1.0, 2.0, 3.0])[1:])


@pytest.mark.parametrize(
    "number",
    [
        3.0,
        choice(3.0, name="value", unit="1", reason="three"),
        ratio(simulated(1.0, 2.0), simulated(1.0, 2.0, 3.0)),
        ratio(simulated(1.0, 2.0), simulated(1.0, 0.0)),
    ],
    ids=["a plain number", "a choice", "runs that do not pair", "a run that cannot be divided by"],
)
def test_what_has_no_runs_of_its_own_has_no_interval(number):
    assert interval_of(number) is None

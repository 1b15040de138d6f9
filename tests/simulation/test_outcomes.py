"""Intervals over runs: the quantiles of printed tables, and how often an interval holds the truth."""

from __future__ import annotations

import pytest

from generator.intervals import interval, t_quantile
from generator.simulation.outcomes import Experiment, repeat
from generator.simulation.requests import generator_of

TABLE = {
    # degrees: (95 %, 99 %), two-sided, as printed in tables of Student's t
    1: (12.706, 63.657), 2: (4.303, 9.925), 3: (3.182, 5.841), 4: (2.776, 4.604), 5: (2.571, 4.032),
    9: (2.262, 3.250), 10: (2.228, 3.169), 19: (2.093, 2.861), 29: (2.045, 2.756), 30: (2.042, 2.750),
    60: (2.000, 2.660), 120: (1.980, 2.617),
}  # fmt: skip


@pytest.mark.parametrize("degrees", TABLE)
def test_quantiles_are_those_of_printed_tables(degrees):
    assert [round(t_quantile(degrees, share), 3) for share in (0.95, 0.99)] == list(TABLE[degrees])


def test_with_many_degrees_the_quantile_is_the_normal_one():
    assert t_quantile(10**5, 0.95) == pytest.approx(1.95999, abs=5e-5)


def test_an_interval_of_95_percent_holds_the_mean_in_95_of_100_cases():
    generator = generator_of(3)
    for runs in (2, 5, 20):
        hits = 0
        for _ in range(4000):
            _, low, high = interval(generator.normal(7.0, 2.0, runs).tolist())
            hits += low <= 7.0 <= high
        assert hits / 4000 == pytest.approx(0.95, abs=0.012)


def test_one_run_has_no_interval():
    experiment = Experiment("serving", {}, {}, [], lambda seed: {"makespan_s": float(seed)})
    with pytest.raises(ValueError, match="at least 2 runs, got 1"):
        repeat(experiment, runs=1)


def test_the_mean_over_the_seeds_is_published_with_its_interval():
    experiment = Experiment("serving", {}, {}, [], lambda seed: {"makespan_s": float(seed)})
    found = repeat(experiment, seed=5, runs=3).makespan_s
    assert found == 6.0
    assert (found.origin.low, found.origin.high) == pytest.approx((6 - 4.30265 / 3**0.5, 6 + 4.30265 / 3**0.5), 1e-5)

"""What the seeded runs of a simulation come to: for each metric the mean over the runs and its confidence interval."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist, fmean, stdev
from typing import Any

from generator.cache import Cache, source_digest
from generator.formulas.nomenclature import NOMENCLATURE
from generator.provenance import Simulation, Traced

CONFIDENCE = 0.95
RUNS = 20
"""Fewest runs behind a published figure."""


class Kept:
    """Where the metrics of runs are kept; without a cache every simulation runs anew."""

    def __init__(self) -> None:
        self.cache = Cache(None)


RESULTS = Kept()


@dataclass(frozen=True)
class Outcome:
    """Metrics of a simulation by name, as traced numbers; also as attributes."""

    simulator: str
    numbers: Mapping[str, Traced]
    settings: Mapping[str, str]
    inputs: Mapping[str, Any]
    seed: int
    runs: int

    def __getattr__(self, name: str) -> Traced:
        if name != "numbers" and name in self.numbers:
            return self.numbers[name]
        raise AttributeError(name)


def t_quantile(degrees: int, confidence: float = CONFIDENCE) -> float:
    """Two-sided quantile of Student's t by the Cornish-Fisher expansion; exact to 0.001 from 9 degrees on.

    Source: Abramowitz and Stegun 1964, equation 26.7.5.
    """
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return sum(term / degrees**power for power, term in enumerate(terms))


def interval(values: list[float], confidence: float = CONFIDENCE) -> tuple[float, float, float]:
    """Mean of one metric over independent runs, and the ends of its confidence interval; one run has no width."""
    mean = fmean(values)
    if len(values) == 1:
        return mean, mean, mean
    half = t_quantile(len(values) - 1, confidence) * stdev(values) / sqrt(len(values))
    return mean, mean - half, mean + half


@dataclass(frozen=True)
class Experiment:
    """A simulation with everything chosen but the seed.

    inputs: the traced numbers behind a run, by names of the nomenclature; settings: the choices that are words;
    identity: whatever else a run depends on, as plain data; run: one run with a seed, which gives its metrics by name
    (names of the nomenclature, in base units).
    """

    simulator: str
    inputs: Mapping[str, Any]
    settings: Mapping[str, str]
    identity: Any
    run: Callable[[int], Mapping[str, float]]
    seeded: bool = True
    """False where nothing is drawn, such as a trace that is replayed: one run says it all."""


def repeat(experiment: Experiment, *, seed: int = 1, runs: int = RUNS) -> Outcome:
    """Run an experiment once for each seed, unless the cache has it; mean and interval of each metric.

    Raises ValueError for fewer than 2 runs: one run has no interval.
    """
    simulator, inputs, settings = experiment.simulator, experiment.inputs, experiment.settings
    runs = runs if experiment.seeded else 1
    if runs < 2 and experiment.seeded:
        raise ValueError(f"an interval needs at least 2 runs, got {runs}")
    numbers = {name: [float(one) for one in _several(given)] for name, given in sorted(inputs.items())}
    sources = source_digest("simulation/**/*.py", "formulas/*.py", "estimates/*.py", "units.py")
    key = [simulator, numbers, dict(sorted(settings.items())), experiment.identity, seed, runs, sources]

    def make() -> dict[str, list[float]]:
        each = [experiment.run(one) for one in range(seed, seed + runs)]
        return {name: [metrics[name] for metrics in each] for name in each[0]}

    found = RESULTS.cache.get("simulation", key, make)
    traced = {}
    for name, values in found.items():
        mean, low, high = interval(values)
        origin = Simulation(simulator, inputs, settings, seed, runs, low, high)
        traced[name] = Traced(mean, name=name, unit=NOMENCLATURE[name].unit, kind="simulated", origin=origin)
    return Outcome(simulator, traced, settings, inputs, seed, runs)


def _several(given: Any) -> tuple[Any, ...]:
    return tuple(given) if isinstance(given, (tuple, list)) else (given,)

"""What the seeded runs of a simulation come to: for each metric the mean over the runs and its confidence interval."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from generator.cache import Cache, code_digest, source_digest
from generator.formulas.nomenclature import NOMENCLATURE
from generator.intervals import interval
from generator.provenance import Simulation, Traced

_NAMES = ("formulas.names", "formulas.nomenclature", "specs", "provenance", "cache", "formatting")
NAMES = tuple(f"generator.{name}" for name in _NAMES)
"""Modules without arithmetic: a new name or a new kind of spec changes no run."""
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
    runs = runs if experiment.seeded else 1
    key = key_of(experiment, seed=seed, runs=runs)

    def make() -> dict[str, list[float]]:
        return by_name([experiment.run(one) for one in range(seed, seed + runs)])

    return outcome_of(experiment, RESULTS.cache.get("simulation", key, make), seed=seed, runs=runs)


def key_of(experiment: Experiment, *, seed: int, runs: int) -> list[Any]:
    """All that the metrics of the runs depend on: their name in the cache. Raises ValueError for fewer than 2 runs."""
    if runs < 2 and experiment.seeded:
        raise ValueError(f"an interval needs at least 2 runs, got {runs}")
    numbers = {name: [float(one) for one in _several(given)] for name, given in sorted(experiment.inputs.items())}
    sources = code_digest(experiment.run.__module__, NAMES) or source_digest("simulation/**/*.py", "formulas/*.py")
    settings = dict(sorted(experiment.settings.items()))
    return [experiment.simulator, numbers, settings, experiment.identity, seed, runs, sources]


def by_name(metrics: Sequence[Mapping[str, float]]) -> dict[str, list[float]]:
    """The metrics of several runs, one list for each name."""
    return {name: [one[name] for one in metrics] for name in metrics[0]}


def outcome_of(experiment: Experiment, found: Mapping[str, list[float]], *, seed: int, runs: int) -> Outcome:
    """Mean and interval of each metric of the runs."""
    simulator, inputs, settings = experiment.simulator, experiment.inputs, experiment.settings
    traced = {}
    for name, values in found.items():
        mean, low, high = interval(values)
        origin = Simulation(simulator, inputs, settings, seed, runs, low, high, tuple(values))
        traced[name] = Traced(mean, name=name, unit=NOMENCLATURE[name].unit, kind="simulated", origin=origin)
    return Outcome(simulator, traced, settings, inputs, seed, runs)


def _several(given: Any) -> tuple[Any, ...]:
    return tuple(given) if isinstance(given, (tuple, list)) else (given,)

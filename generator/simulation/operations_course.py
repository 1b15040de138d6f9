"""The course of a day: what a chart of replicas, queue and load shows, as means over seeds with their intervals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.cache import source_digest
from generator.intervals import interval
from generator.simulation.operations_runs import operation
from generator.simulation.outcomes import RESULTS, RUNS
from generator.specs.library import Library

FIELDS = ("rate", "needed", "serving", "paid", "waiting", "ttft")
"""rate: arrivals per second; needed: replicas that finish so many per second with all slots in use; serving, paid:
replicas; waiting: requests; ttft: mean time to first token."""


def course(
    library: Library,
    choices: Mapping[str, Any],
    *,
    fields: tuple[str, ...],
    points: int,
    seed: int = 1,
    runs: int = RUNS,
) -> tuple[list[float], dict[str, list[tuple[float, float, float]]]]:
    """Middles of `points` equal parts of a day in s; for each field the mean and the interval in each part."""
    one = operation(library, **choices)
    sources = source_digest("simulation/**/*.py", "formulas/*.py", "estimates/*.py", "units.py")
    inputs = {name: float(value) for name, value in sorted(one.inputs().items())}
    key = [inputs, one.words(), one.identity(), list(fields), points, seed, runs, sources]

    def make() -> Any:
        each = [parts(*one.day(number), points) for number in range(seed, seed + runs)]
        return {
            name: [interval([run[name][place] for run in each]) for place in range(points)] for name in fields
        }  # fmt: skip

    found = RESULTS.cache.get("operations course", key, make)
    length_s = float(one.given["horizon"]) / points
    middles = [(place + 0.5) * length_s for place in range(points)]
    return middles, {name: [tuple(values) for values in found[name]] for name in fields}


def parts(day: Any, replica: Any, points: int) -> dict[str, list[float]]:
    """Means over each part of one day, by field; as many steps in each part."""
    import numpy

    from generator.simulation.operations import first_token_s

    found, own = first_token_s(day, replica)
    arrived = numpy.array(day.arrived, float)
    steps = len(arrived) // points * points

    def mean(values: Any) -> Any:
        return numpy.array(values, float)[:steps].reshape(points, -1).mean(axis=1)

    rate = mean(arrived) / day.step_s
    weighted = mean(numpy.array(found) * numpy.array(own)) / numpy.maximum(mean(own), 1e-12)
    columns = {
        "rate": rate, "needed": rate / replica.requests_per_s, "serving": mean(day.serving), "paid": mean(day.paid),
        "waiting": mean(day.waiting), "ttft": weighted,
    }  # fmt: skip
    return {name: values.tolist() for name, values in columns.items()}

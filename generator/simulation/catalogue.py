"""Every simulation by name: how an experiment is made from its choices, and in which units they may be written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from generator.simulation import loads, serving_runs
from generator.simulation.outcomes import RUNS, Experiment, Outcome, repeat
from generator.specs.library import Library


@dataclass(frozen=True)
class Simulator:
    """One kind of simulation.

    experiment: takes the library and the choices; numbers: choices that are numbers, with their unit; words: choices
    that are words, with the valid ones (none listed: an id); what: one sentence; example: choices of a small run.
    """

    experiment: Callable[..., Experiment]
    numbers: Mapping[str, str]
    words: Mapping[str, tuple[str, ...]]
    what: str
    example: Mapping[str, Any]


SIMULATORS: dict[str, Simulator] = {
    "serving": Simulator(
        serving_runs.experiment,
        loads.NUMBERS,
        loads.WORDS,
        "Requests served by accelerators that prefill first, in chunks, or apart from decode.",
        {"model": "llama-3-8b", "accelerator": "h100-sxm", "requests": 50},
    ),
}


def simulate(name: str, library: Library, *, seed: float = 1, runs: float = RUNS, **choices: Any) -> Outcome:
    """Outcome of the seeded runs of one simulation by name. Raises NotSupported, UnknownId, TypeError, ValueError."""
    return repeat(SIMULATORS[name].experiment(library, **choices), seed=int(seed), runs=int(runs))

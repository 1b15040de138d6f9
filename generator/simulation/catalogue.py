"""Every simulation by name: how an experiment is made from its choices, and in which units they may be written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from generator.simulation import (
    atlas_grid,
    batching_runs,
    experts_runs,
    loads,
    operations_runs,
    prefixes,
    replay,
    serving_runs,
    session_runs,
)
from generator.simulation.outcomes import RUNS, Experiment, Outcome, repeat
from generator.specs.library import Library


@dataclass(frozen=True)
class Simulator:
    """One kind of simulation.

    experiment: takes the library and the choices; numbers: choices that are numbers, with their unit; words: choices
    that are words, with the valid ones (none listed: an id); what: one sentence; example: choices of a small run;
    variants: what else to choose for inputs and metrics that the example has none of.
    """

    experiment: Callable[..., Experiment]
    numbers: Mapping[str, str]
    words: Mapping[str, tuple[str, ...]]
    what: str
    example: Mapping[str, Any]
    variants: tuple[Mapping[str, Any], ...] = ()


SIMULATORS: dict[str, Simulator] = {
    "batching": Simulator(
        batching_runs.experiment,
        batching_runs.NUMBERS,
        batching_runs.WORDS,
        "Requests that share slots: continuous against static batching, blocks of cache against reserved cache.",
        batching_runs.EXAMPLE,
    ),
    "serving": Simulator(
        serving_runs.experiment,
        loads.NUMBERS,
        loads.WORDS,
        "Requests served by accelerators that prefill first, in chunks, or apart from decode.",
        {"model": "llama-3-8b", "accelerator": "h100-sxm", "requests": 50},
        ({"policy": "chunked", "allocation": "blocks", "prefix_cache": "yes", "room": 20_000},),
    ),
    "goodput": Simulator(
        atlas_grid.experiment,
        atlas_grid.NUMBERS,
        atlas_grid.WORDS,
        "The highest rate at which a configuration still meets its limits, and the best split of its accelerators.",
        {"model": "llama-3.1-8b", "accelerator": "h100-sxm", "workload": "rag-short", "ttft_limit": 2, "gpus": 2},
    ),
    "sessions": Simulator(
        session_runs.experiment,
        session_runs.NUMBERS,
        session_runs.WORDS,
        "Agent sessions whose caches wait between turns in tiers of memory, and are reloaded or computed again.",
        session_runs.EXAMPLE,
    ),
    "prefixes": Simulator(
        prefixes.experiment,
        prefixes.NUMBERS,
        prefixes.WORDS,
        "The prompts of a real trace, replayed through a prefix cache of a given size.",
        {"trace": "mooncake-conversation", "blocks": 1000},
    ),
    "replay": Simulator(
        replay.experiment,
        replay.NUMBERS,
        replay.WORDS,
        "A recorded run of a real engine, replayed with constants fixed beforehand, and how far off it comes out.",
        {"run": "rtx-4090-llama-3.1-8b"},
    ),
    "operations": Simulator(
        operations_runs.experiment,
        operations_runs.NUMBERS,
        operations_runs.WORDS,
        "A fleet of replicas over a day: scaling rules, failures, and peaks on an API.",
        {"model": "llama-3.1-8b", "accelerator": "h100-sxm", "signal": "utilisation", "horizon": 7200},
        (
            {"bursts_per_day": 24, "replicas": 2},
            {"signal": "none", "scenario": "failure", "recovery": "re-place", "tp": 2},
            {"signal": "none", "scenario": "hybrid", "api_price": 0.001},
        ),
    ),
    "experts": Simulator(
        experts_runs.experiment,
        experts_runs.NUMBERS,
        experts_runs.WORDS,
        "Tokens routed to experts that are spread over accelerators: load of the busiest, and what it does to a step.",
        {"model": "qwen3-30b-a3b", "accelerator": "h100-sxm", "ep": 8, "exponent": 0.5, "foreign": 0.1, "steps": 4},
    ),
}


def simulate(name: str, library: Library, *, seed: float = 1, runs: float = RUNS, **choices: Any) -> Outcome:
    """Outcome of the seeded runs of one simulation by name. Raises NotSupported, UnknownId, TypeError, ValueError."""
    return repeat(SIMULATORS[name].experiment(library, **choices), seed=int(seed), runs=int(runs))

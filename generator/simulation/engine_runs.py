"""Recorded runs of a serving engine: what happened to each request, and the state of the engine every second."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from generator.simulation.requests import Requests
from generator.specs.library import Library
from generator.specs.records import EngineRun

SHORT_QUEUE = 20
"""A request that found no more than this many waiting met a short queue."""
LOADS = ("low", "knee", "overload")


@dataclass(frozen=True)
class Recorded:
    """Columns of the requests of a run, and of its seconds; times from the first arrival."""

    record: EngineRun
    columns: dict[str, list[float]]
    seconds: dict[str, list[float]]

    @cached_property
    def requests(self) -> Requests:
        """What arrived."""
        lengths = ([int(one) for one in self.columns[name]] for name in ("prompt_tokens", "output_tokens"))
        return Requests(self.columns["arrival_s"], *lengths)

    @cached_property
    def loads(self) -> list[str]:
        """The load that each request met: nobody waited when it arrived (low), a short queue (knee), a longer one."""
        arrivals, starts = self.columns["arrival_s"], self.columns["scheduled_s"]
        found = []
        for request, time in enumerate(arrivals):
            waiting = sum(start > time for start in starts[:request])
            found.append("low" if not waiting else "knee" if waiting <= SHORT_QUEUE else "overload")
        return found

    @cached_property
    def decode_step_s(self) -> float:
        """Median time of a decode step, over the seconds in which no prompt was worked on."""
        rows = zip(
            *(self.seconds[name] for name in ("running", "prompt_tokens_per_s", "output_tokens_per_s")), strict=True
        )
        return median(running / tokens for running, prompts, tokens in rows if not prompts and tokens and running)

    def steps_to_first_token(self, starts: list[float], firsts: list[float], prompt_step_s: float) -> float:
        """Iterations full of prompts from admission to first token, of prompts that fit into one and met no queue."""
        return median(
            (firsts[one] - starts[one]) / prompt_step_s
            for one, load in enumerate(self.loads)
            if load == "low" and self.columns["prompt_tokens"][one] <= self.record.token_budget
        )


def read(library: Library, identifier: str) -> Recorded:
    """A recorded run by id. Raises UnknownId."""
    record = library.find("engine_runs", identifier)
    return Recorded(
        record,
        _columns(library.table("engine_runs", identifier)),
        _columns(library.table("engine_runs", identifier, "seconds")),
    )


def _columns(path: Path) -> dict[str, list[float]]:
    with path.open(encoding="utf-8", newline="") as file:
        head, *rows = list(csv.reader(file))
    return {name: [float(row[place]) for row in rows] for place, name in enumerate(head)}


def prompt_step_s(first_token_s: list[float], upto_s: float) -> float:
    """Median distance of first tokens that come one after another, up to a time: iterations full of prompts."""
    times = sorted({time for time in first_token_s if time <= upto_s})
    return median(later - earlier for earlier, later in pairwise(times))


def errors(recorded: Recorded, columns: dict[str, Any]) -> dict[str, float]:
    """Relative errors of TTFT, TPOT and E2E by load: median and 90th percentile without sign, and median with it."""
    import numpy

    first, finish = (numpy.array(recorded.columns[name]) for name in ("first_token_s", "finish_s"))
    arrival, outputs = (numpy.array(recorded.columns[name]) for name in ("arrival_s", "output_tokens"))
    truth = {"ttft": first - arrival, "tpot": (finish - first) / (outputs - 1), "e2e": finish - arrival}
    loads = numpy.array(recorded.loads)
    found: dict[str, float] = {f"{load}_requests": float((loads == load).sum()) for load in LOADS}
    for name, values in truth.items():
        error = (columns[f"{name}_s"] - values) / values
        for load in ("", *LOADS):
            some = error[loads == load] if load else error
            label = f"{name}_{load}" if load else name
            found[f"{label}_error_p50"] = float(numpy.median(abs(some)))
            found[f"{label}_error_p90"] = float(numpy.percentile(abs(some), 90))
            found[f"{label}_bias"] = float(numpy.median(some))
    return found

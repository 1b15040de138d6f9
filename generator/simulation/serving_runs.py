"""Seeded runs of serving under load: from the choices of a worksheet or of the command line to records and metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from generator.estimates.architecture import NotSupported
from generator.estimates.layouts import chosen_number
from generator.provenance import Traced
from generator.simulation.costs import Costs, inputs_of
from generator.simulation.iterations import Iterations, gaps
from generator.simulation.loads import Load
from generator.simulation.outcomes import Experiment
from generator.simulation.records import Records, metrics
from generator.simulation.requests import ARRIVALS, Requests, arrivals_s, generator_of
from generator.simulation.traces import BLOCK_TOKENS, read
from generator.specs.library import Library
from generator.specs.records import Accelerator, Model

OF_DRAWN_REQUESTS = ("arrival_rate_per_s", "prompt_median_tokens", "output_median_tokens", "arrival_variation")
"""Inputs that play no part when a trace is replayed."""


class Plan:
    """One configuration under load: everything but the seed.

    model: id or record; trace: id of a trace of the specs or a file, to replay instead of drawn requests; speed: how
    many times as fast they come; arrivals: `poisson` keeps the lengths of a trace and draws its arrivals anew, at the
    same mean rate; the other choices are those of `Load`. Without `link`, caches go over the scale-out link of the
    accelerator. Raises NotSupported, UnknownId, TraceFault.
    """

    def __init__(
        self, library: Library, *, model: str | Model, accelerator: str, trace: str | Path | None = None,
        speed: float = 1.0, arrivals: str = "recorded", **choices: Any,
    ):  # fmt: skip
        self.library = library
        self.model = library.find("models", model) if isinstance(model, str) else model
        self.accelerator: Accelerator = library.find("accelerators", accelerator)
        if choices.get("policy") == "disaggregated" and choices.get("link") is None:
            if self.accelerator.scale_out is None:
                raise NotSupported(f"no scale-out link of {self.accelerator.name} is known; give the link's bandwidth")
            choices = choices | {"link": self.accelerator.scale_out.bandwidth}
        self.load = Load(**choices)
        if arrivals not in ARRIVALS:
            raise NotSupported(f"no kind of arrivals is called `{arrivals}`; valid: {', '.join(ARRIVALS)}")
        self.trace, self.speed, self.redrawn = trace, float(speed), trace is not None and arrivals == "poisson"
        if not self.speed > 0:
            raise NotSupported(f"speed must be above 0, got {self.speed:g}")

    @cached_property
    def source(self) -> Path | None:
        """The file of the trace, if there is one."""
        return self.library.table("traces", self.trace) if isinstance(self.trace, str) else self.trace

    @cached_property
    def traced_requests(self) -> Requests | None:
        """The requests of the trace, if there is one."""
        if self.source is None:
            return None
        block = self.library.find("traces", self.trace).block_tokens if isinstance(self.trace, str) else None
        return read(self.source, int(block or BLOCK_TOKENS)).at_rate(self.speed)

    @cached_property
    def costs(self) -> Costs:
        """Costs of one instance."""
        return self.load.costs(self.model, self.accelerator, self.library, self.traced_requests)

    def run(self, seed: int) -> tuple[Records, list[Iterations]]:
        """One run: what happened to each request, and what each instance did."""
        logs: list[Iterations] = []
        requests = self.traced_requests
        if requests is not None and self.redrawn:
            rate = (len(requests) - 1) / requests.arrival_s[-1]
            requests = replace(
                requests, arrival_s=arrivals_s(generator_of(seed), requests=len(requests), rate_per_s=rate)
            )
        return self.load.run(self.costs, seed, logs, requests), logs

    def metrics(self, seed: int) -> Mapping[str, float]:
        """What one run comes to."""
        records, logs = self.run(seed)
        return metrics(records, ttft_limit_s=self.load.ttft_limit, tpot_limit_s=self.load.tpot_limit) | gaps(logs)

    def inputs(self) -> dict[str, Traced]:
        """The traced numbers behind a run."""
        chosen = self.load.inputs()
        if self.source is not None:
            chosen = {name: one for name, one in chosen.items() if name not in OF_DRAWN_REQUESTS}
            if isinstance(self.trace, str):
                chosen["requests"] = self.library.find("traces", self.trace).requests
            else:
                chosen["requests"] = chosen_number(len(self.traced_requests or ()), "requests")
        return inputs_of(self.model, self.accelerator, self.library, **self.load.instance) | chosen

    def settings(self) -> dict[str, str]:
        """The choices that are words."""
        words = {"model": self.model.id, "accelerator": self.accelerator.id}
        if self.trace is not None:
            name = self.trace if isinstance(self.trace, str) else self.trace.name
            words["trace"] = name if self.speed == 1 else f"{name}, {self.speed:g} times as fast"
            if self.redrawn:
                words["arrivals"] = "poisson"
        return words | self.load.words()

    def identity(self) -> list[Any]:
        """Everything else that a run depends on, as plain data."""
        trace = [self.source.read_text(encoding="utf-8"), self.speed, self.redrawn] if self.source else []
        model = self.model
        return [repr(model.config), repr(model.formats), model.kv_format, self.load.identity(), *trace]


def experiment(library: Library, **choices: Any) -> Experiment:
    """Serving of one configuration under load, ready for its seeds; the choices are those of `Plan`."""
    plan = Plan(library, **choices)
    return Experiment(
        "serving", inputs=plan.inputs(), settings=plan.settings(), identity=plan.identity(), run=plan.metrics,
        seeded=plan.source is None or plan.redrawn,
    )  # fmt: skip

"""Replay of a recorded engine run: the same requests at the same times, with constants fitted to no such run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from typing import Any

from generator.estimates.architecture import NotSupported
from generator.provenance import Traced
from generator.simulation import engine_runs
from generator.simulation.batch import Task
from generator.simulation.blocks import BLOCK
from generator.simulation.chunked import chunked
from generator.simulation.costs import Costs, Line, costs, inputs_of
from generator.simulation.engine_runs import Recorded, errors, prompt_step_s
from generator.simulation.instance import Instance
from generator.simulation.iterations import Iterations
from generator.simulation.outcomes import Experiment
from generator.simulation.paged import Occupancy, paged
from generator.simulation.paged_batch import pool_blocks
from generator.simulation.records import Records, cache_metrics, metrics
from generator.simulation.router import route
from generator.simulation.serving import ALLOCATIONS
from generator.specs.library import Library
from generator.units import round_significant

STEPS = {"engine": "vllm-step-overhead", "reference": "engine-step-overhead"}
"""Time of a step beyond the roofline terms: which assumption."""
NUMBERS: dict[str, str] = {}
WORDS: dict[str, tuple[str, ...]] = {
    "run": (),
    "step": tuple(STEPS),
    "costs": ("assumed", "recorded"),
    "allocation": ALLOCATIONS,
    "prefix_cache": ("yes", "no"),
}


class Replay:
    """One replay.

    step: whose time beyond the roofline terms; allocation, prefix_cache: as the engine had them, or not; costs:
    `recorded` stretches the step times so that an iteration full of prompts and a decode step take what they took in
    the run, which tells errors of the costs from errors of the schedule and predicts nothing.
    """

    def __init__(
        self, library: Library, *, run: str, step: str = "engine", allocation: str = "blocks",
        prefix_cache: str = "yes", costs: str = "assumed",
    ):  # fmt: skip
        given = {"step": step, "allocation": allocation, "prefix_cache": prefix_cache, "costs": costs}
        for name, word in given.items():
            if word not in WORDS[name]:
                raise NotSupported(f"no {name} is called `{word}`; valid: {', '.join(WORDS[name])}")
        self.library, self.run_id, self.step = library, run, step
        self.allocation, self.caching, self.costs_from = allocation, prefix_cache == "yes", costs
        self.record = library.find("engine_runs", run)
        self.model = library.find("models", self.record.model)
        self.accelerator = library.find("accelerators", self.record.accelerator)
        self.overhead_s = library.assume(STEPS[step])

    @cached_property
    def recorded(self) -> Recorded:
        """What the engine did."""
        return engine_runs.read(self.library, self.run_id)

    @cached_property
    def costs(self) -> Costs:
        """Costs of the instance: as assumed, or stretched to the recorded step times."""
        if self.costs_from == "assumed":
            return self.assumed_costs
        # The step times hang on the schedule a little, so they are taken with all that the engine does.
        other = Replay(self.library, run=self.run_id, step=self.step)
        records, log, _ = other.simulate()
        last = max(self.recorded.requests.arrival_s)
        return stretched(
            self.assumed_costs, slots=int(self.record.slots),
            prompts=float(self.record.prompt_step) / prompt_step_s(records.first_token_s, last),
            decodes=float(self.record.decode_step) / decode_step_s(log),
        )  # fmt: skip

    @cached_property
    def assumed_costs(self) -> Costs:
        """Costs by the assumptions, with the cache that the engine's log gives."""
        requests, blocks = self.recorded.requests, self.record.kv_blocks
        longest = max(map(sum, zip(requests.prompt_tokens, requests.output_tokens, strict=True)))
        return costs(
            self.model, self.accelerator, self.library, tp=int(self.record.tp), step_overhead_s=float(self.overhead_s),
            longest_prompt_tokens=longest, longest_request_tokens=longest, most_tokens=int(self.record.token_budget),
            most_requests=int(self.record.slots), pool_tokens=None if blocks is None else float(blocks) * BLOCK,
        )  # fmt: skip

    @property
    def blocks(self) -> int:
        """Blocks of the instance."""
        return pool_blocks(self.costs)

    def simulate(self) -> tuple[Records, Iterations, Occupancy]:
        """The run as simulated."""
        requests = self.recorded.requests
        records = Records(list(requests.arrival_s), requests.prompt_tokens, requests.output_tokens)
        task = Task(records.arrival_s, [tokens - 1 for tokens in requests.output_tokens])
        log, occupancy = Iterations(), Occupancy()
        budget, slots = int(self.record.token_budget), int(self.record.slots)

        def start(number: int, queue: list[int]) -> Instance:
            if self.allocation == "reserved":
                return chunked(self.costs, task, records, queue, budget_tokens=budget, slots=slots, log=log)
            return paged(
                self.costs, task, records, queue, budget_tokens=budget, slots=slots, caching=self.caching, log=log,
                occupancy=occupancy,
            )  # fmt: skip

        route(start, 1, range(len(requests)), records.arrival_s, "round-robin")
        return records, log, occupancy

    def metrics(self, seed: int) -> Mapping[str, float]:
        """What the replay comes to and how far it is off; nothing is drawn."""
        records, log, occupancy = self.simulate()
        found = metrics(records) | cache_metrics(records) | errors(self.recorded, records.columns())
        last = max(self.recorded.requests.arrival_s)
        found["simulated_prompt_step_s"] = prompt_step_s(records.first_token_s, last)
        found["simulated_decode_step_s"] = decode_step_s(log)
        found["simulated_steps_to_first_token"] = self.recorded.steps_to_first_token(
            records.start_s, records.first_token_s, found["simulated_prompt_step_s"]
        )
        if not occupancy.rows:
            # What is reserved is never taken away.
            found |= {"preemptions_per_request": 0.0, "recomputed_tokens_per_request": 0.0}
        else:
            found["peak_room_use_share"] = max(used for *_, used in occupancy.rows) / self.blocks
        return {name: round_significant(value, 12) for name, value in found.items()}

    def inputs(self) -> dict[str, Traced]:
        """The traced numbers behind the replay."""
        record = self.record
        given = {
            "requests": record.requests,
            "token_budget": record.token_budget,
            "slots": record.slots,
            "step_overhead_s": self.overhead_s,
        }
        if record.kv_blocks is not None:
            given["pool_blocks"] = record.kv_blocks
        return inputs_of(self.model, self.accelerator, self.library, tp=int(record.tp)) | given


def stretched(costs: Costs, *, prompts: float, decodes: float, slots: int) -> Costs:
    """Costs with compute times as of prompts, and memory times as of decodes, multiplied.

    The fixed time of an iteration with more tokens than `slots` is one of prompts.
    """
    line = costs.lines[0]
    return replace(
        costs,
        weights_s=[one * decodes for one in costs.weights_s],
        prompt_s=[one * prompts for one in costs.prompt_s],
        fixed_s=[one * (decodes if tokens <= slots else prompts) for tokens, one in enumerate(costs.fixed_s)],
        lines=(
            Line(
                line.upto_tokens, line.memory_s * decodes, line.memory_per_token_s * decodes,
                line.compute_s * prompts, line.compute_per_token_s * prompts,
            ),
        ),
    )  # fmt: skip


def decode_step_s(log: Iterations) -> float:
    """Median time of a decode step, over the time in which no prompt is worked on."""
    runs = [
        ((end - start) / steps, end - start) for start, end, pieces, _, steps, *_ in log.rows if not pieces and steps
    ]
    half, before = sum(weight for _, weight in runs) / 2, 0.0
    for value, weight in sorted(runs):
        before += weight
        if before >= half:
            return value
    return 0.0


def experiment(library: Library, **choices: Any) -> Experiment:
    """Replay of a recorded run; see `Replay` for the choices."""
    replay = Replay(library, **choices)
    tables = [library.table("engine_runs", replay.run_id, what).read_bytes() for what in ("", "seconds")]
    words = {
        "run": replay.record.id,
        "step": replay.step,
        "allocation": replay.allocation,
        "prefix_cache": "yes" if replay.caching else "no",
    }
    if replay.costs_from != "assumed":
        words["costs"] = replay.costs_from
    return Experiment(
        "replay",
        inputs=replay.inputs(),
        settings=words,
        identity=[repr(replay.model.config), repr(replay.model.formats), *(sha256(one).hexdigest() for one in tables)],
        run=replay.metrics,
        seeded=False,
    )

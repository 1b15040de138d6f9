"""Seeded runs of slots and batches: from the choices of a worksheet or of the command line to metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache, lru_cache
from typing import Any

from generator.estimates.architecture import NotSupported
from generator.estimates.layouts import check_range, chosen_number
from generator.formulas import batches
from generator.provenance import Traced
from generator.simulation import batching_metrics
from generator.simulation.batching import on_demand, static, step_costs
from generator.simulation.batching_metrics import Run
from generator.simulation.costs import Costs, costs, inputs_of
from generator.simulation.instance import FOREVER, Task, colocated
from generator.simulation.iterations import Iterations
from generator.simulation.outcomes import Experiment
from generator.simulation.records import Records
from generator.simulation.requests import SHORTEST_OUTPUT, SHORTEST_PROMPT, arrivals_s, generator_of, lengths_tokens
from generator.specs.library import Library

POLICIES = ("continuous", "static")
ALLOCATIONS = ("exact", "blocks", "power-of-two", "reserved")
NUMBERS = {
    "load": "1",
    "rate": "request/s",
    "requests": "count",
    "slots": "count",
    "prompt_median": "token",
    "prompt_sigma": "1",
    "output_median": "token",
    "output_mean": "token",
    "sigma": "1",
    "longest": "token",
    "pool": "token",
    "fill_wait": "count",
    "variation": "1",
    "burst_ratio": "1",
    "burst_start": "count",
    "burst_steps": "count",
    "observed": "count",
}
"""Arguments that are numbers, with the unit in which a worksheet may write them."""
WORDS = {
    "policy": POLICIES,
    "allocation": ALLOCATIONS,
    "answers": ("together", "streamed"),
    "model": (),
    "accelerator": (),
}
"""Arguments that are words; where only some are valid, these."""
_PUBLISHED_NAMES = {
    "load": "slot_load",
    "rate": "arrival_rate_per_s",
    "requests": "requests",
    "slots": "slots",
    "prompt_median": "prompt_median_tokens",
    "output_median": "output_median_tokens",
    "output_mean": "mean_output_tokens",
    "sigma": "output_sigma",
    "longest": "longest_request_tokens",
    "pool": "cache_pool_tokens",
    "fill_wait": "fill_wait_steps",
    "variation": "arrival_variation",
    "burst_ratio": "burst_ratio",
    "burst_start": "burst_start_steps",
    "burst_steps": "burst_steps",
    "observed": "observed_steps",
}
_STEPS_ONLY = ("pool", "fill_wait", "burst_ratio", "observed")
EXAMPLE = {
    "policy": "static", "load": 0.2, "requests": 50, "slots": 4, "pool": 65_536, "fill_wait": 100, "burst_ratio": 2,
    "burst_start": 500, "burst_steps": 500, "observed": 1000,
}  # fmt: skip
"""A small run that shows every metric of the clock of steps."""


@dataclass(frozen=True)
class Load:
    """Everything that is chosen for a run.

    load: output tokens asked for per step over the slots (0: all requests are there at time 0); rate: requests per
    second instead, on the clock of a real accelerator; sigma: of the logarithm of the outputs; output_mean: exponential
    outputs with this mean instead of lognormal ones; longest: most tokens of a request, where an engine stops it; pool:
    tokens of cache (0: as much as the slots can want); fill_wait: how long a static batch waits to be full, in steps;
    variation: coefficient of variation of the arrival gaps; burst_ratio: by how much the rate grows at `burst_start`,
    for `burst_steps`; observed: moment at which the queue is counted. A request that does not fit waits, and so does
    everything behind it.
    """

    policy: str = "continuous"
    allocation: str = "exact"
    answers: str = "together"
    load: float = 0.0
    rate: float = 0.0
    requests: float = 600
    slots: float = 32
    prompt_median: float = 512
    prompt_sigma: float = 0.8
    output_median: float = 256
    output_mean: float = 0
    sigma: float = 0.8
    longest: float = 8192
    pool: float = 0
    fill_wait: float = 0
    variation: float = 1.0
    burst_ratio: float = 1.0
    burst_start: float = 0
    burst_steps: float = 0
    observed: float = 0

    def __post_init__(self) -> None:
        for name, valid in (("policy", POLICIES), ("allocation", ALLOCATIONS), ("answers", WORDS["answers"])):
            if getattr(self, name) not in valid:
                raise NotSupported(f"no {name} is called `{getattr(self, name)}`; valid: {', '.join(valid)}")
        for name in NUMBERS:
            least = 1 if name in ("requests", "slots", "prompt_median", "output_median", "burst_ratio") else 0
            check_range(name, getattr(self, name), least)
        check_range("slots", self.slots, 1, 16_384)
        check_range("longest", self.longest, SHORTEST_PROMPT + SHORTEST_OUTPUT, 131_072)
        if self.policy == "static" and self.allocation == "blocks":
            raise NotSupported("a static batch reserves its cache at once; valid: exact, power-of-two, reserved")

    @property
    def mean(self) -> float:
        """Mean output, before a request is stopped at its longest length."""
        if self.output_mean:
            return self.output_mean
        return batches.mean_output_tokens(output_median_tokens=self.output_median, output_sigma=self.sigma)

    def size(self, tokens: int, block: int) -> int:
        """Tokens for which cache is reserved when a request of this many is admitted."""
        if self.allocation == "reserved":
            return int(self.longest)
        if self.allocation == "power-of-two":
            return min(1 << (tokens - 1).bit_length(), int(self.longest))
        return -(-tokens // block) * block

    def draw(self, seed: int, rate: float) -> Records:
        """The requests of one run, in the order arrivals, prompts, outputs."""
        import numpy

        generator, count, longest = generator_of(seed), int(self.requests), int(self.longest)
        if rate:
            arrivals = arrivals_s(generator, requests=count, rate_per_s=rate, variation=float(self.variation))
        else:
            arrivals = [0.0] * count
        if self.burst_ratio > 1:
            # Time runs faster in a burst: what would have come in `burst_ratio` times its length comes in it.
            start, length, ratio = self.burst_start, self.burst_steps, self.burst_ratio
            early = numpy.array(arrivals) - start
            inside = numpy.clip(early, 0, length * ratio)
            arrivals = (numpy.array(arrivals) - inside + inside / ratio).tolist()
        prompts = lengths_tokens(
            generator, requests=count, median=self.prompt_median, sigma=self.prompt_sigma, shortest=SHORTEST_PROMPT,
            longest=longest - SHORTEST_OUTPUT,
        )  # fmt: skip
        if self.output_mean:
            outputs = numpy.ceil(generator.exponential(self.output_mean, count)).astype(int).tolist()
        else:
            outputs = lengths_tokens(
                generator, requests=count, median=self.output_median, sigma=self.sigma, shortest=1, longest=longest
            )
        outputs = [max(1, min(o, longest - p)) for p, o in zip(prompts, outputs, strict=True)]
        return Records(arrivals, prompts, outputs)


@lru_cache(maxsize=64)
def run_of_steps(load: Load, block: int, seed: int) -> Run:
    """One run on the clock that counts steps. Kept, because a curve over time looks at the same run many times."""
    rate = batches.arrivals_per_step(slot_load=load.load, slots=load.slots, mean_output_tokens=load.mean)
    records = load.draw(seed, rate)
    longest = int(load.longest)
    pool = load.pool or load.slots * (longest + block)
    log = Iterations()
    if load.allocation == "blocks":
        sent_back = on_demand(
            records, pool_blocks=int(pool // block), block_tokens=block, slots=int(load.slots), log=log
        )
        return Run(records, log, block, load.size, preemptions=sum(sent_back))
    plain = _sized_steps(load.allocation, longest, pool, block)
    # On this clock every token takes a step, the first one too.
    return _served(plain, load, records, records.output_tokens, block, prefill=False, log=log)


def run_of_seconds(load: Load, prepared: Costs, block: int, seed: int) -> Run:
    """One run on the clock of an accelerator; prompts are prefilled before anything is decoded."""
    records = load.draw(seed, load.rate)
    steps = [tokens - 1 for tokens in records.output_tokens]
    return _served(prepared, load, records, steps, block, prefill=True, log=Iterations())


def _sized(plain: Costs, load: Load, block: int) -> Costs:
    """The costs with the cache that a request reserves under this allocation."""
    last = len(plain.request_bytes) - 1
    sizes = (min(load.size(max(tokens, 1), block), last) for tokens in range(int(load.longest) + 1))
    return replace(plain, request_bytes=[plain.request_bytes[size] for size in sizes])


@lru_cache(maxsize=16)
def _sized_steps(allocation: str, longest: int, pool: float, block: int) -> Costs:
    """Costs on the clock of steps; the tables are the same for every seed and every load."""
    plain = step_costs(pool_tokens=pool, longest_tokens=longest)
    return _sized(plain, Load(allocation=allocation, longest=longest), block)


def _served(
    plain: Costs, load: Load, records: Records, steps: list[int], block: int, *, prefill: bool, log: Iterations
) -> Run:
    task = Task(records.arrival_s, steps)
    if load.policy == "static":
        served = static(
            plain, task, records, slots=int(load.slots), fill_wait=float(load.fill_wait), prefill=prefill,
            streamed=load.answers == "streamed", log=log,
        )  # fmt: skip
        return Run(records, log, block, load.size, served)
    engine = colocated(
        plain, task, records, list(range(len(records))), prefill_tokens=16_384 if prefill else None,
        slots=int(load.slots), log=log,
    )  # fmt: skip
    next(engine)
    for _ in _until_the_end(engine):
        raise AssertionError("an instance that knows its whole queue runs to the end")
    if not prefill:
        records.start_s = list(records.first_token_s)
    return Run(records, log, block, load.size)


def _until_the_end(engine: Any) -> Any:
    try:
        yield engine.send(FOREVER)
    except StopIteration:
        return


def experiment(
    library: Library, *, model: str | None = None, accelerator: str | None = None, **choices: Any
) -> Experiment:
    """Slots filled by one policy; on the clock of steps, or with model and accelerator on that of seconds."""
    known = {field.name for field in fields(Load)}
    if unknown := set(choices) - known:
        raise TypeError(f"batching takes no `{min(unknown)}`; valid: {', '.join(sorted(known))}, model, accelerator")
    load = Load(**{name: float(one) if name in NUMBERS else one for name, one in choices.items()})
    tokens = library.assume("kv-block-tokens")
    block = int(tokens)
    inputs: dict[str, Traced] = {"block_tokens": tokens}
    settings = {"policy": load.policy, "allocation": load.allocation}
    if load.policy == "static" and load.answers != "together":
        settings["answers"] = load.answers
    identity = [[field.name, getattr(load, field.name)] for field in fields(Load)]
    if (model is None) != (accelerator is None):
        raise NotSupported("the clock of seconds wants both a model and an accelerator")
    if model is None or accelerator is None:
        if load.rate:
            raise NotSupported("a rate per second wants a model and an accelerator; on the clock of steps give `load`")

        def run(seed: int) -> Mapping[str, float]:
            return batching_metrics.of_steps(run_of_steps(replace(load, observed=0), block, seed), load)
    else:
        wrong = [name for name in ("load", *_STEPS_ONLY) if getattr(load, name) != getattr(Load, name)]
        if wrong or load.allocation == "blocks":
            raise NotSupported(f"{(wrong or ['allocation blocks'])[0]} is for the clock of steps, without a model")
        record, card = library.find("models", model), library.find("accelerators", accelerator)
        inputs |= inputs_of(record, card, library)
        settings |= {"model": record.id, "accelerator": card.id}
        identity.append([repr(record.config), repr(record.formats), record.kv_format])
        longest = int(load.longest) + block

        @cache
        def prepared() -> Costs:
            plain = costs(record, card, library, longest_prompt_tokens=longest, longest_request_tokens=longest)
            return _sized(plain, load, block)

        def run(seed: int) -> Mapping[str, float]:
            return batching_metrics.of_seconds(run_of_seconds(load, prepared(), block, seed), load)

    return Experiment("batching", inputs | _chosen(load), settings, identity, run)


def _chosen(load: Load) -> dict[str, Traced]:
    """The chosen numbers as traced leaves, by their names in the nomenclature; only those that play a part."""
    unused = {name for name in ("rate", "pool", "fill_wait", "observed") if not getattr(load, name)}
    unused |= {"output_median", "sigma"} if load.output_mean else {"output_mean"}
    if load.burst_ratio <= 1:
        unused |= {"burst_ratio", "burst_start", "burst_steps"}
    if load.rate:
        unused.add("load")
    return {
        published: chosen_number(getattr(load, name), published, NUMBERS[name])
        for name, published in _PUBLISHED_NAMES.items()
        if name not in unused
    }

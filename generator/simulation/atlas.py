"""The highest rate at which a configuration still meets its service level, by a seeded search, and the best split.

A rate is tried on a geometric ladder whose rung 0 is a closed-form capacity, so that one ladder suits a small model on
a large accelerator and the reverse. Each seed has its own crossing: between two neighbouring rungs its attainment falls
below the target, and there it is interpolated. The requests of a seed are the same on every rung, only their pace
differs. A run begins with answers under way, as many as the closed form has in the system, so that it need not fill up.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import exp, floor
from statistics import NormalDist, fmean, median
from typing import TYPE_CHECKING

from generator.simulation.requests import (
    LENGTH_SIGMA,
    LONGEST_OUTPUT,
    LONGEST_PROMPT,
    SHORTEST_OUTPUT,
    SHORTEST_PROMPT,
    Requests,
    generator_of,
    lengths_tokens,
    synthetic,
)
from generator.simulation.serving import Setup, serve
from generator.units import round_significant

if TYPE_CHECKING:
    from generator.simulation.costs import Costs

RUNG = 1.08
"""Ratio of two neighbouring rates of the ladder."""
LOWEST, HIGHEST = -40, 10
"""Ends of the ladder: below the lowest rung, under a twentieth of the capacity, a limit counts as never met."""
FIRST_TRY = -4
PILOT_SEEDS = (1_000_001, 1_000_002, 1_000_003)
"""Seeds that find the best split and the rung to begin with; no published figure comes from them."""
FILLING, COUNTED, BEHIND = 1.0, 1.0, 0.3
"""Arrivals before, among and after those that count, as multiples of the requests in the system."""
FILLING_LIMITS, COUNTED_LIMITS = 4.0, 10.0
"""The least time that requests before, and among, those that count take to arrive, in TTFT limits: a queue that grows
slowly needs time to miss the limit, and a run of so many limits does not see an overload of less than 8 %."""
FEWEST_COUNTED, MOST_REQUESTS = 300, 20_000
MOST_THERE = 8_000
LONGEST_TOKENS = LONGEST_PROMPT + LONGEST_OUTPUT
"""The longest request that can be drawn."""
_QUANTILES = 50


@dataclass(frozen=True)
class Case:
    """One configuration in plain numbers: all that a search needs, so that it can be sent to another process.

    prefill_instances: 0 for the best split; link_bytes_per_s: what one instance sends a cache with.
    """

    costs: Costs
    policy: str
    instances: int
    gpus: int
    prompt_median_tokens: float
    output_median_tokens: float
    ttft_limit_s: float
    tpot_limit_s: float
    target: float
    prefill_instances: int = 0
    link_bytes_per_s: float | None = None
    handover_s: float = 0.0


@dataclass(frozen=True)
class Trial:
    """One run: what the requests that count came to."""

    attainment: float
    ttft_p90_s: float
    tpot_p90_s: float
    goodput_per_gpu: float
    counted: int


@dataclass(frozen=True)
class Work:
    """Mean work of a request and what an instance has room for, from the costs: the scale of the ladder."""

    costs: Costs
    prefill_s: float
    steps: float
    context_tokens: float
    most: int
    """Mean requests that the cache of an instance holds."""

    def times_s(self, batch: float) -> tuple[float, float, float]:
        """Memory time, compute time and fixed time of a decode step of so many requests at the mean context."""
        costs, context = self.costs, self.context_tokens
        line = next(one for one in costs.lines if context <= one.upto_tokens)
        memory = costs.weights_s[int(batch)] + batch * (line.memory_s + line.memory_per_token_s * context)
        compute = batch * (line.compute_s + line.compute_per_token_s * context)
        return memory, compute, costs.fixed_s[int(batch)]

    def step_s(self, batch: float) -> float:
        """A decode step of so many requests at the mean context."""
        memory, compute, fixed = self.times_s(batch)
        return max(memory, compute) + fixed

    def decode_s(self) -> float:
        """Time of an instance that the decode of one request takes in a full batch."""
        return self.steps * self.step_s(self.most) / self.most

    def capacity_per_s(self) -> float:
        """Requests per second of one instance that prefills and decodes without pause."""
        return 1.0 / (self.prefill_s + self.decode_s())

    def in_system(self, rate_per_s: float, policy: str) -> float:
        """Requests that decode in one instance at a rate, in the mean.

        Prompts that go first hold every step up, prompts in pieces add to its compute time, others do neither.
        """
        left = 1.0 - min(rate_per_s * self.prefill_s, 0.9)
        batch = 1.0
        for _ in range(60):
            memory, compute, fixed = self.times_s(batch)
            step = max(memory, compute) + fixed
            if policy == "colocated":
                step /= left
            elif policy == "chunked":
                step = max(memory + fixed, (compute + fixed) / left)
            batch = min(max(rate_per_s * self.steps * step, 1.0), float(self.most))
        return batch


def quantiles_tokens(middle: float, shortest: int, longest: int) -> list[int]:
    """Lengths at the middle of equal parts of the distribution that requests are drawn from."""
    places = ((2 * part + 1) / (2 * _QUANTILES) for part in range(_QUANTILES))
    spread = NormalDist(0.0, LENGTH_SIGMA)
    return [min(max(round(middle * exp(spread.inv_cdf(place))), shortest), longest) for place in places]


def work_of(case: Case) -> Work:
    """The mean work of the requests of a case."""
    costs = case.costs
    prompts = quantiles_tokens(case.prompt_median_tokens, SHORTEST_PROMPT, LONGEST_PROMPT)
    outputs = quantiles_tokens(case.output_median_tokens, SHORTEST_OUTPUT, LONGEST_OUTPUT)
    prompt, output = fmean(prompts), fmean(outputs)
    # A long answer is read more often, so contexts count by the steps that read them.
    context = prompt + fmean(one * one for one in outputs) / (2 * output)
    # So does the room that a long answer holds.
    held = fmean(one * costs.request_bytes[min(round(prompt) + one, LONGEST_TOKENS)] for one in outputs) / output
    most = max(1, min(int(costs.pool_bytes / held), len(costs.weights_s) - 1))
    return Work(costs, fmean(costs.prompt_s[one] for one in prompts), output - 1, context, most)


@dataclass
class Search:
    """The search for one case; trials are kept, so that no run is done twice."""

    case: Case
    work: Work = field(init=False)
    trials: dict[tuple[int, int, int], Trial] = field(default_factory=dict)
    drawn: dict[int, Requests] = field(default_factory=dict)
    under_way: dict[int, Requests] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.work = work_of(self.case)
        self._pilot: tuple[int, int] | None = None

    def rate_per_s(self, rung: float) -> float:
        """Rate of all instances on a rung of the ladder."""
        return self.case.instances * self.work.capacity_per_s() * RUNG**rung

    def trial(self, split: int, rung: int, seed: int) -> Trial:
        """One run at one rate. split: prefill instances, 0 if all instances do both."""
        key = (split, rung, seed)
        if key not in self.trials:
            self.trials[key] = self._run(*key)
        return self.trials[key]

    def _run(self, split: int, rung: int, seed: int) -> Trial:
        import numpy

        case, rate = self.case, self.rate_per_s(rung)
        decoding = case.instances - split
        inside = decoding * self.work.in_system(rate / decoding, case.policy)
        patient = rate * case.ttft_limit_s
        counted = round(max(FEWEST_COUNTED, COUNTED * inside, COUNTED_LIMITS * patient))
        filling, behind = round(max(FILLING * inside, FILLING_LIMITS * patient)), round(BEHIND * inside)
        arriving = filling + counted + behind
        there = self._there(seed).first(min(round(inside), MOST_THERE))
        requests = self._requests(seed).first(arriving).at_rate(rate)
        records = serve(
            case.costs,
            Requests(
                there.arrival_s + requests.arrival_s,
                there.prompt_tokens + requests.prompt_tokens,
                there.output_tokens + requests.output_tokens,
            ),
            Setup(case.policy, case.instances, split, case.link_bytes_per_s, case.handover_s),
            cached_tokens=[one - 1 for one in there.prompt_tokens] + [0] * arriving,
        )
        filling += len(there)
        within = slice(filling, filling + counted)
        arrival, first = numpy.array(records.arrival_s[within]), numpy.array(records.first_token_s[within])
        outputs = numpy.array(records.output_tokens[within])
        ttft = first - arrival
        tpot = (numpy.array(records.finish_s[within]) - first) / numpy.maximum(outputs - 1, 1)
        attained = (ttft <= case.ttft_limit_s) & (tpot <= case.tpot_limit_s)
        share = float(attained.mean())
        return Trial(
            share, float(numpy.percentile(ttft, 90)), float(numpy.percentile(tpot, 90)), share * rate / case.gpus,
            counted,
        )  # fmt: skip

    def _requests(self, seed: int) -> Requests:
        if seed not in self.drawn:
            self.drawn[seed] = synthetic(
                generator_of(seed), requests=MOST_REQUESTS, rate_per_s=1.0,
                prompt_median_tokens=self.case.prompt_median_tokens,
                output_median_tokens=self.case.output_median_tokens,
            )  # fmt: skip
        return self.drawn[seed]

    def _there(self, seed: int) -> Requests:
        """Requests that are half answered when a run begins; what they have is in the cache, as if it were prompt.

        A long answer is more likely to be under way: lengths weighted by themselves are lognormal again.
        """
        if seed not in self.under_way:
            import numpy

            generator = generator_of(seed + 2_000_003)
            given = {"requests": MOST_THERE, "sigma": LENGTH_SIGMA}
            prompts = numpy.array(lengths_tokens(
                generator, median=self.case.prompt_median_tokens, shortest=SHORTEST_PROMPT, longest=LONGEST_PROMPT,
                **given,
            ))  # fmt: skip
            outputs = numpy.array(lengths_tokens(
                generator, median=self.case.output_median_tokens * exp(LENGTH_SIGMA**2), shortest=SHORTEST_OUTPUT,
                longest=LONGEST_OUTPUT, **given,
            ))  # fmt: skip
            done = numpy.floor(generator.random(MOST_THERE) * (outputs - 1)).astype(int)
            self.under_way[seed] = Requests([0.0] * MOST_THERE, (prompts + done).tolist(), (outputs - done).tolist())
        return self.under_way[seed]

    def crossing(self, split: int, seed: int, start: int) -> int | None:
        """A rung on which the target is met while it is missed on the next; None if no rung meets it.

        Strides from `start` double until they are past the crossing; halving finds it in between.
        """

        def meets(rung: int) -> bool:
            return rung <= HIGHEST and self.trial(split, rung, seed).attainment >= self.case.target

        stride = 1
        if meets(start):
            low, high = start, start + 1
            while meets(high):
                low, stride = high, 2 * stride
                high = min(high + stride, HIGHEST + 1)
        else:
            low, high = max(start - 1, LOWEST), start
            while not meets(low):
                if low == LOWEST:
                    return None
                high, stride = low, 2 * stride
                low = max(low - stride, LOWEST)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if meets(middle) else (low, middle)
        return low

    def height(self, split: int, seed: int, start: int) -> float | None:
        """The crossing between its two rungs, where the straight line between their attainments meets the target."""
        rung = self.crossing(split, seed, start)
        if rung is None or rung == HIGHEST:
            return rung
        above = self.trial(split, rung, seed).attainment
        below = self.trial(split, rung + 1, seed).attainment
        return rung + (above - self.case.target) / (above - below)

    def splits(self) -> range:
        """Prefill instances that can be chosen."""
        if self.case.policy != "disaggregated":
            return range(1)
        fixed = self.case.prefill_instances
        return range(fixed, fixed + 1) if fixed else range(1, self.case.instances)

    def pilot(self) -> tuple[int, int]:
        """The best split, and the rung on which its seeds begin.

        From the split that divides the instances like the work, one instance at a time moves over for as long as that
        raises the rate of the pilot seeds.
        """
        if self._pilot is None:
            splits = self.splits()
            seeds = PILOT_SEEDS if len(splits) > 1 else PILOT_SEEDS[:1]
            heights: dict[int, list[float]] = {}

            def score(split: int) -> float:
                if split not in splits:
                    return float("-inf")
                if split not in heights:
                    found, start = [], FIRST_TRY
                    for seed in seeds:
                        height = self.height(split, seed, start)
                        found.append(LOWEST - 1.0 if height is None else height)
                        start = max(floor(found[-1]), LOWEST)
                    heights[split] = found
                return fmean(heights[split])

            share = self.work.prefill_s / (self.work.prefill_s + self.work.decode_s())
            best = min(max(round(self.case.instances * share), splits[0]), splits[-1])
            while True:
                better = max((best - 1, best + 1), key=score)
                if score(better) <= score(best):
                    break
                best = better
            self._pilot = best, max(floor(median(heights[best])), LOWEST)
        return self._pilot

    def metrics(self, seed: int) -> dict[str, float]:
        """What one seed comes to; a rate of 0 where even the lowest rung misses the target."""
        case = self.case
        split, start = self.pilot()
        height = self.height(split, seed, start)
        trial = self.trial(split, LOWEST if height is None else floor(height), seed)
        capacity = self.rate_per_s(0) / case.gpus
        rate = 0.0 if height is None else self.rate_per_s(height) / case.gpus
        found = {
            "attained_rate_per_gpu": rate,
            "goodput_per_gpu": 0.0 if height is None else trial.goodput_per_gpu,
            "attainment": trial.attainment,
            "ttft_p90_s": trial.ttft_p90_s,
            "tpot_p90_s": trial.tpot_p90_s,
            "capacity_per_gpu": capacity,
            "capacity_share": rate / capacity,
            "counted_requests": float(trial.counted),
        }
        if case.policy == "disaggregated":
            found["prefill_gpus"] = float(split * case.gpus // case.instances)
        return {name: round_significant(value, 12) for name, value in found.items()}

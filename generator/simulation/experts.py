"""Tokens over experts over accelerators: who gets how many in each layer of each step, and how long the step takes.

Records first, metrics after: a run gives the tokens of every accelerator in every layer and step, and the experts it
read. The busiest accelerator of a layer sets the time of the layer, because all wait for each other at the exchange.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from generator.simulation.expert_costs import ExpertCosts
from generator.simulation.placement import Placement, place
from generator.simulation.routing import EXACT_TOKENS, counted, drawn, foreign_shares, inclusion, popularity

if TYPE_CHECKING:
    from numpy.random import Generator

TRACED_TOKENS = 128
"""Tokens of all layers together whose way to their experts is followed one by one, for the traffic between domains."""


@dataclass(frozen=True)
class Setup:
    """What is routed where. tokens: those of one step on all accelerators; domain_gpus: of one scale-up domain."""

    layers: int
    experts: int
    top_k: int
    gpus: int
    tokens: int
    skew: str = "measured"
    exponent: float = 1.0
    sigma: float = 1.0
    redundant: int = 0
    placement: str = "round-robin"
    stale: bool = False
    foreign: float = 0.0
    concentration: float = 4.0
    steps: int = 20
    domain_gpus: int = 8
    domain_limit: int = 0
    """Domains that a token may be sent to; 0 for all."""


@dataclass(frozen=True)
class Records:
    """What happened. tokens, read: (steps, layers, gpus); hottest: (steps, layers) tokens of the hottest expert."""

    tokens: Any
    read: Any
    hottest: Any
    touched: float
    """Share of the experts that get a token, mean over layers and steps."""
    outside: float
    """Experts of a token that live in another domain than the token, mean."""
    leaving: float
    """Other domains that a token is sent to, mean."""


def run(setup: Setup, generator: Generator) -> Records:
    """Route the tokens of all steps. Order of the draws: popularity, other traffic, its shares, counts, ways."""
    import numpy

    shares = popularity(
        generator, layers=setup.layers, experts=setup.experts, skew=setup.skew, exponent=setup.exponent,
        sigma=setup.sigma,
    )  # fmt: skip
    other = generator.permuted(shares, axis=1) if setup.stale or setup.foreign else shares
    mixed = foreign_shares(
        generator, steps=setup.steps, mean=1.0 if setup.stale else setup.foreign, concentration=setup.concentration
    )
    placed = place(shares, gpus=setup.gpus, redundant=setup.redundant, how=setup.placement)
    taken, foreign = inclusion(shares, setup.top_k), inclusion(other, setup.top_k)
    if mixed.min() == mixed.max():
        steps_taken = (taken + mixed[0] * (foreign - taken))[None]
    else:
        steps_taken = taken + mixed[:, None, None] * (foreign - taken)
    if setup.tokens <= EXACT_TOKENS:
        every = numpy.broadcast_to(steps_taken, (setup.steps, setup.layers, setup.experts))
        counts = numpy.stack([counted(generator, one, setup.tokens) for one in every])
    else:
        counts = drawn(generator, steps_taken, setup.tokens, setup.steps)
    outside, leaving = ways(generator, setup, placed, steps_taken[0])
    return Records(
        tokens=placed.spread(counts),
        read=placed.read(counts),
        hottest=counts.max(axis=-1),
        touched=float((counts > 0).mean()),
        outside=outside,
        leaving=leaving,
    )


def ways(generator: Generator, setup: Setup, placed: Placement, taken: Any) -> tuple[float, float]:
    """Experts of a token that live in other domains, and other domains that it is sent to, means over some tokens.

    Tokens begin in any domain alike. Under a limit a token goes to the domains in which the best k/M experts score
    highest together, and takes its experts there, as DeepSeek-V3 does. Copies beyond the first are left out.
    """
    import numpy

    domains = -(-setup.gpus // setup.domain_gpus)
    if domains == 1:
        return 0.0, 0.0
    layers, experts = taken.shape
    many = -(-TRACED_TOKENS // layers)
    home = numpy.zeros((layers, experts + 1), int)
    first = (placed.rank == 0) & (placed.slots < experts)
    layer, gpu, slot = numpy.nonzero(first)
    home[layer, placed.slots[layer, gpu, slot]] = gpu // setup.domain_gpus
    home = home[:, :experts]
    clocks = generator.standard_exponential((layers, many, experts), dtype=numpy.float32) + numpy.float32(1e-30)
    # The expert whose clock rings first is the best: an exponential race picks in proportion to popularity.
    score = numpy.log(taken[:, None, :].astype(numpy.float32)) - numpy.log(clocks)
    member = numpy.stack([home == one for one in range(domains)], axis=1)[:, None]
    if 0 < setup.domain_limit < domains:
        best = max(1, setup.top_k // setup.domain_limit)
        within = numpy.where(member, score[:, :, None, :], -numpy.inf)
        top = -numpy.partition(-within, best - 1, axis=-1)[..., :best]
        worth = numpy.where(numpy.isfinite(top), top, -50.0).sum(axis=-1)
        allowed = numpy.zeros(worth.shape, bool)
        numpy.put_along_axis(
            allowed, numpy.argpartition(-worth, setup.domain_limit - 1, axis=-1)[..., : setup.domain_limit], True, -1
        )
        score = numpy.where(numpy.take_along_axis(allowed, home[:, None, :].repeat(many, 1), -1), score, -1e9)
    chosen = numpy.argpartition(-score, setup.top_k - 1, axis=-1)[..., : setup.top_k]
    goes = numpy.take_along_axis(home[:, None, :].repeat(many, 1), chosen, axis=-1)
    begins = generator.integers(domains, size=(layers, many, 1))
    outside = float((goes != begins).sum(axis=-1).mean())
    reached = numpy.zeros((layers, many, domains), bool)
    numpy.put_along_axis(reached, goes, True, axis=-1)
    numpy.put_along_axis(reached, begins, False, axis=-1)
    return outside, float(reached.sum(axis=-1).mean())


@dataclass(frozen=True)
class Times:
    """Times of each step, in s: the step, what the busiest spend on experts, the exchanges, and an even load."""

    step: Any
    experts: Any
    exchange: Any
    balanced: Any


def times(setup: Setup, records: Records, costs: ExpertCosts, *, copies_each: str, all_layers: float) -> Times:
    """Time of each step. If fewer than all layers were simulated, each stands for several.

    copies_each: a token is sent once to each `expert`, or once to each `domain` and copied inside it.
    """
    import numpy

    weight = all_layers / setup.layers
    busiest = numpy.maximum(records.read * costs.read_s, records.tokens * costs.token_s).max(axis=2)
    even_read, even_tokens = records.read.mean(axis=2), records.tokens.mean(axis=2)
    even = numpy.maximum(even_read * costs.read_s, even_tokens * costs.token_s)
    token_s = hop_s = 0.0
    if setup.gpus > 1:
        outside = records.outside / setup.top_k
        sent = outside if copies_each == "expert" else records.leaving / setup.top_k
        inside = max(1 - 1 / setup.gpus - outside, 0.0)
        token_s = max(inside * costs.inside_token_s, sent * costs.outside_token_s)
        hop_s = costs.hop_s
    exchange = (records.tokens.max(axis=2) * token_s + hop_s).sum(axis=1) * weight
    even_exchange = (even_tokens * token_s + hop_s).sum(axis=1) * weight
    experts = busiest.sum(axis=1) * weight
    return Times(
        step=costs.rest_s + experts + exchange,
        experts=experts,
        exchange=exchange,
        balanced=costs.rest_s + even.sum(axis=1) * weight + even_exchange,
    )


def metrics(setup: Setup, records: Records, times: Times) -> dict[str, float]:
    """Metrics of one run by their names in the nomenclature."""
    import numpy

    mean = records.tokens.mean(axis=2)
    ratio = records.tokens.max(axis=2) / mean
    variation = records.tokens.std(axis=2) / mean
    step = numpy.asarray(times.step, float)
    p50, p90, p99 = (float(one) for one in numpy.percentile(step, (50, 90, 99)))
    each_expert = setup.tokens * setup.top_k / setup.experts
    found = {
        "expert_load_ratio": ratio.mean(),
        "expert_load_ratio_p99": numpy.percentile(ratio, 99),
        "expert_load_variation": variation.mean(),
        "hottest_expert_ratio": (records.hottest / each_expert).mean(),
        "expert_share_read": records.touched,
        "outside_share": records.outside / setup.top_k,
        "copies_leaving": records.leaving,
        "step_mean_s": step.mean(),
        "step_p50_s": p50,
        "step_p90_s": p90,
        "step_p99_s": p99,
        "step_tail_ratio": p99 / p50,
        "balanced_step_s": times.balanced.mean(),
        "imbalance_slowdown": step.mean() / times.balanced.mean(),
        "busiest_experts_s": times.experts.mean(),
        "expert_pass_s": times.exchange.mean(),
    }
    return {name: float(value) for name, value in found.items()}

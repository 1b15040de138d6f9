"""Serving under load: colocated, chunked and disaggregated, the same requests on the same accelerators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from generator.estimates.architecture import NotSupported
from generator.simulation.chunked import chunked
from generator.simulation.costs import Costs
from generator.simulation.handover import prefill_pool
from generator.simulation.instance import Instance, Task, colocated
from generator.simulation.iterations import Iterations
from generator.simulation.paged import paged
from generator.simulation.paged_batch import Prefixes
from generator.simulation.records import Records
from generator.simulation.requests import Requests
from generator.simulation.router import BALANCES, route

if TYPE_CHECKING:
    from numpy.random import Generator

POLICIES = ("colocated", "chunked", "disaggregated")
ALLOCATIONS = ("reserved", "blocks")
MOST_SLOTS = 16_384
"""Requests that one instance decodes at once unless a run says fewer: more than fit."""


@dataclass(frozen=True)
class Setup:
    """How requests are served. Counts of instances: one instance is one tensor-parallel group."""

    policy: str = "colocated"
    instances: int = 1
    prefill_instances: int = 0
    link_bytes_per_s: float | None = None
    handover_overhead_s: float = 0.0
    shared_link: bool = False
    budget_tokens: int = 512
    prefill_tokens: int = 16_384
    slots: int = MOST_SLOTS
    balance: str = "least-loaded"
    allocation: str = "reserved"
    prefix_cache: bool = False
    draft_tokens: int = 0
    draft_s: float = 0.0
    """Time to draft the tokens of one step; added to every decode step."""

    def __post_init__(self) -> None:
        if self.policy not in POLICIES:
            raise NotSupported(f"no policy is called `{self.policy}`; valid: {', '.join(POLICIES)}")
        if self.balance not in BALANCES:
            raise NotSupported(f"no balance is called `{self.balance}`; valid: {', '.join(BALANCES)}")
        if self.allocation not in ALLOCATIONS:
            raise NotSupported(f"no allocation is called `{self.allocation}`; valid: {', '.join(ALLOCATIONS)}")
        if self.allocation == "blocks" and self.policy != "chunked":
            raise NotSupported(f"allocation in blocks is simulated for the policy chunked, not for {self.policy}")
        if self.prefix_cache and self.allocation != "blocks":
            raise NotSupported("a prefix cache keeps blocks: it needs `allocation: blocks`")
        if self.instances < 1:
            raise NotSupported(f"want at least one instance, got {self.instances}")
        if self.policy == "disaggregated":
            if not 1 <= self.prefill_instances < self.instances:
                raise NotSupported(
                    f"disaggregated serving splits {self.instances} instances into prefill and decode; "
                    f"prefill got {self.prefill_instances}; valid: 1 to {self.instances - 1}"
                )
            if not self.link_bytes_per_s or self.link_bytes_per_s <= 0:
                raise NotSupported(f"a link needs a bandwidth above 0, got {self.link_bytes_per_s}")


@dataclass(frozen=True)
class Clients:
    """A closed loop: each client sends its next request some time after the last answer."""

    count: int
    think_s: list[float]
    """By request."""


def speculative_steps(
    generator: Generator, output_tokens: list[int], *, acceptance: float, draft_tokens: int
) -> list[int]:
    """Decode steps of each request if each of the drafts is accepted with this probability until one is not.

    A step gives the accepted drafts and one token more; the first token of an answer comes from its prompt.
    """
    import numpy

    left = numpy.asarray(output_tokens) - 1
    steps = numpy.zeros(len(left), int)
    while (open_ := numpy.flatnonzero(left > 0)).size:
        hits = generator.random((open_.size, draft_tokens)) < acceptance
        accepted = numpy.cumprod(hits, axis=1).sum(axis=1)
        left[open_] -= accepted + 1
        steps[open_] += 1
    return steps.tolist()


def serve(
    costs: Costs,
    requests: Requests,
    setup: Setup,
    *,
    decode_steps: list[int] | None = None,
    cached_tokens: list[int] | None = None,
    clients: Clients | None = None,
    logs: list[Iterations] | None = None,
) -> Records:
    """Serve all requests and return what happened to each.

    decode_steps: where drafts are checked, from `speculative_steps`; cached_tokens: tokens of each prompt that a prefix
    cache holds; logs: gets one entry for each instance, prefill instances first.
    """
    records = Records(list(requests.arrival_s), requests.prompt_tokens, requests.output_tokens)
    count = len(requests)
    if setup.draft_tokens:
        assert decode_steps is not None
        growth = [max(o - 1, 1) / max(k, 1) for o, k in zip(requests.output_tokens, decode_steps, strict=True)]
    else:
        decode_steps, growth = [tokens - 1 for tokens in requests.output_tokens], None
    entries = None
    if logs is not None:
        entries = [Iterations() for _ in range(setup.instances)]
        logs.extend(entries)
    ready = records.arrival_s
    decoders, first_decoder = setup.instances, 0
    if setup.policy == "disaggregated":
        assert setup.link_bytes_per_s is not None
        if clients is not None:
            raise NotSupported("a closed loop needs one instance for both phases; valid: colocated, chunked")
        ready = prefill_pool(
            costs, records, instances=setup.prefill_instances, link_bytes_per_s=setup.link_bytes_per_s,
            overhead_s=setup.handover_overhead_s, cached_tokens=cached_tokens, prefill_tokens=setup.prefill_tokens,
            shared_link=setup.shared_link, logs=entries and entries[: setup.prefill_instances],
        )  # fmt: skip
        first_decoder = setup.prefill_instances
        decoders -= first_decoder
    order = sorted(range(count), key=ready.__getitem__) if setup.policy == "disaggregated" else list(range(count))
    follower = think = None
    balance = setup.balance
    if clients is not None:
        # Client k sends requests k, k + count, k + 2 count, ... and stays with one instance.
        order, balance = order[: clients.count], "round-robin"
        follower = [one if one < count else -1 for one in range(clients.count, count + clients.count)]
        think = clients.think_s
    task = Task(ready, decode_steps, growth, cached_tokens, setup.draft_tokens + 1, follower, think, setup.draft_s)

    prefixes = None
    if requests.prefix_blocks is not None and setup.prefix_cache:
        prefixes = Prefixes(requests.prefix_blocks, requests.block_tokens)

    def start(number: int, queue: list[int]) -> Instance:
        number += first_decoder
        log = entries[number] if entries is not None else None
        if setup.allocation == "blocks":
            return paged(
                costs, task, records, queue, number=number, budget_tokens=setup.budget_tokens, slots=setup.slots,
                caching=setup.prefix_cache, prefixes=prefixes, log=log,
            )  # fmt: skip
        if setup.policy == "chunked":
            return chunked(
                costs, task, records, queue, number=number, budget_tokens=setup.budget_tokens, slots=setup.slots,
                log=log,
            )  # fmt: skip
        tokens = None if setup.policy == "disaggregated" else setup.prefill_tokens
        return colocated(costs, task, records, queue, number=number, prefill_tokens=tokens, slots=setup.slots, log=log)

    route(start, decoders, order, ready, balance, requests.prefix_blocks)
    return records

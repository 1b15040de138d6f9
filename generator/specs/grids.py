"""Records of grids: what a sweep of simulations goes over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from generator.specs.fields import Count, Id, Record, Seconds, Share, Spec


@dataclass(frozen=True, kw_only=True)
class ServiceLevel(Record):
    """Limits that a request has to stay within: time to first token, and mean time per output token."""

    id: Id
    name: str
    ttft: Seconds
    tpot: Seconds


@dataclass(frozen=True, kw_only=True)
class Grid(Spec):
    """A goodput atlas: every model with every accelerator, request shape, service level, size and policy.

    `gpus` are sizes of a fleet; `target` is the share of the requests that has to stay within the limits; `link` is the
    network link of one accelerator, over which caches go from prefill to decode; `seeds` is the number of runs.
    """

    models: list[Id]
    accelerators: list[Id]
    workloads: list[Id]
    limits: list[ServiceLevel]
    gpus: list[int]
    policies: list[Literal["colocated", "chunked", "disaggregated"]]
    link: Id
    target: Share
    seeds: Count

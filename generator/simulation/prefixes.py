"""Prefix hits of a real trace: its blocks, replayed in order of arrival through a cache of a given size."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from generator.estimates.architecture import NotSupported
from generator.estimates.layouts import check_range, chosen_number
from generator.simulation.outcomes import Experiment
from generator.simulation.requests import Requests
from generator.simulation.tiers import UNLIMITED, Tiers, prefix_hits
from generator.simulation.traces import BLOCK_TOKENS, read
from generator.specs.library import Library
from generator.units import round_significant

NUMBERS = {"blocks": "count"}
WORDS: dict[str, tuple[str, ...]] = {"trace": ()}


def replay(requests: Requests, blocks: float = UNLIMITED) -> list[int]:
    """Hit tokens of each request: the blocks at its beginning that a cache of so many blocks still holds.

    The blocks of a prompt are in the cache from its arrival on; the least recently used one goes first, and of one
    prompt the last. The last block of a prompt may be shorter than the others.
    """
    assert requests.prefix_blocks is not None
    cache, size = Tiers([blocks]), requests.block_tokens
    return [
        min(prefix_hits(cache, one) * size, prompt)
        for one, prompt in zip(requests.prefix_blocks, requests.prompt_tokens, strict=True)
    ]


class Plan:
    """One replay. blocks: what the cache holds, without it everything."""

    def __init__(self, library: Library, *, trace: str, blocks: float | None = None):
        self.record = library.find("traces", trace)
        self.file = library.table("traces", trace)
        if blocks is not None:
            check_range("blocks", blocks, 0)
        self.blocks = UNLIMITED if blocks is None else int(blocks)
        self.derived = library.derived

    @cached_property
    def requests(self) -> Requests:
        """The requests of the trace, read once for all sizes of the cache. Raises NotSupported without blocks."""
        key = ("prefixes", str(self.file))
        if key not in self.derived:
            self.derived[key] = read(self.file, int(self.record.block_tokens or BLOCK_TOKENS))
        if self.derived[key].prefix_blocks is None:
            raise NotSupported(f"{self.record.name} does not say which prompts begin alike")
        return self.derived[key]

    def metrics(self, seed: int) -> Mapping[str, float]:
        """What the replay comes to; nothing is drawn."""
        requests = self.requests
        hits = replay(requests, self.blocks)
        size, prompts = requests.block_tokens, requests.prompt_tokens
        blocks = requests.prefix_blocks or []
        found = {
            "prefix_hit_share": sum(hits) / sum(prompts),
            "block_hit_share": sum(-(-hit // size) for hit in hits) / sum(map(len, blocks)),
            "request_hit_share": sum(hit / prompt for hit, prompt in zip(hits, prompts, strict=True)) / len(hits),
            "distinct_blocks": float(len({block for one in blocks for block in one})),
        }
        return {name: round_significant(value, 12) for name, value in found.items()}


def experiment(library: Library, **choices: Any) -> Experiment:
    """The replay of a trace through a cache; the choices are those of `Plan`."""
    plan = Plan(library, **choices)
    inputs: dict[str, Any] = {"requests": plan.record.requests, "block_tokens": plan.record.block_tokens}
    if plan.blocks != UNLIMITED:
        inputs["cache_blocks"] = chosen_number(plan.blocks, "cache_blocks")
    return Experiment(
        "prefixes", inputs=inputs, settings={"trace": plan.record.id}, identity=[_digest(plan)],
        run=plan.metrics, seeded=False,
    )  # fmt: skip


def _digest(plan: Plan) -> str:
    import hashlib

    return hashlib.sha256(plan.file.read_bytes()).hexdigest()

"""The cache of an engine as a pool of equal blocks: which layers share a block, and what a request takes of it.

Layers of one kind form groups of equally many layers. Each group has a block table of its own, and a block holds one
page of every layer of a group; so a model with windows or states beside full layers spends blocks by group.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from generator.estimates.architecture import Architecture, NotSupported
from generator.estimates.attention_groups import AttentionGroup
from generator.estimates.engine_releases import COUNTED_BY_REQUESTS_SINCE, TWO_STATES_SINCE, Release
from generator.estimates.layouts import Layout
from generator.formulas import engine_memory, memory
from generator.provenance import choice
from generator.specs.library import Library

Number = Any
ALIKE = 1.25
"""Kinds whose layer counts differ by less form groups of the larger count."""


@dataclass(frozen=True)
class Pool:
    """How a pool is cut, on one accelerator."""

    block_bytes: Number
    block_tokens: Number
    layer_groups: Number
    request_blocks: Number
    context_tokens: Number
    counted_by_requests: Number
    hybrid: bool
    """Whether several groups of layers share it."""

    def blocks(self, engine_kv_bytes: Number) -> Number:
        """Whole blocks in that much memory."""
        return engine_memory.kv_pool_blocks(engine_kv_bytes=engine_kv_bytes, kv_block_bytes=self.block_bytes)

    def tokens(self, engine_kv_bytes: Number) -> Number:
        """Tokens as the engine prints them."""
        return engine_memory.engine_pool_tokens(
            kv_pool_blocks=self.blocks(engine_kv_bytes), layer_groups=self.layer_groups,
            block_tokens=self.block_tokens, request_blocks=self.request_blocks, context_tokens=self.context_tokens,
            counted_by_requests=self.counted_by_requests,
        )  # fmt: skip

    def requests(self, engine_kv_bytes: Number) -> Number:
        """Requests of the longest length."""
        return engine_memory.engine_pool_requests(
            kv_pool_blocks=self.blocks(engine_kv_bytes), request_blocks=self.request_blocks
        )


@dataclass(frozen=True)
class _Kind:
    """Layers that cache alike on one accelerator: bytes of a token, or of a state."""

    layers: int
    token_bytes: Number | None
    window: Number | None
    state_bytes: Number | None


def _kinds(architecture: Architecture, chosen: Layout, release: Release) -> list[_Kind]:
    found: dict[tuple[float, float, float], _Kind] = {}
    for group in architecture.attention:
        kind = _kind(group, chosen, release)
        if kind is None:
            continue
        key = tuple(float(one or 0) for one in (kind.token_bytes, kind.window, kind.state_bytes))
        before = found[key].layers if key in found else 0
        found[key] = _Kind(before + kind.layers, kind.token_bytes, kind.window, kind.state_bytes)
    return list(found.values())


def _kind(group: AttentionGroup, chosen: Layout, release: Release) -> _Kind | None:
    if group.state_bytes is not None:
        state = engine_memory.linear_state_bytes_per_gpu(linear_state_bytes=group.state_bytes, tp=chosen.tp)
        return _Kind(int(group.layers), None, None, state)
    whole = group.kv_bytes_per_token or group.window_bytes_per_token
    if whole is None:
        return None
    if group.kv_bytes_per_token is not None and group.window_bytes_per_token is not None:
        raise NotSupported("an engine's pool of compressed caches is not known")
    each = engine_memory.kv_bytes_per_token_per_gpu(
        kv_bytes_per_token=whole,
        kv_replication=memory.kv_replication(tp=chosen.tp, n_kv_heads=group.replicas_limit),
        tp=chosen.tp,
    )
    return _Kind(int(group.layers), each, group.window_tokens if release.hybrid_pool else None, None)


def pool(
    architecture: Architecture,
    chosen: Layout,
    library: Library,
    release: Release,
    *,
    step_tokens: Number,
    context_tokens: Number,
    block_tokens: Number | None = None,
) -> Pool:
    """The pool of one accelerator. Raises NotSupported for caches that no engine is known to allot."""
    kinds = _kinds(architecture, chosen, release)
    if not kinds:
        raise NotSupported(f"{architecture.model.id} keeps no cache")
    block = block_tokens or library.assume("kv-block-tokens")
    counted = _number(int(release.since(COUNTED_BY_REQUESTS_SINCE)), "counted_by_requests")
    common = {"context_tokens": context_tokens, "counted_by_requests": counted}
    if len({(kind.window, kind.state_bytes) for kind in kinds}) == 1:
        return _uniform(kinds, chosen, block, step_tokens, common)
    return _hybrid(kinds, chosen, block, step_tokens, release, common)


def _uniform(kinds: list[_Kind], chosen: Layout, block: Number, steps: Number, common: dict[str, Number]) -> Pool:
    """One group: a block holds a page of every layer, whatever its size."""
    if kinds[0].token_bytes is None:
        raise NotSupported("a model of states alone has no cache of tokens")
    layers = tuple(
        engine_memory.layers_per_stage(layers=_number(kind.layers, "layers"), pp=chosen.pp) for kind in kinds
    )
    pages = tuple(
        engine_memory.kv_page_bytes(kv_bytes_per_token_per_gpu=kind.token_bytes, block_tokens=block) for kind in kinds
    )
    size = memory.kv_bytes_per_token(layers_by_group=layers, kv_bytes_per_token_by_group=pages)
    kind = kinds[0]
    blocks = _window(kind, block, steps, common) if kind.window else _full(block, common)
    return Pool(size, block, _number(1, "layer_groups"), blocks, hybrid=False, **common)


def _hybrid(
    kinds: list[_Kind], chosen: Layout, block: Number, steps: Number, release: Release, common: dict[str, Number]
) -> Pool:
    """Groups of equally many layers over pages of one size; the block of the largest layer is stretched to a state."""
    widest = max((kind.token_bytes for kind in kinds if kind.token_bytes is not None), key=float)
    states = [kind.state_bytes for kind in kinds if kind.state_bytes is not None]
    if states:
        block = engine_memory.state_block_tokens(
            linear_state_bytes_per_gpu=max(states, key=float), kv_bytes_per_token_per_gpu=widest, block_tokens=block
        )
    page = engine_memory.kv_page_bytes(kv_bytes_per_token_per_gpu=widest, block_tokens=block)
    counts = [max(kind.layers / chosen.pp, 1) for kind in kinds]
    together = max(counts) if max(counts) < ALIKE * min(counts) else min(counts)
    groups = tuple(_number(math.ceil(count / together), "layer_groups") for count in counts)
    blocks = []
    for kind in kinds:
        # Narrower layers fit more tokens into the page that all layers share.
        own = block if kind.token_bytes is None else _number(float(page) / float(kind.token_bytes), "block_tokens")
        if kind.state_bytes is not None:
            blocks.append(_number(2 if release.since(TWO_STATES_SINCE) else 1, "blocks"))
        else:
            blocks.append(_window(kind, own, steps, common) if kind.window else _full(own, common))
    return Pool(
        engine_memory.kv_block_bytes(kv_page_bytes=page, layers_per_block=_number(together, "layers_per_block")),
        block,
        engine_memory.layer_groups(layer_groups_by_component=groups),
        engine_memory.request_blocks(layer_groups_by_component=groups, blocks_by_component=tuple(blocks)),
        hybrid=True,
        **common,
    )


def _number(value: float, name: str) -> Number:
    return choice(float(value), name=name, unit="count", reason="how the engine allots layers to blocks")


def _full(block: Number, common: dict[str, Number]) -> Number:
    return engine_memory.full_blocks(context_tokens=common["context_tokens"], block_tokens=block)


def _window(kind: _Kind, block: Number, steps: Number, common: dict[str, Number]) -> Number:
    return engine_memory.window_blocks(
        context_tokens=common["context_tokens"], window_tokens=kind.window, step_tokens=steps, block_tokens=block
    )

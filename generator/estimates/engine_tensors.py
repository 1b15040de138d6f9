"""The matrices of a model as an engine fuses and splits them: their sizes, and what a group does not split."""

from __future__ import annotations

from typing import Any

from generator.estimates.architecture import Architecture
from generator.estimates.layouts import Layout
from generator.provenance import choice
from generator.specs.records import GroupedQueryAttention, LatentAttention

Number = Any


def fused(architecture: Architecture, chosen: Layout, *, least_bytes: float) -> tuple[list[Number], list[Number]]:
    """How many matrices of each size above `least_bytes` one accelerator holds, and the sizes.

    Smaller ones share pages of the allocator.
    """
    found: dict[float, float] = {}

    def add(count: Number, rows: Number, columns: Number, part: str) -> None:
        size = float(rows) * float(columns) * float(architecture.formats[part].bits) / 8
        if size >= least_bytes:
            found[size] = found.get(size, 0.0) + float(count) / float(chosen.pp)

    for group in architecture.model.config.attention:
        _attention(add, group, architecture, float(chosen.tp))
    for group in architecture.model.config.ffn:
        _ffn(add, group, architecture, float(chosen.tp))
    counts = [
        choice(count, name="tensors", unit="count", reason="matrices of this size, as the engine fuses them")
        for count in found.values()
    ]
    sizes = [
        choice(size, name="tensor_bytes", unit="B", reason="a matrix as the engine fuses and splits it")
        for size in found
    ]
    return counts, sizes


def _attention(add: Any, group: Any, architecture: Architecture, tp: float) -> None:
    d_model = architecture.model.config.d_model
    if isinstance(group, GroupedQueryAttention):
        queries = group.n_heads * group.head_dim / tp * (2 if group.output_gate else 1)
        pairs = 2 * max(group.n_kv_heads / tp, 1) * group.head_dim
        add(group.layers, queries + pairs, d_model, "attention")
        add(group.layers, group.n_heads * group.head_dim / tp, d_model, "attention")
    elif isinstance(group, LatentAttention):
        heads = group.n_heads / tp
        width = group.qk_nope_head_dim + group.qk_rope_head_dim
        add(group.layers, heads * width, group.q_lora_rank or d_model, "attention")
        down = group.kv_lora_rank + group.qk_rope_head_dim + (group.q_lora_rank or 0)
        add(group.layers, down, d_model, "attention")
        add(group.layers, heads * (group.qk_nope_head_dim + group.v_head_dim), group.kv_lora_rank, "attention")
        add(group.layers, heads * group.v_head_dim, d_model, "attention")


def _ffn(add: Any, group: Any, architecture: Architecture, tp: float) -> None:
    d_model = architecture.model.config.d_model
    if group.kind == "dense":
        add(group.layers, (2 if group.gated else 1) * group.intermediate / tp, d_model, "ffn")
        add(group.layers, group.intermediate / tp, d_model, "ffn")
        return
    width = group.latent or d_model
    inner = group.experts * group.expert_intermediate / tp
    add(group.layers, (2 if group.gated else 1) * inner, width, "experts")
    add(group.layers, inner, width, "experts")
    if group.shared_intermediate:
        add(group.layers, (2 if group.gated else 1) * group.shared_intermediate / tp, d_model, "ffn")
        add(group.layers, group.shared_intermediate / tp, d_model, "ffn")


def copied(architecture: Architecture, chosen: Layout) -> tuple[float, Number]:
    """Parameters on one accelerator that its tensor-parallel group does not split, and their bits.

    The down-projections to a latent, routers, and key and value matrices of heads beyond which a group copies them.
    """
    config = architecture.model.config
    d_model, tp = float(config.d_model), float(chosen.tp)
    total = 0.0
    for group in config.attention:
        if isinstance(group, LatentAttention):
            down = group.kv_lora_rank + group.qk_rope_head_dim + (group.q_lora_rank or 0)
            total += group.layers * d_model * down
        elif isinstance(group, GroupedQueryAttention) and tp > group.n_kv_heads:
            # One head on each accelerator; the share of one copy is n/tp of a head.
            share = (1 - group.n_kv_heads / tp) / (1 - 1 / tp)
            total += group.layers * 2 * group.head_dim * d_model * share
    for group in config.ffn:
        if group.kind == "moe":
            total += group.layers * group.experts * d_model
    return total / float(chosen.pp), architecture.formats["attention"].bits

"""Parts of a training estimate: attention FLOPs by layer kind, state by ZeRO stage, activations term by term."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from generator.estimates.architecture import Architecture
from generator.estimates.layouts import chosen_number
from generator.formulas import attention, training
from generator.specs.library import Library

Number = Any
STATE_PARTS = ("weight", "gradient", "master", "moment")


def _full_sequence_flops(architecture: Architecture, sequence_tokens: Number) -> Number:
    """Forward attention FLOPs of one token that sees the whole sequence, or as much of it as its layer can see."""

    def of(group: Any, spec: Any) -> Number:
        if spec.kind != "latent":
            return group.decode_flops(sequence_tokens)
        # Training expands the latent to full heads, as prefill does; decode works on the latent itself.
        index = spec.indexer
        seen = sequence_tokens
        if index is not None:
            seen = attention.visible_tokens(context_tokens=sequence_tokens, window_tokens=index.top_k)
        main = attention.latent_prefill_flops(
            n_heads=spec.n_heads,
            qk_nope_head_dim=spec.qk_nope_head_dim,
            qk_rope_head_dim=spec.qk_rope_head_dim,
            v_head_dim=spec.v_head_dim,
            seen_tokens=seen,
        )
        if index is None:
            return main
        scan = attention.index_flops(
            index_heads=index.n_heads, index_head_dim=index.head_dim, seen_tokens=sequence_tokens
        )
        return attention.layer_attention_flops(main_flops=main, window_flops=0, index_flops=scan)

    groups = tuple(zip(architecture.attention, architecture.model.config.attention, strict=True))
    return attention.attention_flops_per_token(
        layers_by_group=tuple(group.layers for group, _ in groups),
        attention_flops_by_group=tuple(of(group, spec) for group, spec in groups),
    )


def attention_flops(
    architecture: Architecture, sequence_tokens: Number | None, training_tokens: Number, flops: Number
) -> dict[str, Number | None]:
    """Attention FLOPs by both conventions, and the sums with 6·P_a·D; None without a sequence length."""
    names = {"attention_training_flops": "", "causal_attention_training_flops": "causal_"}
    if sequence_tokens is None:
        return dict.fromkeys([*names, *(f"training_flops_with_{way}attention" for way in names.values())])
    per_token = {
        "attention_training_flops": _full_sequence_flops(architecture, sequence_tokens),
        "causal_attention_training_flops": architecture.prefill_attention_flops(sequence_tokens),
    }
    result: dict[str, Number | None] = {}
    for name, way in names.items():
        result[name] = training.layer_attention_training_flops(
            attention_flops_per_token=per_token[name], training_tokens=training_tokens
        )
        result[f"training_flops_with_{way}attention"] = training.training_flops_with_attention(
            training_flops=flops, attention_training_flops=result[name]
        )
    return result


def state_of_stage(parts: dict[str, Number], zero: int) -> dict[str, Number]:
    """Bytes per parameter that each data-parallel rank keeps, and those that the ranks share out, at a ZeRO stage."""
    shared = {0: (), 1: ("master", "moment"), 2: ("gradient", "master", "moment"), 3: STATE_PARTS}[zero]

    def bytes_of(wanted: Callable[[str], bool]) -> Number:
        return training.state_bytes_per_param(
            **{f"{part}_state_bytes": parts[part] if wanted(part) else 0 for part in STATE_PARTS}
        )

    return {
        "replicated_state_bytes_per_param": bytes_of(lambda part: part not in shared),
        "sharded_state_bytes_per_param": bytes_of(lambda part: part in shared),
    }


def activation_bytes_per_token(architecture: Architecture, library: Library, recompute: str) -> Number | None:
    """Activations of one token that are kept for the backward pass, over all layers.

    The sum of Korthikanti et al. term by term, without dropout, for grouped heads and gated or routed feed-forward
    networks. None for latent, linear, compressed and indexed attention: what their kernels keep is not published.
    """
    config = architecture.model.config
    values = library.assume("activation-bytes")
    if recompute == "full":
        return training.checkpoint_activation_bytes_per_token(
            layers=config.layers, d_model=config.d_model, activation_bytes_per_value=values
        )
    if any(group.kind not in ("full", "sliding", "chunked") for group in config.attention):
        return None

    def ffn(group: Any) -> Number:
        common = {"d_model": config.d_model, "activation_bytes_per_value": values}
        if group.kind == "dense":
            return training.ffn_activation_bytes(
                intermediate=group.intermediate, kept_intermediates=3 if group.gated else 2, **common
            )
        return training.moe_activation_bytes(
            top_k=group.top_k,
            expert_intermediate=group.expert_intermediate,
            shared_intermediate=group.shared_intermediate,
            **common,
        )

    return training.layer_activation_bytes_per_token(
        layers_by_group=tuple(group.layers for group in config.attention),
        activation_bytes_by_group=tuple(
            training.attention_activation_bytes(
                d_model=config.d_model,
                n_heads=group.n_heads,
                n_kv_heads=group.n_kv_heads,
                head_dim=group.head_dim,
                activation_bytes_per_value=values,
            )
            for group in config.attention
        ),
        ffn_layers_by_group=tuple(group.layers for group in config.ffn),
        ffn_activation_bytes_by_group=tuple(ffn(group) for group in config.ffn),
    )


def state_parts(library: Library, given: dict[str, float | None]) -> dict[str, Number]:
    """Bytes per parameter of each part of the state: as given, else the assumption."""
    assumed = {
        "weight": "training-weight-bytes",
        "gradient": "training-gradient-bytes",
        "master": "master-weight-bytes",
        "moment": "adam-moments-bytes",
    }
    return {
        part: library.assume(assumed[part]) if given[part] is None else chosen_number(given[part], f"{part}_bytes", "B")
        for part in STATE_PARTS
    }

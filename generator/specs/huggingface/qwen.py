"""Qwen 2 to 3.5, GLM-4.5 and MiniMax-M2: grouped heads with norms and biases, linear attention, routed experts."""

from __future__ import annotations

from typing import Any

from generator.specs.huggingface.groups import (
    Group,
    after_dense,
    by_type,
    decoder,
    dense,
    every,
    experts,
    heads,
    predicted_ahead,
    shared_width,
    windowed,
)
from generator.specs.huggingface.keys import Keys


def _qwen_attention(keys: Keys, layer: Group) -> list[Group]:
    """Full attention, and from `max_window_layers` on a window, if the file switches it on."""
    if not keys.flag("use_sliding_window", False) or keys.find("window") is None:
        return every(keys, layer)
    first = keys.count("max_window_layers")
    kinds = {"full_attention": layer, "sliding_attention": windowed(layer, "sliding", keys.size("window"))}
    return by_type(keys, kinds, lambda index: "sliding_attention" if index >= first else "full_attention")


def _qwen_ffn(keys: Keys, *, shared_gate: bool) -> list[Group]:
    """Experts in every `decoder_sparse_step`-th layer that is not in `mlp_only_layers`, dense networks elsewhere."""
    step = keys.size("decoder_sparse_step", 1)
    dense_only = keys.find("mlp_only_layers") or []
    is_moe = [index not in dense_only and (index + 1) % step == 0 for index in range(keys.size("layers"))]
    shared = keys.size("shared_intermediate") if shared_gate else 0
    routed = experts(keys, shared=shared, shared_gate=shared_gate)
    plain = routed if all(is_moe) else dense(keys)
    return [routed if moe else plain for moe in is_moe]


def qwen2(keys: Keys) -> dict[str, Any]:
    """Biases on queries, keys and values, whatever the file says."""
    return decoder(keys, _qwen_attention(keys, heads(keys, qkv_bias=True)), every(keys, dense(keys)))


def qwen3(keys: Keys) -> dict[str, Any]:
    """Queries and keys normalised per head."""
    bias = keys.flag("attention_bias", False)
    layer = heads(keys, head_dim_given=True, qkv_bias=bias, o_bias=bias, qk_norm="head")
    return decoder(keys, _qwen_attention(keys, layer), every(keys, dense(keys)))


def qwen2_moe(keys: Keys) -> dict[str, Any]:
    """Routed experts beside a gated shared one."""
    layer = heads(keys, qkv_bias=keys.flag("qkv_bias", True))
    return decoder(keys, _qwen_attention(keys, layer), _qwen_ffn(keys, shared_gate=True))


def qwen3_moe(keys: Keys) -> dict[str, Any]:
    """Routed experts alone."""
    bias = keys.flag("attention_bias", False)
    layer = heads(keys, qkv_bias=bias, o_bias=bias, qk_norm="head")
    return decoder(keys, _qwen_attention(keys, layer), _qwen_ffn(keys, shared_gate=False))


def qwen3_next(keys: Keys) -> dict[str, Any]:
    """Also Qwen3.5: gated linear attention, and every few layers full attention with an output gate."""
    full = heads(
        keys, head_dim_given=True, output_gate=keys.flag("attn_output_gate", True), qk_norm="head",
        qkv_bias=keys.flag("attention_bias", False), o_bias=keys.flag("attention_bias", False),
    )  # fmt: skip
    linear = {
        "kind": "linear",
        **{name: keys.size(name) for name in ("n_key_heads", "key_head_dim", "n_value_heads", "value_head_dim")},
        "conv_kernel": keys.size("conv_kernel"),
        "state_bytes_per_value": {"float32": 4, "bfloat16": 2, "float16": 2}.get(
            str(keys.find("mamba_ssm_dtype", "float32")), 4
        ),
    }
    interval = keys.size("full_attention_interval", 4)
    attention = by_type(
        keys,
        {"full_attention": full, "linear_attention": linear},
        lambda index: "linear_attention" if (index + 1) % interval else "full_attention",
    )
    predicted_ahead(keys)
    if keys.find("experts") is None:
        return decoder(keys, attention, every(keys, dense(keys)))
    return decoder(keys, attention, _qwen_ffn(keys, shared_gate=True))


def glm4_moe(keys: Keys) -> dict[str, Any]:
    """GLM-4.5 to 4.7: biases without one on the output, first layers dense, sigmoid routing with a bias an expert."""
    norm = "head" if keys.flag("use_qk_norm", False) else None
    layer = heads(keys, head_dim_given=True, qkv_bias=keys.flag("attention_bias", False), qk_norm=norm)
    routed = experts(keys, shared=shared_width(keys), router_bias=True)
    predicted_ahead(keys)
    return decoder(keys, every(keys, layer), after_dense(keys, routed))


def minimax_m2(keys: Keys) -> dict[str, Any]:
    """Queries and keys normalised over all heads; the feed-forward width is that of one expert."""
    if any(kind != 1 for kind in keys.find("attn_type_list") or []):
        keys.wrong.append("attn_type_list has layers that are not softmax attention")
    norm = None
    if keys.flag("use_qk_norm", True):
        norm = "layer" if keys.find("qk_norm_type", "per_layer") == "per_layer" else "head"
    layer = heads(keys, head_dim_given=True, qk_norm=norm)
    routed = experts(
        keys, width="intermediate", shared=keys.count("shared_intermediate"),
        router_bias=keys.flag("use_routing_bias", True),
    )  # fmt: skip
    if keys.flag("use_mtp", False):
        predicted_ahead(keys)
    return decoder(keys, every(keys, layer), every(keys, routed))

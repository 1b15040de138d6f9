"""Llama and what follows its shape: Mistral, Mixtral, Phi, Gemma, gpt-oss, Llama 4."""

from __future__ import annotations

from typing import Any

from generator.specs.huggingface.groups import Group, by_type, decoder, dense, every, experts, heads, windowed
from generator.specs.huggingface.keys import Keys


def llama(keys: Keys) -> dict[str, Any]:
    """Also Granite: all four projections share one switch for biases."""
    bias = keys.flag("attention_bias", False)
    extra = {}
    if keys.flag("mlp_bias", False):
        each = 2 * keys.size("intermediate") + keys.size("d_model")
        extra = {"other_params": keys.size("layers") * each, "other_note": "biases of the feed-forward networks"}
    return decoder(keys, every(keys, heads(keys, qkv_bias=bias, o_bias=bias)), every(keys, dense(keys)), **extra)


def _maybe_sliding(keys: Keys, layer: Group) -> Group:
    """Windowed on every layer if the file has a window shorter than the context."""
    window = keys.find("window")
    if window is None:
        return layer
    if window >= keys.size("max_context"):
        keys.notes.append(f"The window of {window} tokens is not shorter than the context: attention is full.")
        return layer
    return windowed(layer, "sliding", keys.size("window"))


def mistral(keys: Keys) -> dict[str, Any]:
    """Also Phi-3 and Phi-4, whose projections are fused: the same shape."""
    return decoder(keys, every(keys, _maybe_sliding(keys, heads(keys))), every(keys, dense(keys)))


def mixtral(keys: Keys) -> dict[str, Any]:
    """The feed-forward width is that of one expert."""
    layer = _maybe_sliding(keys, heads(keys))
    return decoder(keys, every(keys, layer), every(keys, experts(keys, width="intermediate")))


def phi(keys: Keys) -> dict[str, Any]:
    """Phi-1 to Phi-2: one norm with bias a layer, plain feed-forward network, biases everywhere, the head's too."""
    d_model = keys.size("d_model")
    layer = heads(keys, qkv_bias=True, o_bias=True)
    return decoder(
        keys,
        every(keys, layer),
        every(keys, dense(keys, gated=False, bias=True)),
        parallel_blocks=True,
        norm_params_per_layer=2 * d_model,
        final_norm_params=2 * d_model,
        other_params=keys.size("vocab"),
        other_note="bias of the head",
    )


def gemma(keys: Keys) -> dict[str, Any]:
    """Gemma 1: tied tables, heads wider than width over heads."""
    return decoder(keys, every(keys, heads(keys, head_dim_given=True)), every(keys, dense(keys)), tied=True)


def gemma2(keys: Keys) -> dict[str, Any]:
    """A window in every second layer from the first; four norms a layer."""
    layer = heads(keys, head_dim_given=True)
    kinds = {"full_attention": layer, "sliding_attention": windowed(layer, "sliding", keys.size("window"))}
    attention = by_type(keys, kinds, lambda index: "full_attention" if index % 2 else "sliding_attention")
    return decoder(keys, attention, every(keys, dense(keys)), tied=True, norm_params_per_layer=4 * keys.size("d_model"))


def gemma3(keys: Keys) -> dict[str, Any]:
    """Five windowed layers to one full layer, unless the file says otherwise; queries and keys normalised per head."""
    keys.class_default("vocab", 262208)
    keys.class_default("max_context", 131072)
    pattern = keys.size("sliding_window_pattern", 6)
    layer = heads(keys, head_dim_given=True, qk_norm="head")
    kinds = {"full_attention": layer, "sliding_attention": windowed(layer, "sliding", keys.size("window"))}
    attention = by_type(keys, kinds, lambda index: "sliding_attention" if (index + 1) % pattern else "full_attention")
    more = {"norm_params_per_layer": 4 * keys.size("d_model")}
    scaling = keys.find("rope_scaling") or {}
    if scaling.get("rope_type", scaling.get("type")) == "linear":
        # One table for windowed layers, and one as much longer for full layers as their positions are scaled.
        more["rotary_positions"] = int((1 + scaling["factor"]) * keys.size("max_context"))
    return decoder(keys, attention, every(keys, dense(keys)), tied=True, **more)


def gpt_oss(keys: Keys) -> dict[str, Any]:
    """Biases everywhere, a sink for each head, a window in every second layer from the first."""
    bias = keys.flag("attention_bias", True)
    layer = heads(keys, head_dim_given=True, qkv_bias=bias, o_bias=bias, sinks=True)
    kinds = {"full_attention": layer, "sliding_attention": windowed(layer, "sliding", keys.size("window"))}
    attention = by_type(keys, kinds, lambda index: "full_attention" if index % 2 else "sliding_attention")
    ffn = experts(keys, width="intermediate", router_bias=True, expert_bias=True)
    return decoder(keys, attention, every(keys, ffn))


def llama4(keys: Keys) -> dict[str, Any]:
    """Chunked attention except in layers without rotary positions; experts in every `interleave_moe_layer_step`-th."""
    count = keys.size("layers")
    layer = heads(keys)
    chunked = windowed(layer, "chunked", keys.size("chunk"))
    interval = keys.size("no_rope_layer_interval", 4)
    rotary = keys.find("no_rope_layers") or [int((index + 1) % interval != 0) for index in range(count)]
    kinds = {"full_attention": layer, "chunked_attention": chunked}
    attention = by_type(keys, kinds, lambda index: "chunked_attention" if rotary[index] else "full_attention")
    step = keys.size("interleave_moe_layer_step", 1)
    moe_layers = keys.find("moe_layers") or range(step - 1, count, step)
    routed = experts(keys, width="intermediate", shared=keys.size("intermediate"))
    plain = {"kind": "dense", "intermediate": keys.size("intermediate_size_mlp")} if len(moe_layers) < count else routed
    return decoder(keys, attention, [routed if index in moe_layers else plain for index in range(count)])

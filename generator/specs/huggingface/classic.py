"""GPT-2 and its time: plain feed-forward networks, norms with biases, learned positions."""

from __future__ import annotations

from typing import Any

from generator.specs.huggingface.groups import decoder, every, heads
from generator.specs.huggingface.keys import Keys


def _classic(keys: Keys, *, norms: int = 4, **more: Any) -> dict[str, Any]:
    """Multi-head attention and a plain feed-forward network with biases everywhere; `norms` vectors a layer."""
    d_model = keys.size("d_model")
    width = keys.size("intermediate", 4 * d_model)
    layer = heads(keys, qkv_bias=True, o_bias=True)
    ffn = {"kind": "dense", "intermediate": width, "gated": False, "bias": True}
    shape = {"norm_params_per_layer": norms * d_model, "final_norm_params": 2 * d_model, **more}
    return decoder(keys, every(keys, layer), every(keys, ffn), **shape)


def gpt2(keys: Keys) -> dict[str, Any]:
    """Learned positions, tied tables."""
    positions = keys.size("max_context") * keys.size("d_model")
    return _classic(keys, tied=True, other_params=positions, other_note="learned positions")


def gpt_neox(keys: Keys) -> dict[str, Any]:
    """Rotary positions, two tables."""
    return _classic(keys, parallel_blocks=keys.flag("use_parallel_residual", True) or None)


def opt(keys: Keys) -> dict[str, Any]:
    """Learned positions from the third row on, tied tables."""
    if keys.size("word_embed_proj_dim", keys.size("d_model")) != keys.size("d_model"):
        keys.wrong.append("word_embed_proj_dim differs from hidden_size, which is not known")
    if not keys.flag("enable_bias", True):
        keys.wrong.append("enable_bias is false, which is not known for opt")
    final = 2 * keys.size("d_model") if keys.flag("do_layer_norm_before", True) else 0
    positions = (keys.size("max_context") + 2) * keys.size("d_model")
    more = {"final_norm_params": final, "other_params": positions, "other_note": "learned positions"}
    return _classic(keys, tied=True, **more)


def mpt(keys: Keys) -> dict[str, Any]:
    """ALiBi, no biases: two weight vectors of norm a layer."""
    if not keys.flag("no_bias", True):
        keys.wrong.append("no_bias is false, which is not known for mpt")
    attention = keys.find("attn_config") or {}
    keys.given.setdefault("num_key_value_heads", attention.get("kv_n_heads"))
    width = keys.size("expansion_ratio", 4) * keys.size("d_model")
    ffn = {"kind": "dense", "intermediate": width, "gated": False}
    return decoder(keys, every(keys, heads(keys)), every(keys, ffn), tied=True)


def falcon(keys: Keys) -> dict[str, Any]:
    """One key-value head, or groups in the newer architecture; a shared norm, or one each, before parallel parts."""
    d_model = keys.size("d_model")
    newer = keys.flag("new_decoder_architecture", False)
    if not newer:
        keys.given["num_kv_heads"] = 1 if keys.flag("multi_query", True) else keys.size("n_heads")
        keys.given.pop("num_key_value_heads", None)
    bias = keys.flag("bias", False)
    parallel = newer or keys.flag("parallel_attn", True)
    norms = 2 if (newer and keys.find("num_ln_in_parallel_attn", 2) == 2) or not parallel else 1
    keys.class_default("max_context", 2048)
    switches = {"gated": False, "bias": True} if bias else {"gated": False}
    ffn = {"kind": "dense", "intermediate": keys.size("intermediate", 4 * d_model), **switches}
    return decoder(
        keys, every(keys, heads(keys, qkv_bias=bias, o_bias=bias)), every(keys, ffn), tied=True,
        parallel_blocks=parallel or None, norm_params_per_layer=2 * norms * d_model, final_norm_params=2 * d_model,
    )  # fmt: skip

"""DeepSeek V2 to V4, Kimi K2 and GLM-5: latent, indexed and compressed caches."""

from __future__ import annotations

from typing import Any

from generator.specs.huggingface.groups import (
    Group,
    after_dense,
    decoder,
    dense,
    every,
    experts,
    predicted_ahead,
    shared_width,
)
from generator.specs.huggingface.keys import Keys


def _latent(keys: Keys) -> Group:
    """Multi-head latent attention; without `q_lora_rank` queries are projected at full rank."""
    if keys.flag("attention_bias", False):
        keys.wrong.append("attention_bias is true: latent attention with biases is not known")
    ranks = ("kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim")
    query = {} if keys.find("q_lora_rank") is None else {"q_lora_rank": keys.size("q_lora_rank")}
    return {"kind": "latent", "n_heads": keys.size("n_heads"), **query, **{name: keys.size(name) for name in ranks}}


def _indexer(keys: Keys, kind: str) -> Group:
    return {
        "kind": kind,
        "n_heads": keys.size("index_n_heads"),
        "head_dim": keys.size("index_head_dim"),
        "top_k": keys.size("index_topk"),
    }


def _deepseek(keys: Keys, attention: Group, *, biased: bool) -> dict[str, Any]:
    predicted_ahead(keys)
    if keys.find("experts") is None:
        return decoder(keys, every(keys, attention), every(keys, dense(keys)))
    method = keys.find("topk_method", "noaux_tc" if biased else "greedy")
    routed = experts(keys, shared=shared_width(keys), router_bias=method == "noaux_tc")
    return decoder(keys, every(keys, attention), after_dense(keys, routed))


def deepseek_v2(keys: Keys) -> dict[str, Any]:
    """Latent attention; routing without a bias."""
    return _deepseek(keys, _latent(keys), biased=False)


def deepseek_v3(keys: Keys) -> dict[str, Any]:
    """Also R1 and Kimi K2: as V2, with a routing bias for each expert."""
    return _deepseek(keys, _latent(keys), biased=True)


def deepseek_v32(keys: Keys) -> dict[str, Any]:
    """Also GLM-5: latent attention that reads the tokens an index picks."""
    if "shared" in (keys.find("indexer_types") or ()):
        keys.wrong.append("indexer_types has layers that share an index, which is not known")
    return _deepseek(keys, {**_latent(keys), "indexer": _indexer(keys, "lora-query")}, biased=True)


def deepseek_v4(keys: Keys) -> dict[str, Any]:
    """A compressed cache: one entry for 4 tokens with an index, for 128 without, or a raw window alone."""
    count, d_model, lanes = keys.size("layers"), keys.size("d_model"), keys.size("hc_mult")
    ratios = keys.find("compress_ratios")
    if not ratios or len(ratios) < count:
        keys.missing.append("compress_ratios")
        ratios = [0] * count
    names = ("n_heads", "head_dim", "q_lora_rank", "qk_rope_head_dim", "o_groups", "o_lora_rank")
    common = {"window": keys.size("window"), **{name: keys.size(name) for name in names}}

    def layer(ratio: int) -> Group:
        index = {"indexer": _indexer(keys, "compressed")} if ratio == 4 else {}
        return {"kind": "compressed", "compress": ratio, **common, **index}

    routed = experts(keys, shared=shared_width(keys), router_bias=True)
    hashed = {name: value for name, value in routed.items() if name != "router_bias"}
    first = keys.count("num_hash_layers")
    # Two hyper-connection mixers a layer (input, output and lane weights with base and scale), one before the head.
    mixer = lanes * d_model * (lanes * lanes + 2 * lanes) + lanes * lanes + 2 * lanes + 3
    head_mixer = lanes * d_model * lanes + lanes + 1
    keys.notes.append("How an engine lays the compressed cache out is not in the file: the cache is counted in 16 bit.")
    predicted_ahead(keys)
    return decoder(
        keys,
        [layer(ratio) for ratio in ratios[:count]],
        [hashed if index < first else routed for index in range(count)],
        other_params=2 * count * mixer + head_mixer,
        other_note=f"manifold hyper-connections (hc_mult {lanes}): two mixers per layer + head mixer",
    )

"""One group of attention layers as numbers: parameters, cache, FLOPs and bytes read, whatever its kind.

Each kind of attention answers the same questions with its own formulas; estimates add the answers up over the groups.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from generator.formulas import attention, memory, parameters
from generator.specs.records import (
    Attention,
    CompressedAttention,
    Config,
    GroupedQueryAttention,
    KvLayout,
    LatentAttention,
    LinearAttention,
)

Number = Any
"""A float, a traced number or an array."""


@dataclass(frozen=True)
class AttentionGroup:
    """Numbers of one layer of a group; a part that a kind does not have is None."""

    layers: Number
    params: Number
    replicas_limit: Number
    """Key-value heads: a tensor-parallel group beyond this copies the cache."""
    kv_bytes_per_token: Number | None
    window_bytes_per_token: Number | None
    window_tokens: Number | None
    state_bytes: Number | None
    decode_flops: Callable[[Number], Number]
    """Attention FLOPs of one token at a context."""
    prefill_flops: Callable[[Number], Number]
    """Mean attention FLOPs of one token of a prompt."""
    read_bytes: Callable[[Number], Number]
    """Cache that one request reads in one decode step at a context."""


def _flag(value: object) -> int:
    return int(bool(value))


def _grouped_query(group: GroupedQueryAttention, config: Config, bits: Number) -> AttentionGroup:
    heads = {"n_heads": group.n_heads, "head_dim": group.head_dim}
    index = group.indexer
    small = parameters.grouped_query_small_params(
        d_model=config.d_model,
        n_kv_heads=group.n_kv_heads,
        has_qkv_bias=_flag(group.qkv_bias),
        has_o_bias=_flag(group.o_bias),
        has_head_norm=_flag(group.qk_norm == "head"),
        has_layer_norm=_flag(group.qk_norm == "layer"),
        has_sinks=_flag(group.sinks),
        **heads,
    )
    index_params: Number = 0
    if index is not None:
        index_params = parameters.grouped_query_index_params(
            d_model=config.d_model,
            index_heads=index.n_heads,
            index_kv_heads=index.n_kv_heads,
            index_head_dim=index.head_dim,
        )
    params = parameters.grouped_query_attention_params(
        d_model=config.d_model,
        n_kv_heads=group.n_kv_heads,
        query_matrices=2 if group.output_gate else 1,
        small_attention_params=small,
        index_params=index_params,
        **heads,
    )
    token_bytes = memory.grouped_query_kv_bytes(
        n_kv_heads=group.n_kv_heads, head_dim=group.head_dim, bits_per_value=bits
    )

    def flops(seen: Number) -> Number:
        return attention.grouped_query_attention_flops(seen_tokens=seen, **heads)

    if index is not None:
        return _sparse(group.layers, params, group.n_kv_heads, token_bytes, flops, flops, index, bits, None)
    if group.window is None:
        return AttentionGroup(
            layers=group.layers,
            params=params,
            replicas_limit=group.n_kv_heads,
            kv_bytes_per_token=token_bytes,
            window_bytes_per_token=None,
            window_tokens=None,
            state_bytes=None,
            decode_flops=flops,
            prefill_flops=lambda prompt: flops(attention.mean_full_tokens(prompt_tokens=prompt)),
            read_bytes=lambda context: attention.cache_read_bytes(per_token_bytes=token_bytes, seen_tokens=context),
        )

    chunked = group.kind == "chunked"
    see = attention.chunk_tokens if chunked else attention.visible_tokens
    see_on_average = attention.mean_chunk_tokens if chunked else attention.mean_visible_tokens

    def visible(context: Number) -> Number:
        return see(context_tokens=context, window_tokens=group.window)

    return AttentionGroup(
        layers=group.layers,
        params=params,
        replicas_limit=group.n_kv_heads,
        kv_bytes_per_token=None,
        window_bytes_per_token=token_bytes,
        window_tokens=group.window,
        state_bytes=None,
        decode_flops=lambda context: flops(visible(context)),
        prefill_flops=lambda prompt: flops(see_on_average(prompt_tokens=prompt, window_tokens=group.window)),
        read_bytes=lambda context: attention.cache_read_bytes(
            per_token_bytes=token_bytes, seen_tokens=visible(context)
        ),
    )


def _sparse(
    layers: Number,
    params: Number,
    replicas_limit: Number,
    entry: Number,
    decode: Callable[[Number], Number],
    prefill: Callable[[Number], Number],
    index: Any,
    bits: Number,
    index_key: Number | None,
) -> AttentionGroup:
    """A layer that keeps every entry, scans an index over all of them, and reads the best `top_k`."""
    key = index_key or memory.index_key_bytes(
        index_kv_heads=index.n_kv_heads, index_head_dim=index.head_dim, bits_per_value=bits
    )

    def scan(seen: Number) -> Number:
        return attention.index_flops(index_heads=index.n_heads, index_head_dim=index.head_dim, seen_tokens=seen)

    def selected(context: Number) -> Number:
        return attention.visible_tokens(context_tokens=context, window_tokens=index.top_k)

    return AttentionGroup(
        layers=layers,
        params=params,
        replicas_limit=replicas_limit,
        kv_bytes_per_token=memory.sparse_kv_bytes(per_token_bytes=entry, index_entry_bytes=key),
        window_bytes_per_token=None,
        window_tokens=None,
        state_bytes=None,
        decode_flops=lambda context: attention.layer_attention_flops(
            main_flops=decode(selected(context)), window_flops=0, index_flops=scan(context)
        ),
        prefill_flops=lambda prompt: attention.layer_attention_flops(
            main_flops=prefill(attention.mean_visible_tokens(prompt_tokens=prompt, window_tokens=index.top_k)),
            window_flops=0,
            index_flops=scan(attention.mean_full_tokens(prompt_tokens=prompt)),
        ),
        read_bytes=lambda context: attention.sparse_read_bytes(
            selected_bytes=attention.cache_read_bytes(per_token_bytes=entry, seen_tokens=selected(context)),
            scanned_bytes=attention.cache_read_bytes(per_token_bytes=key, seen_tokens=context),
        ),
    )


def _latent(group: LatentAttention, config: Config, bits: Number, layout: KvLayout | None) -> AttentionGroup:
    ropes = {"kv_lora_rank": group.kv_lora_rank, "qk_rope_head_dim": group.qk_rope_head_dim}
    heads = {"n_heads": group.n_heads}
    index_params: Number = 0
    if group.indexer is not None:
        index_params = parameters.latent_index_params(
            d_model=config.d_model,
            q_lora_rank=group.q_lora_rank,
            index_heads=group.indexer.n_heads,
            index_head_dim=group.indexer.head_dim,
        )
    shape = {
        "d_model": config.d_model,
        "qk_nope_head_dim": group.qk_nope_head_dim,
        "v_head_dim": group.v_head_dim,
        "index_params": index_params,
        **ropes,
        **heads,
    }
    if group.q_lora_rank is None:
        params = parameters.latent_attention_params_full_query(**shape)
    else:
        params = parameters.latent_attention_params(q_lora_rank=group.q_lora_rank, **shape)
    entry = layout.entry_bytes if layout else memory.latent_kv_bytes(bits_per_value=bits, **ropes)

    def decode(seen: Number) -> Number:
        return attention.latent_decode_flops(seen_tokens=seen, **ropes, **heads)

    def prefill(seen: Number) -> Number:
        return attention.latent_prefill_flops(
            qk_nope_head_dim=group.qk_nope_head_dim,
            qk_rope_head_dim=group.qk_rope_head_dim,
            v_head_dim=group.v_head_dim,
            seen_tokens=seen,
            **heads,
        )

    if group.indexer is not None:
        key = layout.index_key_bytes if layout else None
        # Sparse prefill works on the latent as decode does: each query reads its own selection of it.
        return _sparse(group.layers, params, 1, entry, decode, decode, group.indexer, bits, key)
    return AttentionGroup(
        layers=group.layers,
        params=params,
        replicas_limit=1,
        kv_bytes_per_token=entry,
        window_bytes_per_token=None,
        window_tokens=None,
        state_bytes=None,
        decode_flops=decode,
        prefill_flops=lambda prompt: prefill(attention.mean_full_tokens(prompt_tokens=prompt)),
        read_bytes=lambda context: attention.cache_read_bytes(per_token_bytes=entry, seen_tokens=context),
    )


def _linear(group: LinearAttention, config: Config, bits: Number) -> AttentionGroup:
    shape = {
        "n_key_heads": group.n_key_heads,
        "key_head_dim": group.key_head_dim,
        "n_value_heads": group.n_value_heads,
        "value_head_dim": group.value_head_dim,
        "conv_kernel": group.conv_kernel,
    }
    state = memory.linear_state_bytes(state_bytes_per_value=group.state_bytes_per_value, bits_per_value=bits, **shape)
    mamba = group.update == "mamba-2"
    work = attention.mamba_flops if mamba else attention.linear_attention_flops
    count = parameters.mamba_params if mamba else parameters.linear_attention_params
    flops = work(
        n_value_heads=group.n_value_heads, key_head_dim=group.key_head_dim, value_head_dim=group.value_head_dim
    )
    return AttentionGroup(
        layers=group.layers,
        params=count(d_model=config.d_model, **shape),
        replicas_limit=group.n_key_heads,
        kv_bytes_per_token=None,
        window_bytes_per_token=None,
        window_tokens=None,
        state_bytes=state,
        decode_flops=lambda context: flops,
        prefill_flops=lambda prompt: flops,
        read_bytes=lambda context: state,
    )


def _compressed(group: CompressedAttention, config: Config, bits: Number, layout: KvLayout | None) -> AttentionGroup:
    index = group.indexer
    compressor: Number = 0
    index_params: Number = 0
    index_entry: Number = 0
    if group.compress and index is None:
        compressor = parameters.heavy_compressor_params(
            d_model=config.d_model, head_dim=group.head_dim, compress_tokens=group.compress
        )
    if index is not None:
        compressor = parameters.light_compressor_params(
            d_model=config.d_model,
            head_dim=group.head_dim,
            index_head_dim=index.head_dim,
            compress_tokens=group.compress,
        )
        index_params = parameters.compressed_index_params(
            d_model=config.d_model,
            q_lora_rank=group.q_lora_rank,
            index_heads=index.n_heads,
            index_head_dim=index.head_dim,
        )
        index_entry = (layout and layout.index_key_bytes) or memory.index_key_bytes(
            index_kv_heads=index.n_kv_heads, index_head_dim=index.head_dim, bits_per_value=bits
        )
    params = parameters.compressed_attention_params(
        d_model=config.d_model,
        n_heads=group.n_heads,
        head_dim=group.head_dim,
        q_lora_rank=group.q_lora_rank,
        o_groups=group.o_groups,
        o_lora_rank=group.o_lora_rank,
        compressor_params=compressor,
        index_params=index_params,
    )
    entry = (
        layout.entry_bytes if layout else memory.compressed_entry_bytes(head_dim=group.head_dim, bits_per_value=bits)
    )

    def flops(seen: Number) -> Number:
        return attention.grouped_query_attention_flops(n_heads=group.n_heads, head_dim=group.head_dim, seen_tokens=seen)

    def entries(context: Number) -> Number:
        return attention.compressed_tokens(context_tokens=context, compress_tokens=group.compress)

    def chosen(context: Number) -> Number:
        if index is None:
            return entries(context)
        return attention.visible_tokens(context_tokens=entries(context), window_tokens=index.top_k)

    def scanned(context: Number) -> Number:
        if index is None:
            return 0
        return attention.index_flops(
            index_heads=index.n_heads, index_head_dim=index.head_dim, seen_tokens=entries(context)
        )

    def window(context: Number) -> Number:
        return attention.visible_tokens(context_tokens=context, window_tokens=group.window)

    def decode_flops(context: Number) -> Number:
        if not group.compress:
            return flops(window(context))
        return attention.layer_attention_flops(
            main_flops=flops(chosen(context)), window_flops=flops(window(context)), index_flops=scanned(context)
        )

    def prefill_flops(prompt: Number) -> Number:
        near = flops(attention.mean_visible_tokens(prompt_tokens=prompt, window_tokens=group.window))
        if not group.compress:
            return near
        middle = attention.mean_full_tokens(prompt_tokens=prompt)
        return attention.layer_attention_flops(
            main_flops=flops(chosen(middle)), window_flops=near, index_flops=scanned(middle)
        )

    def read_bytes(context: Number) -> Number:
        near = attention.cache_read_bytes(per_token_bytes=entry, seen_tokens=window(context))
        if not group.compress:
            return near
        far = attention.cache_read_bytes(per_token_bytes=entry, seen_tokens=chosen(context))
        read = attention.sparse_read_bytes(selected_bytes=far, scanned_bytes=near)
        if index is None:
            return read
        keys = attention.cache_read_bytes(per_token_bytes=index_entry, seen_tokens=entries(context))
        return attention.sparse_read_bytes(selected_bytes=read, scanned_bytes=keys)

    return AttentionGroup(
        layers=group.layers,
        params=params,
        replicas_limit=1,
        kv_bytes_per_token=memory.compressed_kv_bytes(
            entry_bytes=entry, index_entry_bytes=index_entry, compress_tokens=group.compress
        )
        if group.compress
        else None,
        window_bytes_per_token=entry,
        window_tokens=group.window,
        state_bytes=None,
        decode_flops=decode_flops,
        prefill_flops=prefill_flops,
        read_bytes=read_bytes,
    )


def attention_group(
    group: Attention, config: Config, bits_per_value: Number, layout: KvLayout | None
) -> AttentionGroup:
    """Numbers of one group of layers with the cache in `bits_per_value`, or in a deployed layout."""
    if isinstance(group, GroupedQueryAttention):
        return _grouped_query(group, config, bits_per_value)
    if isinstance(group, LatentAttention):
        return _latent(group, config, bits_per_value, layout)
    if isinstance(group, LinearAttention):
        return _linear(group, config, bits_per_value)
    return _compressed(group, config, bits_per_value, layout)

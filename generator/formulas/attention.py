"""What attention costs by kind of layer: FLOPs of one token, and cache read by one request in one step."""

from __future__ import annotations

from generator.formulas.elementary import either, minimum, weighted_total
from generator.formulas.formula import formula


@formula(reference="definition")
def visible_tokens(*, context_tokens, window_tokens):
    """Tokens that a windowed layer, or a layer that reads its top-k, sees at a context."""
    return minimum(context_tokens, window_tokens)


@formula(reference="definition")
def mean_full_tokens(*, prompt_tokens):
    """A causal layer sees half the prompt on average: the causal half is counted once, here."""
    return prompt_tokens / 2


@formula(reference="definition")
def mean_visible_tokens(*, prompt_tokens, window_tokens):
    """Tokens a windowed layer sees, averaged over the prompt."""
    return either(
        prompt_tokens <= window_tokens,
        prompt_tokens / 2,
        window_tokens - window_tokens**2 / (2 * prompt_tokens),
    )


@formula(reference="llama-2025-llama4")
def chunk_tokens(*, context_tokens, window_tokens):
    """Tokens a chunked layer sees: the chunk starts anew at each multiple of its size, so half of it on average."""
    return either(context_tokens <= window_tokens, context_tokens, window_tokens / 2)


@formula(reference="llama-2025-llama4")
def mean_chunk_tokens(*, prompt_tokens, window_tokens):
    """Tokens a chunked layer sees, averaged over the prompt: half of the prompt, at most half of a chunk."""
    return minimum(prompt_tokens, window_tokens) / 2


@formula(reference="vaswani-2017-attention")
def grouped_query_attention_flops(*, n_heads, head_dim, seen_tokens):
    """Scores and weighted values: 2 FLOPs a multiply-add, twice, for each query head and seen token."""
    return 4 * n_heads * head_dim * seen_tokens


@formula(reference="deepseek-2024-v2")
def latent_decode_flops(*, n_heads, kv_lora_rank, qk_rope_head_dim, seen_tokens):
    """Decode works on the latent itself: scores over latent and rotary key, values over the latent."""
    return 2 * n_heads * (2 * kv_lora_rank + qk_rope_head_dim) * seen_tokens


@formula(reference="deepseek-2024-v2")
def latent_prefill_flops(*, n_heads, qk_nope_head_dim, qk_rope_head_dim, v_head_dim, seen_tokens):
    """Prefill expands the latent to full heads first: scores over both key parts, values over the value head."""
    return 2 * n_heads * (qk_nope_head_dim + qk_rope_head_dim + v_head_dim) * seen_tokens


@formula(reference="deepseek-2025-v3.2")
def index_flops(*, index_heads, index_head_dim, seen_tokens):
    """Scores of the index over every token it keeps a key for."""
    return 2 * index_heads * index_head_dim * seen_tokens


@formula(reference="yang-2024-gated-deltanet")
def linear_attention_flops(*, n_value_heads, key_head_dim, value_head_dim):
    """Read the state with the key, correct it, read it with the query: three products a head, at any context."""
    return 6 * n_value_heads * key_head_dim * value_head_dim


@formula(reference="dao-2024-mamba-2")
def mamba_flops(*, n_value_heads, key_head_dim, value_head_dim):
    """Let the state decay, add one product to it, read it with the query, at any context."""
    return 5 * n_value_heads * key_head_dim * value_head_dim


@formula(reference="definition")
def compressed_tokens(*, context_tokens, compress_tokens):
    """Entries that a compressed cache holds for a context."""
    return context_tokens / compress_tokens


@formula(reference="definition")
def layer_attention_flops(*, main_flops, window_flops, index_flops):
    """All attention FLOPs of one token in one layer that has several parts."""
    return main_flops + window_flops + index_flops


@formula(reference="definition")
def attention_flops_per_token(*, layers_by_group, attention_flops_by_group):
    """Attention FLOPs of one token over all layers."""
    return weighted_total(layers_by_group, attention_flops_by_group)


@formula(reference="definition")
def cache_read_bytes(*, per_token_bytes, seen_tokens):
    """Cache that one request reads in one layer: every entry it attends to."""
    return per_token_bytes * seen_tokens


@formula(reference="deepseek-2025-v3.2")
def sparse_read_bytes(*, selected_bytes, scanned_bytes):
    """A sparse layer reads every index key, and the entries that the index selects."""
    return selected_bytes + scanned_bytes


@formula(reference="definition")
def kv_read_bytes_per_request(*, layers_by_group, kv_read_bytes_by_group):
    """Cache that one request reads in one decode step."""
    return weighted_total(layers_by_group, kv_read_bytes_by_group)

"""How many parameters a decoder has, component by component, and how many of them one token uses.

Total parameters are what memory holds; active parameters are what FLOPs count. Every count is exact arithmetic on
the configuration: with the configs of `specs/models` it reproduces the checkpoints to the last parameter.
"""

from __future__ import annotations

from generator.formulas.elementary import either, total, weighted_total
from generator.formulas.formula import formula


@formula(reference="definition")
def embedding_params(*, vocab, d_model):
    """One row of width d for each token of the vocabulary."""
    return vocab * d_model


@formula(reference="definition")
def table_params(*, embedding_params, head_params):
    """Both tables: one row for each token of the vocabulary at the input, and one at the output."""
    return embedding_params + head_params


@formula(reference="ainslie-2023-gqa")
def grouped_query_attention_params(
    *, d_model, n_heads, n_kv_heads, head_dim, query_matrices, small_attention_params, index_params
):
    """Query (and gate), key, value and output projections of one layer; one head a group is multi-head attention."""
    return (
        (query_matrices + 1) * d_model * n_heads * head_dim
        + 2 * d_model * n_kv_heads * head_dim
        + small_attention_params
        + index_params
    )


@formula(reference="definition")
def inferred_head_dim(*, d_model, n_heads):
    """What a calculator takes for the head size when the configuration does not say it; many models differ."""
    return d_model / n_heads


@formula(reference="definition")
def grouped_query_small_params(
    *, d_model, n_heads, n_kv_heads, head_dim, has_qkv_bias, has_o_bias, has_head_norm, has_layer_norm, has_sinks
):
    """Biases, query-key norms and sinks of one layer: too few to matter, needed to match a checkpoint exactly."""
    return (
        has_qkv_bias * (n_heads + 2 * n_kv_heads) * head_dim
        + has_o_bias * d_model
        + 2 * has_head_norm * head_dim
        + has_layer_norm * (n_heads + n_kv_heads) * head_dim
        + has_sinks * n_heads
    )


@formula(reference="definition")
def grouped_query_index_params(*, d_model, index_heads, index_kv_heads, index_head_dim):
    """Query and key projections of the index and their two norms."""
    return d_model * (index_heads + index_kv_heads) * index_head_dim + 2 * index_head_dim


@formula(reference="deepseek-2024-v2")
def latent_attention_params(
    *, d_model, n_heads, q_lora_rank, kv_lora_rank, qk_nope_head_dim, qk_rope_head_dim, v_head_dim, index_params
):
    """Down and up projections of queries and of keys and values, their norms, and the output projection."""
    return (
        d_model * q_lora_rank
        + q_lora_rank
        + q_lora_rank * n_heads * (qk_nope_head_dim + qk_rope_head_dim)
        + d_model * (kv_lora_rank + qk_rope_head_dim)
        + kv_lora_rank
        + kv_lora_rank * n_heads * (qk_nope_head_dim + v_head_dim)
        + n_heads * v_head_dim * d_model
        + index_params
    )


@formula(reference="deepseek-2024-v2")
def latent_attention_params_full_query(
    *, d_model, n_heads, kv_lora_rank, qk_nope_head_dim, qk_rope_head_dim, v_head_dim, index_params
):
    """Latent attention whose queries are projected at full rank."""
    return (
        d_model * n_heads * (qk_nope_head_dim + qk_rope_head_dim)
        + d_model * (kv_lora_rank + qk_rope_head_dim)
        + kv_lora_rank
        + kv_lora_rank * n_heads * (qk_nope_head_dim + v_head_dim)
        + n_heads * v_head_dim * d_model
        + index_params
    )


@formula(reference="definition")
def latent_index_params(*, d_model, q_lora_rank, index_heads, index_head_dim):
    """Index queries from the query latent, one index key, its norm, and one weight a head."""
    return (
        q_lora_rank * index_heads * index_head_dim
        + d_model * index_head_dim
        + 2 * index_head_dim
        + d_model * index_heads
    )


@formula(reference="yang-2024-gated-deltanet")
def linear_attention_params(*, d_model, n_key_heads, key_head_dim, n_value_heads, value_head_dim, conv_kernel):
    """Queries, keys, values and gate, decay and step size, short convolution, head norm, output projection."""
    return (
        d_model * (2 * n_key_heads * key_head_dim + 2 * n_value_heads * value_head_dim)
        + 2 * d_model * n_value_heads
        + (2 * n_key_heads * key_head_dim + n_value_heads * value_head_dim) * conv_kernel
        + 2 * n_value_heads
        + value_head_dim
        + n_value_heads * value_head_dim * d_model
    )


@formula(reference="dao-2024-mamba-2")
def mamba_params(*, d_model, n_key_heads, key_head_dim, n_value_heads, value_head_dim, conv_kernel):
    """Gate, inputs, keys, queries and step sizes, short convolution with bias, norm, and the output projection."""
    return (
        d_model * (2 * n_key_heads * key_head_dim + 2 * n_value_heads * value_head_dim + n_value_heads)
        + (2 * n_key_heads * key_head_dim + n_value_heads * value_head_dim) * (conv_kernel + 1)
        + 3 * n_value_heads
        + n_value_heads * value_head_dim
        + n_value_heads * value_head_dim * d_model
    )


@formula(reference="definition")
def compressed_attention_params(
    *, d_model, n_heads, head_dim, q_lora_rank, o_groups, o_lora_rank, compressor_params, index_params
):
    """Query latent, one shared key-value head, grouped output projection, sinks, and what compresses the cache."""
    return (
        d_model * q_lora_rank
        + q_lora_rank
        + q_lora_rank * n_heads * head_dim
        + d_model * head_dim
        + head_dim
        + n_heads * head_dim * o_lora_rank
        + o_groups * o_lora_rank * d_model
        + n_heads
        + compressor_params
        + index_params
    )


@formula(reference="definition")
def heavy_compressor_params(*, d_model, head_dim, compress_tokens):
    """Content and weight projections, a weight for each position of a block, and a norm."""
    return 2 * d_model * head_dim + compress_tokens * head_dim + head_dim


@formula(reference="definition")
def light_compressor_params(*, d_model, head_dim, index_head_dim, compress_tokens):
    """As the heavy one with overlapping blocks (twice the width), once for the entries and once for the index keys."""
    return (
        4 * d_model * head_dim
        + 2 * compress_tokens * head_dim
        + head_dim
        + 4 * d_model * index_head_dim
        + 2 * compress_tokens * index_head_dim
        + index_head_dim
    )


@formula(reference="definition")
def compressed_index_params(*, d_model, q_lora_rank, index_heads, index_head_dim):
    """Index queries from the query latent and one weight a head."""
    return q_lora_rank * index_heads * index_head_dim + d_model * index_heads


@formula(reference="shazeer-2020-glu")
def gated_ffn_params(*, d_model, intermediate):
    """Gate, up and down projections."""
    return 3 * d_model * intermediate


@formula(reference="vaswani-2017-attention")
def plain_ffn_params(*, d_model, intermediate, has_bias):
    """Up and down projections and their biases."""
    return 2 * d_model * intermediate + has_bias * (intermediate + d_model)


@formula(reference="fedus-2021-switch")
def expert_params(*, d_model, expert_intermediate, has_bias):
    """One routed expert: gate, up and down projections and their biases."""
    return 3 * d_model * expert_intermediate + has_bias * (2 * expert_intermediate + d_model)


@formula(reference="fedus-2021-switch")
def plain_expert_params(*, expert_input_width, expert_intermediate):
    """One routed expert with two matrices, up and down."""
    return 2 * expert_input_width * expert_intermediate


@formula(reference="definition")
def plain_moe_always_active_params(
    *, d_model, experts, has_router_bias, shared_intermediate, has_latent, expert_input_width
):
    """What every token uses beside experts of two matrices: router, shared expert, projections to a latent and back."""
    return (
        experts * d_model
        + has_router_bias * experts
        + 2 * d_model * shared_intermediate
        + 2 * has_latent * d_model * expert_input_width
    )


@formula(reference="fedus-2021-switch")
def moe_always_active_params(*, d_model, experts, has_router_bias, shared_intermediate, has_shared_gate):
    """What every token uses in an expert layer: the router and the shared expert."""
    return experts * d_model + has_router_bias * experts + 3 * d_model * shared_intermediate + has_shared_gate * d_model


@formula(reference="fedus-2021-switch")
def routed_expert_params_per_layer(*, experts, expert_params):
    """All routed experts of one layer: memory holds every one of them."""
    return experts * expert_params


@formula(reference="fedus-2021-switch")
def routed_active_params_per_layer(*, top_k, expert_params):
    """The routed experts that one token uses in one layer: FLOPs count only these."""
    return top_k * expert_params


@formula(reference="definition")
def attention_params(*, layers_by_group, attention_params_by_group):
    """Attention of all layers."""
    return weighted_total(layers_by_group, attention_params_by_group)


@formula(reference="definition")
def ffn_params(*, layers_by_group, ffn_params_by_group):
    """Dense feed-forward networks, shared experts and routers of all layers."""
    return weighted_total(layers_by_group, ffn_params_by_group)


@formula(reference="definition")
def routed_expert_params(*, layers_by_group, routed_params_by_group):
    """Routed experts of all layers."""
    return weighted_total(layers_by_group, routed_params_by_group)


@formula(reference="definition")
def routed_active_params(*, layers_by_group, routed_active_params_by_group):
    """Routed experts that one token uses over all layers."""
    return weighted_total(layers_by_group, routed_active_params_by_group)


@formula(reference="definition")
def layer_norm_params(*, d_model):
    """One norm before attention and one before the feed-forward network, a weight for each dimension."""
    return 2 * d_model


@formula(reference="definition")
def norm_params(*, layers, norm_params_per_layer, final_norm_params):
    """Norms of all layers and the final norm."""
    return layers * norm_params_per_layer + final_norm_params


@formula(reference="definition")
def total_params(
    *, attention_params, ffn_params, routed_expert_params, norm_params, other_params, embedding_params, head_params
):
    """All parameters of the text decoder, every expert included: what memory holds."""
    return (
        attention_params
        + ffn_params
        + routed_expert_params
        + norm_params
        + other_params
        + embedding_params
        + head_params
    )


@formula(reference="definition")
def active_params(
    *, attention_params, ffn_params, routed_active_params, norm_params, other_params, embedding_params, head_params
):
    """Parameters that one token uses, both tables counted whole; equal to the total in a dense model."""
    return (
        attention_params
        + ffn_params
        + routed_active_params
        + norm_params
        + other_params
        + embedding_params
        + head_params
    )


@formula(reference="openai-2025-gpt-oss")
def active_params_no_input_embedding(*, active_params, embedding_params, head_params):
    """Active parameters without the input table, of which one row is read; a tied table is kept once, as the head."""
    return either(head_params > 0, active_params - embedding_params, active_params)


@formula(reference="kaplan-2020-scaling-laws")
def active_params_no_embeddings(*, active_params, embedding_params, head_params):
    """Active parameters without both tables."""
    return active_params - embedding_params - head_params


@formula(reference="definition")
def checkpoint_params(*, total_params, extra_params_by_component):
    """The text decoder and the parts published with it: vision tower, multi-token-prediction module."""
    return total_params + total(extra_params_by_component)


@formula(reference="definition")
def active_share(*, active_params, total_params):
    """How much of the model one token uses."""
    return active_params / total_params

"""What memory holds: weights, key-value cache, workspace, and how many requests fit beside each other."""

from __future__ import annotations

from generator.formulas.elementary import ceiling, floor, maximum, minimum, weighted_total
from generator.formulas.formula import formula


@formula(reference="definition")
def weights_bytes(*, params_by_component, bits_by_component):
    """Weights in the number formats of the checkpoint, scales included. Memory holds total parameters."""
    return weighted_total(params_by_component, bits_by_component) / 8


@formula(reference="definition")
def uniform_weights_bytes(*, total_params, bits_per_param):
    """Weights when every parameter takes the same number of bits. Memory holds total parameters."""
    return total_params * bits_per_param / 8


@formula(reference="ainslie-2023-gqa")
def grouped_query_kv_bytes(*, n_kv_heads, head_dim, bits_per_value):
    """A key and a value of each key-value head. Query heads do not matter, and head_dim is not d_model / n_heads."""
    return 2 * n_kv_heads * head_dim * bits_per_value / 8


@formula(reference="deepseek-2024-v2")
def latent_kv_bytes(*, kv_lora_rank, qk_rope_head_dim, bits_per_value):
    """One latent and one rotary key, whatever the number of heads; keys and values share the latent."""
    return (kv_lora_rank + qk_rope_head_dim) * bits_per_value / 8


@formula(reference="deepseek-2024-v2")
def expanded_latent_kv_bytes(*, n_heads, qk_nope_head_dim, qk_rope_head_dim, v_head_dim, bits_per_value):
    """Keys and values of every head: what an engine keeps that expands the latent before it caches."""
    return n_heads * (qk_nope_head_dim + qk_rope_head_dim + v_head_dim) * bits_per_value / 8


@formula(reference="definition")
def index_key_bytes(*, index_kv_heads, index_head_dim, bits_per_value):
    """Index keys of one token: a sparse layer keeps them all, to choose what it reads."""
    return index_kv_heads * index_head_dim * bits_per_value / 8


@formula(reference="definition")
def compressed_entry_bytes(*, head_dim, bits_per_value):
    """One entry of a compressed cache. Keys serve as values, so there is no factor 2."""
    return head_dim * bits_per_value / 8


@formula(reference="definition")
def compressed_kv_bytes(*, entry_bytes, index_entry_bytes, compress_tokens):
    """One entry, with its index key if the layer has an index, for every `compress_tokens` tokens."""
    return (entry_bytes + index_entry_bytes) / compress_tokens


@formula(reference="definition")
def sparse_kv_bytes(*, per_token_bytes, index_entry_bytes):
    """A sparse layer keeps the whole cache and the index keys beside it; only its reads are sparse."""
    return per_token_bytes + index_entry_bytes


@formula(reference="yang-2024-gated-deltanet")
def linear_state_bytes(
    *, n_key_heads, key_head_dim, n_value_heads, value_head_dim, state_bytes_per_value, conv_kernel, bits_per_value
):
    """A matrix for each value head, and the last inputs of the short convolution: the same at any context."""
    return (
        n_value_heads * key_head_dim * value_head_dim * state_bytes_per_value
        + (2 * n_key_heads * key_head_dim + n_value_heads * value_head_dim) * (conv_kernel - 1) * bits_per_value / 8
    )


@formula(reference="definition")
def kv_bytes_per_token(*, layers_by_group, kv_bytes_per_token_by_group):
    """What one more token adds to the cache, over all layers whose cache grows without limit."""
    return weighted_total(layers_by_group, kv_bytes_per_token_by_group)


@formula(reference="definition")
def window_bytes_per_request(
    *, context_tokens, layers_by_group, window_bytes_per_token_by_group, window_tokens_by_group
):
    """Windowed layers of one request: the context, but never more than the window."""
    return weighted_total(
        layers_by_group,
        [
            size * minimum(context_tokens, window)
            for size, window in zip(window_bytes_per_token_by_group, window_tokens_by_group, strict=True)
        ],
    )


@formula(reference="definition")
def state_bytes_per_request(*, layers_by_group, state_bytes_by_group):
    """Recurrent states of one request."""
    return weighted_total(layers_by_group, state_bytes_by_group)


@formula(reference="definition")
def kv_fixed_bytes_per_request(*, window_bytes_per_request, state_bytes_per_request):
    """The part of a request's cache that stops growing: full windows and recurrent states."""
    return window_bytes_per_request + state_bytes_per_request


@formula(reference="definition")
def context_of_request(*, prompt_tokens, output_tokens):
    """Tokens in the cache when a request ends."""
    return prompt_tokens + output_tokens


@formula(reference="kwon-2023-pagedattention")
def kv_bytes_per_request(*, kv_fixed_bytes_per_request, kv_bytes_per_token, context_tokens, block_tokens):
    """Cache of one request: what is fixed, and what grows, rounded up to whole blocks."""
    return kv_fixed_bytes_per_request + kv_bytes_per_token * block_tokens * ceiling(context_tokens / block_tokens)


@formula(reference="definition")
def usable_memory_bytes(*, memory_utilization, gpu_memory_share, device_memory_bytes):
    """Memory of one accelerator that the engine may use, of the nominal size."""
    return memory_utilization * gpu_memory_share * device_memory_bytes


@formula(reference="kwon-2023-pagedattention", kind="reference")
def kv_capacity_bytes(*, usable_memory_bytes, gpus, resident_weights_bytes, workspace_bytes):
    """What is left for the cache over all accelerators; nothing if not even the weights fit."""
    return maximum(gpus * (usable_memory_bytes - workspace_bytes) - resident_weights_bytes, 0)


@formula(reference="definition")
def shortfall_bytes(*, usable_memory_bytes, gpus, resident_weights_bytes, workspace_bytes):
    """Memory missing for weights and workspace before a single token is cached; negative if there is room."""
    return resident_weights_bytes - gpus * (usable_memory_bytes - workspace_bytes)


@formula(reference="kwon-2023-pagedattention")
def max_concurrent_requests(*, kv_capacity_bytes, dp, kv_bytes_per_request, kv_replication):
    """Whole requests that the caches of all replicas hold at once; a request lives in one replica."""
    return dp * floor(kv_capacity_bytes / (dp * kv_bytes_per_request * kv_replication))


@formula(reference="definition")
def kv_capacity_tokens(
    *, kv_capacity_bytes, max_concurrent_requests, kv_fixed_bytes_per_request, kv_bytes_per_token, kv_replication
):
    """Tokens that the growing part of the cache holds, beside the fixed part of as many requests as fit."""
    return floor(
        (kv_capacity_bytes / kv_replication - max_concurrent_requests * kv_fixed_bytes_per_request) / kv_bytes_per_token
    )


@formula(reference="shoeybi-2019-megatron")
def kv_replication(*, tp, n_kv_heads):
    """Copies of the cache over a tensor-parallel group: beyond one key-value head a GPU, heads are copied.

    A latent cache has one head, so each GPU of the group keeps all of it.
    """
    return maximum(1, tp / n_kv_heads)


@formula(reference="definition")
def resident_weights_bytes(*, always_read_bytes, expert_bytes, gpus, tp, pp, ep):
    """Weights over all accelerators: the part outside the experts is copied by each replica of tp·pp accelerators,
    the experts by each group of max(ep, tp)·pp."""
    return gpus / (tp * pp) * always_read_bytes + gpus / (maximum(ep, tp) * pp) * expert_bytes


@formula(reference="definition")
def weights_bytes_per_gpu(*, resident_weights_bytes, gpus):
    """Weights on one accelerator."""
    return resident_weights_bytes / gpus


@formula(reference="vllm-docs")
def engine_activation_bytes(
    *,
    step_tokens,
    intermediate,
    tp,
    d_model,
    sampled_sequences,
    vocab,
    logit_bytes_per_value,
    activation_bytes_per_value,
    quantised_bytes_per_value,
):
    """Activation peak of vLLM on one accelerator: the widest layer of a full step, or the logits while sampling."""
    return maximum(
        step_tokens
        * (
            activation_bytes_per_value * (3 * intermediate / tp + 3 * d_model)
            + quantised_bytes_per_value * intermediate / tp
        ),
        sampled_sequences * vocab * (logit_bytes_per_value + activation_bytes_per_value)
        + activation_bytes_per_value * step_tokens * d_model,
    )


@formula(reference="vllm-docs")
def engine_expert_workspace_bytes(*, step_tokens, top_k, expert_intermediate, tp, d_model):
    """Buffers of the fused expert kernels, kept beside the activations: for every routed token the wider of gate-and-up
    and output, and the wider of inner value and output, in 16 bit."""
    return (
        2
        * step_tokens
        * top_k
        * (maximum(2 * expert_intermediate / tp, d_model) + maximum(expert_intermediate / tp, d_model))
    )


@formula(reference="vllm-docs")
def activation_bytes(*, engine_activation_bytes, engine_expert_workspace_bytes, image_input_bytes):
    """Activation peak, expert buffers, and inputs of images together."""
    return engine_activation_bytes + engine_expert_workspace_bytes + image_input_bytes


@formula(reference="vllm-docs", kind="reference")
def engine_kv_bytes(
    *,
    memory_utilization,
    device_visible_bytes,
    engine_weights_bytes,
    activation_bytes,
    non_torch_bytes,
    graph_estimate_bytes,
):
    """Cache of an engine on one accelerator, as its start-up log prints it."""
    return (
        memory_utilization * device_visible_bytes
        - engine_weights_bytes
        - activation_bytes
        - non_torch_bytes
        - graph_estimate_bytes
    )


@formula(reference="definition")
def kv_batch_bytes(*, batch, kv_bytes_per_request, kv_replication):
    """Caches of a batch over all accelerators, the copies of a tensor-parallel group included."""
    return batch * kv_bytes_per_request * kv_replication


@formula(reference="definition")
def kv_batch_bytes_per_gpu(*, kv_batch_bytes, gpus):
    """Caches of a batch on one accelerator."""
    return kv_batch_bytes / gpus


@formula(reference="definition", kind="reference")
def used_bytes_per_gpu(*, weights_bytes_per_gpu, kv_batch_bytes_per_gpu, workspace_bytes):
    """Weights, caches and workspace of one accelerator."""
    return weights_bytes_per_gpu + kv_batch_bytes_per_gpu + workspace_bytes


@formula(reference="definition")
def free_bytes_per_gpu(*, usable_memory_bytes, used_bytes_per_gpu):
    """What one accelerator has left; negative if it does not fit."""
    return usable_memory_bytes - used_bytes_per_gpu


@formula(reference="definition")
def bytes_over_gpus(*, gpus, bytes_per_gpu):
    """The same bytes on each accelerator, over all of them."""
    return gpus * bytes_per_gpu


@formula(reference="definition", kind="calibrated")
def pool_growth_bytes(*, pool_two_bytes, pool_one_bytes):
    """One more accelerator brings its usable memory less its workspace; the weights are there already."""
    return pool_two_bytes - pool_one_bytes


@formula(reference="definition", kind="calibrated")
def implied_weights_bytes(*, pool_growth_bytes, pool_one_bytes):
    """What a single accelerator lacks of its full share: the weights it holds alone."""
    return pool_growth_bytes - pool_one_bytes


@formula(reference="definition", kind="calibrated")
def extrapolated_pool_bytes(*, gpus, pool_growth_bytes, implied_weights_bytes):
    """Every accelerator adds the same; the weights are subtracted once."""
    return gpus * pool_growth_bytes - implied_weights_bytes


@formula(reference="vllm-docs")
def logged_pool_tokens(*, logged_concurrency, context_tokens):
    """A start-up log divides the tokens of its cache by the longest request; this is the way back."""
    return logged_concurrency * context_tokens


@formula(reference="definition", kind="calibrated")
def logged_bytes_per_token(*, kv_capacity_bytes, logged_pool_tokens):
    """Memory over tokens of a logged cache: the growth per token only where nothing in the cache has a fixed size."""
    return kv_capacity_bytes / logged_pool_tokens

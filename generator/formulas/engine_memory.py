"""Memory of a serving engine as it allots it: weights in an allocator's pages, graphs, and a cache of equal blocks."""

from __future__ import annotations

from generator.formulas.elementary import ceiling, either, floor, maximum, minimum, total, weighted_total
from generator.formulas.formula import formula


@formula(reference="pytorch-docs")
def allocator_waste_bytes(*, tensor_bytes, allocator_page_bytes):
    """What an allocator adds to a large tensor: it takes whole pages and gives a rest of more than half a page back."""
    return either(
        ceiling(tensor_bytes / allocator_page_bytes) - tensor_bytes / allocator_page_bytes > 0.5,
        0 * tensor_bytes,
        allocator_page_bytes * ceiling(tensor_bytes / allocator_page_bytes) - tensor_bytes,
    )


@formula(reference="definition")
def weights_waste_bytes(*, tensors_by_component, allocator_waste_bytes_by_component):
    """What the allocator adds to all matrices of one accelerator."""
    return weighted_total(tensors_by_component, allocator_waste_bytes_by_component)


@formula(reference="definition")
def rotary_table_bytes(*, rotary_positions, rotary_dims, activation_bytes_per_value):
    """Sine and cosine of every position for each rotated pair."""
    return rotary_positions * rotary_dims * activation_bytes_per_value


@formula(reference="definition")
def kept_surplus_bytes(*, kept_params, kept_bits, bits_per_param):
    """What parts of a quantised checkpoint that stay in more bits take beyond the quantised size."""
    return kept_params * (kept_bits - bits_per_param) / 8


@formula(reference="vllm-docs")
def copied_bytes(*, copied_params, bits_per_param, tp):
    """Weights that each accelerator of a tensor-parallel group keeps whole, beyond its share of one copy."""
    return copied_params * bits_per_param / 8 * (1 - 1 / tp)


@formula(reference="vllm-docs")
def absorbed_latent_bytes(
    *, layers, n_heads, kv_lora_rank, qk_nope_head_dim, v_head_dim, activation_bytes_per_value, tp
):
    """Up-projections of a latent cache that an engine keeps a second time, in the form that decoding uses."""
    return layers * n_heads * kv_lora_rank * (qk_nope_head_dim + v_head_dim) * activation_bytes_per_value / tp


@formula(reference="vllm-docs")
def expert_padding_bytes(*, expert_bytes, expert_intermediate, d_model, tp, width_multiple, model_width_multiple):
    """Expert weights that are filled up to the widths that a kernel takes."""
    return (
        expert_bytes
        / tp
        * (
            width_multiple
            * ceiling(expert_intermediate / (tp * width_multiple))
            / (expert_intermediate / tp)
            * model_width_multiple
            * ceiling(d_model / model_width_multiple)
            / d_model
            - 1
        )
    )


@formula(reference="definition")
def last_stage_weights_bytes(*, weights_bytes_per_gpu, table_bytes, head_bytes, tp, pp):
    """Weights of the last pipeline stage: its layers and the head; the embedding lies on the first one."""
    return weights_bytes_per_gpu - table_bytes / (tp * pp) + head_bytes / tp


@formula(reference="definition")
def extra_weights_bytes_per_gpu(
    *, loaded_extra_bytes, kept_surplus_bytes, tp, pp, copied_bytes, absorbed_latent_bytes, expert_padding_bytes
):
    """Weights beside the shares of the decoder: vision tower, parts kept in 16 bits, copies, absorbed and padded
    matrices."""
    return (
        loaded_extra_bytes / tp
        + kept_surplus_bytes / (tp * pp)
        + copied_bytes
        + absorbed_latent_bytes
        + expert_padding_bytes
    )


@formula(reference="vllm-docs")
def engine_weights_bytes(
    *, weights_bytes_per_gpu, extra_weights_bytes_per_gpu, rotary_table_bytes, weights_waste_bytes
):
    """What an engine prints as the memory of its model, on one accelerator."""
    return weights_bytes_per_gpu + extra_weights_bytes_per_gpu + rotary_table_bytes + weights_waste_bytes


@formula(reference="vllm-docs")
def early_expert_workspace_bytes(*, step_tokens, top_k, expert_intermediate, tp, d_model):
    """Buffers of the fused expert kernels before release 0.15: the inner values lie beside the wider of gate-and-up and
    output, in 16 bit."""
    return 2 * step_tokens * top_k * (maximum(2 * expert_intermediate / tp, d_model) + expert_intermediate / tp)


@formula(reference="vllm-docs")
def image_input_bytes(*, step_tokens, d_model, activation_bytes_per_value):
    """A step of embeddings, which take the place of token numbers where images come in."""
    return step_tokens * d_model * activation_bytes_per_value


@formula(reference="vllm-docs")
def graph_estimate_bytes(*, graph_base_bytes, graph_bytes_per_layer, layers_per_stage):
    """Captured graphs as an engine estimates them beforehand."""
    return graph_base_bytes + graph_bytes_per_layer * layers_per_stage


@formula(reference="definition")
def kv_bytes_per_token_per_gpu(*, kv_bytes_per_token, kv_replication, tp):
    """What one token adds to the cache on one accelerator."""
    return kv_bytes_per_token * kv_replication / tp


@formula(reference="vllm-docs")
def kv_page_bytes(*, kv_bytes_per_token_per_gpu, block_tokens):
    """One block of one layer on one accelerator."""
    return kv_bytes_per_token_per_gpu * block_tokens


@formula(reference="definition")
def layers_per_stage(*, layers, pp):
    """Layers of one pipeline stage, where they divide evenly."""
    return layers / pp


@formula(reference="definition")
def linear_state_bytes_per_gpu(*, linear_state_bytes, tp):
    """State of one linear layer on one accelerator: heads are spread over the group."""
    return linear_state_bytes / tp


@formula(reference="vllm-docs")
def state_block_tokens(*, linear_state_bytes_per_gpu, kv_bytes_per_token_per_gpu, block_tokens):
    """Tokens whose cache is as large as the state of a linear layer, so that one page holds either."""
    return block_tokens * ceiling(linear_state_bytes_per_gpu / (kv_bytes_per_token_per_gpu * block_tokens))


@formula(reference="vllm-docs")
def kv_block_bytes(*, kv_page_bytes, layers_per_block):
    """One block of the pool: a page for every layer of a group."""
    return kv_page_bytes * layers_per_block


@formula(reference="kwon-2023-pagedattention")
def full_blocks(*, context_tokens, block_tokens):
    """Blocks of one request in full layers."""
    return ceiling(context_tokens / block_tokens)


@formula(reference="vllm-docs")
def window_blocks(*, context_tokens, window_tokens, step_tokens, block_tokens):
    """Blocks of one request in windowed layers: the window and the step in work, and one where the window begins."""
    return ceiling(minimum(window_tokens - 1 + step_tokens, context_tokens) / block_tokens) + 1


@formula(reference="vllm-docs")
def request_blocks(*, layer_groups_by_component, blocks_by_component):
    """Blocks of the pool that one request takes: each group of layers has a table of its own."""
    return weighted_total(layer_groups_by_component, blocks_by_component)


@formula(reference="definition")
def layer_groups(*, layer_groups_by_component):
    """Groups of layers with a block table of their own."""
    return total(layer_groups_by_component)


@formula(reference="vllm-docs")
def kv_pool_blocks(*, engine_kv_bytes, kv_block_bytes):
    """Whole blocks of the pool."""
    return floor(engine_kv_bytes / kv_block_bytes)


@formula(reference="vllm-docs")
def engine_pool_tokens(
    *, kv_pool_blocks, layer_groups, block_tokens, request_blocks, context_tokens, counted_by_requests
):
    """Tokens of the cache as an engine prints them: blocks shared alike among the groups, or, in newer releases, the
    longest requests that the pool holds times their length."""
    return either(
        counted_by_requests > 0,
        floor(kv_pool_blocks * context_tokens / request_blocks),
        floor(kv_pool_blocks / layer_groups) * block_tokens,
    )


@formula(reference="vllm-docs")
def engine_pool_requests(*, kv_pool_blocks, request_blocks):
    """Requests of the longest length that the pool holds: the maximum concurrency of a log."""
    return kv_pool_blocks / request_blocks


@formula(reference="definition")
def replicated_tokens(*, engine_pool_tokens, dp):
    """Tokens of the caches of all replicas."""
    return engine_pool_tokens * dp


@formula(reference="definition", kind="bound")
def cache_bound_bytes(*, device_visible_bytes, weights_bytes_per_gpu):
    """Most that a cache can have on one accelerator: all of its memory but the weights."""
    return device_visible_bytes - weights_bytes_per_gpu


@formula(reference="definition")
def guessed_visible_bytes(*, device_memory_bytes, board_bytes_per_nominal, checked_share, driver_bytes):
    """Memory as software sees it where nobody published it: the binary size on the board, less what error correction
    and the driver take."""
    return device_memory_bytes * board_bytes_per_nominal * checked_share - driver_bytes


@formula(reference="vllm-docs")
def engine_whole_requests(*, engine_pool_requests, dp):
    """Whole requests that the pools of all replicas hold."""
    return dp * floor(engine_pool_requests)

"""One decode step of a serving engine, and the prompts that interrupt it: reading, products, kernels, exchange.

All bytes and FLOPs are those of one accelerator.
"""

from __future__ import annotations

from generator.formulas.elementary import logarithm, maximum, minimum, square_root
from generator.formulas.formula import formula


@formula(reference="definition")
def admitted_requests(*, rank_batch, cache_room_bytes, rank_cache_bytes_per_request):
    """Requests that one attention rank decodes at once: those that it is given, or those that its memory holds."""
    return minimum(rank_batch, maximum(cache_room_bytes / rank_cache_bytes_per_request, 1))


@formula(reference="definition")
def cache_room_bytes(*, usable_memory_bytes, held_weights_bytes, workspace_bytes):
    """Memory of one accelerator for caches; a twentieth where it should not fit: such a run took more than usual."""
    return maximum(usable_memory_bytes - held_weights_bytes - workspace_bytes, usable_memory_bytes / 20)


@formula(reference="definition")
def rank_part_bytes(*, whole_bytes, tp):
    """Part of one accelerator of what a tensor-parallel group splits."""
    return whole_bytes / tp


@formula(reference="definition")
def held_weights_bytes(*, dense_part_bytes, expert_bytes, replica_gpus):
    """Weights on one accelerator: its part of everything outside the experts, and its experts."""
    return dense_part_bytes + expert_bytes / replica_gpus


@formula(reference="definition")
def rank_cache_bytes(*, kv_read_bytes_per_request, kv_replication, tp, admitted_requests):
    """Cache that one accelerator reads in one step."""
    return admitted_requests * kv_read_bytes_per_request * kv_replication / tp


@formula(reference="definition")
def rank_product_flops(*, rank_tokens, dense_params, tp):
    """FLOPs of the products outside the experts on one accelerator. FLOPs count active parameters."""
    return 2 * rank_tokens * dense_params / tp


@formula(reference="definition")
def expert_product_flops(*, rank_tokens, dp, routed_active_params, replica_gpus):
    """FLOPs of the routed experts on one accelerator: the tokens of all ranks, spread evenly."""
    return 2 * rank_tokens * dp * routed_active_params / replica_gpus


@formula(reference="definition")
def expert_peak_load(*, ep, expert_share_read, experts):
    """Experts that the busiest of EP accelerators reads, over the mean: the largest of EP binomial counts.

    The largest of N normal values lies about 0.6 (log2 N)^0.78 deviations above the mean.
    """
    spread = square_root((1 - expert_share_read) / (expert_share_read * experts / ep))
    deviations = 0.6 * maximum(logarithm(ep) / logarithm(2.0), 0) ** 0.78
    return minimum(1 + deviations * spread, 1 / expert_share_read)


@formula(reference="definition")
def expert_part_bytes(*, expert_bytes, expert_share_read, expert_peak_load, replica_gpus):
    """Expert weights that the busiest accelerator reads in one step. Decode bytes count the experts read."""
    return expert_bytes * expert_share_read * expert_peak_load / replica_gpus


@formula(reference="definition")
def expert_activation_bytes(*, rank_tokens, dp, top_k, d_model, expert_intermediate, moe_layers, replica_gpus):
    """16-bit inputs and outputs of the three products of each picked expert, on one accelerator."""
    return 2 * rank_tokens * dp * top_k * (2 * d_model + 3 * expert_intermediate) * moe_layers / replica_gpus


@formula(reference="definition")
def dispatch_bytes(*, rank_tokens, d_model, top_k, replica_gpus):
    """Bytes that one rank sends for one exchange: 8 bits to the experts, 16 bits back, the mean of both."""
    return 1.5 * rank_tokens * d_model * minimum(top_k, replica_gpus - 1)


@formula(reference="williams-2009-roofline", kind="bound")
def engine_floor_s(
    *, dense_part_bytes, expert_read_bytes, cache_part_bytes, bandwidth_bytes_per_s, dense_flops,
    dense_peak_flops_per_s, expert_flops, expert_peak_flops_per_s,
):  # fmt: skip
    """Least time of a step: all reads at the bandwidth, or all products at the peak."""
    return maximum(
        (dense_part_bytes + expert_read_bytes + cache_part_bytes) / bandwidth_bytes_per_s,
        dense_flops / dense_peak_flops_per_s + expert_flops / expert_peak_flops_per_s,
    )


@formula(reference="definition", kind="reference")
def engine_reference_s(
    *, dense_part_bytes, expert_read_bytes, cache_part_bytes, bandwidth_bytes_per_s, bandwidth_efficiency,
    dense_flops, dense_peak_flops_per_s, expert_flops, expert_peak_flops_per_s, compute_efficiency,
    communication_time_s,
):  # fmt: skip
    """A step at the reference efficiencies: the slower of reading and computing, and communication after it."""
    return (
        maximum(
            (dense_part_bytes + expert_read_bytes + cache_part_bytes) / (bandwidth_bytes_per_s * bandwidth_efficiency),
            (dense_flops / dense_peak_flops_per_s + expert_flops / expert_peak_flops_per_s) / compute_efficiency,
        )
        + communication_time_s
    )


@formula(reference="definition", kind="calibrated")
def dense_products_s(
    *, dense_part_bytes, bandwidth_bytes_per_s, dense_bandwidth_share, dense_flops, dense_peak_flops_per_s,
    dense_compute_share, overlap_power,
):  # fmt: skip
    """Products outside the experts: reading and computing add up (power 1), or overlap (power above 1)."""
    read = dense_part_bytes / (bandwidth_bytes_per_s * dense_bandwidth_share)
    compute = dense_flops / (dense_peak_flops_per_s * dense_compute_share)
    return (read**overlap_power + compute**overlap_power) ** (1 / overlap_power)


@formula(reference="definition", kind="calibrated")
def expert_products_s(
    *, expert_read_bytes, bandwidth_bytes_per_s, expert_bandwidth_share, expert_flops, expert_peak_flops_per_s,
    expert_compute_share, expert_traffic_bytes,
):  # fmt: skip
    """Products of the experts: reading them, computing, and moving inputs and outputs; nothing of it overlaps."""
    return (
        expert_read_bytes / (bandwidth_bytes_per_s * expert_bandwidth_share)
        + expert_flops / (expert_peak_flops_per_s * expert_compute_share)
        + expert_traffic_bytes / bandwidth_bytes_per_s
    )


@formula(reference="definition", kind="calibrated")
def cache_walk_s(*, cache_part_bytes, bandwidth_bytes_per_s, cache_bandwidth_share):
    """Attention of one step: reading the caches."""
    return cache_part_bytes / (bandwidth_bytes_per_s * cache_bandwidth_share)


@formula(reference="definition", kind="calibrated")
def layer_kernels_s(
    *, layers, layer_s, latent_layers, latent_layer_s, index_layers, index_layer_s, linear_layers, linear_layer_s,
    generation_pace,
):  # fmt: skip
    """Time of small kernels whatever the batch: launches and tails of products, norms, attention of short caches."""
    return generation_pace * (
        layers * layer_s
        + latent_layers * latent_layer_s
        + index_layers * index_layer_s
        + linear_layers * linear_layer_s
    )


@formula(reference="definition", kind="calibrated")
def engine_fixed_s(
    *, layer_kernels_s, moe_layers, expert_layer_s, serving_step_s, release_fixed_factor, step_requests,
    serving_request_s,
):  # fmt: skip
    """Time of a step that no byte explains: kernels of layers and of routing, the engine's loop, each request."""
    return (
        release_fixed_factor * (layer_kernels_s + moe_layers * expert_layer_s + serving_step_s)
        + step_requests * serving_request_s
    )


@formula(reference="definition", kind="calibrated")
def step_reductions_s(
    *, reductions, tp, reduction_bytes, link_bytes_per_s, one_shot_latency_s, one_shot_link_share, two_shot_latency_s,
    two_shot_link_share,
):  # fmt: skip
    """All-reduces of one step: each sends all to all at once, or scatters and gathers, whichever is faster."""
    one_shot = one_shot_latency_s + (tp - 1) * reduction_bytes / (link_bytes_per_s * one_shot_link_share)
    two_shot = two_shot_latency_s + 2 * (tp - 1) / tp * reduction_bytes / (link_bytes_per_s * two_shot_link_share)
    return reductions * minimum(one_shot, two_shot)


@formula(reference="definition", kind="calibrated")
def step_exchanges_s(*, exchanges, exchange_latency_s, exchanged_bytes, link_bytes_per_s, exchange_link_share):
    """Exchanges of one step between ranks of attention and experts, to them and back."""
    return exchanges * (exchange_latency_s + exchanged_bytes / (link_bytes_per_s * exchange_link_share))


@formula(reference="definition", kind="calibrated")
def engine_step_s(
    *, dense_products_s, expert_products_s, release_expert_factor, cache_walk_s, engine_fixed_s, step_reductions_s,
    step_exchanges_s,
):  # fmt: skip
    """One decode step: its parts run one after the other."""
    return (
        dense_products_s
        + release_expert_factor * expert_products_s
        + cache_walk_s
        + engine_fixed_s
        + step_reductions_s
        + step_exchanges_s
    )


@formula(reference="definition", kind="calibrated")
def prompt_kernels_s(
    *, prompt_dense_flops, dense_peak_flops_per_s, prompt_dense_share, prompt_expert_flops, expert_peak_flops_per_s,
    prompt_expert_share, prompt_attention_flops, attention_peak_flops_per_s, prompt_attention_share,
    prompt_engine_share,
):  # fmt: skip
    """Products and attention of one prompt, at the shares of the peaks that long steps reach."""
    return (
        prompt_dense_flops / (dense_peak_flops_per_s * prompt_dense_share)
        + prompt_expert_flops / (expert_peak_flops_per_s * prompt_expert_share)
        + prompt_attention_flops / (attention_peak_flops_per_s * prompt_attention_share)
    ) / prompt_engine_share


@formula(reference="definition", kind="calibrated")
def prompt_reductions_s(
    *, reductions, tp, prompt_reduction_bytes, link_bytes_per_s, two_shot_latency_s, two_shot_link_share
):
    """All-reduces of one prompt, long enough that they scatter and gather."""
    volume = 2 * (tp - 1) / tp * prompt_reduction_bytes / (link_bytes_per_s * two_shot_link_share)
    return reductions * (two_shot_latency_s + volume)


@formula(reference="definition", kind="calibrated")
def interruptions_s(*, colocated, admitted_requests, prompt_kernels_s, prompt_reductions_s, output_tokens):
    """Prompts of all others that come in while a request decodes, per token; none where other cards take prompts in."""
    return colocated * admitted_requests * (prompt_kernels_s + prompt_reductions_s) / output_tokens


@formula(reference="definition", kind="calibrated")
def serving_tpot_s(*, engine_step_s, interruptions_s):
    """Time per output token that a user sees: a step, and its share of the prompts of the others."""
    return engine_step_s + interruptions_s


@formula(reference="definition")
def run_busy_share(*, admitted_requests, request_s, prompt_floor_s, engine_floor_s, tpot_s):
    """Share of the time that the data-sheet rates need for the prompts and steps that a run reports."""
    return admitted_requests * prompt_floor_s / request_s + engine_floor_s / tpot_s


@formula(reference="williams-2009-roofline", kind="bound")
def prompt_floor_s(
    *, prompt_dense_flops, dense_peak_flops_per_s, prompt_expert_flops, expert_peak_flops_per_s,
    prompt_attention_flops, attention_peak_flops_per_s,
):  # fmt: skip
    """Least time of one prompt: all its FLOPs at the peak."""
    return (
        prompt_dense_flops / dense_peak_flops_per_s
        + prompt_expert_flops / expert_peak_flops_per_s
        + prompt_attention_flops / attention_peak_flops_per_s
    )


@formula(reference="definition", kind="reference")
def lone_prompt_s(*, prompt_floor_s, compute_efficiency):
    """One prompt alone at the reference efficiency."""
    return prompt_floor_s / compute_efficiency


@formula(reference="little-1961-queuing-formula", kind="calibrated")
def prompt_stage_wait_s(*, requests_in_all, prompt_ranks, prompt_work_s, output_tokens, serving_tpot_s):
    """Wait where cards for prompts alone are the bottleneck: what the requests in flight do not spend decoding."""
    return maximum(requests_in_all / prompt_ranks * prompt_work_s - output_tokens * serving_tpot_s, 0)


@formula(reference="definition", kind="calibrated")
def memory_wait_s(*, rank_batch, admitted_requests, output_tokens, serving_tpot_s):
    """Wait of requests that the memory of a rank does not hold beside the others, in whole answers."""
    return maximum(rank_batch / admitted_requests - 1, 0) * output_tokens * serving_tpot_s


@formula(reference="definition", kind="calibrated")
def serving_ttft_s(
    *, request_entry_s, colocated, steps_in_progress, serving_tpot_s, memory_wait_s, handover_entry_s,
    prompt_stage_wait_s, prompt_work_s, prompts_together, prompts_ahead_share, requests_per_prompt_rank,
):  # fmt: skip
    """Time to first token: entering the engine, waiting for steps or for the cards, and prompts up to its own.

    Requests that end together ask together again, so that a prompt shares its step with others.
    """
    return (
        request_entry_s
        + colocated * (steps_in_progress * serving_tpot_s + memory_wait_s)
        + (1 - colocated) * (handover_entry_s + prompt_stage_wait_s)
        + prompt_work_s * (prompts_together + prompts_ahead_share * maximum(requests_per_prompt_rank - 1, 0))
    )

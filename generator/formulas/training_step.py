"""Time of one training step from its layout: matrices, attention, traffic, exchanges, host, bubble, optimiser."""

from __future__ import annotations

from generator.formulas.elementary import maximum, minimum
from generator.formulas.formula import formula


@formula(reference="kaplan-2020-scaling-laws", kind="bound")
def step_floor_s(*, step_tokens_per_gpu, least_flops_per_token, matrix_peak_flops_per_s):
    """Least time of a step: the FLOPs that no recipe can leave out, all at the dense peak of its number format."""
    return step_tokens_per_gpu * least_flops_per_token / matrix_peak_flops_per_s


@formula(reference="chowdhery-2022-palm", kind="reference")
def step_at_mfu_s(*, step_floor_s, mfu):
    """Time of a step at a model FLOPs utilisation."""
    return step_floor_s / mfu


@formula(reference="kaplan-2020-scaling-laws", kind="calibrated")
def matrix_step_s(
    *,
    step_tokens_per_gpu,
    matrix_flops_per_token,
    expert_flops_per_token,
    matrix_peak_flops_per_s,
    matrix_efficiency,
    expert_matrix_efficiency,
):
    """Matrices of the layers, forward and backward. Small matrices of experts reach a share of what others reach."""
    return (
        step_tokens_per_gpu
        * (matrix_flops_per_token + expert_flops_per_token / expert_matrix_efficiency)
        / (matrix_peak_flops_per_s * matrix_efficiency)
    )


@formula(reference="kaplan-2020-scaling-laws", kind="calibrated")
def head_step_s(*, step_tokens_per_gpu, head_flops_per_token, wide_peak_flops_per_s, head_efficiency):
    """The output head, which stays in 16 bits whatever the layers compute in."""
    return step_tokens_per_gpu * head_flops_per_token / (wide_peak_flops_per_s * head_efficiency)


@formula(reference="chowdhery-2022-palm", kind="calibrated")
def attention_step_s(
    *, step_tokens_per_gpu, attention_work_per_token, wide_peak_flops_per_s, attention_kernel_efficiency
):
    """Scores and weighted values in 16 bits, forward, backward, and once more where the kernel recomputes them."""
    return step_tokens_per_gpu * attention_work_per_token / (wide_peak_flops_per_s * attention_kernel_efficiency)


@formula(reference="korthikanti-2022-activation-recomputation", kind="calibrated")
def traffic_step_s(*, step_tokens_per_gpu, touched_bytes_per_token, activation_passes, bandwidth_bytes_per_s):
    """Memory traffic of norms, activations, casts and of what the matrices read and write beside their work.

    It grows with the activations that a layer keeps: each of their bytes goes through memory a number of times.
    """
    return step_tokens_per_gpu * touched_bytes_per_token * activation_passes / bandwidth_bytes_per_s


@formula(reference="shoeybi-2019-megatron")
def tensor_exchange_bytes(*, layer_passes, message_tokens, d_model, activation_bytes_per_value, tp):
    """Bytes that each rank sends in a step: gather and scatter around both halves of a layer, there and back."""
    return 8 * layer_passes * message_tokens * d_model * activation_bytes_per_value * (1 - 1 / tp)


@formula(reference="shoeybi-2019-megatron", kind="calibrated")
def tensor_step_s(*, tensor_exchange_bytes, tensor_link_bytes_per_s, tensor_exposure):
    """Time of the exchanges inside layers, as far as it does not hide behind matrices."""
    return tensor_exchange_bytes / tensor_link_bytes_per_s * tensor_exposure


@formula(reference="definition")
def domains_reached(*, expert_domains, top_k):
    """Other scale-up domains that hold at least one of a token's experts; one copy of the token goes to each."""
    return (expert_domains - 1) * (1 - (1 - 1 / expert_domains) ** top_k)


@formula(reference="zhao-2025-deepseek-v3-hardware", kind="calibrated")
def expert_step_s(
    *, expert_layer_passes, message_tokens, token_bytes, domains_reached, scale_out_bytes_per_s, expert_exposure
):
    """All-to-all over the network: out and back, forward and backward. Inside the domain it hides."""
    return (
        4
        * expert_layer_passes
        * message_tokens
        * token_bytes
        * domains_reached
        / scale_out_bytes_per_s
        * expert_exposure
    )


@formula(reference="definition", kind="calibrated")
def host_step_s(*, layer_passes, expert_layer_passes, held_experts, layer_host_s, expert_layer_host_s, expert_host_s):
    """Time in which the host holds the accelerator up: for each layer, each expert layer, each expert that it holds."""
    return layer_passes * layer_host_s + expert_layer_passes * (expert_layer_host_s + held_experts * expert_host_s)


@formula(reference="definition", kind="calibrated")
def launch_step_s(*, layer_passes, layer_launch_s, spanning_ranks, rank_launch_s):
    """Time that the host needs to launch the layers of a step, whatever the accelerator has to do.

    A tensor-parallel group across nodes needs longer for each rank that it spans.
    """
    return layer_passes * maximum(layer_launch_s, spanning_ranks * rank_launch_s)


@formula(reference="definition", kind="calibrated")
def busy_step_s(
    *, matrix_step_s, head_step_s, attention_step_s, traffic_step_s, stage_share, head_share, tensor_step_s,
    expert_step_s, launch_step_s, host_step_s,
):  # fmt: skip
    """Time that the busiest stage works: the launches hide behind its work, or the other way round."""
    return (
        maximum(
            (matrix_step_s + attention_step_s + traffic_step_s) * stage_share
            + head_step_s * head_share
            + tensor_step_s
            + expert_step_s,
            launch_step_s,
        )
        + host_step_s
    )


@formula(reference="narayanan-2021-megatron")
def stage_bubble(*, pp, micro_batches, chunks):
    """Idle time over useful time; chunks of layers that take turns on a stage shorten it."""
    return (pp - 1) / (micro_batches * chunks)


@formula(reference="rajbhandari-2020-zero")
def replica_exchange_s(
    *,
    dense_params_per_gpu,
    expert_params_per_gpu,
    exchanged_bytes_per_param,
    dense_replicas,
    expert_replicas,
    dense_ring_bytes_per_s,
    expert_ring_bytes_per_s,
):
    """Sums of gradients and gathering of weights among the replicas of each parameter, if nothing of it hid."""
    return exchanged_bytes_per_param * (
        dense_params_per_gpu * (1 - 1 / dense_replicas) / dense_ring_bytes_per_s
        + expert_params_per_gpu * (1 - 1 / expert_replicas) / expert_ring_bytes_per_s
    )


@formula(reference="definition")
def ring_bytes_per_s(*, members, scale_out_bytes_per_s, scale_up_bytes_per_s):
    """Bandwidth of a ring over nodes: every member in a node has its own network card, the link inside is the limit."""
    return minimum(members * scale_out_bytes_per_s, scale_up_bytes_per_s)


@formula(reference="rajbhandari-2020-zero", kind="calibrated")
def replica_exposed_s(
    *, replica_exchange_s, replica_exposure, busy_step_s, micro_batches, hiding_share, least_exposed_share
):
    """What is left of the exchange of replicas after a share of one micro-batch's work has hidden it."""
    slowed = replica_exchange_s * replica_exposure
    return maximum(slowed - hiding_share * busy_step_s / micro_batches, slowed * least_exposed_share)


@formula(reference="rajbhandari-2020-zero", kind="calibrated")
def optimiser_step_s(*, updated_params_per_gpu, update_bytes_per_param, bandwidth_bytes_per_s, bandwidth_efficiency):
    """The optimiser reads gradient, master weight and moments and writes them back."""
    return updated_params_per_gpu * update_bytes_per_param / (bandwidth_bytes_per_s * bandwidth_efficiency)


@formula(reference="definition", kind="calibrated")
def training_step_s(*, busy_step_s, stage_bubble, replica_exposed_s, optimiser_step_s, step_fixed_s):
    """One step: the work of the busiest stage with the bubble, the exchange of replicas, the update, a fixed time."""
    return busy_step_s * (1 + stage_bubble) + replica_exposed_s + optimiser_step_s + step_fixed_s


@formula(reference="rajbhandari-2020-zero")
def stage_state_bytes(*, stage_params, replicated_state_bytes_per_param, sharded_state_bytes_per_param, shard_degree):
    """State of the parameters of one stage on one accelerator. Memory holds total parameters."""
    return stage_params * (replicated_state_bytes_per_param + sharded_state_bytes_per_param / shard_degree)


@formula(reference="korthikanti-2022-activation-recomputation", kind="calibrated")
def stage_activation_bytes(*, kept_layer_tokens, layer_kept_bytes_per_token, tp, activation_growth):
    """Activations of all micro-batches in flight on one stage; software keeps copies beside what the backward needs."""
    return kept_layer_tokens * layer_kept_bytes_per_token / tp * activation_growth


@formula(reference="korthikanti-2022-activation-recomputation", kind="calibrated")
def stage_logit_bytes(*, logit_values, tp, logit_copy_bytes):
    """Logits on a stage that holds the head: all copies of one logit and of its gradient."""
    return logit_values / tp * logit_copy_bytes


@formula(reference="definition", kind="calibrated")
def peak_training_bytes(
    *, stage_state_bytes, stage_activation_bytes, stage_logit_bytes, process_bytes, device_memory_bytes, fill_share
):
    """Most memory that the run allocates; what would not fit is seen as a full device."""
    return minimum(
        stage_state_bytes + stage_activation_bytes + stage_logit_bytes + process_bytes,
        fill_share * device_memory_bytes,
    )

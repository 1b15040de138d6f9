"""Prefill and decode on one accelerator, in pieces, or apart: stalls, chunked steps, KV transfer, and the split."""

from __future__ import annotations

from generator.formulas.elementary import ceiling, maximum, minimum
from generator.formulas.formula import formula


@formula(reference="patel-2024-splitwise", kind="bound")
def kv_transfer_s(*, kv_bytes_per_request, transfer_links, link_bytes_per_s, transfer_efficiency):
    """Time to send the cache of one prompt over the links of one instance."""
    return kv_bytes_per_request / (transfer_links * link_bytes_per_s * transfer_efficiency)


@formula(reference="patel-2024-splitwise")
def handover_s(*, handover_overhead_s, kv_transfer_s):
    """Time between the end of prefill and the first token at the client: orchestration and transfer."""
    return handover_overhead_s + kv_transfer_s


@formula(reference="definition")
def transfer_overhead_s(*, handover_s, kv_transfer_s):
    """Part of a handover that moves no bytes."""
    return handover_s - kv_transfer_s


@formula(reference="definition")
def transfer_bytes_per_s(*, moved_bytes, kv_transfer_s):
    """Rate that a transfer reached."""
    return moved_bytes / kv_transfer_s


@formula(reference="definition", kind="calibrated")
def transfer_slope_bytes_per_s(*, large_bytes, small_bytes, large_transfer_s, small_transfer_s):
    """Rate of a transfer without its fixed time, from a small and a large one."""
    return (large_bytes - small_bytes) / (large_transfer_s - small_transfer_s)


@formula(reference="definition", kind="calibrated")
def transfer_fixed_s(*, small_transfer_s, small_bytes, transfer_slope_bytes_per_s):
    """Time that a transfer takes before its first byte."""
    return small_transfer_s - small_bytes / transfer_slope_bytes_per_s


@formula(reference="definition")
def fitted_transfer_s(*, moved_bytes, transfer_slope_bytes_per_s, transfer_fixed_s):
    """Time of a transfer by a fixed time and a rate."""
    return transfer_fixed_s + moved_bytes / transfer_slope_bytes_per_s


@formula(reference="definition")
def transfer_share(*, handover_s, prefill_s):
    """Handover over prefill: what disaggregation adds to the time to first token of an idle system."""
    return handover_s / prefill_s


@formula(reference="agrawal-2024-sarathi-serve")
def prefill_stall_steps(*, prefill_s, tpot_s):
    """Decode steps that would have run while one prompt is processed alone."""
    return prefill_s / tpot_s


@formula(reference="agrawal-2024-sarathi-serve")
def longest_gap_s(*, prefill_s, tpot_s):
    """Longest gap between two tokens of a user when one prefill comes between them."""
    return prefill_s + tpot_s


@formula(reference="agrawal-2024-sarathi-serve")
def interfered_tpot_s(*, tpot_s, batch, prefill_s, output_tokens):
    """Mean time per output token when each of b requests is stopped by the prefills of the others."""
    return tpot_s + batch * prefill_s / output_tokens


@formula(reference="agrawal-2024-sarathi-serve")
def piece_tokens(*, token_budget, batch):
    """Prompt tokens of a step with a token budget: what the decodes leave."""
    return maximum(token_budget - batch, 1)


@formula(reference="agrawal-2024-sarathi-serve")
def piece_steps(*, prompt_tokens, piece_tokens):
    """Steps that a prompt takes when it is processed in pieces."""
    return ceiling(prompt_tokens / piece_tokens)


@formula(reference="agrawal-2024-sarathi-serve", kind="bound")
def chunked_compute_time_s(
    *, batch, piece_tokens, active_params, attention_flops_per_token, prompt_attention_flops_per_token, tp,
    peak_flops_per_s, compute_efficiency,
):  # fmt: skip
    """Time to compute one token of every decode and one piece of a prompt. FLOPs count active parameters."""
    return (
        2 * active_params * (batch + piece_tokens)
        + batch * attention_flops_per_token
        + piece_tokens * prompt_attention_flops_per_token
    ) / (tp * peak_flops_per_s * compute_efficiency)


@formula(reference="agrawal-2024-sarathi-serve", kind="bound")
def chunked_memory_time_s(
    *, weights_read_bytes, batch, kv_read_bytes_per_request, piece_read_bytes, kv_replication, tp,
    bandwidth_bytes_per_s, bandwidth_efficiency,
):  # fmt: skip
    """Time to read the weights once, the cache of every decode, and the part of the prompt that is cached already."""
    return (weights_read_bytes + (batch * kv_read_bytes_per_request + piece_read_bytes) * kv_replication) / (
        tp * bandwidth_bytes_per_s * bandwidth_efficiency
    )


@formula(reference="agrawal-2024-sarathi-serve")
def chunked_step_s(*, chunked_memory_time_s, chunked_compute_time_s, communication_time_s):
    """Time of a step that mixes decodes with a piece of a prompt."""
    return maximum(chunked_memory_time_s, chunked_compute_time_s) + communication_time_s


@formula(reference="agrawal-2024-sarathi-serve")
def pieced_prefill_s(*, piece_steps, chunked_step_s):
    """Time to process a prompt in pieces beside running decodes."""
    return piece_steps * chunked_step_s


@formula(reference="zhong-2024-distserve")
def prefill_gpu_s(*, prefill_s, gpus):
    """Accelerator time that the prefill of one request takes."""
    return prefill_s * gpus


@formula(reference="zhong-2024-distserve")
def decode_gpu_s(*, output_tokens, tpot_s, gpus, batch):
    """Accelerator time that the decode of one request takes: its share of the steps it takes part in."""
    return output_tokens * tpot_s * gpus / batch


@formula(reference="zhong-2024-distserve")
def prefill_share(*, prefill_gpu_s, decode_gpu_s):
    """Share of the accelerators that prefill needs, so that neither side waits for the other."""
    return prefill_gpu_s / (prefill_gpu_s + decode_gpu_s)


@formula(reference="zhong-2024-distserve")
def prefill_to_decode(*, prefill_gpu_s, decode_gpu_s):
    """Prefill accelerators for each decode accelerator, so that neither side waits for the other."""
    return prefill_gpu_s / decode_gpu_s


@formula(reference="zhong-2024-distserve")
def balanced_prefill_gpus(*, gpus, prefill_share):
    """Accelerators that prefill needs out of all; seldom a whole number."""
    return gpus * prefill_share


@formula(reference="definition")
def remaining_gpus(*, gpus, prefill_gpus):
    """Accelerators that are left for decode."""
    return gpus - prefill_gpus


@formula(reference="zhong-2024-distserve", kind="bound")
def split_tokens_per_s(*, prefill_gpus, decode_gpus, prefill_gpu_s, decode_gpu_s, output_tokens):
    """Output rate of a split: that of its slower side."""
    return output_tokens * minimum(prefill_gpus / prefill_gpu_s, decode_gpus / decode_gpu_s)


@formula(reference="zhong-2024-distserve", kind="bound")
def shared_tokens_per_s(*, gpus, prefill_gpu_s, decode_gpu_s, output_tokens):
    """Output rate when every accelerator does both, and of a split that is balanced exactly."""
    return output_tokens * gpus / (prefill_gpu_s + decode_gpu_s)

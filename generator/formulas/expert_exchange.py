"""Experts over many accelerators: what a token sends, which path sets the time, what a domain can hold."""

from __future__ import annotations

from generator.formulas.elementary import maximum, minimum
from generator.formulas.formula import formula


@formula(reference="lepikhin-2020-gshard")
def expert_token_bytes(*, top_k, d_model, dispatch_bytes_per_value, combine_bytes_per_value, remote_share):
    """Bytes that one token sends in one layer: out to its k experts and back, but for those that stay at home."""
    return top_k * d_model * (dispatch_bytes_per_value + combine_bytes_per_value) * remote_share


@formula(reference="definition")
def remote_accelerator_share(*, ep):
    """Share of the expert traffic that leaves its accelerator when experts are spread evenly."""
    return 1 - 1 / ep


@formula(reference="definition")
def inside_share(*, ep, domain_gpus):
    """Share of the expert traffic that goes to another accelerator of the same scale-up domain."""
    return (minimum(ep, domain_gpus) - 1) / ep


@formula(reference="definition")
def outside_share(*, ep, domain_gpus):
    """Share of the expert traffic that leaves the scale-up domain: 1 - 1/R over R domains."""
    return maximum(1 - domain_gpus / ep, 0)


@formula(reference="lepikhin-2020-gshard")
def exchange_bytes(*, tokens_per_gpu, top_k, d_model, bytes_per_value):
    """Bytes that the tokens of one accelerator mean to their experts in one direction, wherever those are."""
    return tokens_per_gpu * top_k * d_model * bytes_per_value


@formula(reference="zhao-2025-deepseek-v3-hardware", kind="bound")
def exchange_s(
    *, exchange_bytes, inside_share, outside_share, scale_up_bytes_per_s, scale_out_bytes_per_s, hop_latency_s
):
    """Time of one dispatch or combine. Both paths work at once, and the slower one sets the time."""
    return (
        exchange_bytes * maximum(inside_share / scale_up_bytes_per_s, outside_share / scale_out_bytes_per_s)
        + hop_latency_s
    )


@formula(reference="definition")
def expert_hops_s(*, moe_layers, hop_latency_s):
    """Fixed time of all exchanges of a step: two in each expert layer, one after the other."""
    return 2 * moe_layers * hop_latency_s


@formula(reference="definition")
def latency_per_exchange_s(*, hops_s, moe_layers):
    """Fixed time of one exchange at which the hops of a step take a given time."""
    return hops_s / (2 * moe_layers)


@formula(reference="deepseek-2025-open-infra")
def expert_slots_per_gpu(*, experts, redundant_experts, ep):
    """Routed experts of one layer on one accelerator when the most wanted ones exist twice."""
    return (experts + redundant_experts) / ep


@formula(reference="definition")
def memory_per_gpu_bytes(*, weights_bytes, kv_batch_bytes, ep, pp):
    """Weights and caches spread evenly over the accelerators: the least that each must hold."""
    return (weights_bytes + kv_batch_bytes) / (ep * pp)


@formula(reference="definition", kind="reference")
def largest_model_params(
    *, memory_utilization, domain_memory_bytes, gpus, workspace_bytes, cache_share, bits_per_param
):
    """Parameters that a domain holds when a share of its room is kept for caches."""
    return (memory_utilization * domain_memory_bytes - gpus * workspace_bytes) * (1 - cache_share) * 8 / bits_per_param


@formula(reference="little-1961-queuing-formula")
def requests_decoding(*, tokens_per_s, tokens_per_s_per_user):
    """Requests that decode at once, from the rate of all and the rate of one."""
    return tokens_per_s / tokens_per_s_per_user


@formula(reference="definition")
def domain_tokens_per_s(*, domain_gpus, tokens_per_s_per_gpu):
    """Output rate of the accelerators of one domain."""
    return domain_gpus * tokens_per_s_per_gpu


@formula(reference="lepikhin-2020-gshard")
def expert_pass_bytes(*, moe_layers, expert_token_bytes):
    """Bytes that one token sends for its experts in all layers."""
    return moe_layers * expert_token_bytes


@formula(reference="lepikhin-2020-gshard", kind="bound")
def expert_pass_s(*, moe_layers, dispatch_s, combine_s):
    """Time of all exchanges of one pass, none of it hidden behind computing."""
    return moe_layers * (dispatch_s + combine_s)

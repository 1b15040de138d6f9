"""Communication: all-reduces of tensor parallelism, all-to-alls of experts, pipeline hops and bubbles."""

from __future__ import annotations

from generator.formulas.elementary import either, maximum
from generator.formulas.formula import formula


@formula(reference="definition")
def link_bytes_per_s(*, degree, domain_gpus, scale_up_bytes_per_s, scale_out_bytes_per_s):
    """Bandwidth of a collective: the scale-up link inside the domain, the scale-out link as soon as it leaves it."""
    return either(degree <= domain_gpus, scale_up_bytes_per_s, scale_out_bytes_per_s)


@formula(reference="definition")
def link_latency_s(*, degree, domain_gpus, scale_up_latency_s, scale_out_latency_s):
    """Fixed time of a collective: that of the slowest link it crosses."""
    return either(degree <= domain_gpus, scale_up_latency_s, scale_out_latency_s)


@formula(reference="patarasuk-2009-all-reduce")
def all_reduce_bytes(*, degree, message_tokens, d_model, activation_bytes_per_value):
    """Bytes that each accelerator sends in one ring all-reduce."""
    return 2 * (degree - 1) / degree * message_tokens * d_model * activation_bytes_per_value


@formula(reference="shoeybi-2019-megatron")
def all_reduces_per_token(*, layers):
    """One all-reduce after attention and one after the feed-forward network."""
    return 2 * layers


@formula(reference="definition")
def paired_layers(*, alternating_layers):
    """Layers that hold either attention or a feed-forward network, counted in pairs: each ends in one all-reduce."""
    return alternating_layers / 2


@formula(reference="shoeybi-2019-megatron", kind="bound")
def tensor_parallel_time_s(*, layers, degree, all_reduce_bytes, link_bytes_per_s, link_latency_s):
    """Two all-reduces a layer, each with its volume and its fixed time; none on a single accelerator."""
    return either(degree > 1, 2 * layers * (all_reduce_bytes / link_bytes_per_s + link_latency_s), 0)


@formula(reference="lepikhin-2020-gshard")
def all_to_all_bytes(*, message_tokens, ep, top_k, d_model, dispatch_bytes_per_value, combine_bytes_per_value):
    """Bytes one accelerator sends for the experts of one layer: each token to k experts and back.

    The tokens of all accelerators are `message_tokens`; the share 1/EP stays where it is.
    """
    return message_tokens / ep * top_k * d_model * (dispatch_bytes_per_value + combine_bytes_per_value) * (1 - 1 / ep)


@formula(reference="lepikhin-2020-gshard", kind="bound")
def expert_parallel_time_s(*, moe_layers, ep, all_to_all_bytes, link_bytes_per_s, link_latency_s):
    """Two all-to-alls in each expert layer; none when the experts are not spread."""
    return either(ep > 1, moe_layers * (all_to_all_bytes / link_bytes_per_s + 2 * link_latency_s), 0)


@formula(reference="huang-2019-gpipe", kind="bound")
def pipeline_time_s(*, pp, message_tokens, d_model, activation_bytes_per_value, link_bytes_per_s, hop_latency_s):
    """Activations handed from stage to stage in one pass."""
    return (pp - 1) * (message_tokens * d_model * activation_bytes_per_value / link_bytes_per_s + hop_latency_s)


@formula(reference="definition")
def communication_time_s(*, tensor_parallel_time_s, expert_parallel_time_s, pipeline_time_s):
    """All communication of one pass, nothing of it hidden behind computing."""
    return tensor_parallel_time_s + expert_parallel_time_s + pipeline_time_s


@formula(reference="huang-2019-gpipe")
def bubble_share(*, pp, micro_batches):
    """Idle share of the whole time of a pipeline pass."""
    return (pp - 1) / (micro_batches + pp - 1)


@formula(reference="narayanan-2021-megatron")
def bubble_overhead(*, pp, micro_batches):
    """Idle time over useful time: the other common way to state the bubble."""
    return (pp - 1) / micro_batches


@formula(reference="definition")
def domain_memory_bytes(*, gpus, device_memory_bytes):
    """Memory that one scale-up domain holds."""
    return gpus * device_memory_bytes


@formula(reference="definition")
def step_slowdown(*, step_s, hops_s):
    """How much longer a step takes when hops come on top of it."""
    return (step_s + hops_s) / step_s


@formula(reference="definition")
def replica_gpus(*, tp, pp):
    """Accelerators of one replica."""
    return tp * pp


@formula(reference="definition")
def replicas(*, gpus, tp, pp):
    """Replicas behind a balancer."""
    return maximum(gpus / (tp * pp), 1)

"""Collectives, KV transfers and matrix products with constants from measurements: fixed times and shares of a link."""

from __future__ import annotations

from generator.formulas.elementary import either, maximum, minimum, square_root
from generator.formulas.formula import formula


@formula(reference="thakur-2005-collectives")
def collective_hops(*, ring_passes, degree):
    """Messages that follow one another: n-1 for each time around the ring; an all-to-all sends all at once."""
    return either(ring_passes > 0, ring_passes * (degree - 1), 1)


@formula(reference="thakur-2005-collectives")
def collective_sent_bytes(*, ring_passes, message_bytes, degree):
    """Bytes that each accelerator sends: all but its own part, twice in an all-reduce."""
    return maximum(ring_passes, 1) * (degree - 1) / degree * message_bytes


@formula(reference="thakur-2005-collectives")
def collective_least_bytes(*, collective_sent_bytes, message_bytes, degree, switch_sums):
    """The fewest bytes that each accelerator sends: if the switch adds, all but its own part, once."""
    return either(switch_sums > 0, (degree - 1) / degree * message_bytes, collective_sent_bytes)


@formula(reference="definition", kind="bound")
def collective_floor_s(*, collective_least_bytes, link_bytes_per_s):
    """No collective is faster than the fewest bytes over the whole link in one direction."""
    return collective_least_bytes / link_bytes_per_s


@formula(reference="thakur-2005-collectives", kind="reference")
def reference_collective_s(*, collective_sent_bytes, link_bytes_per_s, link_latency_s):
    """Bytes over the whole link and one fixed time, as the estimates of this book have it."""
    return collective_sent_bytes / link_bytes_per_s + link_latency_s


@formula(reference="thakur-2005-collectives", kind="calibrated")
def ring_transfer_s(*, collective_sent_bytes, link_bytes_per_s, ring_efficiency):
    """What each accelerator sends, over the share of its link that is reached."""
    return collective_sent_bytes / (link_bytes_per_s * ring_efficiency)


@formula(reference="definition", kind="calibrated")
def switch_transfer_s(*, message_bytes, link_bytes_per_s, switch_efficiency):
    """Each accelerator sends its buffer into the switch and receives the sum, whatever their number."""
    return message_bytes / (link_bytes_per_s * switch_efficiency)


@formula(reference="definition", kind="calibrated")
def collective_transfer_s(*, ring_transfer_s, switch_transfer_s, switch_sums):
    """The library takes the better way if the switch can add."""
    return either(switch_sums > 0, minimum(ring_transfer_s, switch_transfer_s), ring_transfer_s)


@formula(reference="thakur-2005-collectives", kind="calibrated")
def library_collective_s(
    *, collective_call_s, collective_launch_s, collective_exchange_s, collective_hop_s, collective_hops,
    collective_transfer_s, collective_ramp_s,
):  # fmt: skip
    """Launch, one hop after another, the bytes, and the loss of cutting them into pieces.

    With pieces of the best size, latency and transfer add like the squares of sums: twice the root of their product.
    """
    return (
        collective_call_s
        + collective_launch_s
        + collective_exchange_s
        + collective_hop_s * collective_hops
        + collective_transfer_s
        + 2 * square_root(collective_ramp_s * collective_transfer_s)
    )


@formula(reference="definition", kind="calibrated")
def one_shot_s(*, direct_launch_s, message_bytes, degree, link_bytes_per_s, direct_efficiency):
    """Everyone reads the buffers of all others and adds them up itself: one step, many bytes."""
    return direct_launch_s + (degree - 1) * message_bytes / (link_bytes_per_s * direct_efficiency)


@formula(reference="definition", kind="calibrated")
def two_shot_s(*, direct_launch_s, direct_barrier_s, collective_sent_bytes, link_bytes_per_s, direct_efficiency):
    """Everyone adds up one part and reads the sums of the others: two steps, the bytes of a ring."""
    return direct_launch_s + direct_barrier_s + collective_sent_bytes / (link_bytes_per_s * direct_efficiency)


@formula(reference="definition", kind="calibrated")
def measured_collective_s(*, own_kernel, one_shot_s, two_shot_s, library_collective_s):
    """An engine with an all-reduce of its own takes the best of it and the library's."""
    return either(own_kernel > 0, minimum(one_shot_s, two_shot_s, library_collective_s), library_collective_s)


@formula(reference="definition", kind="bound")
def kv_transfer_floor_s(*, kv_bytes_per_request, link_bytes_per_s):
    """No transfer is faster than its bytes over the whole network in one direction."""
    return kv_bytes_per_request / link_bytes_per_s


@formula(reference="qin-2025-mooncake", kind="calibrated")
def measured_kv_transfer_s(*, layers, kv_layer_s, kv_bytes_per_request, link_bytes_per_s, kv_link_efficiency):
    """A fixed time for each layer, whose cache is a buffer of its own, and the bytes over the share that is reached."""
    return layers * kv_layer_s + kv_bytes_per_request / (link_bytes_per_s * kv_link_efficiency)


@formula(reference="definition", kind="calibrated")
def product_flops_per_s(*, peak_flops_per_s, product_efficiency):
    """The best matrix product reaches a share of the dense peak: the clock falls under its power."""
    return peak_flops_per_s * product_efficiency

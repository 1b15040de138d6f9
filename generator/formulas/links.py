"""What a link and an hour of an accelerator give: bandwidths as tests print them, prices of bytes and of FLOPs."""

from __future__ import annotations

from generator.formulas.formula import formula


@formula(reference="nvidia-nccl-tests")
def algorithm_bandwidth_bytes_per_s(*, message_bytes, collective_s):
    """The size of the buffer over the time, whatever the collective sends for it."""
    return message_bytes / collective_s


@formula(reference="nvidia-nccl-tests")
def bus_bandwidth_bytes_per_s(*, algorithm_bandwidth_bytes_per_s, degree):
    """An all-reduce sends 2(n-1)/n times its buffer from each accelerator; only this rate compares with a link."""
    return algorithm_bandwidth_bytes_per_s * 2 * (degree - 1) / degree


@formula(reference="patarasuk-2009-all-reduce", kind="bound")
def ring_bus_bandwidth_bytes_per_s(*, message_bytes, degree, link_bytes_per_s, link_latency_s):
    """Bus bandwidth of a ring all-reduce: the bytes sent over the time on the link and the fixed time of a collective.

    Small buffers are paid in latency, large ones in bandwidth.
    """
    sent_bytes = 2 * (degree - 1) / degree * message_bytes
    return sent_bytes / (sent_bytes / link_bytes_per_s + link_latency_s)


@formula(reference="definition")
def host_bytes_per_s(*, nics, nic_bytes_per_s):
    """All network cards of one host together."""
    return nics * nic_bytes_per_s


@formula(reference="definition")
def traffic_usd(*, traffic_bytes, bandwidth_bytes_per_s, usd_per_gpu_hour):
    """Price of the accelerator time in which so many bytes are read at the full bandwidth."""
    return traffic_bytes / bandwidth_bytes_per_s * usd_per_gpu_hour / 3600


@formula(reference="definition")
def work_usd(*, work_flops, peak_flops_per_s, usd_per_gpu_hour):
    """Price of the accelerator time in which so many FLOPs are done at the dense peak."""
    return work_flops / peak_flops_per_s * usd_per_gpu_hour / 3600

"""Links: bus bandwidth as the tests of NCCL define it, and prices of bytes and of FLOPs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.formulas import links, parameters


def test_bus_bandwidth_of_a_published_log_follows_from_its_algorithm_bandwidth():
    # nccl-tests issue 119: 50.05 GB/s and 95.92 GB/s in one row, over 24 ranks.
    assert links.bus_bandwidth_bytes_per_s(algorithm_bandwidth_bytes_per_s=50.05e9, degree=24) == pytest.approx(
        95.92e9, rel=1e-3
    )


def test_eight_gib_over_eight_a100_reach_the_printed_bandwidths():
    # stas00/ml-engineering: 8 GiB in 64,074 us, 134.06 and 234.61 GB/s.
    algorithm = links.algorithm_bandwidth_bytes_per_s(message_bytes=8 * 2**30, collective_s=64_074e-6)
    assert algorithm == pytest.approx(134.06e9, rel=1e-3)
    bus = links.bus_bandwidth_bytes_per_s(algorithm_bandwidth_bytes_per_s=algorithm, degree=8)
    assert bus == pytest.approx(234.61e9, rel=1e-3)


@given(size=st.floats(1e3, 1e12), degree=st.integers(2, 512), link=st.floats(1e9, 2e12), latency=st.floats(0, 1e-3))
def test_ring_never_beats_its_link(size, degree, link, latency):
    rate = links.ring_bus_bandwidth_bytes_per_s(
        message_bytes=size, degree=degree, link_bytes_per_s=link, link_latency_s=latency
    )
    assert rate <= link * (1 + 1e-12)
    sent = 2 * (degree - 1) / degree * size
    assert rate == pytest.approx(sent / (sent / link + latency))


def test_four_cards_of_200_gigabit_at_24_gb_per_s_give_96():
    assert links.host_bytes_per_s(nics=4, nic_bytes_per_s=24e9) == 96e9


def test_an_hour_at_full_rate_costs_the_price_of_an_hour():
    assert links.traffic_usd(traffic_bytes=3600e12, bandwidth_bytes_per_s=1e12, usd_per_gpu_hour=2.5) == 2.5
    assert links.work_usd(work_flops=3600e15, peak_flops_per_s=1e15, usd_per_gpu_hour=2.5) == 2.5


def test_head_size_of_qwen3_32b_is_not_width_over_heads():
    assert parameters.inferred_head_dim(d_model=5120, n_heads=64) == 80

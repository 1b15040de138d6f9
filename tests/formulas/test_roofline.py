"""Rooflines: no operation beats the peak or the bandwidth, and at the ridge both take equally long."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.formulas import roofline

PEAKS = st.floats(1e13, 1e16)
BANDWIDTHS = st.floats(1e11, 2e13)


@given(peak=PEAKS, bandwidth=BANDWIDTHS)
def test_at_the_ridge_memory_and_compute_take_equally_long(peak, bandwidth):
    ridge = roofline.ridge_point(peak_flops_per_s=peak, bandwidth_bytes_per_s=bandwidth)
    assert bandwidth * ridge == pytest.approx(peak)
    assert 1e9 * ridge / peak == pytest.approx(1e9 / bandwidth)


@given(peak=PEAKS, bandwidth=BANDWIDTHS, intensity=st.floats(1e-3, 1e5))
def test_attainable_rate_is_below_both_roofs(peak, bandwidth, intensity):
    rate = roofline.attainable_flops_per_s(peak_flops_per_s=peak, bandwidth_bytes_per_s=bandwidth, intensity=intensity)
    assert rate == min(peak, bandwidth * intensity)


@given(peak=PEAKS, bandwidth=BANDWIDTHS, work=st.floats(1, 1e18), traffic=st.floats(1, 1e13))
def test_no_operation_is_faster_than_its_bytes_or_its_flops(peak, bandwidth, work, traffic):
    seconds = roofline.roofline_seconds(
        work_flops=work, traffic_bytes=traffic, peak_flops_per_s=peak, bandwidth_bytes_per_s=bandwidth
    )
    assert seconds >= traffic / bandwidth
    assert seconds >= work / peak
    rate = roofline.attainable_flops_per_s(
        peak_flops_per_s=peak,
        bandwidth_bytes_per_s=bandwidth,
        intensity=roofline.arithmetic_intensity(work_flops=work, traffic_bytes=traffic),
    )
    assert work / seconds == pytest.approx(rate)


@given(batch=st.integers(1, 10**5))
def test_bf16_weights_give_one_flop_per_byte_and_request(batch):
    assert roofline.weight_intensity(batch=batch, bits_per_param=16) == batch


@given(batch=st.integers(1, 10**5))
def test_halving_the_bits_doubles_the_intensity_of_the_weights(batch):
    assert roofline.weight_intensity(batch=batch, bits_per_param=8) == 2 * batch


@given(ridge=st.floats(1, 1e4), bits=st.sampled_from([4.25, 8, 16]))
def test_batch_at_the_ridge_has_the_intensity_of_the_ridge(ridge, bits):
    batch = roofline.batch_at_ridge(ridge_point=ridge, bits_per_param=bits)
    assert roofline.weight_intensity(batch=batch, bits_per_param=bits) == pytest.approx(ridge)


@given(groups=st.integers(1, 128), heads=st.sampled_from([1, 2, 4, 8]))
def test_attention_intensity_is_the_group_size_in_bf16(groups, heads):
    intensity = roofline.attention_intensity(n_heads=groups * heads, n_kv_heads=heads, bits_per_value=16)
    assert intensity == groups


def test_multi_head_attention_does_one_flop_per_byte_whatever_the_batch():
    assert roofline.attention_intensity(n_heads=32, n_kv_heads=32, bits_per_value=16) == 1


@given(weights=st.floats(1e9, 1e12), bandwidth=BANDWIDTHS)
def test_a_single_user_gets_at_most_one_token_per_reading_of_the_weights(weights, bandwidth):
    floor = roofline.batch_one_floor_s(weights_bytes=weights, bandwidth_bytes_per_s=bandwidth)
    assert floor * bandwidth == pytest.approx(weights)
    assert roofline.batch_one_tokens_per_s(batch_one_floor_s=floor) * floor == pytest.approx(1)

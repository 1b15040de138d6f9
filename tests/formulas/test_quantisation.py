"""Number formats: what scales add, and where FP8 weights overtake INT4 weights."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.formulas import decode, quantisation, roofline


@pytest.mark.parametrize(
    ("value", "scale", "group", "stated"),
    [(4, 8, 32, 0.53125), (6, 8, 32, 0.78125), (8, 8, 32, 1.03125), (4, 8, 16, 0.5625), (4, 16, 128, 0.515625)],
)
def test_block_formats_take_the_bytes_that_rouhani_et_al_and_nvidia_state(value, scale, group, stated):
    assert quantisation.bytes_per_param(value_bits=value, scale_bits=scale, group_values=group) == stated


@given(value=st.sampled_from([4, 6, 8, 16]), scale=st.floats(1, 32))
def test_the_scale_of_a_very_large_group_weighs_nothing(value, scale):
    each = quantisation.bytes_per_param(value_bits=value, scale_bits=scale, group_values=1e12)
    assert each == pytest.approx(value / 8)


def test_a_checkpoint_in_one_format_has_the_bytes_of_that_format():
    assert quantisation.mean_bytes_per_param(weights_bytes=2 * 8.03e9, total_params=8.03e9) == 2


def test_without_context_eight_bit_weights_overtake_at_half_the_ridge():
    batch = quantisation.format_crossover_batch(
        weights_read_bytes=8e9,
        active_params=8e9,
        attention_flops_per_token=0,
        kv_read_bytes_per_request=0,
        ridge_point=295.3,
    )
    assert batch == pytest.approx(295.3 / 2)
    assert batch == pytest.approx(roofline.batch_at_ridge(ridge_point=295.3, bits_per_param=8))


@given(
    cache=st.floats(0, 4e7), params=st.floats(1e9, 1e11), bandwidth=st.floats(1e11, 1e13), peak=st.floats(1e13, 1e15)
)
def test_at_the_crossover_both_formats_take_equally_long(cache, params, bandwidth, peak):
    ridge = peak / bandwidth
    shape = {"active_params": params, "attention_flops_per_token": 1e6}
    batch = quantisation.format_crossover_batch(
        weights_read_bytes=params, kv_read_bytes_per_request=cache, ridge_point=ridge, **shape
    )
    if batch <= 0 or batch > 1e6:
        return
    wide = decode.decode_bytes(weights_read_bytes=params, batch=batch, kv_read_bytes_per_request=cache) / bandwidth
    narrow = decode.decode_flops(batch=batch, **shape) / peak
    assert narrow == pytest.approx(wide, rel=1e-6)


def test_a_cache_read_at_less_than_the_ridge_keeps_the_step_memory_bound_for_ever():
    shape = {"weights_read_bytes": 8e9, "active_params": 8e9, "attention_flops_per_token": 0, "ridge_point": 295}
    assert quantisation.format_crossover_batch(kv_read_bytes_per_request=1e8, **shape) < 0


def test_half_the_bytes_take_half_the_step():
    assert quantisation.read_step_ratio(narrow_bytes=1e9, wide_bytes=2e9) == 0.5

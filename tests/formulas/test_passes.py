"""Parts of a pass: against the roofline of the whole, without launches, on a grid of one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.formulas import passes, roofline

POSITIVE = st.floats(1.0, 1e15)


@given(work=POSITIVE, traffic=POSITIVE, peak=POSITIVE, bandwidth=POSITIVE)
def test_a_roofline_is_the_longer_of_computing_and_moving(work, traffic, peak, bandwidth):
    parts = (
        passes.computing_s(work_flops=work, peak_flops_per_s=peak),
        passes.moving_s(traffic_bytes=traffic, bandwidth_bytes_per_s=bandwidth),
    )
    whole = roofline.roofline_seconds(
        work_flops=work, traffic_bytes=traffic, peak_flops_per_s=peak, bandwidth_bytes_per_s=bandwidth
    )
    assert max(parts) == whole


def test_the_sum_of_two_arrays_moves_three():
    assert passes.elementwise_bytes(elements=10, arrays_touched=3, bytes_per_value=4) == 120


def test_a_matrix_of_one_row_is_an_array():
    assert passes.matrix_bytes(matrix_rows=1, matrix_columns=10, bytes_per_value=4) == passes.elementwise_bytes(
        elements=10, arrays_touched=1, bytes_per_value=4
    )


@pytest.mark.parametrize(("read", "compute", "step"), [(2, 5, 8), (5, 2, 8), (0, 0, 3)])
def test_matrices_take_the_longer_of_reading_and_computing_after_attention(read, compute, step):
    assert passes.attention_then_matrices_s(cache_read_s=3, weights_read_s=read, matrices_compute_s=compute) == step


def test_a_pass_without_launches_is_the_pass():
    assert passes.launched_pass_s(pass_s=4.874e-3, launches=0, launch_s=1e-5) == 4.874e-3
    assert passes.launched_pass_s(pass_s=4.874e-3, launches=32, launch_s=1e-5) == pytest.approx(5.194e-3)


def test_latency_of_a_grid_grows_with_its_side():
    base = {"layers": 80, "synchronisations_per_layer": 4, "base_latency_s": 6e-6, "latency_growth_s": 2e-6}
    assert passes.grid_latency_s(gpus=1, **base) == pytest.approx(1.92e-3)
    assert passes.grid_latency_s(gpus=16, **base) == pytest.approx(2 * passes.grid_latency_s(gpus=1, **base))


def test_a_prediction_that_holds_is_one():
    assert passes.overprediction(predicted_tokens_per_s=5353, measured_tokens_per_s=5353) == 1


@pytest.mark.parametrize(("words_a_minute", "seconds"), [(250, 0.16), (450, 0.089), (700, 0.057)])
def test_reading_speeds_of_the_engineering_book(words_a_minute, seconds):
    found = passes.reading_tpot_s(words_per_s=words_a_minute / 60, tokens_per_word=1.5)
    assert found == pytest.approx(seconds, abs=5e-4)

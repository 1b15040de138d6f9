"""Communication: nothing on one accelerator, ring volumes towards twice the message, bubbles both ways."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.formulas import parallelism

DEGREES = st.integers(1, 4096)
_MESSAGE = {"message_tokens": 64, "d_model": 8192, "activation_bytes_per_value": 2}


def test_one_accelerator_sends_nothing_in_an_all_reduce():
    assert parallelism.all_reduce_bytes(degree=1, **_MESSAGE) == 0


@given(degree=DEGREES)
def test_a_ring_sends_less_than_twice_the_message_and_more_with_each_accelerator(degree):
    message = 64 * 8192 * 2
    sent = parallelism.all_reduce_bytes(degree=degree, **_MESSAGE)
    assert sent < 2 * message
    assert parallelism.all_reduce_bytes(degree=degree + 1, **_MESSAGE) > sent


def test_two_accelerators_send_the_message_once():
    assert parallelism.all_reduce_bytes(degree=2, **_MESSAGE) == 64 * 8192 * 2


def test_tensor_parallelism_over_one_accelerator_takes_no_time():
    time = parallelism.tensor_parallel_time_s(
        layers=80, degree=1, all_reduce_bytes=0, link_bytes_per_s=450e9, link_latency_s=5e-6
    )
    assert time == 0


@given(layers=st.integers(1, 200), degree=st.integers(2, 64), volume=st.floats(0, 1e9))
def test_tensor_parallelism_takes_two_all_reduces_a_layer(layers, degree, volume):
    time = parallelism.tensor_parallel_time_s(
        layers=layers, degree=degree, all_reduce_bytes=volume, link_bytes_per_s=450e9, link_latency_s=5e-6
    )
    each = volume / 450e9 + 5e-6
    assert time == pytest.approx(parallelism.all_reduces_per_token(layers=layers) * each)


@given(degree=DEGREES, domain=st.integers(1, 72))
def test_a_collective_that_leaves_the_domain_runs_over_the_scale_out_link(degree, domain):
    rate = parallelism.link_bytes_per_s(
        degree=degree, domain_gpus=domain, scale_up_bytes_per_s=450e9, scale_out_bytes_per_s=50e9
    )
    assert rate == (450e9 if degree <= domain else 50e9)


def test_experts_on_one_accelerator_send_nothing():
    volume = parallelism.all_to_all_bytes(
        message_tokens=128, ep=1, top_k=8, d_model=7168, dispatch_bytes_per_value=1, combine_bytes_per_value=2
    )
    assert volume == 0
    time = parallelism.expert_parallel_time_s(
        moe_layers=58, ep=1, all_to_all_bytes=volume, link_bytes_per_s=50e9, link_latency_s=5e-6
    )
    assert time == 0


def test_a_token_of_deepseek_v3_sends_165_kb_a_layer_to_its_eight_experts_and_back():
    """8 experts x 7168 values x (1 byte FP8 out + 2 bytes BF16 back), all but 1/64 of it to other accelerators."""
    sent = parallelism.all_to_all_bytes(
        message_tokens=64, ep=64, top_k=8, d_model=7168, dispatch_bytes_per_value=1, combine_bytes_per_value=2
    )
    assert sent == pytest.approx(8 * 7168 * 3 * 63 / 64)


@given(stages=st.integers(2, 64), micro=st.integers(1, 512))
def test_both_ways_to_state_the_bubble_are_the_same_idle_time(stages, micro):
    share = parallelism.bubble_share(pp=stages, micro_batches=micro)
    overhead = parallelism.bubble_overhead(pp=stages, micro_batches=micro)
    assert share == pytest.approx(overhead / (1 + overhead))
    assert share < overhead


def test_one_stage_has_no_bubble_and_no_hops():
    assert parallelism.bubble_share(pp=1, micro_batches=8) == parallelism.bubble_overhead(pp=1, micro_batches=8) == 0
    assert parallelism.pipeline_time_s(pp=1, link_bytes_per_s=50e9, hop_latency_s=1e-5, **_MESSAGE) == 0


@given(micro=st.integers(1, 10_000))
def test_more_micro_batches_shrink_the_bubble(micro):
    assert parallelism.bubble_share(pp=8, micro_batches=micro + 1) < parallelism.bubble_share(pp=8, micro_batches=micro)


@given(tp=st.integers(1, 16), pp=st.integers(1, 16), dp=st.integers(1, 16))
def test_replicas_times_degrees_are_all_accelerators(tp, pp, dp):
    assert parallelism.replicas(gpus=tp * pp * dp, tp=tp, pp=pp) == dp


def test_no_hops_slow_nothing_down():
    assert parallelism.step_slowdown(step_s=0.02, hops_s=0) == 1


def test_two_layers_of_one_block_reduce_as_often_as_one_layer_of_two():
    assert parallelism.paired_layers(alternating_layers=88) == 44

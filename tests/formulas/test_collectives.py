"""Costs of splitting: rings, the latency that splitting can bear, context parallelism, replicas."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.formulas import collectives, parallelism

LINK = {"link_bytes_per_s": 450e9, "link_latency_s": 5e-6}
LLAMA_8B = {"layers": 32, "n_heads": 32, "head_dim": 128, "kv_bytes_per_token": 131072}


def test_an_empty_all_reduce_takes_its_fixed_time():
    assert collectives.all_reduce_s(buffer_bytes=0, degree=8, **LINK) == 5e-6


def test_half_a_gigabyte_over_eight_h100_takes_as_long_as_nccl_measured():
    """NCCL 2.29 takes 2,111 us for 512 MiB over eight H100."""
    assert collectives.all_reduce_s(buffer_bytes=2**29, degree=8, **LINK) == pytest.approx(2111e-6, rel=0.02)


@given(tokens=st.integers(1, 8192), degree=st.integers(2, 64))
def test_a_pass_is_two_all_reduces_a_layer_of_the_same_ring(tokens, degree):
    message = tokens * 8192 * 2
    one = collectives.all_reduce_s(buffer_bytes=message, degree=degree, **LINK)
    volume = parallelism.all_reduce_bytes(
        degree=degree, message_tokens=tokens, d_model=8192, activation_bytes_per_value=2
    )
    whole = parallelism.tensor_parallel_time_s(layers=80, degree=degree, all_reduce_bytes=volume, **LINK)
    assert whole == pytest.approx(160 * one)
    assert volume == pytest.approx(collectives.ring_bytes(buffer_bytes=message, degree=degree))
    assert collectives.tensor_parallel_bytes(layers=80, all_reduce_bytes=volume) == pytest.approx(160 * volume)


@given(step=st.floats(1e-3, 0.1), degree=st.integers(2, 16), layers=st.integers(8, 128))
def test_at_the_break_even_latency_a_split_step_takes_as_long_as_a_whole_one(step, degree, layers):
    volume = collectives.ring_bytes(buffer_bytes=16384, degree=degree)
    latency = collectives.break_even_latency_s(
        single_step_s=step, degree=degree, layers=layers, all_reduce_bytes=volume, link_bytes_per_s=450e9
    )
    split = step / degree + 2 * layers * (volume / 450e9 + latency)
    assert split == pytest.approx(step)


def test_one_accelerator_has_nothing_to_gain():
    latency = collectives.break_even_latency_s(
        single_step_s=0.02, degree=1, layers=32, all_reduce_bytes=0, link_bytes_per_s=450e9
    )
    assert latency == 0


def test_at_the_communication_bound_degree_both_times_are_equal():
    """Per token: 2P/(n pi eta) of computing, 2L all-reduces of nearly twice d values."""
    shape = {"layers": 80, "d_model": 8192, "activation_bytes_per_value": 2}
    degree = collectives.communication_bound_degree(
        active_params=70e9, link_bytes_per_s=450e9, peak_flops_per_s=989e12, compute_efficiency=0.6, **shape
    )
    computing = 2 * 70e9 / (degree * 989e12 * 0.6)
    sending = 2 * 80 * 2 * 8192 * 2 / 450e9
    assert computing == pytest.approx(sending)


def test_a_host_of_eight_with_400_gigabit_each_has_400_gb_per_s():
    assert collectives.domain_scale_out_bytes_per_s(domain_gpus=8, scale_out_bytes_per_s=50e9) == 400e9


def test_a_token_at_a_thousand_a_second_takes_a_millisecond():
    assert collectives.token_time_s(tokens_per_s=1000) == 0.001


def test_a_transfer_takes_its_bytes_over_the_link():
    assert collectives.transfer_s(traffic_bytes=31e9, link_bytes_per_s=31e9) == 1


def test_a_stage_hands_on_the_width_of_each_token():
    assert collectives.stage_bytes(message_tokens=64, d_model=8192, activation_bytes_per_value=2) == 2**20


@given(cp=st.integers(1, 64))
def test_context_parallelism_keeps_the_whole_cache_once(cp):
    assert cp * collectives.context_parallel_kv_bytes(kv_bytes_per_request=137e9, cp=cp) == pytest.approx(137e9)


def test_a_ring_of_one_sends_nothing_and_hides_at_once():
    assert collectives.ring_attention_bytes(cp=1, prompt_tokens=4096, kv_bytes_per_token=131072) == 0
    hidden = collectives.hidden_prompt_tokens(
        cp=1, link_bytes_per_s=450e9, peak_flops_per_s=989e12, compute_efficiency=0.6, **LLAMA_8B
    )
    assert hidden == 0


@given(cp=st.integers(2, 64))
def test_at_the_hidden_prompt_the_ring_takes_as_long_as_causal_attention(cp):
    prompt = collectives.hidden_prompt_tokens(
        cp=cp, link_bytes_per_s=450e9, peak_flops_per_s=989e12, compute_efficiency=0.6, **LLAMA_8B
    )
    sent = collectives.ring_attention_bytes(cp=cp, prompt_tokens=prompt, kv_bytes_per_token=131072)
    attention = prompt * 2 * 32 * 32 * 128 * prompt / cp
    assert sent / 450e9 == pytest.approx(attention / (989e12 * 0.6))


def test_without_fixed_time_and_with_ideal_scaling_replicas_gain_nothing():
    gain = collectives.replica_gain(replicas=2, group_step_s=0.01, replica_step_s=0.02, fixed_step_s=0)
    assert gain == 1


@given(fixed=st.floats(0, 1))
def test_replicas_gain_more_the_more_time_is_fixed_but_never_more_than_their_number(fixed):
    low, high = (
        collectives.replica_gain(replicas=2, group_step_s=0.01, replica_step_s=0.02, fixed_step_s=time)
        for time in (fixed, fixed + 0.001)
    )
    assert 1 <= low < high < 2

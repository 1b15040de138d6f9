"""Experts: memory holds all of them, FLOPs count the chosen ones, a decode step reads those that its batch picks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.formulas import moe

SHAPES = st.tuples(st.integers(1, 16), st.integers(16, 512)).filter(lambda shape: shape[0] < shape[1])


@given(shape=SHAPES)
def test_a_single_request_reads_k_of_e_experts(shape):
    top_k, experts = shape
    assert moe.expert_share_read(top_k=top_k, experts=experts, batch=1) == pytest.approx(top_k / experts)


@given(shape=SHAPES)
def test_a_large_batch_reads_every_expert(shape):
    top_k, experts = shape
    assert moe.expert_share_read(top_k=top_k, experts=experts, batch=50_000) == pytest.approx(1, abs=1e-9)


@given(shape=SHAPES, batch=st.integers(1, 4096))
def test_a_larger_batch_never_reads_fewer_experts(shape, batch):
    top_k, experts = shape
    small, large = (moe.expert_share_read(top_k=top_k, experts=experts, batch=b) for b in (batch, batch + 1))
    assert 0 < small <= large <= 1


@given(shape=SHAPES, batch=st.integers(1, 4096))
def test_a_batch_never_reads_more_than_its_choices(shape, batch):
    top_k, experts = shape
    assert moe.expert_share_read(top_k=top_k, experts=experts, batch=batch) <= batch * top_k / experts + 1e-12


def test_a_model_that_takes_all_its_experts_reads_all_of_them():
    assert moe.expert_share_read(top_k=8, experts=8, batch=1) == 1


@given(share=st.floats(0, 1))
def test_weights_outside_the_experts_are_read_whatever_the_batch(share):
    read = moe.weights_read_bytes(always_read_bytes=10e9, expert_bytes=90e9, expert_share_read=share)
    assert 10e9 <= read <= 100e9


@given(tp=st.sampled_from([1, 2, 4, 8]), ep=st.sampled_from([1, 2, 4, 8, 16, 64]))
def test_experts_spread_wider_than_a_group_are_held_in_part(tp, ep):
    held = moe.expert_bytes_of_replica(expert_bytes=64e9, tp=tp, ep=ep)
    assert held == 64e9 * min(1, tp / ep)


@given(tp=st.sampled_from([1, 2, 4, 8]), ep=st.sampled_from([1, 2, 4, 8, 16, 64]), batch=st.integers(1, 512))
def test_expert_parallel_replicas_send_their_tokens_to_the_same_experts(tp, ep, batch):
    assert moe.expert_batch(stage_batch=batch, batch=1e12, tp=tp, ep=ep) == batch * max(1, ep / tp)


def test_one_request_on_eight_replicas_reads_the_experts_of_one_request():
    assert moe.expert_batch(stage_batch=1, batch=1, tp=1, ep=8) == 1


@given(batch=st.integers(1, 10**5), shape=SHAPES)
def test_wanted_tokens_per_expert_and_step_size_are_inverse(batch, shape):
    top_k, experts = shape
    each = moe.tokens_per_expert(batch=batch, top_k=top_k, experts=experts)
    assert moe.tokens_per_step(wanted_tokens_per_expert=each, experts=experts, top_k=top_k) == pytest.approx(batch)


def test_one_rack_keeps_all_expert_traffic_and_two_racks_let_half_of_it_out():
    assert [moe.remote_share(racks=racks) for racks in (1, 2, 4)] == [0, 0.5, 0.75]

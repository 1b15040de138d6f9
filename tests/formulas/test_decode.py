"""Decode: a step reads what its batch needs and computes active parameters, and never beats bytes over bandwidth."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.formulas import decode, moe

BATCHES = st.integers(1, 4096)
TIMES = st.floats(0, 10)


def _memory(**changed):
    chosen = {
        "weights_read_bytes": 16e9, "stage_batch": 8, "kv_read_bytes_per_request": 1e9, "kv_replication": 1, "tp": 1,
        "bandwidth_bytes_per_s": 3.35e12, "bandwidth_efficiency": 0.8,
    }  # fmt: skip
    return decode.memory_time_s(**(chosen | changed))


def _compute(**changed):
    chosen = {
        "stage_batch": 8, "active_params": 8e9, "attention_flops_per_token": 1e9, "tp": 1, "peak_flops_per_s": 989.4e12,
        "compute_efficiency": 0.6,
    }  # fmt: skip
    return decode.compute_time_s(**(chosen | changed))


@given(prompt=st.integers(0, 10**6), output=st.integers(1, 10**5))
def test_mean_context_lies_between_the_prompt_and_the_whole_request(prompt, output):
    mean = decode.mean_context_tokens(prompt_tokens=prompt, output_tokens=output)
    assert prompt <= mean <= prompt + output


@given(batch=BATCHES, efficiency=st.floats(0.1, 1))
def test_no_step_is_shorter_than_its_bytes_over_the_bandwidth(batch, efficiency):
    moved = 16e9 + batch * 1e9
    assert _memory(stage_batch=batch, bandwidth_efficiency=efficiency) >= moved / 3.35e12 * (1 - 1e-12)


@given(tp=st.sampled_from([1, 2, 4, 8]))
def test_twice_the_gpus_halve_reading_and_computing(tp):
    assert _memory(tp=2 * tp) == pytest.approx(_memory(tp=tp) / 2)
    assert _compute(tp=2 * tp) == pytest.approx(_compute(tp=tp) / 2)


def test_twice_the_gpus_do_not_halve_reading_a_cache_that_is_copied():
    one = _memory(weights_read_bytes=0, tp=8, kv_replication=1)
    assert _memory(weights_read_bytes=0, tp=16, kv_replication=2) == one


@given(batch=BATCHES)
def test_computing_takes_in_proportion_to_the_batch(batch):
    assert _compute(stage_batch=batch) == pytest.approx(batch * _compute(stage_batch=1))


@given(experts=st.integers(8, 1024))
def test_computing_does_not_depend_on_how_many_experts_a_model_has(experts):
    """FLOPs count active parameters: k experts of a layer, however many there are to choose from."""
    active = 5e9 + moe.tokens_per_expert(batch=experts, top_k=8, experts=experts) * 1e8
    assert _compute(active_params=active) == _compute(active_params=5e9 + 8 * 1e8)


@given(memory=TIMES, compute=TIMES, communication=TIMES)
def test_reading_and_computing_overlap_and_communication_does_not(memory, compute, communication):
    step = decode.tpot_s(memory_time_s=memory, compute_time_s=compute, communication_time_s=communication)
    assert step == max(memory, compute) + communication


@given(batch=BATCHES, gpus=st.integers(1, 72), step=st.floats(1e-3, 1))
def test_tokens_of_all_users_and_of_all_gpus_are_the_same_tokens(batch, gpus, step):
    rate = decode.tokens_per_s(batch=batch, tpot_s=step)
    assert rate == pytest.approx(batch * decode.tokens_per_s_per_user(tpot_s=step))
    assert rate == pytest.approx(gpus * decode.tokens_per_s_per_gpu(tokens_per_s=rate, gpus=gpus))


@given(batch=BATCHES, dp=st.integers(1, 16), pp=st.integers(1, 16))
def test_replicas_and_stages_share_the_batch_out_and_each_that_works_has_a_request(batch, dp, pp):
    share = decode.stage_batch(replica_batch=decode.replica_batch(batch=batch, dp=dp), pp=pp)
    assert share == pytest.approx(max(max(batch / dp, 1) / pp, 1))


def test_eight_gpus_of_700_w_at_1000_tokens_a_second_spend_at_most_5_6_j_a_token():
    assert decode.request_energy_j_per_token(tdp_w=700, gpus=8, tokens_per_s=1000) == 5.6

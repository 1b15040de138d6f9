"""Prefill and waiting: the causal half is counted once, and who finds a free slot does not wait."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.formulas import prefill


@given(prompt=st.integers(1, 10**6), active=st.floats(1e9, 1e12))
def test_prefill_flops_are_two_per_active_parameter_and_token_at_least(prompt, active):
    flops = prefill.prefill_flops(prompt_tokens=prompt, active_params=active, attention_flops_per_token=0)
    assert flops == 2 * active * prompt
    assert prefill.prefill_flops(prompt_tokens=prompt, active_params=active, attention_flops_per_token=1) > flops


@given(users=st.integers(1, 1000), slots=st.integers(1, 1000))
def test_nobody_waits_while_there_are_as_many_slots_as_users(users, slots):
    wait = prefill.wait_s(users=users, slots=slots, prefill_s=0.1, output_tokens=100, tpot_s=0.01)
    assert (wait == 0) == (users <= slots)


def test_the_65th_user_of_64_slots_waits_for_one_whole_request():
    assert prefill.wait_s(users=65, slots=64, prefill_s=0.2, output_tokens=100, tpot_s=0.01) == pytest.approx(1.2)


@given(wait=st.floats(0, 100), time=st.floats(0, 100), step=st.floats(0, 1), output=st.integers(1, 10**5))
def test_first_token_comes_after_wait_prefill_and_a_step_and_the_rest_one_step_each(wait, time, step, output):
    first = prefill.ttft_s(wait_s=wait, prefill_s=time, tpot_s=step)
    assert first == pytest.approx(wait + time + step)
    whole = prefill.request_s(ttft_s=first, output_tokens=output, tpot_s=step)
    assert whole == pytest.approx(wait + time + output * step)


@given(batch=st.integers(1, 512), output=st.integers(1, 4096), step=st.floats(1e-3, 1), time=st.floats(0, 10))
def test_prefilling_on_the_same_gpus_never_raises_the_output_rate(batch, output, step, time):
    mixed = prefill.mixed_tokens_per_s(batch=batch, dp=1, output_tokens=output, prefill_s=time, tpot_s=step)
    assert mixed <= batch / step * (1 + 1e-12)
    if time == 0:
        assert mixed == pytest.approx(batch / step)


@given(compute=st.floats(0, 10), memory=st.floats(0, 10), communication=st.floats(0, 10))
def test_a_prefill_takes_at_least_one_reading_of_the_weights(compute, memory, communication):
    whole = prefill.prefill_s(
        prefill_compute_time_s=compute, prefill_memory_time_s=memory, prefill_communication_time_s=communication
    )
    assert whole >= memory
    assert whole == max(compute, memory) + communication

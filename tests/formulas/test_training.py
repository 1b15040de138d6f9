"""Training: six FLOPs a parameter and token, MFU as time and back, state that ZeRO shares out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.formulas import training

PARAMS = st.floats(1e6, 1e13)
TOKENS = st.floats(1e6, 1e14)


@given(params=PARAMS, tokens=TOKENS)
def test_training_costs_six_flops_per_parameter_and_token(params, tokens):
    assert training.training_flops(active_params=params, training_tokens=tokens) == 6 * params * tokens


@given(flops=st.floats(1e18, 1e27), gpus=st.integers(1, 10**5), mfu=st.floats(0.01, 1))
def test_implied_mfu_is_the_mfu_that_gave_the_hours(flops, gpus, mfu):
    seconds = training.training_seconds(training_flops=flops, gpus=gpus, peak_flops_per_s=989.4e12, mfu=mfu)
    hours = training.training_gpu_hours(gpus=gpus, training_seconds=seconds)
    implied = training.implied_mfu(training_flops=flops, gpu_hours=hours, peak_flops_per_s=989.4e12)
    assert implied == pytest.approx(mfu)


def test_causal_attention_is_half_of_the_palm_convention():
    whole = training.attention_training_flops(
        layers=32, n_heads=32, head_dim=128, sequence_tokens=4096, training_tokens=1
    )
    assert whole == 12 * 32 * 4096 * 4096
    assert training.causal_attention_training_flops(attention_training_flops=whole) == whole / 2


def test_adam_in_mixed_precision_keeps_16_bytes_a_parameter():
    parts = training.state_bytes_per_param(
        weight_state_bytes=2, gradient_state_bytes=2, master_state_bytes=4, moment_state_bytes=8
    )
    assert parts == 16


@given(ranks=st.integers(1, 4096), params=PARAMS)
def test_zero_3_shares_all_state_out_and_zero_0_none(ranks, params):
    def per_gpu(kept: float, shared: float) -> float:
        return training.state_bytes_per_gpu(
            total_params=params, model_parallel_degree=1, replicated_state_bytes_per_param=kept,
            sharded_state_bytes_per_param=shared, shard_degree=ranks,
        )  # fmt: skip

    assert per_gpu(16, 0) == pytest.approx(16 * params)
    assert per_gpu(0, 16) == pytest.approx(16 * params / ranks)
    assert per_gpu(16, 0) >= per_gpu(4, 12) >= per_gpu(2, 14) >= per_gpu(0, 16) * (1 - 1e-12)


@given(degree=st.integers(1, 512))
def test_model_parallelism_divides_the_state(degree):
    held = training.state_bytes_per_gpu(
        total_params=1e12, model_parallel_degree=degree, replicated_state_bytes_per_param=4,
        sharded_state_bytes_per_param=12, shard_degree=64,
    )  # fmt: skip
    assert held * degree == pytest.approx(1e12 * (4 + 12 / 64))


def test_training_memory_holds_total_parameters():
    assert training.training_state_bytes(total_params=671e9, state_bytes_per_param=16) == 671e9 * 16

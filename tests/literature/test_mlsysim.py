"""mlsysim of harvard-edge/cs249r_book, golden regressions: the same numbers from formulas of ours."""

from __future__ import annotations

import pytest

from generator.formulas import attention, decode, prefill, training


def test_memory_time_of_a_token_of_llama_3_8b_at_2048_tokens():
    seconds = decode.memory_time_s(
        weights_read_bytes=16.06e9, stage_batch=1, kv_read_bytes_per_request=131_072 * 2048, kv_replication=1, tp=1,
        bandwidth_bytes_per_s=3.35e12, bandwidth_efficiency=1,
    )  # fmt: skip
    assert seconds * 1e3 == pytest.approx(4.87416, rel=1e-5)


def test_prefill_of_2048_tokens_counts_the_whole_square_there_and_the_causal_half_here():
    def milliseconds(seen: float) -> float:
        layer = attention.grouped_query_attention_flops(n_heads=32, head_dim=128, seen_tokens=seen)
        return 1e3 * prefill.prefill_compute_time_s(
            prefill_flops=prefill.prefill_flops(
                prompt_tokens=2048, active_params=8.03e9, attention_flops_per_token=32 * layer
            ),
            tp=1, peak_flops_per_s=989e12, compute_efficiency=0.5,
        )  # fmt: skip

    assert milliseconds(2048) == pytest.approx(70.960, abs=0.001)
    assert milliseconds(attention.mean_full_tokens(prompt_tokens=2048)) == pytest.approx(68.737, abs=0.001)


def test_adam_in_mixed_precision_keeps_12_bytes_beside_weights_and_gradients():
    assert training.training_state_bytes(total_params=8.03e9, state_bytes_per_param=12) == pytest.approx(96.36e9)


def test_keeping_fp32_gradients_makes_18_bytes_a_parameter():
    """stas00/ml-engineering, training/performance: 2 + 4 + 4 + 4 + 4."""
    parts = training.state_bytes_per_param(
        weight_state_bytes=2, gradient_state_bytes=4, master_state_bytes=4, moment_state_bytes=8
    )
    assert parts == 18

"""Chowdhery et al. 2022, PaLM, arXiv 2204.02311, section 4.1 and appendix B: model FLOPs utilisation."""

from __future__ import annotations

import pytest

from generator.formulas import training

PARAMS, TOKENS_PER_S, CHIPS, PEAK = 540.35e9, 238_300, 6144, 275e12


def _mfu(*, attention: bool) -> float:
    tokens = TOKENS_PER_S * 3600
    flops = training.training_flops(active_params=PARAMS, training_tokens=tokens)
    if attention:
        flops = training.training_flops_with_attention(
            training_flops=flops,
            attention_training_flops=training.attention_training_flops(
                layers=118, n_heads=48, head_dim=256, sequence_tokens=2048, training_tokens=tokens
            ),
        )
    return training.implied_mfu(training_flops=flops, gpu_hours=CHIPS, peak_flops_per_s=PEAK)


def test_palm_540b_ran_at_46_2_percent_with_attention_and_45_7_without():
    assert _mfu(attention=True) == pytest.approx(0.462, abs=0.0005)
    assert _mfu(attention=False) == pytest.approx(0.457, abs=0.0005)


def test_training_palm_took_2527_2_zettaflop():
    assert training.training_flops(active_params=540e9, training_tokens=780e9) == pytest.approx(2527.2e21)

"""Pope et al. 2022, Efficiently Scaling Transformer Inference, arXiv 2211.05102."""

from __future__ import annotations

import pytest

from generator.formulas import memory


def test_multi_head_cache_of_a_540b_model_takes_3_terabytes_for_512_sequences_of_2048_tokens():
    """48 heads of 128 in 118 layers, so that the parameters are those of PaLM: three times the weights."""
    layer = memory.grouped_query_kv_bytes(n_kv_heads=48, head_dim=128, bits_per_value=16)
    cache = 512 * 2048 * 118 * layer
    assert cache / 1e12 == pytest.approx(3.0, abs=0.05)
    assert cache / memory.uniform_weights_bytes(total_params=540e9, bits_per_param=16) == pytest.approx(3, rel=0.07)


def test_multi_query_attention_with_heads_of_256_caches_a_24th_of_it():
    many = memory.grouped_query_kv_bytes(n_kv_heads=48, head_dim=128, bits_per_value=16)
    assert many / memory.grouped_query_kv_bytes(n_kv_heads=1, head_dim=256, bits_per_value=16) == 24

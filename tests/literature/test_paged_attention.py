"""Kwon et al. 2023, PagedAttention, arXiv 2309.06180; Zhong et al. 2024, DistServe, arXiv 2401.09670: caches."""

from __future__ import annotations

import pytest

from generator.formulas import memory


def _per_token(layers: int, heads: int, size: int) -> float:
    layer = memory.grouped_query_kv_bytes(n_kv_heads=heads, head_dim=size, bits_per_value=16)
    return memory.kv_bytes_per_token(layers_by_group=(layers,), kv_bytes_per_token_by_group=(layer,))


def test_a_token_of_opt_13b_caches_800_kb():
    """Section 3: 2 x 5120 x 40 layers x 2 bytes, counted in 1,024."""
    assert _per_token(40, 40, 128) / 1024 == 800


def test_2048_tokens_of_opt_13b_take_1_6_gb():
    assert 2048 * _per_token(40, 40, 128) / 2**30 == pytest.approx(1.6, abs=0.05)


def test_512_tokens_of_opt_66b_take_1_13_gb():
    """DistServe, section 3.3; 1.13 is in GiB."""
    assert 512 * _per_token(64, 72, 128) / 2**30 == pytest.approx(1.13, abs=0.01)

"""Zhao et al. 2025, Insights into DeepSeek-V3, arXiv 2505.09343, table 1: cache per token in 16 bits."""

from __future__ import annotations

import pytest

from generator.estimates.architecture import describe
from generator.formulas import comparison


@pytest.mark.parametrize(
    ("model", "kilobytes"), [("deepseek-v3", 70.272), ("qwen2.5-72b", 327.680), ("llama-3.1-405b", 516.096)]
)
def test_cache_per_token_is_that_of_table_1(library, model, kilobytes):
    assert describe(library.models[model], library, kv="bf16").kv_bytes_per_token == kilobytes * 1000


def test_405b_caches_7_34_times_as_much_as_v3_where_the_table_prints_7_28(library):
    """The printed multiplier does not follow from the printed bytes; the one for Qwen, 4.66, does."""
    v3, qwen, llama = (
        describe(library.models[name], library, kv="bf16").kv_bytes_per_token
        for name in ("deepseek-v3", "qwen2.5-72b", "llama-3.1-405b")
    )
    assert comparison.ratio_of(value=qwen, reference_value=v3) == pytest.approx(4.66, abs=0.005)
    assert comparison.ratio_of(value=llama, reference_value=v3) == pytest.approx(7.344, abs=0.001)

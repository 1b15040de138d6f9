"""One day of DeepSeek's service, deepseek-ai/open-infra-index, 202502OpenSourceWeek, day 6."""

from __future__ import annotations

import pytest

from generator.formulas import comparison, cost, decode, memory, moe

NODES, PRICE = 226.75, 2.0


def test_a_day_of_226_75_nodes_costs_87072_dollars():
    assert 24 * cost.system_usd_per_hour(gpus=8 * NODES, usd_per_gpu_hour=PRICE) == pytest.approx(87_072)


def test_revenue_is_545_percent_above_cost():
    assert comparison.relative_difference(value=562_027, reference_value=87_072) == pytest.approx(5.45, abs=0.005)


def test_a_prefill_node_at_73700_tokens_a_second_costs_6_cents_a_million():
    price = cost.usd_per_million_tokens(gpus=8, usd_per_gpu_hour=PRICE, tokens_per_s=73_700)
    assert price == pytest.approx(0.0603, abs=0.0001)


def test_a_decode_node_at_14800_tokens_a_second_gives_1850_tokens_a_gpu():
    assert decode.tokens_per_s_per_gpu(tokens_per_s=14_800, gpus=8) == 1850


def test_all_cost_on_168_billion_output_tokens_is_52_cents_a_million():
    price = cost.usd_per_million_tokens(gpus=8 * NODES, usd_per_gpu_hour=PRICE, tokens_per_s=168e9 / 86_400)
    assert price == pytest.approx(0.518, abs=0.001)


def test_prefill_and_decode_rates_add_up_to_the_nodes_that_ran():
    assert pytest.approx(NODES, rel=0.001) == 608e9 / 86_400 / 73_700 + 168e9 / 86_400 / 14_800


def test_288_expert_slots_over_32_gpus_are_nine_each():
    assert moe.experts_per_gpu(experts=256 + 32, ep=32) == 9


def test_88_requests_of_4989_tokens_hold_31_gb_on_a_decode_gpu():
    requests = 14_800 / 21 / 8
    each = memory.kv_bytes_per_request(
        kv_fixed_bytes_per_request=0, kv_bytes_per_token=70_272, context_tokens=4989, block_tokens=1
    )
    assert requests * each / 1e9 == pytest.approx(30.9, abs=0.05)

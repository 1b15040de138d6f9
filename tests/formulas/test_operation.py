"""Operating a service: the published day of DeepSeek, and identities between its figures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.formulas import cost, decode, operation

MONEY = st.floats(1.0, 1e9)


def test_two_nodes_of_eight():
    assert operation.node_gpus(nodes=2, gpus_per_node=8) == 16


def test_requests_at_a_rate_give_the_rate_of_one_back():
    requests = operation.requests_at_rate(tokens_per_s=14800, tokens_per_s_per_user=21)
    assert decode.tokens_per_s(batch=requests, tpot_s=1 / 21) == pytest.approx(14800)


def test_slots_of_a_prefill_unit_are_the_experts_and_32_copies():
    assert operation.expert_slots(ep=32, expert_copies_per_gpu=9) == 256 + 32


def test_answers_of_all_accelerators_are_the_tokens_over_their_length():
    answers = operation.answers_per_s_per_gpu(batch=64, tpot_s=0.02, output_tokens=512, gpus=8)
    assert answers * 8 * 512 == pytest.approx(decode.tokens_per_s(batch=64, tpot_s=0.02))


def test_a_prefill_as_long_as_an_answer_needs_a_prefill_server_for_each_slot():
    ratio = operation.prefill_servers_per_decode_server(prefill_s=10, batch=32, tpot_s=0.1, output_tokens=100)
    assert ratio == pytest.approx(32)


def test_nothing_missed_and_everything_missed():
    assert operation.missed_share(missed_tokens=0, prompt_tokens_in_all=608) == 0
    assert operation.missed_share(missed_tokens=608, prompt_tokens_in_all=608) == 1


def test_a_cache_without_misses_uses_no_flops():
    arguments = {"prefill_tokens_per_s_per_gpu": 9212.5, "active_params": 37e9, "peak_flops_per_s": 1979e12}
    assert operation.prefill_mfu(missed_share=0, **arguments) == 0
    assert operation.prefill_mfu(missed_share=1, **arguments) == pytest.approx(9212.5 * 74e9 / 1979e12)


def test_tokens_of_a_cache():
    assert operation.cache_tokens(kv_capacity_bytes=2**30, kv_bytes_per_token=131072) == 8192


@given(income=MONEY, spent=MONEY)
def test_both_margins_describe_the_same_profit(income, spent):
    over_cost = operation.cost_profit_margin(income_usd=income, cost_usd=spent)
    over_income = operation.gross_margin(income_usd=income, cost_usd=spent)
    assert over_cost * spent == pytest.approx(over_income * income, rel=1e-6, abs=1e-6 * (income + spent))


def test_margins_of_the_published_day():
    day = {"income_usd": 562027, "cost_usd": 87072}
    assert operation.cost_profit_margin(**day) == pytest.approx(5.45, abs=0.005)
    assert operation.gross_margin(**day) == pytest.approx(0.845, abs=5e-4)


def test_a_price_for_billed_tokens_earns_the_cost():
    price = operation.usd_per_million_billed(cost_usd=87072, billed_output_tokens=168e9)
    assert price * 168e3 == pytest.approx(87072)


def test_a_prefilled_million_costs_what_an_output_million_would_at_the_same_rate():
    assert operation.usd_per_million_prefilled(
        gpus=8, usd_per_gpu_hour=2, node_tokens_per_s=73700
    ) == cost.usd_per_million_tokens(gpus=8, usd_per_gpu_hour=2, tokens_per_s=73700)

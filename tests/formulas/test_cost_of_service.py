"""Cost beyond the price of a token: idle time, hits, requests, what a dollar buys, electricity."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.formulas import cost, decode

SHARE = st.floats(0.01, 1)
PRICE = st.floats(0.01, 100)


@given(price=PRICE, share=SHARE)
def test_idle_time_raises_the_price_by_the_inverse_of_the_busy_share(price, share):
    busy = cost.busy_usd_per_million_tokens(usd_per_million_tokens=price, busy_share=share)
    assert busy * share == pytest.approx(price)
    assert cost.busy_usd_per_million_tokens(usd_per_million_tokens=price, busy_share=1) == price


@given(miss=PRICE, hit=PRICE)
def test_blended_input_price_lies_between_miss_and_hit(miss, hit):
    both = {"usd_per_million_input_tokens": miss, "usd_per_million_cached_tokens": hit}
    assert cost.blended_usd_per_million_input_tokens(hit_share=0, **both) == miss
    assert cost.blended_usd_per_million_input_tokens(hit_share=1, **both) == hit
    half = cost.blended_usd_per_million_input_tokens(hit_share=0.5, **both)
    assert min(miss, hit) <= half * (1 + 1e-9) and half <= max(miss, hit) * (1 + 1e-9)


def test_a_million_tokens_each_way_cost_both_prices():
    request = cost.request_usd(
        prompt_tokens=1e6, usd_per_million_input_tokens=2, output_tokens=1e6, usd_per_million_tokens=12
    )
    assert request == 14


@given(rate=st.floats(1, 1e6), price=PRICE, gpus=st.integers(1, 72))
def test_tokens_of_a_dollar_are_the_inverse_of_the_price_of_a_token(rate, price, gpus):
    given = {"gpus": gpus, "usd_per_gpu_hour": price, "tokens_per_s": rate}
    assert cost.tokens_per_usd(**given) * cost.usd_per_million_tokens(**given) == pytest.approx(1e6)


def test_a_tpu_v5e_at_1_20_dollars_computes_5_91e17_flops_for_a_dollar():
    assert cost.flops_per_usd(peak_flops_per_s=1.97e14, usd_per_gpu_hour=1.2) == pytest.approx(5.91e17)
    assert cost.bytes_per_usd(bandwidth_bytes_per_s=8.19e11, usd_per_gpu_hour=1.2) == pytest.approx(2.457e15)


def test_the_day_of_deepseek_sells_for_562_thousand_dollars():
    sales = cost.sales_usd(
        sold_tokens_by_component=(342e9, 266e9, 168e9), usd_per_million_by_component=(0.14, 0.55, 2.19)
    )
    assert sales == pytest.approx(562_027, rel=2e-4)


@given(rate=st.floats(1, 1e5))
def test_at_full_load_a_token_takes_the_energy_of_the_design_power(rate):
    shape = {"tdp_w": 700, "gpus": 8, "tokens_per_s": rate}
    assert cost.part_load_j_per_token(power_share=1, **shape) == pytest.approx(
        decode.request_energy_j_per_token(**shape)
    )


def test_a_kilowatt_for_an_hour_costs_the_price_of_a_kilowatt_hour():
    assert cost.energy_usd_per_gpu_hour(
        tdp_w=1000, power_share=1, power_usage_effectiveness=1, usd_per_kwh=0.1
    ) == pytest.approx(0.1)


@given(rate=st.floats(1, 1e5))
def test_electricity_of_an_hour_is_that_of_its_tokens(rate):
    building = {"power_usage_effectiveness": 1.3, "usd_per_kwh": 0.1}
    hour = cost.energy_usd_per_gpu_hour(tdp_w=700, power_share=0.5, **building)
    each = cost.part_load_j_per_token(power_share=0.5, tdp_w=700, gpus=1, tokens_per_s=rate)
    million = cost.energy_usd_per_million_tokens(j_per_token=each, **building)
    assert million * rate * 3600 / 1e6 == pytest.approx(hour)

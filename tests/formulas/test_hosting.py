"""Own accelerators or an API: where they meet, and the cheapest mix."""

from __future__ import annotations

import pytest

from generator.formulas import hosting

PRICE = {"input_usd_per_mtok": 0.14, "cached_usd_per_mtok": 0.0028, "output_usd_per_mtok": 0.28}
LOAD = {"lowest_requests_per_s": 50.0, "peak_requests_per_s": 250.0}


def hourly(own: float, share: float) -> float:
    """Hourly price when a unit of capacity costs `share` of what a request a second costs on the API."""
    over = hosting.overflow_requests_per_s(own_requests_per_s=own, **LOAD)
    api = hosting.api_usd_per_hour(overflow_requests_per_s=over, api_request_usd=1 / 3600)
    mine = hosting.own_usd_per_hour(own_requests_per_s=own, capacity_requests_per_s=1, system_usd_per_hour=share)
    return hosting.mixed_usd_per_hour(own_usd_per_hour=mine, api_usd_per_hour=api)


def test_a_request_without_cache_hits_costs_the_list_price():
    price = hosting.api_request_usd(prompt_tokens=1000, output_tokens=500, cached_share=0, **PRICE)
    assert price == pytest.approx((1000 * 0.14 + 500 * 0.28) / 1e6)


def test_own_and_api_cost_the_same_at_the_break_even_utilisation():
    rate = hosting.break_even_requests_per_s(system_usd_per_hour=9.08, api_request_usd=0.00028)
    even = hosting.break_even_utilisation(break_even_requests_per_s=rate, capacity_requests_per_s=21)
    own = hosting.own_request_usd(system_usd_per_hour=9.08, capacity_requests_per_s=21, load_ratio=even)
    assert own == pytest.approx(0.00028)


@pytest.mark.parametrize("share", [0.2, 0.43, 0.8])
def test_no_other_capacity_is_cheaper_than_the_cheapest(share):
    best = hosting.cheapest_own_requests_per_s(break_even_utilisation=share, **LOAD)
    least = min(hourly(float(own), share) for own in range(0, 251, 2))
    assert hourly(best, share) <= least + 1e-9


def test_nothing_is_hosted_where_even_the_base_load_is_cheaper_on_the_api():
    assert hosting.cheapest_own_requests_per_s(break_even_utilisation=1.05, **LOAD) == 0


def test_overflow_is_the_mean_load_without_own_capacity_and_none_at_the_peak():
    assert hosting.overflow_requests_per_s(own_requests_per_s=0, **LOAD) == 150
    assert hosting.overflow_requests_per_s(own_requests_per_s=250, **LOAD) == 0

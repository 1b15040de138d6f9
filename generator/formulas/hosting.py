"""Own accelerators or an API: the price of a request on both, where they meet, and the cheapest mix."""

from __future__ import annotations

from generator.formulas.elementary import either
from generator.formulas.formula import formula


@formula(reference="definition")
def api_request_usd(
    *, prompt_tokens, output_tokens, cached_share, input_usd_per_mtok, cached_usd_per_mtok, output_usd_per_mtok
):
    """Price of one request on an API: prompt tokens by whether they hit the cache, output tokens."""
    return (
        prompt_tokens * ((1 - cached_share) * input_usd_per_mtok + cached_share * cached_usd_per_mtok)
        + output_tokens * output_usd_per_mtok
    ) / 1_000_000


@formula(reference="definition")
def own_request_usd(*, system_usd_per_hour, capacity_requests_per_s, load_ratio):
    """Price of one request on own accelerators, which cost the same busy or idle."""
    return system_usd_per_hour / (3600 * capacity_requests_per_s * load_ratio)


@formula(reference="definition")
def break_even_requests_per_s(*, system_usd_per_hour, api_request_usd):
    """Load at which own accelerators cost as much as the API."""
    return system_usd_per_hour / (3600 * api_request_usd)


@formula(reference="definition")
def break_even_utilisation(*, break_even_requests_per_s, capacity_requests_per_s):
    """Share of the time that own accelerators must be busy to cost as little as the API; above one, never."""
    return break_even_requests_per_s / capacity_requests_per_s


@formula(reference="definition")
def tokens_over_period(*, requests_per_s, prompt_tokens, output_tokens, period_s):
    """Prompt and output tokens of a steady load over a period."""
    return requests_per_s * (prompt_tokens + output_tokens) * period_s


@formula(reference="definition")
def mean_requests_per_s(*, lowest_requests_per_s, peak_requests_per_s):
    """Mean of a load whose levels between the lowest and the peak are equally frequent."""
    return (lowest_requests_per_s + peak_requests_per_s) / 2


@formula(reference="definition")
def cheapest_own_requests_per_s(*, lowest_requests_per_s, peak_requests_per_s, break_even_utilisation):
    """Own capacity of the cheapest mix: its last unit is busy exactly for the break-even share of the time.

    For a load whose levels are equally frequent; nothing is hosted where even the base load is cheaper on the API.
    """
    return either(
        break_even_utilisation < 1,
        peak_requests_per_s - break_even_utilisation * (peak_requests_per_s - lowest_requests_per_s),
        0 * peak_requests_per_s,
    )


@formula(reference="definition")
def overflow_requests_per_s(*, lowest_requests_per_s, peak_requests_per_s, own_requests_per_s):
    """Mean load beyond the own capacity, for a load whose levels are equally frequent."""
    return either(
        own_requests_per_s >= lowest_requests_per_s,
        (peak_requests_per_s - own_requests_per_s) ** 2 / (2 * (peak_requests_per_s - lowest_requests_per_s)),
        (lowest_requests_per_s + peak_requests_per_s) / 2 - own_requests_per_s,
    )


@formula(reference="definition")
def own_usd_per_hour(*, own_requests_per_s, capacity_requests_per_s, system_usd_per_hour):
    """Price of the own capacity for an hour; capacity is counted in parts of a group."""
    return own_requests_per_s / capacity_requests_per_s * system_usd_per_hour


@formula(reference="definition")
def api_usd_per_hour(*, overflow_requests_per_s, api_request_usd):
    """Price of the requests that an API serves in an hour."""
    return 3600 * overflow_requests_per_s * api_request_usd


@formula(reference="definition")
def mixed_usd_per_hour(*, own_usd_per_hour, api_usd_per_hour):
    """Own base load and bought peaks together."""
    return own_usd_per_hour + api_usd_per_hour

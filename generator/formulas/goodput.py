"""Goodput: the highest rate at which enough requests are served within the limits, between two simulated rates."""

from __future__ import annotations

from generator.formulas.formula import formula


@formula(reference="zhong-2024-distserve")
def attained_rate_per_s(
    *, slower_rate_per_s, faster_rate_per_s, slower_attainment, faster_attainment, attainment_target
):
    """Highest rate that meets the target, by a straight line between two rates, of which only the slower meets it."""
    return slower_rate_per_s + (faster_rate_per_s - slower_rate_per_s) * (slower_attainment - attainment_target) / (
        slower_attainment - faster_attainment
    )


@formula(reference="zhong-2024-distserve")
def attained_rate_per_gpu(*, attained_rate_per_s, gpus):
    """Highest rate that meets the target, for each accelerator, those for prefill included."""
    return attained_rate_per_s / gpus


@formula(reference="agrawal-2024-sarathi-serve")
def rate_within_gap_per_s(*, slower_rate_per_s, faster_rate_per_s, slower_gap_s, faster_gap_s, gap_limit_s):
    """Highest rate that keeps the gaps between tokens within a limit, by a straight line between two rates."""
    return slower_rate_per_s + (faster_rate_per_s - slower_rate_per_s) * (gap_limit_s - slower_gap_s) / (
        faster_gap_s - slower_gap_s
    )


@formula(reference="patel-2024-splitwise")
def kv_stream_bytes_per_s(*, requests_per_s, kv_bytes_per_request):
    """Cache that has to go from prefill to decode each second, over all links together."""
    return requests_per_s * kv_bytes_per_request

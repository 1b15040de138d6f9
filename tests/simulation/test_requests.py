"""What arrives has the rate, the variation, the medians and the limits that were asked for."""

from __future__ import annotations

from itertools import pairwise
from math import log
from statistics import fmean, median, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.simulation import requests as module
from generator.simulation.requests import Requests, arrivals_s, generator_of, lengths_tokens, synthetic

MANY = 40_000


def gaps_of(variation: float, rate: float = 5.0) -> list[float]:
    times = [0.0, *arrivals_s(generator_of(1), requests=MANY, rate_per_s=rate, variation=variation)]
    return [after - before for before, after in pairwise(times)]


@pytest.mark.parametrize("variation", [0.25, 0.5, 1.0, 2.0, 4.0])
def test_gaps_have_the_mean_and_the_variation_that_were_asked_for(variation):
    gaps = gaps_of(variation)
    assert fmean(gaps) == pytest.approx(0.2, rel=3 * variation / MANY**0.5)
    assert stdev(gaps) / fmean(gaps) == pytest.approx(variation, rel=0.08)


def test_a_variation_of_0_is_a_clock():
    assert max(gaps_of(0.0)) == pytest.approx(min(gaps_of(0.0)), rel=1e-6)


def test_a_variation_of_1_is_a_poisson_stream():
    # As many gaps are longer than the mean as e^-1 says, and a gap says nothing about the next.
    gaps = gaps_of(1.0)
    assert sum(gap > 0.2 for gap in gaps) / MANY == pytest.approx(0.36788, abs=0.01)
    pairs = fmean(one * other for one, other in pairwise(gaps))
    assert pairs / 0.04 == pytest.approx(1.0, abs=0.03)


@pytest.mark.parametrize(("median_tokens", "longest"), [(1024, 16_384), (256, 4_096), (64, 16_384)])
def test_lengths_have_the_median_and_the_spread_that_were_asked_for(median_tokens, longest):
    lengths = lengths_tokens(
        generator_of(2), requests=MANY, median=median_tokens, shortest=1, longest=longest
    )  # fmt: skip
    assert median(lengths) == pytest.approx(median_tokens, rel=0.02)
    ordered = sorted(lengths)
    # One standard deviation to either side of the median holds 68.27 %.
    low, high = ordered[round(0.15866 * MANY)], ordered[round(0.84134 * MANY)]
    assert log(high / low) / 2 == pytest.approx(module.LENGTH_SIGMA, rel=0.03)


@given(st.integers(0, 2**31), st.floats(1, 1e6), st.floats(1, 1e6))
def test_no_length_is_beyond_the_limits(seed, prompt, output):
    drawn = synthetic(
        generator_of(seed), requests=20, rate_per_s=1.0, prompt_median_tokens=prompt, output_median_tokens=output
    )
    assert all(16 <= length <= 16_384 for length in drawn.prompt_tokens)
    assert all(2 <= length <= 4_096 for length in drawn.output_tokens)
    assert drawn.arrival_s == sorted(drawn.arrival_s)
    assert all(isinstance(length, int) for length in (*drawn.prompt_tokens, *drawn.output_tokens))


def test_without_spread_every_length_is_the_median():
    drawn = synthetic(
        generator_of(1), requests=9, rate_per_s=1.0, prompt_median_tokens=700, output_median_tokens=90, sigma=0.0
    )
    assert set(drawn.prompt_tokens) == {700}
    assert set(drawn.output_tokens) == {90}


@pytest.mark.parametrize("variation", [0.0, 1.0, 3.0])
def test_without_a_rate_all_are_there_at_once_and_lengths_stay(variation):
    drawn = [
        synthetic(
            generator_of(6), requests=30, rate_per_s=rate, prompt_median_tokens=500, output_median_tokens=100,
            variation=variation,
        )
        for rate in (0.0, 3.0)
    ]  # fmt: skip
    assert drawn[0].arrival_s == [0.0] * 30
    assert drawn[0].prompt_tokens == drawn[1].prompt_tokens
    assert drawn[0].output_tokens == drawn[1].output_tokens


def test_a_seed_gives_its_requests_and_no_others():
    def one(seed):
        return synthetic(
            generator_of(seed), requests=50, rate_per_s=2.0, prompt_median_tokens=500, output_median_tokens=100
        )

    assert one(1) == one(1)
    assert one(1) != one(2)


def test_more_requests_begin_with_the_arrivals_of_fewer():
    few = arrivals_s(generator_of(4), requests=10, rate_per_s=2.0)
    many = arrivals_s(generator_of(4), requests=100, rate_per_s=2.0)
    assert many[:10] == few


def test_twice_the_rate_halves_the_arrivals_and_keeps_the_lengths():
    drawn = Requests([1.0, 2.0], [10, 20], [3, 4])
    assert drawn.at_rate(2.0) == Requests([0.5, 1.0], [10, 20], [3, 4])
    assert drawn.first(1) == Requests([1.0], [10], [3])


def test_a_request_without_a_length_is_refused():
    with pytest.raises(ValueError, match="an arrival, a prompt and an output"):
        Requests([0.0, 1.0], [5], [5, 5])

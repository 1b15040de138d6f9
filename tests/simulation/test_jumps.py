"""Sums over many steps are those of the steps one by one, whichever line is above, wherever they cross."""

from __future__ import annotations

from math import fsum

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from generator.simulation.jumps import span_s, steps_within

times = st.floats(0, 1, allow_subnormal=False)
growths = st.sampled_from([0.0]) | st.floats(1e-9, 0.1)
two_lines = st.tuples(times, growths, times, growths, times)


def one_by_one(steps, memory, memory_growth, compute, compute_growth, fixed):
    return [
        max(memory + memory_growth * step, compute + compute_growth * step) + fixed for step in range(steps)
    ]  # fmt: skip


@given(st.integers(0, 300), two_lines)
def test_a_span_is_the_sum_of_its_steps(steps, lines):
    assert span_s(steps, *lines) == pytest.approx(fsum(one_by_one(steps, *lines)), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("cross", range(-1, 12))
@pytest.mark.parametrize("memory_above_first", [True, False])
def test_lines_may_cross_on_or_between_any_two_steps(cross, memory_above_first):
    for shift in (0.0, 0.25, 0.5):
        place = cross + shift
        flat, steep = (1.0, 0.0), (1.0 - 0.125 * place, 0.125)
        lines = (*flat, *steep, 0.5) if memory_above_first else (*steep, *flat, 0.5)
        assert span_s(11, *lines) == pytest.approx(fsum(one_by_one(11, *lines)), rel=1e-14)


@given(st.integers(1, 300), st.floats(1e-6, 40), st.floats(0, 1000), two_lines)
def test_as_few_steps_as_reach_a_time_and_no_fewer(most, ahead, now, lines):
    until = now + ahead
    assume(until > now)
    steps, end = steps_within(most, until, now, *lines)
    assert 1 <= steps <= most
    assert end == now + span_s(steps, *lines)
    assert end >= until or steps == most
    assert steps == 1 or now + span_s(steps - 1, *lines) < until


@given(st.integers(2, 10**6), st.integers(1, 10**6), two_lines)
def test_a_time_that_some_number_of_steps_reaches_exactly_is_found(most, wanted, lines):
    assume(lines[-1] > 1e-4)
    wanted = min(wanted, most)
    until = span_s(wanted, *lines)
    assert steps_within(most, until, 0.0, *lines) == (wanted, until)


def test_lines_that_begin_together_at_zero_are_no_division_by_zero():
    assert steps_within(10, 0.5, 0.0, 0.0, 0.0, 0.0, 0.25, 0.0) == (3, 0.75)
    assert steps_within(10, 0.5, 0.0, 0.0, 0.25, 0.0, 0.0, 0.0) == (3, 0.75)


def test_without_a_limit_of_time_all_steps_are_made():
    assert steps_within(7, float("inf"), 2.0, 1.0, 0.0, 0.5, 0.0, 0.0) == (7, 9.0)

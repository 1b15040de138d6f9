"""Maximum, floor and case distinctions agree on floats, arrays and symbols."""

from __future__ import annotations

import numpy
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from generator.formulas import elementary

NUMBERS = st.floats(-1e9, 1e9)


@given(a=NUMBERS, b=NUMBERS)
def test_arrays_and_floats_have_the_same_maximum_minimum_floor_and_ceiling(a, b):
    left, right = numpy.array([a, b]), numpy.array([b, a])
    assert list(elementary.maximum(left, right)) == [elementary.maximum(a, b)] * 2
    assert list(elementary.minimum(left, right)) == [elementary.minimum(a, b)] * 2
    assert list(elementary.ceiling(left)) == [elementary.ceiling(a), elementary.ceiling(b)]
    assert list(elementary.floor(left)) == [elementary.floor(a), elementary.floor(b)]


def test_a_case_distinction_chooses_element_by_element():
    chosen = elementary.either(numpy.array([True, False]), 1, 2)
    assert list(chosen) == [elementary.either(True, 1, 2), elementary.either(False, 1, 2)] == [1, 2]


def test_a_symbol_among_numbers_keeps_the_maximum_unevaluated():
    printed = sympy.latex(elementary.maximum(sympy.Symbol("x"), 3))
    assert printed == r"\max\left(x,\; 3\right)"


def test_the_sum_of_nothing_is_nothing():
    assert elementary.total([]) == 0


def test_a_weighted_sum_needs_as_many_weights_as_values():
    with pytest.raises(ValueError):
        elementary.weighted_total((1, 2), (3,))

"""Comparisons: a difference is taken from the reference, and a ratio of a value to itself is one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.formulas import comparison

POSITIVE = st.floats(1e-6, 1e15)


@given(value=POSITIVE)
def test_a_value_differs_from_itself_by_nothing(value):
    assert comparison.relative_difference(value=value, reference_value=value) == 0
    assert comparison.ratio_of(value=value, reference_value=value) == 1


@given(value=POSITIVE, reference=POSITIVE)
def test_ratio_is_one_more_than_the_difference(value, reference):
    difference = comparison.relative_difference(value=value, reference_value=reference)
    assert comparison.ratio_of(value=value, reference_value=reference) == pytest.approx(
        1 + difference, rel=1e-9, abs=1e-9
    )

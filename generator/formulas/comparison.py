"""Differences and ratios of two numbers, so that a page never computes one itself."""

from __future__ import annotations

from generator.formulas.formula import formula


@formula(reference="definition")
def relative_difference(*, value, reference_value):
    """How far a value is from the one it is compared with."""
    return (value - reference_value) / reference_value


@formula(reference="definition")
def ratio_of(*, value, reference_value):
    """How many times the one is the other."""
    return value / reference_value

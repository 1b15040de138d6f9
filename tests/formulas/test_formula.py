"""What makes a function a formula: a name of the nomenclature, used once."""

from __future__ import annotations

import pytest

from generator.formulas import FORMULAS
from generator.formulas.formula import formula


def test_a_name_can_belong_to_one_formula_only():
    def ridge_point(*, peak_flops_per_s):
        return peak_flops_per_s

    before = dict(FORMULAS)
    try:
        with pytest.raises(ValueError, match="two formulas are called ridge_point"):
            formula(reference="definition")(ridge_point)
    finally:
        FORMULAS.clear()
        FORMULAS.update(before)


def test_a_formula_needs_a_name_of_the_nomenclature():
    def speed_of_light(*, degree):
        return degree

    with pytest.raises(KeyError):
        formula(reference="definition")(speed_of_light)

"""Brown et al. 2020, arXiv 2005.14165, tables 2.1 and D.1; Kaplan et al. 2020: six FLOPs a parameter and token."""

from __future__ import annotations

import pytest

from generator.estimates.architecture import describe
from generator.formulas import training


def test_gpt_3_has_174_6_billion_parameters(library):
    found = describe(library.models["gpt-3-175b"], library)
    assert found.total_params / 1e6 == pytest.approx(174_600, rel=1e-4)


def test_training_gpt_3_took_3_14e23_flops_or_3640_petaflop_days(library):
    params = describe(library.models["gpt-3-175b"], library).active_params
    flops = training.training_flops(active_params=params, training_tokens=300e9)
    assert flops == pytest.approx(3.14e23, rel=0.002)
    assert flops / (1e15 * 86_400) == pytest.approx(3.64e3, rel=0.002)

"""Studies of formulas, links and parameters: the numbers drawn are those of the specs and formulas."""

from __future__ import annotations

import pytest

from generator.estimates.architecture import describe
from generator.estimates.studies import STUDIES
from generator.specs.library import NotKnown


def test_a_curve_of_a_formula_is_the_formula_at_each_place(library):
    study = STUDIES["formula_curve"](
        library, formula="single_server_wait_s", x={"name": "load_ratio", "label": "load", "values": [0.5, 0.8]},
        y={"label": "wait"}, base={"service_s": "1 s", "service_variation": 1},
        series=[{"label": "random", "arrival_variation": 1}],
    )  # fmt: skip
    assert study.series[0].values == pytest.approx((1.0, 4.0))


def test_parts_of_a_link_are_its_nominal_rate(library):
    study = STUDIES["link_rates"](library, links={"nvlink4": "NVLink 4"})
    reached, left = (series.values[0] for series in study.series)
    assert (reached, reached + left) == pytest.approx((380, 450))


def test_parts_of_a_model_leave_only_its_norms_out(library):
    study = STUDIES["parameter_parts"](library, models={"deepseek-v3": "V3", "llama-3-8b": "8B"})
    for shares in zip(*(series.values for series in study.series), strict=True):
        assert 99.99 < sum(shares) <= 100


def test_kinds_of_attention_name_the_layers_of_each(library):
    assert describe(library.find("models", "llama-3-8b"), library).attention_kinds == "full, 8 of 32"
    assert describe(library.find("models", "gemma-3-27b"), library).attention_kinds == "10 full, 16 of 32; 52 sliding"


def test_a_field_of_a_part_that_a_device_lacks_is_not_known(library):
    with pytest.raises(NotKnown):
        library.datum("accelerators/rtx-4090#scale_up.bandwidth")

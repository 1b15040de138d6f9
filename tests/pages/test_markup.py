"""The interval beside a simulated number: small where it is narrow, its two ends where it is wide."""

from __future__ import annotations

import re

from generator.pages import markup
from generator.provenance import Simulation, Traced


def _shown(value, low, high, *, name="ttft_p99_s", unit="s", **given):
    origin = Simulation("serving", {}, {}, 1, 20, low, high)
    number = Traced(value, name=name, unit=unit, kind="simulated", origin=origin)
    return re.sub(r"<[^>]+>", "", markup.spread(number, **given)).replace("\u00a0", " ")


def test_half_the_interval_stands_in_per_cent_of_the_value():
    assert _shown(10.0, 9.8, 10.2) == "±2.0 %"
    assert _shown(10.0, 8.0, 12.0) == "±20 %"


def test_a_share_has_points_where_it_is_shown_as_per_cent():
    share = {"name": "attainment", "unit": "1"}
    assert _shown(0.5, 0.48, 0.52, **share) == "±2.0 points"
    assert _shown(0.5, 0.48, 0.52, **share, share=False) == "±4.0 %"


def test_an_interval_that_changes_no_shown_digit_is_left_out_and_in_text_a_narrow_one_too():
    assert _shown(10.0, 9.995, 10.005) == ""
    assert _shown(10.0, 9.8, 10.2, least=markup.NARROWEST_SPREAD_IN_TEXT) == ""
    assert _shown(10.0, 9.0, 11.0, least=markup.NARROWEST_SPREAD_IN_TEXT) == "±10 %"


def test_of_a_wide_interval_both_ends_stand_in_the_unit_of_the_column_and_never_below_nothing():
    assert _shown(100.0, -20.0, 220.0, scale=1.0) == "0 to 220"
    assert _shown(0.1, 0.01, 0.19, scale=1e-3) == "10 to 190"
    assert _shown(0.1, 0.01, 0.19) == "10 ms to 190 ms"

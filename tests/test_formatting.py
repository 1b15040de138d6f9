"""How numbers read: three digits, thin spaces, units named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator import formatting
from generator.formulas import NOMENCLATURE

UNITS = sorted({name.unit for name in NOMENCLATURE.values()})


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (16_060_522_496, "B", "16.1 GB"),
        (3.35e12, "B/s", "3.35 TB/s"),
        (989.4e12, "FLOP/s", "989 TFLOP/s"),
        (131_072, "B/token", "131 kB/token"),
        (999.6e6, "B", "1.00 GB"),
        (3.7908e25, "FLOP", "3.79×10²⁵ FLOP"),
        (0.00478, "s", "4.78 ms"),
        (5e-6, "s", "5.00 µs"),
        (0.9999, "s", "1.00 s"),
        (59.0, "s", "59.0 s"),
        (240.0, "s", "4.00 min"),
        (4_676_400, "s", "54.1 days"),
        (50, "count", "50"),
        (405_853_388_800, "param", "405 853 388 800 parameters"),
        (131_072, "token", "131 072 tokens"),
        (2_788_000, "GPU-h", "2.79 million GPU-hours"),
        (0.2778, "USD/Mtok", "0.278 USD per 1M tokens"),
        (295.343, "FLOP/B", "295 FLOP/B"),
        (-1.1e9, "B", "-1.10 GB"),
        (0, "B", "0 B"),
        (float("inf"), "s", "–"),
        (float("nan"), "s", "–"),
    ],
)
def test_a_number_reads_with_three_digits_and_its_unit(value, unit, text):
    assert formatting.plain(value, unit) == text


def test_four_digits_are_not_grouped_and_five_are():
    assert formatting.grouped(8960) == "8960"
    assert formatting.grouped(19_200) == f"19{formatting.THIN}200"
    assert formatting.grouped(-19_200) == f"\u221219{formatting.THIN}200"


@pytest.mark.parametrize(
    ("value", "text"),
    [(9.999, "10.0"), (99.96, "100"), (0.0999999, "0.100"), (1234.5, "1230"), (12345, f"12{formatting.THIN}300")],
)
def test_rounding_up_to_the_next_power_of_ten_keeps_three_digits(value, text):
    assert formatting.significant(value) == text


@given(value=st.floats(1e-9, 1e27), unit=st.sampled_from(UNITS))
def test_no_number_of_the_handbook_is_shown_with_an_e(value, unit):
    number, _ = formatting.parts(value, unit)
    assert "e" not in number.lower()


@given(value=st.floats(1e-9, 1e20), unit=st.sampled_from(["B", "B/s", "FLOP", "FLOP/s", "W"]))
def test_prefixed_numbers_are_off_by_less_than_half_a_percent(value, unit):
    number, spelled = formatting.parts(value, unit)
    factors = {prefix: factor for factor, prefix in formatting.PREFIXES}
    shown = float(number.replace(formatting.THIN, "")) * factors[spelled.removesuffix(unit)]
    assert shown == pytest.approx(value, rel=0.0051)


def test_numbers_and_units_do_not_break_across_lines():
    assert " " not in formatting.text(16.1e9, "B")
    assert " " not in formatting.text(131_072, "token")


def test_parameters_are_counted_in_billions_because_b_means_bytes():
    assert formatting.short(8_030_261_248, "param") == "8.03\u00a0billion"
    assert formatting.short(1.6e12, "param") == "1.60\u00a0trillion"
    assert formatting.short(999_900_000, "param") == "1.00\u00a0billion"


@pytest.mark.parametrize(
    ("ratio", "words"),
    [
        (1.0, "about the same"),
        (2.05, "about twice"),
        (0.5, "about half"),
        (0.25, "about a quarter of"),
        (4.2, "4.2 times"),
    ],
)
def test_comparisons_in_words_follow_from_the_ratio(ratio, words):
    assert formatting.compared(ratio) == words


def test_a_share_reads_as_per_cent():
    assert formatting.percent(0.345098) == f"34.5{formatting.THIN}%"


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("value", [1e-7, 0.5, 1.0, 12.5, 4096.0, 70_553_706_496.0, 3.7908e25])
def test_any_number_can_be_typeset(value, unit):
    from math_core import LatexToMathML

    text = formatting.latex(value, unit)
    assert "<math" in LatexToMathML().convert_with_local_state(text, displaystyle=False)

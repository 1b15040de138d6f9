"""Quantities as they are written in specs: GB is 10^9, GiB is 2^30, and nothing guesses."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator import units


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("80 GB", "B", 80e9),
        ("80 GiB", "B", 80 * 2**30),
        ("46068 MiB", "B", 46068 * 2**20),
        ("3.35 TB/s", "B/s", 3.35e12),
        ("800 GiB/s", "B/s", 800 * 2**30),
        ("989.4 TFLOP/s", "FLOP/s", 989.4e12),
        ("1978.9 TOP/s", "FLOP/s", 1978.9e12),
        ("180 PFLOP/s", "FLOP/s", 180e15),
        ("5 us", "s", 5e-6),
        ("3 ms", "s", 3e-3),
        ("2 min", "s", 120),
        ("1.2 kW", "W", 1200),
        ("4.25 bit", "bit", 4.25),
        ("131072 tokens", "token", 131072),
        ("15.6 Ttokens", "token", 15.6e12),
        ("2.788 MGPU-h", "GPU-h", 2.788e6),
        ("2.5 USD/h", "USD/h", 2.5),
        ("0.28 USD/Mtok", "USD/Mtok", 0.28),
        ("1_000 GB", "B", 1e12),
        ("1e3 GB", "B", 1e12),
    ],
)
def test_a_quantity_is_read_in_its_base_unit(text, unit, value):
    assert units.parse(text, unit) == pytest.approx(value, rel=1e-15)


def test_a_gibibyte_is_7_percent_more_than_a_gigabyte():
    assert units.parse("1 GiB", "B") / units.parse("1 GB", "B") == pytest.approx(1.073741824)


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("80 Gb", "B"),
        ("80 gb", "B"),
        ("80 GBs", "B"),
        ("3.35 TB", "B/s"),
        ("3.35 TBps", "B/s"),
        ("900 GB/s", "B"),
        ("989 TFLOPS", "FLOP/s"),
        ("989 TFLOP", "FLOP/s"),
        ("700", "W"),
        ("700 kWh", "W"),
        ("2.5 EUR/h", "USD/h"),
        ("5 sec", "s"),
        ("16 bytes", "bit"),
        ("GB", "B"),
        ("", "B"),
        ("80 GB GB", "B"),
        ("nan GB", "B"),
        ("inf GB", "B"),
        ("--5 GB", "B"),
        ("0x10 GB", "B"),
    ],
)
def test_a_wrong_unit_is_refused_and_the_valid_ones_are_named(text, unit):
    with pytest.raises(ValueError, match="unit"):
        units.parse(text, unit)


@pytest.mark.parametrize("given_value", [80, 80.0, 0, -1])
def test_a_bare_number_is_no_quantity(given_value):
    with pytest.raises(ValueError, match="give a unit, for example"):
        units.parse(given_value, "B")


@pytest.mark.parametrize("given_value", [None, True, [], {}, b"80 GB"])
def test_what_is_neither_text_nor_number_is_no_quantity(given_value):
    with pytest.raises(ValueError):
        units.parse(given_value, "B")


@pytest.mark.parametrize("given_value", ["8", "8 heads", True, None, [8]])
def test_counts_are_plain_numbers(given_value):
    with pytest.raises(ValueError, match="plain number"):
        units.parse(given_value, "count")


def test_a_slip_of_the_unit_gets_a_suggestion():
    with pytest.raises(ValueError, match="did you mean `TB/s`"):
        units.parse("3.35 TB/S", "B/s")


@given(
    number=st.floats(1e-6, 1e6),
    case=st.sampled_from([(unit, spelling) for unit, known in units.SPELLINGS.items() for spelling in known]),
)
def test_every_spelling_reads_as_its_factor(number, case):
    unit, spelling = case
    assert units.parse(f"{number!r} {spelling}", unit) == pytest.approx(number * units.SPELLINGS[unit][spelling])


@given(value=st.floats(1e-30, 1e30), noise=st.integers(-3, 3))
def test_rounding_to_six_digits_is_equal_on_machines_that_differ_in_the_last_bit(value, noise):
    rounded = units.round_significant(value)
    assert rounded == pytest.approx(value, rel=5e-6)
    assert units.round_significant(rounded) == rounded
    if units.round_significant(value * (1 - 1e-15)) == rounded == units.round_significant(value * (1 + 1e-15)):
        assert units.round_significant(value + noise * math.ulp(value)) == rounded


def test_six_digits_of_the_parameters_of_llama_3_1_405b():
    assert units.round_significant(405_853_388_800) == 405_853_000_000

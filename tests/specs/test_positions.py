"""YAML as the specs read it: numbers of YAML 1.2, and the place of each key and value."""

from __future__ import annotations

import pytest

from generator.specs.positions import KEY, read


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("80e9", 80e9),
        ("1_000", 1000),
        ("010", 10.0),
        ("no", "no"),
        ("on", "on"),
        ("true", True),
        ("1:30", "1:30"),
        ("0x10", "0x10"),
        ("2026-11-29", "2026-11-29"),
        ("12e", "12e"),
        ("~", None),
        ("'80'", "80"),
        ("80 GB", "80 GB"),
    ],
)
def test_a_word_is_a_word_and_a_number_a_number(text, value):
    found = read(f"a: {text}\n", "x").data["a"]
    assert (found, type(found)) == (value, type(value))


def test_keys_and_values_have_their_own_place():
    file = read("memory:\n  capacity: 80 GB\n  kinds: [a, b]\n", "x")
    assert file.mark(("memory", "capacity", KEY)) == (2, 3)
    assert file.mark(("memory", "capacity")) == (2, 13)
    assert file.mark(("memory", "kinds", 1)) == (3, 14)


def test_a_field_that_is_not_there_is_placed_at_what_should_hold_it():
    file = read("memory:\n  capacity: 80 GB\n", "x")
    assert file.mark(("memory", "bandwidth")) == (2, 3)
    assert str(file.fault(("nothing",), "no such field")) == "x:1:1: no such field"


def test_a_field_given_twice_keeps_the_first_value_and_is_a_fault():
    file = read("a: 1\nb: 2\na: 3\n", "x")
    assert file.data == {"a": 1, "b": 2}
    assert [str(fault) for fault in file.faults] == ["x:3:1: `a` is given twice, first on line 1"]

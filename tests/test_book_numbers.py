"""Numbers that books, repositories and test suites print, each with a worked example that reproduces it."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from generator.examples import work_all
from generator.specs.load import load

ROOT = Path(__file__).resolve().parent.parent
TOLERANCE = 1e-6
PUBLISHED_TO = 5e-6  # six digits

# Number of a book -> its value, recomputed from the inputs that the book gives.
NUMBERS = [
    ("A01", 240.2439024390244, "FLOP/B"),
    ("A02", 480.4878048780488, "FLOP/B"),
    ("A03", 120.1219512195122, "count"),
    ("A04", 295.5223880597015, "FLOP/B"),
    ("A06", 590.7462686567164, "FLOP/B"),
    ("A07", 206.04166666666666, "FLOP/B"),
    ("A08", 281.25, "FLOP/B"),
    ("A09", 293.274244004171, "FLOP/B"),
    ("A11", 246.67924528301887, "FLOP/B"),
    ("A12", 153.01618440411966, "FLOP/B"),
    ("A13", 1.0111223458038423, "ms"),
    ("A14", 1.098901098901099, "ms"),
    ("A15", 8755.555555555555, "count"),
    ("A17", 8.585216, "us"),
    ("A18", 14.939016681739131, "us"),
    ("A19", 16896.0, "count"),
    ("A20", 26.86464, "TFLOP/s"),
    ("A21", 3.8462393695522388, "ms"),
    ("A23", 311.86944, "TFLOP/s"),
    ("A24", 1307.4432, "TFLOP/s"),
    ("A26", 382.976, "TFLOP/s"),
    ("A27", 1677.7216, "TFLOP/s"),
    ("A30", 0.5141538461538462, "ratio"),
    ("A33", 8.0, "FLOP/B"),
    ("B01", 536.870912, "MB"),
    ("B04", 65.24472888888889, "us"),
    ("B07", 2200.0, "tokens"),
    ("B08", 2475.0, "tokens"),
    ("B09", 5625.0, "tokens"),
    ("B12", 22.487843137254902, "count"),
    ("B14", 4950.0, "tokens"),
    ("B15", 0.8222222222222222, "ratio"),
    ("C01", 56.37144576, "billion params"),
    ("C02", 12.07959552, "billion params"),
    ("C03", 2.101346304, "billion params"),
    ("C04", 70.552387584, "billion params"),
    ("C06", 8030261248.0, "params"),
    ("C07", 405853388800.0, "params"),
    ("C08", 163840.0, "B/token"),
    ("C10", 131072.0, "B/token"),
    ("C11", 516096.0, "B/token"),
    ("C12", 1.073741824, "GB"),
    ("C13", 5.36870912, "GB"),
    ("C14", 1.2884901888, "TB"),
    ("C17", 6.25, "GiB"),
    ("C18", 70272.0, "B/token"),
    ("C19", 0.4921875, "GiB"),
    ("C20", 61.5234375, "GiB"),
    ("C21", 0.125, "GiB"),
    ("C22", 4.718592, "MB"),
    ("C23", 188.74368, "MB"),
    ("D01", 42.94967296, "GB"),
    ("D03", 17.21793795121951, "ms"),
    ("D06", 0.9096446700507614, "s"),
    ("D07", 2.993421052631579, "ratio"),
    ("D08", 43.0, "count"),
    ("D09", 43.0, "count"),
    ("D10", 43.0, "count"),
    ("D11", 0.53802490234375, "requests/s"),
    ("D13", 372.0, "GB"),
    ("D14", 0.431671142578125, "requests/s"),
    ("D15", 2.5676543209876543, "ms"),
    ("D16", 21.054824841762237, "ms"),
    ("D19", 4529.344073647871, "tok/s"),
    ("D20", 239.94147768836868, "tok/s"),
    ("D21", 5.91e17, "FLOP/USD"),
    ("D23", 54.0, "GB"),
    ("D25", 4.776119402985075, "ms"),
    ("D27", 0.27777777777777773, "USD/Mtok"),
    ("D29", 0.16, "s"),
    ("D30", 0.53125, "B"),
    ("D31", 40222.72, "tokens"),
    ("E01", 87072.0, "USD"),
    ("E02", 562100.0, "USD"),
    ("E03", 5.454738607129732, "ratio"),
    ("E04", 0.8450750586715585, "ratio"),
    ("E06", 95.48218503442385, "count"),
    ("E08", 226.86356641580522, "count"),
    ("E09", 9212.5, "tok/s"),
    ("E10", 1850.0, "tok/s"),
    ("E11", 704.7619047619048, "count"),
    ("E13", 0.06030453791647822, "USD/Mtok"),
    ("E14", 0.5182857142857142, "USD/Mtok"),
    ("E15", 288.0, "count"),
    ("E17", 30.885045942857143, "GB"),
    ("E19", 0.15070979661445175, "ratio"),
    ("F02", 44.3247322076979, "days"),
    ("F06", 225.0, "count"),
    ("F07", 1752.1777777777777, "days"),
    ("F08", 468.1142857142857, "tokens"),
    ("F09", 3.2856e24, "FLOP"),
    ("F10", 0.16529594191821775, "ratio"),
    ("F12", 5576000.0, "USD"),
    ("F15", 3.7908e25, "FLOP"),
    ("F18", 10.736, "TB"),
    ("F20", 31.40625, "GB"),
    ("F21", 16.640625, "GB"),
    ("F24", 9.25, "GiB"),
    ("F26", 8.125, "GiB"),
    ("F28", 14.957040548324585, "GiB"),
    ("F29", 59.82816219329834, "GiB"),
    ("F30", 0.21875, "ratio"),
    ("F32", 0.15789473684210525, "ratio"),
    ("F33", 18.0, "B"),
    ("F34", 0.25, "GiB"),
    ("F35", 7.0, "GiB"),
    ("F37", 1.9904761904761905, "ratio"),
    ("F39", 4.20576e23, "FLOP"),
    ("G01", 4.87415983761194, "ms"),
    ("G02", 5.194159837611941, "ms"),
    ("G03", 70.97037058756725, "ms"),
    ("G04", 96.35999999999999, "GB"),
    ("G05", 36.507222016, "GB"),
    ("H01", 44.67902277818182, "ms"),
    ("H03", 13.249755694545454, "ms"),
    ("H04", 8.43507120711029, "ms"),
    ("H05", 6.512438923636364, "ms"),
    ("H06", 6.236606181493305, "ms"),
    ("H10", 0.868915967521525, "ratio"),
    ("H11", 0.9997047437009647, "ratio"),
    ("H12", 1.6690715486643006, "ratio"),
    ("I01", 4380.4625, "tok/s"),
    ("I02", 12690.875, "tok/s"),
    ("I03", 3475.4875, "tok/s"),
    ("I04", 4319.375, "tok/s"),
    ("I05", 11630.725, "tok/s"),
    ("I08", 4023.777777777778, "tok/s"),
    ("I10", 203.01375, "tok/s"),
    ("I11", 93.92075, "tok/s"),
    ("I12", 205.1986111111111, "tok/s"),
    ("I13", 4305.925, "tok/s"),
]

UNITS = {
    "B": ("B", 1.0),
    "B/token": ("B/token", 1.0),
    "FLOP": ("FLOP", 1.0),
    "FLOP/B": ("FLOP/B", 1.0),
    "FLOP/USD": ("FLOP/USD", 1.0),
    "GB": ("B", 1e9),
    "GiB": ("B", 2.0**30),
    "MB": ("B", 1e6),
    "TB": ("B", 1e12),
    "TFLOP/s": ("FLOP/s", 1e12),
    "USD": ("USD", 1.0),
    "USD/Mtok": ("USD/Mtok", 1.0),
    "billion params": ("param", 1e9),
    "count": ("count", 1.0),
    "days": ("s", 86400.0),
    "ms": ("s", 1e-3),
    "params": ("param", 1.0),
    "ratio": ("1", 1.0),
    "requests/s": ("request/s", 1.0),
    "s": ("s", 1.0),
    "tok/s": ("token/s", 1.0),
    "tokens": ("token", 1.0),
    "us": ("s", 1e-6),
}
"""Unit of a number -> base unit of an answer, and its size."""

USER_CASES = (
    "UC03", "UC04", "UC05", "UC06", "UC07", "UC11", "UC12", "UC15", "UC16", "UC17", "UC20",
)  # fmt: skip
"""Questions that people asked and that need no simulation."""


@pytest.fixture(scope="module")
def examples():
    return work_all(load(ROOT))


@pytest.fixture(scope="module")
def by_case(examples):
    return {case: one for one in examples.values() for case in one.record.cases}


@pytest.mark.parametrize(("case", "value", "unit"), NUMBERS)
def test_an_example_gives_the_number_of_the_book(by_case, case, value, unit):
    example = by_case[case]
    base, size = UNITS[unit]
    assert example.answer.unit == base
    assert float(example.answer) == pytest.approx(value * size, rel=TOLERANCE)


@pytest.mark.parametrize(("case", "value", "unit"), NUMBERS)
def test_an_example_is_published_with_the_number_of_the_book(by_case, case, value, unit):
    expected = by_case[case].expected
    assert expected == pytest.approx(value * UNITS[unit][1], rel=PUBLISHED_TO)


def test_at_least_a_hundred_numbers_are_covered(by_case):
    assert sum(case in by_case for case, _, _ in NUMBERS) >= 100


def test_a_number_is_listed_once():
    listed = [case for case, _, _ in NUMBERS]
    assert len(listed) == len(set(listed))
    assert all(re.fullmatch(r"[A-I]\d\d", case) for case in listed)


def test_a_case_belongs_to_one_example(examples):
    cases = Counter(case for one in examples.values() for case in one.record.cases)
    assert [case for case, times in cases.items() if times > 1] == []


def test_titles_and_questions_tell_the_examples_of_books_apart(by_case):
    numbers = {by_case[case].record.id: by_case[case].record for case, _, _ in NUMBERS}
    for field in ("title", "question"):
        told = Counter(getattr(record, field) for record in numbers.values())
        assert [text for text, times in told.items() if times > 1] == []


def test_a_printed_value_that_differs_says_why(examples):
    silent = [
        one.record.id
        for one in examples.values()
        for printed in one.record.printed
        if not printed.agrees and not printed.why.strip()
    ]
    assert silent == []


def test_inputs_of_an_answer_neither_agree_nor_differ(examples):
    for one in examples.values():
        for printed in one.record.printed:
            assert printed.agrees or printed.of == "answer", one.record.id


@pytest.mark.parametrize("case", USER_CASES)
def test_a_question_that_needs_no_simulation_has_an_example(by_case, case):
    assert case in by_case

"""Worked examples of training answer the questions that people asked, and agree with what was measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.examples import work
from generator.specs.load import load

ROOT = Path(__file__).resolve().parent.parent
CASES = [
    ("WX-170", "UC15", 0.0284, 0.01),
    ("WX-171", "UC16", 0.46, 0.03),
    ("WX-172", "UC17", 1_720_320, 0.05),
]


@pytest.fixture(scope="module")
def library():
    return load(ROOT)


@pytest.mark.parametrize(("identifier", "case", "value", "tolerance"), CASES)
def test_a_case_is_answered_within_its_tolerance(library, identifier, case, value, tolerance):
    example = work(library.examples[identifier], library)
    assert example.record.cases == [case]
    assert float(example.answer) == pytest.approx(value, rel=tolerance)


def test_the_sparse_peak_explains_24_percent(library):
    sheet = work(library.examples["WX-171"], library).worksheet
    assert float(sheet.number("with_sparse_peak")) == pytest.approx(0.24, rel=0.06)


def test_zero_1_frees_what_two_measured_runs_differ_by(library):
    sheet = work(library.examples["WX-181"], library).worksheet
    assert float(sheet.number("saved")) == pytest.approx(float(sheet.number("measured")), rel=0.05)


def test_lora_is_as_much_faster_as_its_flops(library):
    sheet = work(library.examples["WX-185"], library).worksheet
    assert float(sheet.number("speedup")) == pytest.approx(float(sheet.number("measured")), rel=0.03)

"""The worked examples answer the questions that they were asked for, with the values that they were published with."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator import published
from generator.examples import work, work_all
from generator.provenance import KINDS
from generator.specs.load import load

ROOT = Path(__file__).resolve().parent.parent
CHAPTERS = {
    "memory-budget",
    "roofline",
    "batching",
    "parallelism",
    "cost",
    "training-compute",
    "training-memory",
    "moe",
    "hardware",
    "model-numbers",
    "speculative",
}
BASE_UNIT = {
    "GB": ("B", 1e9), "MB": ("B", 1e6), "TB": ("B", 1e12), "GiB": ("B", 2.0**30), "B/token": ("B/token", 1.0),
    "ms": ("s", 1e-3), "FLOP/B": ("FLOP/B", 1.0), "FLOP": ("FLOP", 1.0), "tok/s": ("token/s", 1.0),
    "tokens": ("token", 1.0), "USD/Mtok": ("USD/Mtok", 1.0), "count": ("count", 1.0), "requests": ("count", 1.0),
    "experts": ("count", 1.0), "bool": ("count", 1.0), "ratio": ("1", 1.0),
}  # fmt: skip
"""Unit of a case -> base unit of the answer, and its size."""

# The cases in the order of their examples: SE01 is WX-001, SE38 is WX-038.
CASES = [
    ("SE01", 141.107, "GB", 0.001),
    ("SE02", 70.5537, "GB", 0.001),
    ("SE03", 36.3793, "GB", 0.001),
    ("SE04", 131072, "B/token", 0),
    ("SE05", 1.07374, "GB", 0.001),
    ("SE06", 53.9395, "GB", 0.001),
    ("SE07", 50, "requests", 0),
    ("SE08", 0, "bool", 0),
    ("SE09", 4.71859, "MB", 0.001),
    ("SE10", 192.061, "MB", 0.001),
    ("SE11", 295.343, "FLOP/B", 0.002),
    ("SE12", 590.716, "FLOP/B", 0.002),
    ("SE13", 4.79419, "ms", 0.01),
    ("SE14", 208.586, "tok/s", 0.01),
    ("SE15", 4, "FLOP/B", 0),
    ("SE16", 160, "count", 0),
    ("SE17", 0.272727, "ratio", 0.001),
    ("SE18", 3.47222, "USD/Mtok", 0.005),
    ("SE19", 0.277778, "USD/Mtok", 0.01),
    ("SE20", 6, "experts", 0),
    ("SE21", 19200, "tokens", 0),
    ("SE22", 3.7908e25, "FLOP", 0.005),
    ("SE23", 6.48, "TB", 0.005),
    ("SE24", 3.2856e24, "FLOP", 0.005),
    ("SE25", 11.5376, "ratio", 0.01),
    ("SE26", 10.736, "TB", 0.005),
    ("SE27", 0.345098, "ratio", 0.005),
    ("SE28", 0.346263, "ratio", 0.005),
    ("SE29", 640, "GB", 0),
    ("SE30", 1128, "GB", 0),
    ("SE31", 20.736, "TB", 0.05),
    ("SE32", 23.8806, "ms", 0.005),
    ("SE33", 0.5, "ratio", 0),
    ("SE34", 1.5, "ratio", 0),
    ("SE35", 4, "experts", 0),
    ("SE36", 18.2308, "ratio", 0.01),
    ("SE37", 0.030625, "ratio", 0.01),
    ("SE38", 0.0201372, "ratio", 0.02),
]

# Questions that people asked, with the value that they measured or published.
USER_CASES = [
    ("WX-039", "UC03", 57.752, "GiB", 0.03),
    ("WX-040", "UC04", 54284, "tokens", 0.005),
    ("WX-041", "UC05", 578, "GB", 0.01),
    ("WX-042", "UC06", 9.24, "GiB", 0.005),
    ("WX-043", "UC07", 49, "ratio", 0.02),
    ("WX-127", "UC11", 16.52, "tok/s", 0.05),
]

ASKED = [(f"WX-{number:03d}", *case) for number, case in enumerate(CASES, 1)] + USER_CASES


@pytest.fixture(scope="module")
def library():
    return load(ROOT)


@pytest.fixture(scope="module")
def examples(library):
    return work_all(library)


@pytest.mark.parametrize(("identifier", "case", "value", "unit", "tolerance"), ASKED)
def test_a_case_is_answered_within_its_tolerance(examples, identifier, case, value, unit, tolerance):
    example = examples[identifier]
    base, size = BASE_UNIT[unit]
    assert case in example.record.cases
    assert example.answer.unit == base
    # A case prints six digits, so an exact one may differ in the seventh.
    assert float(example.answer) == pytest.approx(value * size, rel=max(tolerance, 1e-6))


@pytest.mark.parametrize(("identifier", "case", "value", "unit", "tolerance"), ASKED)
def test_an_example_is_published_with_the_value_and_tolerance_of_its_case(
    examples, identifier, case, value, unit, tolerance
):
    example = examples[identifier]
    assert example.expected == pytest.approx(value * BASE_UNIT[unit][1], rel=1e-9)
    assert example.record.expected.tolerance == tolerance


def test_every_example_holds(examples, library):
    assert published.faults(published.read(ROOT), examples, library.files) == []


def test_a_case_belongs_to_one_example(examples):
    cases = [case for example in examples.values() for case in example.record.cases]
    assert len(cases) == len(set(cases))


def test_an_example_is_in_the_file_of_its_id(library):
    for identifier, record in library.examples.items():
        assert record.id == identifier
        assert Path(library.files[f"examples/{identifier}"]).stem == identifier


def test_an_answer_has_a_kind_and_a_chapter(examples):
    for example in examples.values():
        assert example.answer.kind in KINDS
        assert example.record.chapter


def test_examples_of_the_cases_belong_to_the_chapters_they_were_asked_in(examples):
    assert {examples[identifier].record.chapter for identifier, *_ in ASKED} <= CHAPTERS


def test_a_measurement_named_by_an_example_exists(examples, library):
    for example in examples.values():
        for identifier in example.record.measured:
            assert library.find("measurements", identifier).value


def test_an_example_quotes_addresses_or_the_bibliography(examples, library):
    for example in examples.values():
        for printed in example.record.printed:
            assert printed.source.startswith("https://") or printed.source in library.references


def test_an_example_that_moves_is_reported_with_both_values(library):
    from dataclasses import replace

    record = library.examples["WX-007"]
    changed = work(replace(record, expected=replace(record.expected, value=51)), library)
    [fault] = published.faults({}, {"WX-007": changed}, library.files)
    assert "published with 51" in fault
    assert "now computes 50" in fault
    assert fault.startswith("specs/examples/WX-007.yaml:1:1:")


def test_the_70b_model_needs_four_h100_in_bf16(examples):
    steps = examples["WX-008"].worksheet
    assert float(steps.number("tp1.max_concurrent_requests")) == 0
    assert float(steps.number("tp2.shortfall_bytes")) == pytest.approx(1.107e9, rel=1e-3)
    assert float(steps.number("tp2.max_concurrent_requests")) == 0
    assert float(steps.number("tp4.max_concurrent_requests")) >= 1


def test_two_logged_pools_imply_the_weights_of_the_nvfp4_checkpoint(examples):
    steps = examples["WX-041"].worksheet
    assert float(steps.number("implied_weights")) == pytest.approx(
        float(steps.number("weights_of_the_checkpoint")), rel=0.02
    )

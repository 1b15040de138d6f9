"""Worked examples: fixed questions with steps, an answer, and the value they have been published with."""

from __future__ import annotations

from dataclasses import dataclass

from generator import units
from generator.provenance import Traced
from generator.specs.library import Library
from generator.specs.records import Example
from generator.worksheets import Worksheet, WorksheetFault, evaluate


@dataclass(frozen=True)
class WorkedExample:
    """An example with its computed steps and answer."""

    record: Example
    worksheet: Worksheet
    answer: Traced
    expected: float

    @property
    def holds(self) -> bool:
        """The answer is still the published one, within its tolerance."""
        return abs(float(self.answer) - self.expected) <= self.record.expected.tolerance * abs(self.expected) + 1e-12

    @property
    def relative_difference(self) -> float:
        """How far the answer is from the published value."""
        return (float(self.answer) - self.expected) / self.expected if self.expected else float(self.answer)


def work(record: Example, library: Library) -> WorkedExample:
    """Compute one example. Raises WorksheetFault for a step that cannot be computed."""
    worksheet = evaluate(record.id, record.steps, library)
    answer = worksheet.number(record.answer)
    if not isinstance(answer, Traced):
        raise WorksheetFault(f"{record.id}: `answer: {record.answer}` is no number")
    given = record.expected.value
    try:
        plain = isinstance(given, (int, float))
        expected = float(given) if plain else units.parse(given, answer.unit)
    except (ValueError, KeyError) as error:
        raise WorksheetFault(f"{record.id}: `expected.value`: {error}") from None
    return WorkedExample(record, worksheet, answer, expected)


def work_all(library: Library) -> dict[str, WorkedExample]:
    """Every example by id."""
    return {identifier: work(record, library) for identifier, record in sorted(library.examples.items())}

"""What a family of measurements is: which rows, how a row becomes a case, and how a case is predicted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from generator.specs.library import Library
from generator.validation.rows import Row

Number = Any
Inputs = Mapping[str, Number]


@dataclass(frozen=True)
class Case:
    """One measurement as the formulas see it.

    inputs: numbers for the formulas, traced or plain; all cases of a family have the same names.
    keys: what a constant or a band may depend on, such as `engine`, `accelerator`, `format`.
    group: what is held out together, such as model and accelerator.
    per_unit: the row's value times this is in the unit of the prediction.
    inverted: the row is a rate where a time is predicted, or the other way round: this over the row's value.
    fitted: False for a row that is shown but neither fitted nor counted; `remark` says why.
    identity: rows of the same identity are one run published several times.
    """

    row: Row
    inputs: Inputs
    keys: Mapping[str, str]
    group: str
    bound: Number | None = None
    reference: Number | None = None
    per_unit: float = 1.0
    inverted: bool = False
    fitted: bool = True
    remark: str = ""
    identity: tuple[Any, ...] | None = None

    @property
    def measured(self) -> float:
        """The measured value in the unit of the prediction."""
        return self.per_unit / self.row.value if self.inverted else self.row.value * self.per_unit

    def in_row_unit(self, value: float) -> float:
        """A prediction in the unit of the row."""
        return self.per_unit / value if self.inverted else value / self.per_unit


@dataclass(frozen=True)
class Aim:
    """How small the errors on held-out groups should be, for rows with these keys; None where nothing is asked."""

    median: float
    p90: float | None = None
    where: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Family:
    """One kind of prediction.

    `claims` is true for the rows that it is about; `express` raises Uncovered for one that the specs cannot express.
    `predict` takes the inputs of a case and the constants by name, floats or arrays, and is made of formulas alone.
    """

    id: str
    name: str
    what: str
    """One sentence: what is predicted and what it is made of."""
    unit: str
    claims: Callable[[Row], bool]
    express: Callable[[Row, Library], Case]
    predict: Callable[[Inputs, Inputs], Number]
    constants: tuple[str, ...] = ()
    """Names of the constants that `predict` takes."""
    bound_is: Literal["least", "most"] = "least"
    """Whether a bound is the least that can be measured, as for a time, or the most, as for a rate."""
    alike_by: tuple[str, ...] = ()
    """Keys of which each measured combination is listed: a case of another one is unlike any measured."""
    banded_by: tuple[str, ...] = ()
    """Keys for which bands and errors are given apart."""
    pooling: float = 0.1
    """How strongly a fitted constant is drawn to the less specific one of its name, against a group of one row."""
    derives: Callable[[Row], Row | None] = lambda row: None
    """A second measurement that a row of another family carries in a column, such as the memory of a timed run."""
    aims: tuple[Aim, ...] = ()
    explain: Callable[[Row, Case, float], str] = lambda row, case, error: ""
    """Why the prediction of a row is off by this share, in one clause; empty if unknown."""

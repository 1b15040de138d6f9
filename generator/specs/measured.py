"""Records of measurement tables, the names that they use, and constants that are calibrated on them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from generator.specs.fields import Count, CountOrZero, FullDate, Id, InUnitOfFile, Quantity, Ratio, Record, Spec

Offset = Annotated[float, Quantity("1", least=-1.0)]


@dataclass(frozen=True, kw_only=True)
class MeasurementTable(Spec):
    """Public measurements of one kind; they stand in the CSV of the same name, one a line, each with its source."""

    rows: Count
    licence: str


@dataclass(frozen=True, kw_only=True)
class NameTable(Spec):
    """Names that measurements use for things of the specs; they stand in the CSV of the same name.

    Columns: `name`, `id`, and for models `weights`, the number format that a name implies, where it implies one.
    """

    of: Literal["models", "accelerators"]
    names: Count


@dataclass(frozen=True, kw_only=True)
class Constant(Record):
    """One constant of a calibrated prediction: value, limits of a fit, what it holds for, and where it is from.

    `where` names what it holds for, such as an engine or an accelerator; of several that hold, the one that names most
    is taken. `how`: measured by itself, fitted to the tables, or assumed.
    """

    name: str
    unit: Literal["1", "s", "B", "B/s", "FLOP/s", "count", "token"]
    value: Annotated[float, InUnitOfFile()]
    low: Annotated[float | None, InUnitOfFile()] = None
    high: Annotated[float | None, InUnitOfFile()] = None
    where: dict[str, str] = field(default_factory=dict)
    how: Literal["measured", "fitted", "assumed"]
    rows: CountOrZero = 0
    groups: CountOrZero = 0
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class Band(Record):
    """Where 80 % of the measurements lie: measured over predicted, from groups that the fit did not see."""

    where: dict[str, str] = field(default_factory=dict)
    low: Ratio
    high: Ratio
    rows: Count


@dataclass(frozen=True, kw_only=True)
class HeldOut(Record):
    """Errors on groups that the fit did not see: share of the measured value."""

    what: str
    """How groups were held out, in words."""
    where: dict[str, str] = field(default_factory=dict)
    rows: Count
    groups: Count
    median: Annotated[float, Quantity("1", least=0.0)]
    p90: Annotated[float, Quantity("1", least=0.0)]
    bias: Offset
    inside: Annotated[float, Quantity("1", least=0.0, most=1.0)]


@dataclass(frozen=True, kw_only=True)
class Calibration(Spec):
    """The constants of one family of predictions, with bands and the errors on what they were not fitted on.

    `seen` lists the combinations of keys that were measured: a prediction for another one is an extrapolation.
    """

    tables: list[Id]
    fitted: FullDate
    constants: list[Constant]
    bands: list[Band]
    errors: list[HeldOut] = field(default_factory=list)
    seen: list[dict[str, str]] = field(default_factory=list)


__all__ = ["Band", "Calibration", "Constant", "HeldOut", "MeasurementTable", "NameTable"]

"""Data of a chart or a table: computed once, drawn as SVG, printed as a table, written as CSV and JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from generator.intervals import interval_of
from generator.units import round_significant


@dataclass(frozen=True)
class Series:
    """One line, or one part of stacked bars. `colour` is one of the names with a fixed meaning."""

    label: str
    values: tuple[float | None, ...]
    kind: str = "reference"
    colour: str | None = None
    xs: tuple[float | None, ...] | None = None
    """Places on the x axis, for a line that has its own; `Study.x` then numbers its points."""
    low: tuple[float | None, ...] | None = None
    high: tuple[float | None, ...] | None = None
    """Ends of the interval at each point: the 95 % interval of a simulated mean, the band of a calibrated value."""


@dataclass(frozen=True)
class Limit:
    """A value that must not be passed."""

    label: str
    value: float


@dataclass(frozen=True)
class Point:
    """A labelled operation on a roofline."""

    label: str
    x: float
    y: float


@dataclass(frozen=True)
class Study:
    """Several series over one axis, in the units that the labels name."""

    x: tuple[Any, ...]
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    limits: tuple[Limit, ...] = ()
    points: tuple[Point, ...] = ()
    ticks: tuple[float, ...] = ()
    log_x: bool = False
    log_y: bool = False
    log_base: int = 10
    parameter: str = ""
    """What `x` counts when every series has its own places on the x axis, such as the batch along a frontier."""

    def rows(self) -> tuple[list[str], list[list[Any]]]:
        """Header and rows: the x axis, then a column for each series; points of a roofline follow."""
        columns: list[tuple[str, Sequence[Any]]] = [(self.parameter or self.x_label, self.x)]
        for series in self.series:
            if series.xs is not None:
                columns.append((f"{series.label}: {self.x_label}", series.xs))
            name = series.label if series.xs is None else f"{series.label}: {self.y_label}"
            columns.append((name, series.values))
            if series.low is not None and series.high is not None:
                columns += [(f"{name}, low", series.low), (f"{name}, high", series.high)]
        rows = [[_rounded(values[index]) for _, values in columns] for index in range(len(self.x))]
        return [name for name, _ in columns], rows

    def text(self) -> str:
        """What the chart shows, in one line: the range of each series."""
        ranges = []
        for series in self.series:
            values = [value for value in series.values if value is not None]
            if values:
                ranges.append(f"{series.label} {values[0]:.3g} to {values[-1]:.3g}")
        swept = self.parameter or self.x_label
        first, last = (x if isinstance(x, str) else f"{x:.6g}" for x in (self.x[0], self.x[-1]))
        return f"{self.y_label} over {swept} from {first} to {last}: {'; '.join(ranges)}."


@dataclass(frozen=True)
class Span:
    """Something that lasts: what a row of a timeline does from one time to another, and for whom."""

    row: str
    what: str
    start: float
    end: float
    whom: str = ""


@dataclass(frozen=True)
class Moment:
    """Something that happens at one time, such as the first token of a request."""

    row: str
    what: str
    at: float
    whom: str


@dataclass(frozen=True)
class Panel:
    """One timeline: its rows from top to bottom, and what happens on them."""

    label: str
    rows: tuple[str, ...]
    spans: tuple[Span, ...]
    moments: tuple[Moment, ...]


@dataclass(frozen=True)
class Timelines:
    """The same requests under several policies, one panel each, over one time axis."""

    panels: tuple[Panel, ...]
    x_label: str
    parts: tuple[tuple[str, str], ...]
    """What spans can be, with the colour of each."""

    def rows(self) -> tuple[list[str], list[list[Any]]]:
        """Header and one row a span or a moment, in order of panel, row and time."""
        rows: list[list[Any]] = []
        for panel in self.panels:
            for place in panel.rows:
                spans = [
                    [panel.label, place, one.what, one.whom, _rounded(one.start), _rounded(one.end)]
                    for one in panel.spans
                    if one.row == place
                ]
                moments = [
                    [panel.label, place, one.what, one.whom, _rounded(one.at), _rounded(one.at)]
                    for one in panel.moments
                    if one.row == place
                ]
                rows += sorted([*spans, *moments], key=lambda row: (row[4], row[5]))
        return ["panel", "row", "what", "request", f"from: {self.x_label}", f"to: {self.x_label}"], rows

    def text(self) -> str:
        """What the chart shows, in one line a panel: how long each row is busy with what."""
        told = []
        for panel in self.panels:
            busy = []
            for place in panel.rows:
                parts = []
                for what, _ in self.parts:
                    total = sum(one.end - one.start for one in panel.spans if one.row == place and one.what == what)
                    if total:
                        parts.append(f"{what} {total:.3g}")
                if parts:
                    busy.append(f"{place} {', '.join(parts)}")
            last = max(one.end for one in panel.spans)
            told.append(f"{panel.label}: {'; '.join(busy)}; the last token at {last:.3g}")
        return f"{self.x_label}. {'. '.join(told)}."


@dataclass(frozen=True)
class Column:
    """One column of a table: header with unit, and how to read its values."""

    name: str
    header: str
    unit: str
    scale: float = 1.0


@dataclass(frozen=True)
class Cell:
    """One value of a table in base units; text instead of a number where a word says more; `why` for an odd cell.

    `note` is a word or two in small print before the number."""

    value: Any
    why: str = ""
    link: str = ""
    note: str = ""


@dataclass(frozen=True)
class Table:
    """Rows of cells under columns, sorted as the rows come."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    ids: tuple[str, ...] = field(default=())

    def header(self) -> list[str]:
        """Machine names of the columns; two more behind a column of simulated numbers, for the interval."""
        ends = ("", "_low", "_high")
        return [
            column.name + end
            for place, column in enumerate(self.columns)
            for end in ends[: 1 + 2 * self._spreads(place)]
        ]

    def plain(self) -> list[list[Any]]:
        """Values in base units, rounded to six digits."""
        spread = [self._spreads(place) for place in range(len(self.columns))]
        return [
            [
                _rounded(one)
                for place, cell in enumerate(row)
                for one in (cell.value, *(_interval(cell.value) if spread[place] else ()))
            ]
            for row in self.rows
        ]

    def _spreads(self, place: int) -> bool:
        return any(interval_of(row[place].value) is not None for row in self.rows)


def _interval(value: Any) -> tuple[Any, Any]:
    found = interval_of(value)
    return found[:2] if found else (None, None)


def _rounded(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    if value != value:
        return None
    whole = float(value) == int(value) and abs(value) < 2**53
    return int(value) if whole else round_significant(float(value))


def to_csv(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> bytes:
    """CSV with one header line; what is not known is empty."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([["" if value is None else value for value in row] for row in rows])
    return buffer.getvalue().encode()

"""Heat maps: a number in every cell, shaded by its size; the colour repeats what the words in the cell say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from generator.charts import figure
from generator.units import round_significant

STRONGEST = 0.42
"""Share of the colour in the most strongly shaded cell: text over it stays readable in light and dark."""


@dataclass(frozen=True)
class HeatCell:
    """One cell: its value for the data, what is written in it, and its colour with a strength from 0 to 1.

    low, high: ends of the interval of the value, if it has one.
    """

    value: float | None
    text: str
    words: str = ""
    colour: str = "muted"
    strength: float = 0.0
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class HeatMap:
    """Cells in rows, which stand in named groups; what follows a line break in a column is in small print."""

    columns: tuple[str, ...]
    lines: tuple[tuple[str, str, tuple[HeatCell, ...]], ...]
    """Group, name and cells of each row."""
    quantity: str

    def data(self) -> list[tuple[str, str, str, HeatCell]]:
        """Group, row, column and cell of every cell."""
        return [
            (group, name, column, cell)
            for group, name, cells in self.lines
            for column, cell in zip(self.columns, cells, strict=True)
        ]

    def text(self) -> str:
        """What the map shows, in one line."""
        cells = [
            f"{group} {name} on {' '.join(column.split())}: {cell.text} {cell.words}"
            for group, name, column, cell in self.data()
        ]
        return f"{self.quantity}. {'; '.join(cells)}."

    def rows(self) -> tuple[list[str], list[list[Any]]]:
        """Header and rows of the data, a row for each cell."""
        rows = [
            [
                group,
                name,
                column.replace("\n", " "),
                *(None if one is None else round_significant(one) for one in ends),
                cell.words,
            ]
            for group, name, column, cell in self.data()
            for ends in [(cell.value, cell.low, cell.high)]
        ]
        return ["group", "row", "column", "value", "low", "high", "words"], rows


def draw(study: HeatMap, identifier: str, title: str, description: str) -> figure.Drawing:
    """A rectangle for each cell with its number and its words, columns named above, groups and rows on the left."""
    groups = _groups(study.lines)
    height = 0.6 + 0.52 * len(study.lines) + 0.34 * len(groups)
    with figure.drawing() as pyplot:
        canvas = pyplot.figure(figsize=(5.6, height))
        axes = canvas.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set_axis_off()
        left, width = 1.55, 4.0 / len(study.columns)
        axes.set_xlim(0, 5.6)
        axes.set_ylim(height, 0)
        for place, column in enumerate(study.columns):
            name, _, rest = column.partition("\n")
            middle = left + (place + 0.5) * width
            axes.text(middle, 0.16, name, ha="center", va="center", fontweight="bold")
            axes.text(middle, 0.38, rest, ha="center", va="center", fontsize=9.5)
        top = 0.5
        for group, rows in groups:
            axes.text(0.02, top + 0.18, group, ha="left", va="center", fontweight="bold")
            top += 0.34
            for name, cells in rows:
                axes.text(0.1, top + 0.25, name, ha="left", va="center", fontsize=11)
                for place, cell in enumerate(cells):
                    _cell(axes, pyplot, left + place * width, top, width, cell)
                top += 0.52
        return figure.Drawing(svg=figure.svg(canvas, identifier, title, description), hover={})


def _groups(rows: Sequence[tuple[str, str, tuple[HeatCell, ...]]]) -> list[tuple[str, list[tuple[str, Any]]]]:
    found: dict[str, list[tuple[str, Any]]] = {}
    for group, name, cells in rows:
        found.setdefault(group, []).append((name, cells))
    return list(found.items())


def _cell(axes: Any, pyplot: Any, x: float, y: float, width: float, cell: HeatCell) -> None:
    empty = cell.value is None
    axes.add_patch(
        pyplot.Rectangle(
            (x + 0.03, y + 0.03), width - 0.06, 0.46,
            facecolor=figure.SENTINELS[cell.colour], alpha=0.06 if empty else 0.1 + (STRONGEST - 0.1) * cell.strength,
            linewidth=0,
        )
    )  # fmt: skip
    middle = x + width / 2
    if cell.words:
        axes.text(
            middle, y + 0.17, cell.text, ha="center", va="center", fontsize=12, fontweight="normal" if empty else "bold"
        )
        axes.text(middle, y + 0.37, cell.words, ha="center", va="center", fontsize=9.5)
    else:
        axes.text(middle, y + 0.26, cell.text, ha="center", va="center", fontsize=12)

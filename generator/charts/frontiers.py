"""Frontiers: throughput over interactivity, one line for each configuration, the batch written beside its points."""

from __future__ import annotations

from typing import Any

from generator.charts import figure, labels, lines
from generator.study import Study


def draw(study: Study, identifier: str, title: str, description: str) -> figure.Drawing:
    """A line for each series through its own points; the x axis of the study names the points along a line."""
    with figure.drawing() as pyplot:
        canvas, axes = pyplot.subplots(layout="constrained", figsize=(7.2, 4.4))
        colours = lines.colours_of(study)
        for index, series in enumerate(study.series):
            lines.line(axes, series, lines.points_of(study, series), index, colours[index])
        for point in study.points:
            axes.plot([point.x], [point.y], marker="o", markersize=5, color=figure.FOREGROUND, linestyle="None")
        lines.scales(axes, study)
        columns = 2 if max(len(series.label) for series in study.series) > 16 else 3
        axes.legend(loc="lower left", bbox_to_anchor=(-0.02, 1.01), ncols=columns, fontsize=11, borderaxespad=0)
        drawn = [lines.points_of(study, series) for series in study.series]
        labels.beside_points(axes, [(point.x, point.y, point.label) for point in study.points], drawn, size=10)
        figure.settle(axes, last=True)
        return figure.Drawing(
            svg=figure.svg(canvas, identifier, title, description), hover=_hover(canvas, axes, study, colours)
        )


def _hover(canvas: Any, axes: Any, study: Study, colours: list[str]) -> dict[str, Any]:
    series = []
    for one, colour in zip(study.series, colours, strict=True):
        pairs = list(zip(one.xs or study.x, one.values, strict=True))
        placed = figure.positions(canvas, axes, *([p[i] if p[1] is not None else 1.0 for p in pairs] for i in (0, 1)))
        series.append(
            {
                "name": one.label,
                "values": [None if y is None else float(f"{y:.4g}") for _, y in pairs],
                "text": [None if y is None else f"{y:.3g} at {x:.3g}" for x, y in pairs],
                "px": [point[0] for point in placed],
                "py": [None if y is None else point[1] for (_, y), point in zip(pairs, placed, strict=True)],
                "color": f"--ch-{colour}",
            }
        )
    return {
        "box": figure.box(canvas, axes),
        "x": {"label": study.parameter, "values": [float(f"{x:.4g}") for x in study.x]},
        "px": series[0]["px"],
        "series": series,
    }

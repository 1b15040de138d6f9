"""Rooflines with real operations on them."""

from __future__ import annotations

from generator.charts import figure, labels, lines
from generator.study import Study

ROOM_ABOVE = 3.5
"""Space above the highest roof for the labels of the points on it, as a factor."""


def draw(study: Study, identifier: str, title: str, description: str) -> figure.Drawing:
    """Attainable FLOP/s over intensity for each device, both axes logarithmic, operations as labelled points."""
    with figure.drawing() as pyplot:
        canvas, axes = pyplot.subplots(layout="constrained", figsize=(7.2, 4.6))
        colours = lines.colours_of(study)
        for series, colour in zip(study.series, colours, strict=True):
            axes.plot(
                study.x,
                series.values,
                label=series.label,
                color=figure.SENTINELS[colour],
                linestyle=figure.DASHES[series.kind],
            )
        for point in study.points:
            axes.plot([point.x], [point.y], marker="o", markersize=7, color=figure.FOREGROUND, linestyle="None")
        lines.scales(axes, study)
        if study.points:
            axes.set_ylim(top=ROOM_ABOVE * max(value for series in study.series for value in series.values))
        lines.name_lines(axes, study, colours)
        roofs = [lines.points_of(study, series) for series in study.series]
        labels.beside_points(axes, [(point.x, point.y, point.label) for point in study.points], roofs)
        figure.settle(axes, last=True)
        return figure.Drawing(
            svg=figure.svg(canvas, identifier, title, description),
            hover=lines.hover_of(canvas, axes, study, colours),
        )

"""Predicted over measured, a dot for each measurement, both axes logarithmic; the line on which they are equal."""

from __future__ import annotations

from typing import Any

from generator.charts import figure, lines
from generator.study import Study

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


def draw(study: Study, identifier: str, title: str, description: str) -> figure.Drawing:
    """Dots of each series at its own places; a dashed line where predicted and measured are equal."""
    with figure.drawing() as pyplot:
        canvas, axes = pyplot.subplots(layout="constrained", figsize=(7.2, 5.4))
        colours = lines.colours_of(study)
        for index, series in enumerate(study.series):
            pairs = [
                (x, y)
                for x, y in zip(series.xs or study.x, series.values, strict=True)
                if x is not None and y is not None
            ]
            axes.plot(
                *zip(*pairs, strict=True), label=series.label, color=figure.SENTINELS[colours[index]], linestyle="None",
                marker=MARKERS[index % len(MARKERS)], markersize=4.5, markeredgewidth=0, alpha=0.6, zorder=2,
            )  # fmt: skip
        lines.scales(axes, study)
        ends = (max(axes.get_xlim()[0], axes.get_ylim()[0]), min(axes.get_xlim()[1], axes.get_ylim()[1]))
        axes.plot(ends, ends, color=figure.FOREGROUND, linestyle=figure.DASHES["bound"], linewidth=1.2, zorder=3)
        if len(study.series) > 1:
            labels = [len(series.label) for series in study.series]
            columns = len(labels) if sum(labels) + 6 * len(labels) <= 60 else 2 if max(labels) > 16 else 3
            axes.legend(loc="lower left", bbox_to_anchor=(-0.02, 1.01), ncols=columns, fontsize=11, borderaxespad=0)
        figure.settle(axes, last=True)
        return figure.Drawing(svg=_without_styles(figure.svg(canvas, identifier, title, description)), hover={})


def _without_styles(svg: str) -> str:
    """Dots say their place alone; their style stands with the group that holds them."""
    import re

    def group(found: re.Match[str]) -> str:
        style = re.search(r'<use [^>]*?(style="[^"]*")', found[2])
        dots = re.sub(r' style="[^"]*"', "", found[2])
        dots = re.sub(r'\b([xy])="(-?\d+\.\d)\d*"', r'\1="\2"', dots)
        return f"{found[1]} {style[1] if style else ''}>{dots}{found[3]}"

    return re.sub(r"(<g clip-path=\"[^\"]*\")>((?:\s*<use [^>]*/>)+)(\s*</g>)", group, svg)


def thin(points: list[Any], most: int) -> list[Any]:
    """At most so many of the points, evenly spread over their order, first and last among them."""
    if len(points) <= most:
        return points
    return [points[round(index * (len(points) - 1) / (most - 1))] for index in range(most)]


def middles(points: list[Any], most: int) -> list[Any]:
    """At most so many of the points: the middle one of each equal part of their order."""
    if len(points) <= most:
        return points
    return [points[int((index + 0.5) * len(points) / most)] for index in range(most)]

"""Line charts: several series over one axis, direct labels, dashed bounds, dots for measured values, limit lines."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from generator.charts import figure, labels
from generator.study import Series, Study

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LONGEST_DIRECT_LABEL = 24
"""A longer label takes too much of the width beside the plot and goes into a legend above it."""

LONGEST_UPRIGHT_LABEL = 40
"""Characters of the name of the y axis that its height has room for; a longer name takes two lines."""


def draw(study: Study, identifier: str, title: str, description: str) -> figure.Drawing:
    """A line for each series of the study; dashed bounds, dots for measured points, a dotted line for each limit."""
    with figure.drawing() as pyplot:
        canvas, axes = pyplot.subplots(layout="constrained")
        colours = colours_of(study)
        for index, series in enumerate(study.series):
            line(
                axes, series, points_of(study, series), index, colours[index], marked=len(study.x) < 12,
                places=series.xs or study.x,
            )  # fmt: skip
        for limit in study.limits:
            axes.axhline(limit.value, color=figure.FOREGROUND, linestyle=":", linewidth=1.2)
        scales(axes, study)
        drawn = [points_of(study, series) for series in study.series]
        labels.along(axes, [(limit.value, limit.label) for limit in study.limits], [one for one in drawn if one])
        name_lines(axes, study, colours)
        figure.settle(axes, last=True)
        return figure.Drawing(
            svg=figure.svg(canvas, identifier, title, description),
            hover=hover_of(canvas, axes, study, colours),
        )


def line(
    axes: Any, series: Series, points: list[tuple[float, float]], index: int, colour: str, *, marked: bool = True,
    places: Sequence[Any] = (),
) -> None:  # fmt: skip
    """One series: a line in the dashes of its kind, `marked` at its points, or dots where it was measured.

    `places` are those of its interval, if it has one.
    """
    if not points:
        return
    measured = series.kind == "measured"
    if series.low is not None and series.high is not None:
        band = [
            (x, low, high)
            for x, low, high in zip(places, series.low, series.high, strict=True)
            if low is not None and high is not None
        ]
        axes.fill_between(*zip(*band, strict=True), color=figure.SENTINELS[colour], alpha=0.22, linewidth=0, zorder=1)
    axes.plot(
        *zip(*points, strict=True),
        label=series.label,
        color=figure.SENTINELS[colour],
        linestyle="None" if measured else figure.DASHES[series.kind],
        marker=MARKERS[index % len(MARKERS)] if measured or marked else None,
        markersize=7 if measured else 5,
        zorder=3 if measured else 2,
    )


def scales(axes: Any, study: Study) -> None:
    """Scales, ticks and names of both axes."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    if study.log_x:
        axes.set_xscale("log", base=study.log_base)
        figure.log_ticks(axes.xaxis)
    else:
        axes.xaxis.set_major_formatter(FuncFormatter(figure.tick))
    if study.ticks:
        axes.xaxis.set_major_locator(FixedLocator(list(study.ticks)))
        axes.xaxis.set_minor_locator(NullLocator())
    if study.log_y:
        axes.set_yscale("log")
        figure.log_ticks(axes.yaxis)
    else:
        axes.yaxis.set_major_formatter(FuncFormatter(figure.tick))
        axes.set_ylim(bottom=0)
    axes.set_xlabel(study.x_label)
    fits = len(study.y_label) <= LONGEST_UPRIGHT_LABEL
    axes.set_ylabel(study.y_label if fits else textwrap.fill(study.y_label, len(study.y_label) // 2 + 6))


def name_lines(axes: Any, study: Study, colours: list[str]) -> None:
    """Labels at the ends of up to five lines with short names, else a legend above the plot."""
    longest = max((len(series.label) for series in study.series), default=0)
    if len(study.series) <= 5 and longest <= LONGEST_DIRECT_LABEL:
        _name_directly(axes, study, [figure.SENTINELS[colour] for colour in colours])
        return
    columns = 1 if longest > 40 else 2 if longest > 16 or len(study.series) == 4 else 3
    axes.legend(
        loc="lower left", bbox_to_anchor=(-0.02, 1.01), ncols=columns, fontsize=11, borderaxespad=0, handlelength=2.4,
        columnspacing=1.4,
    )  # fmt: skip


def _name_directly(axes: Any, study: Study, colours: list[str]) -> None:
    """Lines that reach the right edge are named there, all others and dots beside one of their points."""
    drawn = [(series, points_of(study, series), colour) for series, colour in zip(study.series, colours, strict=True)]
    drawn = [one for one in drawn if one[1]]
    solid = [points for series, points, _ in drawn if series.kind != "measured"]
    right = max((points[-1][0] for points in solid), default=0.0)
    at_edge = [one for one in drawn if one[0].kind != "measured" and one[1][-1][0] == right]
    inside = [one for one in drawn if one not in at_edge]
    if labels.crowded(axes, [points[-1] for _, points, _ in at_edge]):
        inside, at_edge = at_edge + inside, []
    labels.at_ends(axes, [(*points[-1], series.label, colour) for series, points, colour in at_edge])
    places = dict(zip(map(id, solid), labels.most_apart(axes, solid), strict=True)) if inside and not at_edge else {}
    labels.beside_points(
        axes,
        [(*places.get(id(points), points[-1]), series.label) for series, points, _ in inside],
        solid,
        size=11,
        colours=[colour for *_, colour in inside],
        others=[point for series, points, _ in drawn if series.kind == "measured" for point in points],
    )


def points_of(study: Study, series: Series) -> list[tuple[float, float]]:
    """The points of a series that have a value."""
    xs = series.xs or study.x
    return [(x, y) for x, y in zip(xs, series.values, strict=True) if x is not None and y is not None]


def colours_of(study: Study) -> list[str]:
    """Colour of each series: the one with a fixed meaning that it names, else the next free one."""
    free = iter(("1", "2", "3", "4", "5", "6", "7", "8") * 4)
    return [series.colour or next(free) for series in study.series]


def hover_of(canvas: Any, axes: Any, study: Study, colours: list[str]) -> dict[str, Any]:
    """What the pointer shows: positions and values of every series."""
    series = []
    for index, one in enumerate(study.series):
        ys = [y if y is not None and (y > 0 or not study.log_y) else None for y in one.values]
        placed = figure.positions(canvas, axes, list(study.x), [y if y is not None else 1.0 for y in ys])
        series.append(
            {
                "name": one.label,
                "values": [None if y is None else float(f"{y:.4g}") for y in ys],
                "py": [None if y is None else point[1] for y, point in zip(ys, placed, strict=True)],
                "color": f"--ch-{colours[index]}",
            }
        )
    across = figure.positions(canvas, axes, list(study.x), [1.0] * len(study.x))
    return {
        "box": figure.box(canvas, axes),
        "x": {"label": study.x_label, "values": [float(f"{x:.4g}") for x in study.x]},
        "px": [point[0] for point in across],
        "series": series,
    }

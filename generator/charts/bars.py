"""Stacked bars: parts of a whole for several configurations, with the limit they must stay under."""

from __future__ import annotations

from typing import Any

from generator.charts import figure
from generator.study import Study

HATCHES = ("", "//", "||", "\\\\", "xx", "--")
"""Beside the colour, so that the parts can be told apart without it. No dots: each would be drawn as four curves."""


def draw(study: Study, identifier: str, title: str, description: str) -> figure.Drawing:
    """One horizontal bar for each name on the x axis of the study, stacked from its series."""
    with figure.drawing() as pyplot:
        from matplotlib.ticker import FuncFormatter

        names = [str(name) for name in study.x]
        canvas, axes = pyplot.subplots(layout="constrained", figsize=(7.2, 1.5 + 0.5 * len(names)))
        rows = list(range(len(names)))
        left = [0.0] * len(names)
        for index, series in enumerate(study.series):
            values = [value or 0.0 for value in series.values]
            axes.barh(
                rows,
                values,
                left=left,
                height=0.62,
                label=series.label,
                color=figure.SENTINELS[series.colour or str(index + 1)],
                hatch=HATCHES[index % len(HATCHES)],
                linewidth=0,
            )
            left = [a + b for a, b in zip(left, values, strict=True)]
        for limit in study.limits:
            axes.axvline(limit.value, color=figure.FOREGROUND, linestyle="--", linewidth=1.5)
            axes.annotate(
                limit.label,
                (limit.value, 1.0),
                xycoords=("data", "axes fraction"),
                xytext=(-4, 3),
                textcoords="offset points",
                ha="right",
                fontsize=10.5,
            )
        axes.set_yticks(rows, names)
        axes.invert_yaxis()
        axes.grid(axis="y", visible=False)
        axes.xaxis.set_major_formatter(FuncFormatter(figure.tick))
        axes.set_xlabel(study.y_label)
        _legend(canvas)
        figure.settle(axes, last=True)
        return figure.Drawing(svg=figure.svg(canvas, identifier, title, description), hover={})


def _legend(canvas: Any) -> None:
    """The legend below the axis, in as many columns as the width of the drawing has room for."""
    for columns in (4, 3, 2, 1):
        legend = canvas.legend(loc="outside lower center", ncols=columns, fontsize=10.5)
        if legend.get_window_extent().width <= 0.96 * canvas.bbox.width:
            return
        legend.remove()

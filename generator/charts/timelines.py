"""Timelines: for each policy one row an accelerator, with bars for what it does and ticks for first tokens."""

from __future__ import annotations

from typing import Any

from generator.charts import figure
from generator.study import Moment, Panel, Timelines

BAR = 0.5
"""Height of a bar, in rows."""

TOGETHER = 0.022
"""Share of the width within which moments have one label."""
HATCHES = {0: "", 1: "//", 2: "xx"}
"""Beside the colour, so that the parts can be told apart without it."""


def draw(study: Timelines, identifier: str, title: str, description: str) -> figure.Drawing:
    """A panel for each policy over one time axis. Where a row does two things at once, each has half of its height."""
    with figure.drawing() as pyplot:
        heights = [len(panel.rows) for panel in study.panels]
        canvas, all_axes = pyplot.subplots(
            len(heights), 1, sharex=True, layout="constrained", squeeze=False,
            figsize=(7.2, 1.2 + 0.52 * sum(heights) + 0.3 * len(heights)), gridspec_kw={"height_ratios": heights},
        )  # fmt: skip
        last = max(one.end for panel in study.panels for one in panel.spans)
        for panel, axes in zip(study.panels, all_axes[:, 0], strict=True):
            _panel(axes, panel, study, last)
        all_axes[-1, 0].set_xlabel(study.x_label)
        _legend(canvas, study, pyplot)
        figure.settle(all_axes[0, 0], last=True)
        return figure.Drawing(svg=figure.svg(canvas, identifier, title, description), hover={})


def _panel(axes: Any, panel: Panel, study: Timelines, last: float) -> None:
    places = {name: number for number, name in enumerate(panel.rows)}
    for part, (what, colour) in enumerate(study.parts):
        for row, number in places.items():
            spans = [one for one in panel.spans if one.what == what and one.row == row]
            if not spans:
                continue
            shared = any(one.what != what and one.row == row and _meets(one, spans) for one in panel.spans)
            height, middle = (BAR / 2, number + (-BAR / 4 if part == 0 else BAR / 4)) if shared else (BAR, number)
            axes.broken_barh(
                [(one.start, one.end - one.start) for one in spans], (middle - height / 2, height),
                facecolors=figure.SENTINELS[colour], hatch=HATCHES[part % len(HATCHES)], linewidth=0,
            )  # fmt: skip
    for row, number in places.items():
        _moments(axes, sorted((one for one in panel.moments if one.row == row), key=_time), number, last)
    axes.set_title(panel.label, loc="left", fontsize=12, fontweight="bold", pad=4)
    axes.set_yticks(list(places.values()), list(places), fontsize=11)
    axes.set_ylim(len(places) - 0.6, -0.75)
    axes.set_xlim(0, last * 1.01)
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0)


def _meets(one: Any, spans: list[Any]) -> bool:
    return any(one.start < other.end - 1e-9 and other.start < one.end - 1e-9 for other in spans)


def _moments(axes: Any, moments: list[Moment], place: int, last: float) -> None:
    """Ticks over the height of the row with the numbers of the requests above them; arrivals have the numbers alone."""
    groups: list[list[Moment]] = []
    for one in moments:
        if one.what != "arrival":
            axes.plot(
                [one.at, one.at], [place - BAR / 2 - 0.06, place + BAR / 2], color=figure.FOREGROUND, linewidth=1.5,
                zorder=4,
            )  # fmt: skip
        if groups and groups[-1][0].what == one.what and one.at - groups[-1][-1].at < TOGETHER * last:
            groups[-1].append(one)
        else:
            groups.append([one])
    for group in groups:
        middle = (group[0].at + group[-1].at) / 2
        arrival = group[0].what == "arrival"
        axes.text(
            middle, place if arrival else place - BAR / 2 - 0.08, ",".join(one.whom for one in group), ha="center",
            va="center" if arrival else "bottom", fontsize=9.5, zorder=5,
        )  # fmt: skip


def _time(one: Moment) -> float:
    return one.at


def _legend(canvas: Any, study: Timelines, pyplot: Any) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    used = {one.what for panel in study.panels for one in panel.spans}
    handles: list[Any] = [
        Patch(facecolor=figure.SENTINELS[colour], hatch=HATCHES[part % len(HATCHES)], linewidth=0, label=what)
        for part, (what, colour) in enumerate(study.parts)
        if what in used
    ]
    handles.append(
        Line2D([], [], color=figure.FOREGROUND, marker="|", markersize=11, linestyle="None", label="first token")
    )
    canvas.legend(handles=handles, loc="outside lower center", ncols=4, fontsize=11)

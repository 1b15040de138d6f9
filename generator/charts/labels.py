"""Where labels go: at the ends of lines, moved apart, or beside points where nothing else is drawn."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from generator.charts import figure

Box = tuple[float, float, float, float]
GAP = 3.0
"""Pixels that stay free around a label."""

_BESIDE = ((1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1))
_DISTANCES = (7.0, 16.0, 30.0, 46.0)


def at_ends(axes: Any, ends: Sequence[tuple[float, float, str, str]], size: float = 11.0) -> None:
    """Write each `(x, y, label, colour)` right of its point, in the order of height, none over another."""
    texts = [
        axes.annotate(
            label, (x, y), xytext=(6, 0), textcoords="offset points", va="center", color=colour, fontsize=size,
            annotation_clip=False, bbox={"facecolor": figure.BACKGROUND, "edgecolor": "none", "pad": 0.6},
        )
        for x, y, label, colour in ends
    ]  # fmt: skip
    figure.settle(axes)
    plot = axes.get_window_extent()
    boxes = [text.get_window_extent() for text in texts]
    heights = [float(axes.transData.transform((x, y))[1]) for x, y, *_ in ends]
    room = max((box.height for box in boxes), default=0.0) + 1.0
    groups: list[list[int]] = []
    for index in sorted(range(len(ends)), key=lambda one: heights[one]):
        groups.append([index])
        while len(groups) > 1 and _bottom(groups[-1], heights, room) < _top(groups[-2], heights, room):
            groups[-2:] = [groups[-2] + groups[-1]]
    for group in groups:
        bottom = _bottom(group, heights, room)
        bottom = max(plot.y0, min(bottom, plot.y1 + room / 2 - room * len(group)))
        for place, index in enumerate(group):
            shift = bottom + (place + 0.5) * room - heights[index]
            texts[index].set_position((6, shift * 72 / axes.figure.dpi))


def along(
    axes: Any, limits: Sequence[tuple[float, str]], lines: Sequence[Sequence[tuple[float, float]]], size: float = 10.5
) -> None:
    """Write each `(height, label)` on its level line: left or right, above or below, where it covers least."""
    if not limits:
        return
    figure.settle(axes)
    scale = axes.figure.dpi / 72
    plot = axes.get_window_extent()
    taken: list[Box] = []
    for line in lines:
        taken += [(px - 3, py - 3, px + 3, py + 3) for px, py in _dense(axes.transData.transform(list(line)))]
    for height, label in limits:
        best, fewest = None, float("inf")
        for place, side, up in ((0.01, "left", 1), (0.99, "right", 1), (0.01, "left", -1), (0.99, "right", -1)):
            text = axes.annotate(
                label, (place, height), xycoords=("axes fraction", "data"), xytext=(0, 3 * up),
                textcoords="offset points", fontsize=size, ha=side, va="bottom" if up > 0 else "top",
            )  # fmt: skip
            extent = text.get_window_extent()
            box = (extent.x0 - scale, extent.y0 - scale, extent.x1 + scale, extent.y1 + scale)
            cost = _cost(box, taken, plot)
            if cost < fewest:
                if best is not None:
                    best[0].remove()
                best, fewest = (text, box), cost
            else:
                text.remove()
        taken.append(best[1])


def most_apart(axes: Any, lines: Sequence[Sequence[tuple[float, float]]]) -> list[tuple[float, float]]:
    """For each line the point that is farthest, up or down, from every other line: the place to name it."""
    figure.settle(axes)
    drawn = [axes.transData.transform(list(line)) for line in lines]
    found = []
    for index, line in enumerate(drawn):
        others = [other for place, other in enumerate(drawn) if place != index]
        inner = range(len(line) // 6, max(len(line) - len(line) // 6, len(line) // 6 + 1))
        best = max(inner, key=lambda one: _clearance(line[one], others))
        found.append(tuple(lines[index][best]))
    return found


def _clearance(point: Any, others: Sequence[Any]) -> float:
    return min((min(abs(point - place).max() for place in other) for other in others), default=0.0)


def crowded(axes: Any, ends: Sequence[tuple[float, float]], room: float = 7.0) -> bool:
    """Three ends or more so close together that labels beside them would not tell the lines apart."""
    heights = sorted(float(axes.transData.transform(end)[1]) for end in ends)
    least = room * axes.figure.dpi / 72
    return any(upper - lower < least for lower, upper in zip(heights, heights[2:], strict=False))


def _bottom(group: list[int], heights: Sequence[float], room: float) -> float:
    return sum(heights[index] for index in group) / len(group) - room * len(group) / 2


def _top(group: list[int], heights: Sequence[float], room: float) -> float:
    return _bottom(group, heights, room) + room * len(group)


def beside_points(
    axes: Any, points: Sequence[tuple[float, float, str]], lines: Sequence[Sequence[tuple[float, float]]],
    size: float = 10.5, colours: Sequence[str] = (), others: Sequence[tuple[float, float]] = (),
) -> None:  # fmt: skip
    """Write each `(x, y, label)` beside its point, where it covers no point, no line and no label before it.

    `others` are points without a label that stay free, too.
    """
    figure.settle(axes)
    scale = axes.figure.dpi / 72
    plot = axes.get_window_extent()
    places = axes.transData.transform([(x, y) for x, y, _ in points])
    marked = [*places, *(axes.transData.transform(list(others)) if others else ())]
    taken: list[Box] = [(px - 5, py - 5, px + 5, py + 5) for px, py in marked]
    for written in axes.texts:
        extent = written.get_window_extent()
        taken.append((extent.x0 - GAP, extent.y0 - GAP, extent.x1 + GAP, extent.y1 + GAP))
    for line in lines:
        taken += [(px - 1, py - 1, px + 1, py + 1) for px, py in _dense(axes.transData.transform(list(line)))]
    colours = colours or [figure.FOREGROUND] * len(points)
    for (x, y, label), (px, py), colour in zip(points, places, colours, strict=True):
        text = axes.annotate(
            label, (x, y), xytext=(0, 0), textcoords="offset points", fontsize=size, ha="left", va="bottom",
            color=colour,
        )  # fmt: skip
        extent = text.get_window_extent()
        width, height = extent.width, extent.height
        best = min(
            _candidates(px, py, width, height, scale),
            key=lambda one: (_cost(one[0], taken, plot), one[1]),
        )
        left, bottom, right, top = best[0]
        text.set_position(((left - px) / scale, (bottom - py) / scale))
        if best[1] >= _DISTANCES[2]:
            edge = (min(max(px, left), right), bottom if bottom > py else top if top < py else py)
            axes.annotate(
                "", (x, y), xytext=((edge[0] - px) / scale, (edge[1] - py) / scale), textcoords="offset points",
                arrowprops={"arrowstyle": "-", "color": figure.SENTINELS["muted"], "linewidth": 0.8, "shrinkA": 0},
            )  # fmt: skip
        taken.append((left - GAP, bottom - GAP, right + GAP, top + GAP))


def _candidates(px: float, py: float, width: float, height: float, scale: float) -> list[tuple[Box, float]]:
    found = []
    for distance in _DISTANCES:
        away = distance * scale
        for order, (right, up) in enumerate(_BESIDE):
            left = px + away if right > 0 else px - away - width if right < 0 else px - width / 2
            bottom = py + away * 0.7 if up > 0 else py - away * 0.7 - height if up < 0 else py - height / 2
            found.append(((left, bottom, left + width, bottom + height), distance + order / 10))
    return found


def _cost(box: Box, taken: Sequence[Box], plot: Any) -> float:
    outside = max(plot.x0 - box[0], 0) + max(box[2] - plot.x1, 0) + max(plot.y0 - box[1], 0) + max(box[3] - plot.y1, 0)
    return 50.0 * (outside > 0) + sum(_meet(box, other) for other in taken)


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _dense(places: Any, step: float = 4.0) -> list[tuple[float, float]]:
    found: list[tuple[float, float]] = []
    for (x0, y0), (x1, y1) in itertools.pairwise(places):
        count = max(int(max(abs(x1 - x0), abs(y1 - y0)) / step), 1)
        found += [(x0 + (x1 - x0) * n / count, y0 + (y1 - y0) * n / count) for n in range(count + 1)]
    return found

"""From a matplotlib figure to deterministic inline SVG: theme colours, page fonts, own ids, a text alternative."""

from __future__ import annotations

import contextlib
import html
import io
import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

FOREGROUND, GRID, BACKGROUND = "#010203", "#040506", "#070809"
COLOURS = (
    "weights", "kv", "workspace", "activations", "optimizer", "memory-time", "compute-time", "communication", "waiting",
    "colocated", "chunked", "disaggregated", "1", "2", "3", "4", "5", "6", "7", "8", "muted", "fg",
)  # fmt: skip
"""Names of the colours; each is a CSS variable `--ch-<name>` with the same meaning on every page."""

SENTINELS = {name: f"#0a0b{index:02x}" for index, name in enumerate(COLOURS, 1)}
STYLE: dict[str, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "handbook",
    "font.family": ["sans-serif"],
    "font.size": 12,
    "text.color": FOREGROUND,
    "axes.edgecolor": FOREGROUND,
    "axes.labelcolor": FOREGROUND,
    "xtick.color": FOREGROUND,
    "ytick.color": FOREGROUND,
    "grid.color": GRID,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.transparent": True,
    "figure.figsize": (7.2, 4.2),
    "lines.linewidth": 2,
    "legend.frameon": False,
    "hatch.color": GRID,
}
METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}
DASHES = {"bound": (0, (6, 3)), "reference": "-", "exact": "-", "calibrated": "-", "simulated": "-", "measured": "None"}
"""How a kind of number is drawn: bounds dashed, measured values as dots, everything else as a line."""


@dataclass(frozen=True)
class Drawing:
    """What a chart kind draws: the SVG and the values for the pointer, in the units of its view box."""

    svg: str
    hover: dict[str, Any]


@contextlib.contextmanager
def drawing() -> Iterator[Any]:
    """matplotlib.pyplot under the style of the book, with figures closed afterwards."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as pyplot

    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    with matplotlib.rc_context(STYLE):
        try:
            yield pyplot
        finally:
            pyplot.close("all")


def settle(axes: Any, *, last: bool = False) -> None:
    """Lay the figure out without drawing it, so that places of labels are known; after the `last` time it stays so."""
    canvas = axes.figure
    engine = canvas.get_layout_engine()
    if engine is not None:
        engine.execute(canvas)
        if last:
            canvas.set_layout_engine("none")


def positions(figure: Any, axes: Any, xs: list[float], ys: list[float]) -> list[tuple[float, float]]:
    """Points of the plot in the units of the SVG's view box."""
    scale, height = 72 / figure.dpi, figure.bbox.height
    return [
        (round(float(x) * scale, 2), round((height - float(y)) * scale, 2))
        for x, y in axes.transData.transform(list(zip(xs, ys, strict=True)))
    ]


def box(figure: Any, axes: Any) -> list[float]:
    """Left, top, right, bottom of the plotting area in the units of the view box."""
    scale, height = 72 / figure.dpi, figure.bbox.height
    extent = axes.get_window_extent()
    return [round(float(v) * scale, 1) for v in (extent.x0, height - extent.y1, extent.x1, height - extent.y0)]


def svg(figure: Any, identifier: str, title: str, description: str) -> str:
    """The figure as SVG that takes its colours and fonts from the page."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata=METADATA)
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.S)
    text = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", text, count=1, flags=re.S)
    text = re.sub(r"<!--.*?-->\s*", "", text, flags=re.S)
    text = re.sub(r'\bid="([^"]+)"', rf'id="{identifier}-\1"', text)
    text = re.sub(r"url\(#([^)]+)\)", rf"url(#{identifier}-\1)", text)
    text = re.sub(r'xlink:href="#([^"]+)"', rf'xlink:href="#{identifier}-\1"', text)
    text = re.sub(r"font: ([\d.]+)px [^;\"]*", r"font-size: \1px", text)
    text = re.sub(r"font-family: [^;\"]+;? ?", "", text)
    for sentinel, variable in _variables().items():
        text = text.replace(sentinel, f"var({variable})")
    text = re.sub(
        r'<svg [^>]*viewBox="([^"]+)"[^>]*>',
        lambda found: (
            f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="{found[1]}"'
            f' class="chart" id="{identifier}" role="img" aria-labelledby="{identifier}-title {identifier}-desc">'
            f'<title id="{identifier}-title">{html.escape(title)}</title>'
            f'<desc id="{identifier}-desc">{html.escape(description)}</desc>'
        ),
        text,
        count=1,
    )
    return re.sub(r"\n\s*", "\n", text).strip()


def _variables() -> dict[str, str]:
    return {FOREGROUND: "--ch-fg", GRID: "--ch-grid", BACKGROUND: "--ch-bg"} | {
        sentinel: f"--ch-{name}" for name, sentinel in SENTINELS.items()
    }


def log_ticks(axis: Any) -> None:
    """Labels 1, 10, 100, 1k on a logarithmic axis; 2 and 5 between them where it spans less than two decades."""
    from math import log10

    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    low, high = axis.get_view_interval()
    narrow = log10(high / low) < 2
    axis.set_major_locator(LogLocator(base=10, subs=(1, 2, 5) if narrow else (1,), numticks=12))
    axis.set_major_formatter(FuncFormatter(tick))
    axis.set_minor_locator(NullLocator())


def tick(value: float, _position: object = None) -> str:
    """Axis labels with SI prefixes: 100, 1k, 10k."""
    for factor, prefix in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= factor:
            return f"{value / factor:g}{prefix}"
    return f"{value:g}"

"""Small pieces of HTML and Markdown that every page is made of. Text from specs appears as text, never as markup."""

from __future__ import annotations

import functools
import html
import posixpath
import re
from collections.abc import Iterable, Sequence

from math_core import LatexToMathML

from generator import formatting
from generator.intervals import interval_of
from generator.provenance import Traced

KIND_MARKS = {"exact": "=", "bound": "≤", "reference": "r", "calibrated": "±", "simulated": "s", "measured": "m"}
"""The mark behind a number, one for each kind, the same on every page."""

KIND_MEANINGS = {
    "exact": "arithmetic on sourced specs",
    "bound": "no real system does better",
    "reference": "with the reference assumptions, such as 80 % of the bandwidth",
    "calibrated": "constants fitted on public measurements, with a band",
    "simulated": "mean of seeded runs; ± is half its 95 % interval, in text only where wide",
    "measured": "quoted from a public measurement, or arithmetic on one",
}

NARROWEST_SPREAD = 0.1
"""Per cent, or points of a share: a narrower interval changes no digit that is shown."""

NARROWEST_SPREAD_IN_TEXT = 5.0
"""The same in text, where a narrow interval is in the card of its number."""

WIDEST_SPREAD = 75.0
"""Per cent of the value: of a wider interval the two ends are shown."""

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+!|<>&$~^\"-])")


def text(value: object) -> str:
    """Spec text inside HTML."""
    return html.escape(str(value), quote=True)


def prose(value: object) -> str:
    """Spec text inside Markdown: every character that Markdown, HTML or a template could read becomes an entity."""
    return _MARKDOWN.sub(lambda found: f"&#{ord(found[1])};", str(value)).replace("\n", " ")


@functools.cache
def slug(identifier: str) -> str:
    """An id as an anchor."""
    return re.sub(r"[^a-z0-9]+", "-", identifier.lower()).strip("-")


def address(path: str) -> str:
    """Where a Markdown page or a file is published."""
    return path.removesuffix(".md") + ".html" if path.endswith(".md") else path


def href(here: str, there: str, anchor: str = "") -> str:
    """Relative address of a page or file, seen from a page."""
    if here == there and anchor:
        return f"#{anchor}"
    relative = _relative(posixpath.dirname(here), address(there))
    return f"{relative}#{anchor}" if anchor else relative


@functools.cache
def _relative(folder: str, there: str) -> str:
    return posixpath.relpath(there, folder or ".")


@functools.cache
def _converter() -> LatexToMathML:
    return LatexToMathML(fancy_error=False)


@functools.cache
def math(latex: str, *, display: bool = False) -> str:
    """LaTeX as MathML."""
    mathml = _converter().convert_with_local_state(latex, displaystyle=display)
    # What the converter adds without effect: empty spaces, and the space around a multiplication that is its default.
    mathml = mathml.replace("<mspace/>", "").replace('<mo lspace="0.2222em" rspace="0.2222em">×</mo>', "<mo>×</mo>")
    return f'<div class="mathblock" tabindex="0">{mathml}</div>' if display else mathml


def quantity(number: Traced | float, unit: str | None = None) -> str:
    """A number with its unit as text: exact counts whole, everything else to three digits."""
    return formatting.text(number, unit or number.unit)


def spread(number: object, least: float = NARROWEST_SPREAD, *, share: bool = True, scale: float | None = None) -> str:
    """Half the 95 % interval of a simulated number, beside it, if it is `least` per cent of the value or more.

    A `share` is shown with points of itself. Where half the interval is most of the value, its two ends say more; in a
    table they are in units of `scale`, which its header names.
    """
    found = interval_of(number)
    if found is None or found[0] == found[1] or not float(number):
        return ""
    low, high, runs = found
    half = 100 * (high - low) / 2
    points = share and formatting.is_share(number.name, number.unit)
    size = half if points else half / abs(float(number))
    if size < least:
        return ""
    shown = f"{size:.0f}" if size >= 9.95 else f"{size:.1f}"
    shown = f"±{shown} points" if points else f"±{shown}\u00a0%"
    if not points and size > WIDEST_SPREAD:
        low = max(low, 0.0) if float(number) > 0 else low
        ends = [
            formatting.text(end, number.unit, 2) if scale is None else formatting.significant(end / scale, 2)
            for end in (low, high)
        ]
        shown = " to ".join(ends)
    title = f"95 % interval of the mean over {runs} runs"
    return f'<small class="spread" title="{title}">{shown}</small>'


def as_is(block: str) -> str:
    """Fences around finished HTML that needs no Markdown and no search index; `generator.site_hooks` knows them.

    They are comments: a publisher that does not know them gives the same page, only later.
    """
    return f"<!--as-is-->{block}<!--/as-is-->"


def kind_mark(kind: str, *, titled: bool = True) -> str:
    """The small mark that says what kind of number it is; untitled where the word stands beside it."""
    title = f' title="{kind}: {KIND_MEANINGS[kind]}"' if titled else ""
    return f'<sup class="kind kind-{kind}"{title}>{KIND_MARKS[kind]}</sup>'


def legend() -> str:
    """What the marks mean; stands at the foot of every page."""
    entries = "".join(
        f'<li><span class="kind kind-{kind}">{mark}</span> <strong>{kind}</strong>: {KIND_MEANINGS[kind]}</li>'
        for kind, mark in KIND_MARKS.items()
    )
    return f'<ul class="kinds">{entries}</ul>'


def link(here: str, there: str, label: str, anchor: str = "") -> str:
    """A link to another page, in HTML."""
    return f'<a href="{href(here, there, anchor)}">{text(label)}</a>'


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    ids: Sequence[str] = (),
    right: Sequence[int] = (),
    name: str = "",
) -> str:
    """A table of cells that are HTML already; `ids` are the anchors of its rows, `right` the columns of numbers."""
    aligned = dict.fromkeys(right, ' style="text-align: right"')
    anchors = [f' id="{anchor}"' for anchor in ids]
    titles = "".join(f'<th scope="col"{aligned.get(at, "")}>{cell}</th>' for at, cell in enumerate(head))
    lines = []
    for number, row in enumerate(rows):
        cells = "".join(f"<td{aligned.get(at, '')}>{cell}</td>" for at, cell in enumerate(row))
        lines.append(f"<tr{anchors[number] if anchors else ''}>{cells}</tr>")
    return (
        f'<div class="{f"table {name}".strip()}"><table><thead><tr>{titles}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def source_link(here: str, source: str, references: dict[str, object], longest: int = 70) -> str:
    """A source as a link: to its address, or to its entry in the bibliography, or as words."""
    if source.startswith(("http://", "https://")):
        shown = source.split("://", 1)[1].rstrip("/")
        shown = re.sub(r"/blob/[0-9a-f]{40}/", "/…/", shown)
        shown = shown if len(shown) < longest else shown[: longest - 3] + "…"
        return f'<a class="source" href="{text(source)}" rel="external">{text(shown)}</a>'
    if source in references:
        entry = references[source]
        return link(here, "reference/bibliography.md", f"{short_authors(entry.authors)} {entry.year:g}", entry.id)
    return text(source)


def short_authors(authors: str) -> str:
    """`Kwon et al.` for more than two authors."""
    names = [name.strip() for name in authors.split(",") if name.strip()]
    if len(names) <= 1:
        return authors
    return f"{names[0].split()[-1]} et al."

"""The book on paper: the pages of a built site in the order of its navigation as one page, printed by Chromium."""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from generator.exports import chromium
from generator.exports.published import ExportFault, site_of
from generator.pages.cite import CITATIONS

PARTS = {"chapters": "Chapters", "reference": "Reference"}
ALL_PARTS = {
    "chapters": "Chapters", "examples": "Worked examples", "accelerators": "Accelerators", "systems": "Systems",
    "models": "Models", "reference": "Reference",
}  # fmt: skip
"""Folder of the site -> title of a part of the book. The playground is nothing for paper."""
CONTENTS = "contents"
LONGEST_EQUATION = 70
"""Characters of an equation that fit on a line; a longer one is set smaller. One that did not fit would make Chromium
shrink the whole book."""

_NEXT = re.compile(r'<link rel="next" href="([^"]+)"')
_CANONICAL = re.compile(r'<link rel="canonical" href="([^"]+)"')
_STYLE_SHEET = re.compile(r'<link rel="stylesheet" href="([^"]+)"')
_BODY = re.compile(r"<body([^>]*)>")
_ARTICLE = re.compile(r'<article class="md-content__inner[^>]*>(.*?)</article>', re.DOTALL)
_TITLE = re.compile(r"<h1[^>]*>(.*?)</h1>", re.DOTALL)
_ID = re.compile(r'(?<=\s)id="([^"]+)"')
_TARGET = re.compile(r'(?<=\s)(href|xlink:href)="([^"]*)"')
_EQUATION = re.compile(r'<div class="mathblock" tabindex="0">(.*?)</div>', re.DOTALL)
_TAG = re.compile(r"<annotation.*?</annotation>|<[^>]*>", re.DOTALL)
_PAINT = re.compile(r"url\(#([^)]+)\)")
_REFERS = re.compile(r'(?<=\s)(aria-labelledby|aria-describedby|for)="([^"]+)"')
_LEFT_OUT = re.compile(
    r"""<a\ class="headerlink".*?</a>
    |\s*<span\ class="files">.*?</span>(?:\ ·\ )?
    |(?:\ ·\ )?<a\ class="cite".*?</a>
    |\sdata-(?:chart|card|cite)="[^"]*"
    |<footer\ class="page-foot">.*?</footer>
    |<script\b.*?</script>
    |<!--.*?-->""",
    re.DOTALL | re.VERBOSE,
)
"""What paper has no use for: links to files, marks for scripts, the legend under each page."""
_DERIVATIONS = '<details class="derivations"'
_DETAILS = re.compile(r"<(/?)details\b")

STYLE = """
@page { size: A4; margin: 18mm 16mm 20mm; @bottom-center { content: counter(page); font: 8.5pt sans-serif; } }
@page cover { @bottom-center { content: none; } }
html, body.book { background: #fff; }
body.book { display: block; --line-of-text: 150mm; }
.book .md-typeset { font-size: 9pt; }
.book .md-typeset h1 { margin-bottom: 6mm; }
.book .page { break-before: page; }
.book .md-typeset thead, .book .md-typeset tbody tr:first-child { break-after: avoid; }
.book .md-typeset tbody tr:last-child { break-before: avoid; }
.book .md-typeset td :is(a, code) { overflow-wrap: anywhere; white-space: normal; }
.book .md-typeset td .source, .book .md-typeset .table td { white-space: normal; }
.book .md-typeset details:not(.problem)::details-content { display: none; }
.cover { page: cover; display: flex; flex-direction: column; height: 240mm; }
.book .md-typeset .cover h1 { margin: 60mm 0 4mm; font-size: 30pt; line-height: 1.15; font-weight: 700; }
.cover .lead { font-size: 13pt; }
.cover dl { display: grid; grid-template-columns: 28mm 1fr; gap: 2mm 4mm; margin-top: auto; }
.book .cover :is(dt, dd) { margin: 0; }
.contents ol { list-style: none; columns: 2; column-gap: 12mm; }
.book .md-typeset .contents ol { max-width: none; margin: 0 0 4mm; padding: 0; }
.book .md-typeset .contents li { margin: 0 0 1.2mm; break-inside: avoid; }
.contents li { display: flex; justify-content: space-between; gap: 4mm; }
.contents .at { font-variant-numeric: tabular-nums; }
"""
"""Lists that are folded on the site stay folded, except the problems with their answers."""


@dataclass
class Sheet:
    """One page of the site on its way into the book. `mark` stands before all its ids."""

    path: str
    mark: str
    body: str
    title: str = ""
    ids: frozenset[str] = field(default_factory=frozenset)


def book(site: Path, *, everything: bool = False) -> bytes:
    """The PDF. `everything` adds worked examples, accelerators, systems and models. Raises ExportFault."""
    if chromium.found() is None:
        raise ExportFault(chromium.MISSING)
    # A browser cannot say on which page a link leads, so the book is printed once to see where everything falls.
    places = chromium.places(chromium.print_to_pdf(assembled(site, everything=everything)))
    return chromium.print_to_pdf(assembled(site, everything=everything, places=places))


def assembled(site: Path, *, everything: bool = False, places: Mapping[str, int] | None = None) -> str:
    """The whole book as one page of HTML; style sheets are named by their file addresses.

    places: anchor -> page of the printed book, for the contents.
    """
    parts = ALL_PARTS if everything else PARTS
    sheets = {
        path: _sheet(path, f"p{number}", (site / path).read_text(encoding="utf-8"))
        for number, path in enumerate(order(site, parts), 1)
    }
    first = (site / "index.html").read_text(encoding="utf-8")
    address = _found(_CANONICAL, first).removesuffix("index.html")
    styles = "".join(
        f'<link rel="stylesheet" href="{(site / path).resolve().as_uri()}">' for path in _STYLE_SHEET.findall(first)
    )
    pages = "".join(
        f'<section class="page" id="{sheet.mark}">{_in_book(sheet, sheets, address)}</section>'
        for sheet in sheets.values()
    )
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{_meta(site)["title"]}</title>{styles}'
        f'<style>{STYLE}</style></head><body{_found(_BODY, first)} class="book"><main class="md-typeset">{_cover(site)}'
        f"{_contents(sheets, parts, places or {})}{pages}</main></body></html>"
    )


def order(site: Path, parts: Mapping[str, str]) -> list[str]:
    """Pages of the book: those of the navigation, each of which names the next one; example pages by their ids."""
    found: dict[str, list[str]] = {part: [] for part in parts}
    path, seen = "index.html", set()
    while path and path not in seen:
        seen.add(path)
        part, _, name = path.partition("/")
        # The overview of a part lists its pages, as the contents of the book do.
        if part in found and name != "index.html":
            found[part].append(path)
        following = _found(_NEXT, (site / path).read_text(encoding="utf-8"))
        path = posixpath.normpath(posixpath.join(posixpath.dirname(path), following)) if following else ""
    if "examples" in found:
        found["examples"] = [one.relative_to(site).as_posix() for one in sorted(site.glob("examples/wx-*.html"))]
        found["examples"] = [one for one in found["examples"] if not re.search(r"-steps(-\d+)?\.html$", one)]
    return [one for pages in found.values() for one in pages]


def _found(pattern: re.Pattern[str], page: str) -> str:
    found = pattern.search(page)
    return found[1] if found else ""


def _sheet(path: str, mark: str, page: str) -> Sheet:
    article = _ARTICLE.search(page)
    if article is None:
        raise ExportFault(f"{path}: has no article; the site was built with another theme")
    body = _EQUATION.sub(_fitted, _LEFT_OUT.sub("", _without_derivations(article[1])))
    title = _TITLE.search(body)
    return Sheet(path, mark, body, title[1].strip() if title else path, frozenset(_ID.findall(body)))


def _fitted(equation: re.Match[str]) -> str:
    """An equation in a size that lets it stand on one line: nothing breaks it, and paper does not scroll."""
    length = len(html.unescape(_TAG.sub("", equation[1])).strip())
    size = min(100, 100 * LONGEST_EQUATION // max(length, 1))
    style = f' style="font-size: {size}%"' if size < 100 else ""
    return f'<div class="mathblock"{style}>{equation[1]}</div>'


def _without_derivations(body: str) -> str:
    """The derivations at the foot of a page stay on the site, where each number of the book leads."""
    start = body.find(_DERIVATIONS)
    if start < 0:
        return body
    depth = 0
    for found in _DETAILS.finditer(body, start):
        depth += -1 if found[1] else 1
        if depth == 0:
            return body[:start] + body[body.index(">", found.end()) + 1 :]
    return body[:start]


def _in_book(sheet: Sheet, sheets: Mapping[str, Sheet], address: str) -> str:
    """The page with ids of its own, and links that lead to the place in the book, else to the site."""

    def leads(found: re.Match[str]) -> str:
        return f'{found[1]}="{_leads_to(html.unescape(found[2]), sheet, sheets, address)}"'

    def refers(found: re.Match[str]) -> str:
        return f'{found[1]}="{" ".join(f"{sheet.mark}-{name}" for name in found[2].split())}"'

    body = _ID.sub(rf'id="{sheet.mark}-\1"', sheet.body)
    body = _PAINT.sub(rf"url(#{sheet.mark}-\1)", body)
    return _TARGET.sub(leads, _REFERS.sub(refers, body))


def _leads_to(target: str, sheet: Sheet, sheets: Mapping[str, Sheet], address: str) -> str:
    if re.match(r"[a-z][a-z0-9+.-]*:", target, re.IGNORECASE):
        return html.escape(target)
    there, _, anchor = target.partition("#")
    path = posixpath.normpath(posixpath.join(posixpath.dirname(sheet.path), there)) if there else sheet.path
    if path in sheets and (not anchor or anchor in sheets[path].ids):
        return f"#{sheets[path].mark}" + (f"-{html.escape(anchor)}" if anchor else "")
    if path in {f"{part}/index.html" for part in PARTS} and not anchor:
        return f"#{CONTENTS}"
    return html.escape(f"{address}{path}" + (f"#{anchor}" if anchor else ""))


def _meta(site: Path) -> dict[str, str]:
    published = site_of(site)
    index = published.api("index.json")
    cited = next(one for one in published.api(CITATIONS.removeprefix("api/v1/"))["items"] if one["kind"] == "handbook")
    return {
        "title": html.escape(index["title"]),
        "Release": index["release"],
        "Data as of": index["data_as_of"],
        "Licence": f"text and data {index['licence']['text_and_data']}, code {index['licence']['code']}",
        "Cite as": cited["one_line"],
    }


def _cover(site: Path) -> str:
    meta = _meta(site)
    title = meta.pop("title")
    rows = "".join(f"<dt>{name}</dt><dd>{html.escape(value)}</dd>" for name, value in meta.items())
    return (
        f'<section class="cover"><h1>{title}</h1><p class="lead">Memory, compute, bandwidth, time and money for '
        "serving and training large language models, computed from sourced data.</p>"
        f"<p>Each number leads to its derivation on the site: formula, inputs, sources, dates.</p><dl>{rows}</dl>"
        "</section>"
    )


def _contents(sheets: Mapping[str, Sheet], parts: Mapping[str, str], places: Mapping[str, int]) -> str:
    lists = "".join(_lists(sheets, parts, places))
    return f'<nav class="page contents" id="{CONTENTS}"><h1>Contents</h1>{lists}</nav>'


def _lists(sheets: Mapping[str, Sheet], parts: Mapping[str, str], places: Mapping[str, int]) -> Iterator[str]:
    for part, title in parts.items():
        entries = "".join(
            f'<li><a href="#{sheet.mark}">{sheet.title}</a> <span class="at">{places.get(sheet.mark, "")}</span></li>'
            for path, sheet in sheets.items()
            if path.startswith(f"{part}/")
        )
        if entries:
            yield f"<h2>{title}</h2><ol>{entries}</ol>"

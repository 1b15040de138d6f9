"""Writes one page: numbers that open their derivation, equations, charts, tables, and the foot with dates and data."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from generator import equations, formatting, freshness, units
from generator.cache import source_digest
from generator.charts import bars, figure, frontiers, heat, lines, rooflines, scatter, timelines
from generator.citations import Citable, digest_of
from generator.pages import markup, symbols
from generator.pages.book import Book, entity_page, example_page
from generator.pages.derivations import Derivations, datum_origin
from generator.provenance import Derivation, Traced
from generator.results import NOMENCLATURE, THING_PAGES, data_behind
from generator.study import Study, Table, Timelines, to_csv

NUMERIC = re.compile(r"[\d.,\s]+%?")
"""A number that is given as text."""

LONGEST_TOGETHER = 14
"""Characters of a text in a table that stay on one line."""

SEARCH_BOOST = {"accelerators": 3, "models": 3, "systems": 2, "chapters": 2}
"""How much more a page of a folder counts in the search than the many worked examples that name the same thing."""

DRAW = {
    "lines": lines.draw,
    "bars": bars.draw,
    "rooflines": rooflines.draw,
    "frontiers": frontiers.draw,
    "heat": heat.draw,
    "timelines": timelines.draw,
    "scatter": scatter.draw,
}
UNDRAWN: dict[str, Any] = {"svg": "", "hover": {}}


class Writer:
    """Collects what one page shows while it is being written."""

    def __init__(self, book: Book, path: str):
        self.book = book
        self.path = path
        self.derivations = Derivations(path, book.registry, book.library)
        self.numbers: list[Traced] = []
        self.data_files: list[tuple[str, str]] = []
        self.cells: list[Traced] = []
        """Numbers in tables: the data behind them are behind the page."""
        self.boxes: set[str] = set()
        """Worked examples shown so far: the first box of each has the anchor."""

    @property
    def place(self) -> str:
        """The page without its ending: `chapters/batching`."""
        return self.path.removesuffix(".md")

    # --- numbers -----------------------------------------------------------------------------------------------------

    def number(
        self, value: Traced, *, percent: bool = False, digits: int = 3, short: bool = False, unit: str = "",
        written: str = "",
    ) -> str:  # fmt: skip
        """A number in prose: its value with the mark of its kind, linked to its derivation.

        A quantity that is called a share is per cent; parameters that are not counted exactly are rounded. `unit` names
        another spelling.

        `written` is the value as text, where it reads in a way of its own.
        """
        self.numbers.append(value)
        if written:
            shown = written
        elif percent or formatting.is_share(value.name, value.unit):
            shown = formatting.percent(float(value), digits)
        elif unit:
            shown = formatting.in_unit(float(value), units.size_of(unit, value.unit), unit, digits)
        elif short:
            shown = formatting.short(value, value.unit)
        elif value.unit == "param" and value.kind != "exact":
            shown = f"{formatting.short(value, value.unit)}\u00a0parameters"
        else:
            shown = formatting.text(value, value.unit, digits)
        address = self.derivations.link(value)
        card = f' data-card="{address[1:]}"' if address.startswith("#") else ""
        spread = markup.spread(value, markup.NARROWEST_SPREAD_IN_TEXT)
        return (
            f'<a class="num num-{value.kind}" href="{address}"{card}>{shown}{markup.kind_mark(value.kind)}</a>{spread}'
        )

    def words(self, ratio: Traced) -> str:
        """A ratio in words, linked to its derivation."""
        self.numbers.append(ratio)
        address = self.derivations.link(ratio)
        card = f' data-card="{address[1:]}"' if address.startswith("#") else ""
        return f'<a class="num num-{ratio.kind}" href="{address}"{card}>{formatting.compared(float(ratio))}</a>'

    def equation(self, value: Traced) -> str:
        """The equation of a number, the same with the numbers put in, the result, and what the symbols mean."""
        if not isinstance(value.origin, Derivation):
            raise ValueError(f"{self.path}: {value.name} is a datum and has no equation")
        self.numbers.append(value)
        names = dict.fromkeys(value.origin.inputs)
        where = ", ".join(
            f'<a href="{markup.href(self.path, symbols.page_of(name), markup.slug(name))}">'
            f"{markup.math(equations.symbol(name))} {markup.text(NOMENCLATURE[name].meaning)}</a>"
            for name in names
        )
        return (
            f'<div class="equation">{markup.math(equations.equation_of(value), display=True)}'
            f"{markup.math(equations.with_numbers(value), display=True)}"
            f'<p class="result">{self.number(value)}</p><p class="where">{where}</p></div>'
        )

    def facts(self, facts: Sequence[tuple[Any, ...]]) -> str:
        """The fact strip: a few large numbers, each with its label and, if wanted, the unit to show it in."""
        entries = []
        for label, value, *unit in facts:
            shown = (
                self.number(value, short=True, unit="".join(unit)) if isinstance(value, Traced) else markup.text(value)
            )
            words = "" if isinstance(value, Traced) or NUMERIC.fullmatch(value) else " words"
            entries.append(
                f'<div class="fact"><span class="fact-value{words}">{shown}</span>'
                f'<span class="fact-label">{markup.text(label)}</span></div>'
            )
        return f'<div class="facts">{"".join(entries)}</div>'

    def datum_source(self, value: Traced) -> str:
        """Source, status and date of a datum, for a table cell."""
        return datum_origin(self.path, value.origin, self.book.library)

    # --- links -------------------------------------------------------------------------------------------------------

    def link(self, there: str, label: str, anchor: str = "") -> str:
        """A link to another page."""
        return markup.link(self.path, there, label, anchor)

    def entity(self, collection: str, identifier: str) -> str:
        """A link to the page of an accelerator, a system or a model, by its name."""
        return self.link(entity_page(collection, identifier), self.book.library.find(collection, identifier).name)

    def cite(self, identifier: str) -> str:
        """A link to a bibliography entry: `Kwon et al. 2023`."""
        return markup.source_link(self.path, identifier, self.book.library.references)

    def source(self, address: str) -> str:
        """A source as a link."""
        return markup.source_link(self.path, address, self.book.library.references)

    def example_link(self, identifier: str) -> str:
        """A link to a worked example by its id."""
        return self.link(example_page(identifier), identifier)

    # --- charts and tables -------------------------------------------------------------------------------------------

    def chart(
        self, name: str, kind: str, study: Study | Timelines | heat.HeatMap, caption: str, alternative: str = ""
    ) -> str:
        """A chart with its caption; the data are written as CSV and JSON beside it."""
        identifier = f"ch-{markup.slug(name)}"
        description = alternative or study.text()
        drawn = (
            UNDRAWN
            if not self.book.draws
            else self.book.cache.get(
                "chart",
                [identifier, kind, repr(study), caption, description, source_digest("charts/*.py", "study.py")],
                lambda: _as_json(DRAW[kind](study, identifier, caption, description)),
            )
        )
        header, rows = study.rows()
        figure_id = f"fig-{markup.slug(name)}"
        cited = self.citation(
            "figure", f"{self.place}/{markup.slug(name)}", caption, figure_id, digest_of(to_csv(header, rows))
        )
        files = self._data(name, header, rows, cited)
        hover = f' data-chart="{html.escape(json.dumps(drawn["hover"], ensure_ascii=False, separators=(",", ":")))}"'
        return markup.as_is(
            f'<figure class="chart" id="{figure_id}" data-search-exclude'
            f"{hover if drawn['hover'] else ''}>\n"
            f"{drawn['svg']}\n<figcaption><strong>{markup.text(caption)}</strong> {files}</figcaption>"
            "</figure>"
        )

    def table(self, name: str, table: Table, caption: str) -> str:
        """A table with its caption; sortable in the page, and written as CSV and JSON beside it."""
        table_id = f"table-{markup.slug(name)}"
        self.cells += [cell.value for row in table.rows for cell in row if isinstance(cell.value, Traced)]
        digest = digest_of(to_csv(table.header(), table.plain()))
        cited = self.citation("table", f"{self.place}/{markup.slug(name)}", caption, table_id, digest)
        files = self._data(name, table.header(), table.plain(), cited)
        head = "".join(
            f'<th scope="col"{_aligned(column.unit)}>{markup.text(column.header)}</th>' for column in table.columns
        )
        body = "".join(
            "<tr>"
            + "".join(
                self._cell(cell, column.unit, column.scale) for cell, column in zip(row, table.columns, strict=True)
            )
            + "</tr>"
            for row in table.rows
        )
        return (
            f'<div class="table" id="{table_id}"><table><thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table>"
            f'<p class="caption">{markup.text(caption)} {files}</p></div>'
        )

    def citation(self, kind: str, identifier: str, title: str, anchor: str, digest: str) -> str:
        """Make something of this page citable: a link that copies its line, and leads to its permanent address."""
        address = f"{markup.address(self.path)}#{anchor}"
        line = self.book.cite(Citable(kind, identifier, title, address, digest))
        return f'<a class="cite" href="#{anchor}" data-cite="{markup.text(line)}">cite</a>'

    def files(self, name: str, table: Table) -> str:
        """A table as CSV and JSON alone, with the links to both."""
        return self._data(name, table.header(), table.plain())

    def _cell(self, cell: Any, unit: str, scale: float) -> str:
        value = cell.value
        if value is None:
            why = f'<span class="infeasible" title="{markup.text(cell.why)}" data-sort="-1">–</span>'
            return f"<td{_aligned(unit)}>{why}</td>"
        if isinstance(value, str):
            shown = f'<a href="{cell.link}">{markup.text(value)}</a>' if cell.link else markup.text(value)
            together = ' class="together"' if len(value) <= LONGEST_TOGETHER else ""
            return f"<td{_aligned(unit)}{together}>{shown}</td>"
        number = float(value) / scale
        whole = unit in formatting.EXACT_UNITS and number == int(number)
        shown = formatting.grouped(number) if whole else formatting.significant(number)
        if unit == "%":
            shown = formatting.significant(100 * float(value))
        marked = "" if cell.note else ' class="infeasible"'
        why = f'{marked} title="{markup.text(cell.why)}"' if cell.why else ""
        note = f"<small>{markup.text(cell.note)}</small> " if cell.note else ""
        spread = markup.spread(value, share=unit == "%", scale=scale)
        return f'<td{_aligned(unit)}>{note}<span data-sort="{float(value):.9g}"{why}>{shown}</span>{spread}</td>'

    def _data(self, name: str, header: Sequence[str], rows: Sequence[Sequence[Any]], cited: str = "") -> str:
        """Write rows as CSV and JSON; the links to both, and to their citation."""
        base = f"data/{self.path.removesuffix('.md')}/{markup.slug(name)}"
        self.book.write(f"{base}.csv", to_csv(header, rows))
        records = [dict(zip(header, row, strict=True)) for row in rows]
        self.book.write(f"{base}.json", json.dumps(records, ensure_ascii=False, indent=1) + "\n")
        self.data_files.append((name, f"{base}.csv"))
        links = [self.link(f"{base}.csv", "CSV"), self.link(f"{base}.json", "JSON"), *([cited] if cited else [])]
        return f'<span class="files">{" · ".join(links)}</span>'

    # --- the whole page ----------------------------------------------------------------------------------------------

    def page(
        self,
        title: str,
        body: str,
        *,
        description: str = "",
        more: Iterable[Traced] = (),
        json_path: str = "",
        hide: Sequence[str] = (),
    ) -> None:
        """Write the page: front matter, body, derivations, foot. `hide` names parts of the frame, such as `toc`.

        The theme puts title and description into HTML as they are, so both are escaped here.
        """
        matter: dict[str, Any] = {"title": markup.text(title), "description": markup.text(description or title)}
        if hide:
            matter["hide"] = list(hide)
        if boost := SEARCH_BOOST.get(self.path.partition("/")[0]):
            matter["search"] = {"boost": boost}
        head = (
            "---\n"
            + "".join(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in matter.items())
            + "---\n\n"
        )
        derived = self.derivations.html()
        foot = self._foot([*self.numbers, *more], json_path)
        self.book.shown[self.path] = sorted({r.id for n in self.numbers if (r := self.book.registry.of(n))})
        self.book.write(self.path, f"{head}{body.strip()}\n\n{derived}\n\n{foot}\n")
        for path, sections in self.derivations.beside().items():
            self._steps_page(path, title, sections)

    def _steps_page(self, path: str, title: str, sections: str) -> None:
        """Derivations that moved beside the page, on a page that is found by links alone."""
        name = f"Steps behind the numbers of: {title}"
        matter = f"---\ntitle: {json.dumps(markup.text(name))}\nsearch:\n  exclude: true\n---\n\n"
        back = f"<p>The formulas between the sources and the numbers of {self.link(self.path, title)}.</p>"
        self.book.write(path, f"{matter}# {markup.prose(name)}\n\n{back}\n\n{markup.as_is(sections)}\n")

    def _foot(self, numbers: list[Traced], json_path: str) -> str:
        dates = self._dates(data_behind(iter([*numbers, *self.cells])))
        files = f" · {self.link(json_path, 'JSON of this page')}" if json_path else ""
        if json_path and self.path.startswith(THING_PAGES):
            rests = json_path.replace("api/v1/", "api/v1/dependents/")
            files += f" · {self.link(rests, 'results that rest on these data')}"
        cite = self.link("reference/cite.md", "how to cite")
        release = f"<p>LLM Capacity Handbook, release {self.book.release} · {cite}{files}</p>"
        return f'<footer class="page-foot">{dates}{release}{markup.legend()}</footer>'

    def _dates(self, data: list[Traced]) -> str:
        """Oldest and newest date of the data behind the page, and how many of them should be read again."""
        span = freshness.span(data, self.book.library, self.book.edition.date)
        if span is None:
            return ""
        self.book.dates[self.path] = span
        dated = f"of {span.oldest}" if span.oldest == span.newest else f"of {span.oldest} to {span.newest}"
        if not span.stale:
            return f"<p>Data behind this page are {dated}.</p>"
        count = len(span.stale)
        again = f"{count} of them should be read again" if count > 1 else "one of them should be read again"
        return (
            f"<p>Data behind this page are {dated}; "
            f'<span class="stale">{self.link("reference/freshness.md", again, "stale")}</span>.</p>'
        )


def _aligned(unit: str) -> str:
    return ' style="text-align: right"' if unit else ""


def _as_json(drawing: figure.Drawing) -> dict[str, Any]:
    return {"svg": drawing.svg, "hover": drawing.hover}

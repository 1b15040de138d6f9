"""How a number came about, as HTML: equation, the same with numbers, inputs with their sources and dates."""

from __future__ import annotations

from collections.abc import Iterator

from generator import equations
from generator.pages import markup, symbols
from generator.provenance import INNER, Choice, Datum, Simulation, Traced, flatten
from generator.results import NOMENCLATURE, Registry, meaning
from generator.specs.library import Library

MOST_ON_A_PAGE = 110
"""A page with more derivations than this keeps those of the numbers it shows; the steps behind them move to pages of
their own beside it, so that a reader on a phone does not load them unasked."""
MOST_BESIDE_A_PAGE = 160
SIMULATIONS_PAGE = "reference/simulations.md"


class Derivations:
    """The derivations at the foot of one page. Numbers published on other pages are linked, not repeated."""

    def __init__(self, page: str, registry: Registry, library: Library):
        self.page = page
        self.registry = registry
        self.library = library
        self.shown: dict[int, tuple[str, Traced]] = {}
        """By fingerprint, so that equal derivations of several configurations stand on the page once."""
        self.direct: set[int] = set()
        """Fingerprints of the numbers that the page itself shows."""
        self.places: dict[int, str] = {}
        """Fingerprint -> page of the derivation, where it is not this page."""

    def anchor(self, number: Traced) -> tuple[str, str]:
        """Page and anchor of a number's derivation; a number at home here is added to the foot of this page."""
        result = self.registry.of(number)
        if result is not None and result.page != self.page:
            anchor = "d-" + markup.slug(result.id)
            if self.registry.will_show(result, anchor):
                return result.page, anchor
        key = self.registry.fingerprints.of(number)
        if key not in self.shown:
            if result is not None:
                name = markup.slug(result.id)
            elif isinstance(number.origin, Datum):
                name = markup.slug(number.origin.path)
            else:
                name = f"{markup.slug(number.name)}-{len(self.shown) + 1}"
            taken = {anchor for anchor, _ in self.shown.values()}
            if f"d-{name}" in taken:
                name = f"{name}-{len(self.shown) + 1}"
            self.shown[key] = (f"d-{name}", number)
            if isinstance(number.origin, INNER):
                for given in flatten(number.origin.inputs):
                    if isinstance(given, Traced) and isinstance(given.origin, INNER):
                        self.anchor(given)
        return self.page, self.shown[key][0]

    def link(self, number: Traced) -> str:
        """Relative address of the derivation of a number that the page shows."""
        page, anchor = self.anchor(number)
        self.direct.add(self.registry.fingerprints.of(number))
        return markup.href(self.page, page, anchor)

    def html(self) -> str:
        """The folded block with the derivations of the page, those included that earlier pages point to."""
        for result in self.registry.wanted_on(self.page):
            self.anchor(result.traced)
        self._place()
        here = {key: entry for key, entry in self.shown.items() if key not in self.places}
        self.registry.shown[self.page] = {anchor for anchor, _ in here.values()}
        if not here:
            return ""
        sections = "".join(self._section(anchor, number, self.page) for anchor, number in list(here.values()))
        return markup.as_is(
            '<details class="derivations" data-search-exclude><summary>How the numbers on this page are computed'
            f"</summary>{sections}</details>"
        )

    def beside(self) -> dict[str, str]:
        """Pages of their own for the steps behind the numbers, where there are too many for the page itself."""
        pages: dict[str, list[str]] = {}
        for key, page in self.places.items():
            anchor, number = self.shown[key]
            pages.setdefault(page, []).append(self._section(anchor, number, page))
        return {page: "".join(sections) for page, sections in pages.items()}

    def _place(self) -> None:
        """Decide which derivations move beside the page: none that other pages or the page itself point to."""
        if len(self.shown) <= MOST_ON_A_PAGE:
            return
        stem = self.page.removesuffix(".md")
        moved = [
            key for key, (_, number) in self.shown.items() if key not in self.direct and not self.registry.of(number)
        ]
        for position, key in enumerate(moved):
            part = position // MOST_BESIDE_A_PAGE
            self.places[key] = f"{stem}-steps.md" if part == 0 else f"{stem}-steps-{part + 1}.md"

    def _section(self, anchor: str, number: Traced, here: str) -> str:
        result = self.registry.of(number)
        name = f" · <code>{markup.text(result.id)}</code>" if result else ""
        title = meaning(number)
        head = (
            f'<p class="derivation-title">{markup.text(title[0].upper() + title[1:])}</p>'
            f'<p class="derivation-value"><strong>{markup.quantity(number)}</strong> '
            f"{markup.kind_mark(number.kind, titled=False)} {number.kind}{name}</p>"
        )
        return f'<section class="derivation" id="{anchor}">{head}{"".join(self._body(number, here))}</section>'

    def _body(self, number: Traced, here: str) -> Iterator[str]:
        if not isinstance(number.origin, INNER):
            yield f'<p class="derivation-source">{self.origin(number, here)}</p>'
            return
        if isinstance(number.origin, Simulation):
            yield self._simulated(number, here)
        else:
            yield markup.math(equations.equation_of(number), display=True)
            yield markup.math(equations.with_numbers(number), display=True)
        rows = []
        for name, given in number.origin.inputs.items():
            several = given if isinstance(given, (tuple, list)) else (given,)
            for index, one in enumerate(several):
                symbol = equations.symbol_of(name, index if len(several) > 1 else None)
                rows.append(self._input(name, symbol, one, here))
        reference = ""
        if not isinstance(number.origin, Simulation):
            reference = self._reference(number.origin.formula.reference)
        yield f'<dl class="inputs">{"".join(rows)}</dl>{reference}'

    def _simulated(self, number: Traced, here: str) -> str:
        """Which simulation was run with which seeds, and the interval of the mean."""
        origin = number.origin
        address = markup.href(here, SIMULATIONS_PAGE, markup.slug(origin.simulator))
        ends = " to ".join(markup.quantity(end, number.unit) for end in (origin.low, origin.high))
        settings = "; ".join(f"{name} {value}" for name, value in origin.settings.items())
        simulation = f'the simulation <a href="{address}">{markup.text(origin.simulator)}</a>'
        said = f"One run of {simulation}, in which nothing is drawn."
        if origin.runs > 1:
            last = origin.seed + origin.runs - 1
            said = f"Mean of {origin.runs} runs of {simulation}, seeds {origin.seed} to {last}; 95 % interval {ends}."
        more = markup.text(settings[0].upper() + settings[1:] + "." if settings else "")
        return f'<p class="simulated">{said} {more}</p>'

    def _input(self, name: str, symbol: str, given: object, here: str) -> str:
        meant = markup.text(NOMENCLATURE[name].meaning)
        entry = markup.href(self.page, symbols.page_of(name), markup.slug(name))
        label = f'<a href="{entry}">{markup.math(symbol)} {meant}</a>'
        if not isinstance(given, Traced):
            value, origin = markup.quantity(float(given), NOMENCLATURE[name].unit), ""
        else:
            value, origin = markup.quantity(given), self.origin(given, here)
        return f"<dt>{label}: <b>{value}</b></dt><dd>{origin}</dd>"

    def _reference(self, reference: str) -> str:
        if reference == "definition":
            return ""
        linked = markup.source_link(self.page, reference.partition("#")[0], self.library.references)
        return f'<p class="reference">Reference: {linked}</p>'

    def origin(self, number: Traced, here: str) -> str:
        """Where an input came from: its derivation, its source with date, or the choice that was made."""
        if isinstance(number.origin, INNER):
            page, anchor = self.anchor(number)
            if page == self.page:
                page = self.places.get(self.registry.fingerprints.of(number), page)
            return f'<a href="{markup.href(here, page, anchor)}">derived</a>'
        if isinstance(number.origin, Choice):
            return markup.text(number.origin.reason)
        return datum_origin(self.page, number.origin, self.library)


def datum_origin(page: str, datum: Datum, library: Library) -> str:
    """Best source of a datum with date and status, and whether it is confirmed."""
    if not datum.sources:
        return markup.text(datum.path)
    best = datum.sources[0]
    unconfirmed = "" if best.confirmed else ' <span class="unconfirmed">unconfirmed</span>'
    source = markup.source_link(page, best.address, library.references)
    return f'{source}, {best.status}, <time datetime="{best.seen}">{best.seen}</time>{unconfirmed}'

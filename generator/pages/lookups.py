"""Who uses what: where each spec is shown, which formulas a datum feeds, who cites a work, how old data are."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from generator import equations
from generator.freshness import specs
from generator.pages.book import Book, entity_page, example_page
from generator.provenance import INNER, Datum, Derivation, Traced, flatten
from generator.specs.library import Library

ENTITIES = ("accelerators", "systems", "models")
_PAGES = {
    "links": "reference/links.md",
    "tiers": "reference/tiers.md",
    "number_formats": "reference/formats.md",
    "assumptions": "reference/assumptions.md",
    "workloads": "reference/workloads.md",
    "traces": "reference/workloads.md",
    "engine_runs": "reference/workloads.md",
    "prices/gpus": "reference/prices.md",
    "prices/apis": "reference/prices.md",
    "references": "reference/bibliography.md",
    "measurements": "reference/measurements.md",
    "measurements/tables": "validation/index.md",
    "measurements/names": "validation/index.md",
    "grids": "atlas.md",
}
_PREFIXES = {"prices/gpus": "gpu-", "prices/apis": "api-", "measurements/tables": "t-", "measurements/names": "n-"}
"""Begin the anchors of collections that share a page with another one."""
TITLES = {
    "accelerators": "Accelerators",
    "systems": "Systems",
    "links": "Links",
    "tiers": "Memory tiers",
    "models": "Models",
    "number_formats": "Number formats",
    "assumptions": "Assumptions",
    "workloads": "Workloads",
    "traces": "Request traces",
    "engine_runs": "Recorded engine runs",
    "prices/gpus": "GPU prices",
    "prices/apis": "API prices",
    "references": "References",
    "measurements": "Measurements",
    "measurements/tables": "Tables of measurements",
    "measurements/names": "Names that measurements use",
    "calibrations": "Calibrations",
    "grids": "Grids of sweeps",
    "examples": "Worked examples",
}


def anchor_of(collection: str, identifier: str) -> str:
    """Anchor of a spec on a page that shows many; prices of a GPU and of an API may share an id."""
    prefix = _PREFIXES.get(collection, "")
    return prefix + identifier


def page_of(collection: str, identifier: str) -> tuple[str, str]:
    """Page that shows a spec, and the anchor on it; no anchor where the page is about nothing else."""
    if collection in ENTITIES:
        return entity_page(collection, identifier), ""
    if collection == "examples":
        return example_page(identifier), ""
    if collection == "calibrations":
        return f"validation/{identifier}.md", ""
    return _PAGES[collection], anchor_of(collection, identifier)


def name_of(record: Any) -> str:
    """Name, or title, of a record."""
    return getattr(record, "name", None) or record.title


def formulas_by_datum(book: Book) -> dict[str, list[str]]:
    """Datum path -> formulas that take it in any published number."""
    found: dict[str, set[str]] = defaultdict(set)
    seen: set[int] = set()
    waiting = [result.traced for result in book.registry.results.values()]
    while waiting:
        number = waiting.pop()
        if id(number) in seen or not isinstance(number.origin, INNER):
            continue
        seen.add(id(number))
        for given in flatten(number.origin.inputs):
            if isinstance(given, Traced):
                if isinstance(given.origin, Datum) and isinstance(number.origin, Derivation):
                    found[given.origin.path].add(number.origin.formula.__name__)
                waiting.append(given)
    return {path: sorted(names) for path, names in found.items()}


def formulas_by_reference() -> dict[str, list[str]]:
    """Bibliography id -> formulas that name it as their reference."""
    found: dict[str, list[str]] = defaultdict(list)
    for name, formula in equations.all_formulas().items():
        found[formula.reference.partition("#")[0]].append(name)
    return dict(found)


def specs_by_reference(library: Library) -> dict[str, list[tuple[str, str]]]:
    """Bibliography id -> specs that cite it, by its id or by its address."""
    by_address = {_bare(entry.address): entry.id for entry in library.references.values()}
    found: dict[str, dict[tuple[str, str], None]] = defaultdict(dict)
    for collection, identifier, record in specs(library):
        notes = [*getattr(record, "sources", ()), *getattr(record, "printed", ()), *getattr(record, "published_kv", ())]
        for note in notes:
            cited = note.source if note.source in library.references else by_address.get(_bare(note.source))
            if cited:
                found[cited][(collection, identifier)] = None
    return {reference: list(places) for reference, places in found.items()}


def _bare(address: str) -> str:
    return address.split("://", 1)[-1].removeprefix("www.").rstrip("/").lower()

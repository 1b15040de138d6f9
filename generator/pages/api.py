"""`api/v1`: every datum and every result for programs, with a JSON schema for each kind of document."""

from __future__ import annotations

import dataclasses
import inspect
import json
from collections.abc import Callable
from typing import Any

from generator import equations, moved
from generator.freshness import newest_date
from generator.ledger import RESULTS, Ledger
from generator.pages import cite, examples, markup, schemas, simulations, symbols, validation_document
from generator.pages.book import Book, entity_page, example_page, spec_json
from generator.pages.formulary import formula_page
from generator.pages.lineage import Lineage
from generator.pages.lookups import ENTITIES, TITLES, name_of, page_of
from generator.pages.writer import Writer
from generator.provenance import Datum, Traced
from generator.results import Result, published
from generator.specs.records import COLLECTIONS

VERSION = "1.2"
CHANGES = (
    {
        "version": "1.2",
        "changes": [
            "Errors of predictions against measurements in validation.json; lists of calibrations, of tables of "
            "measurements, and of the names that those use.",
        ],
    },
    {
        "version": "1.1",
        "changes": [
            "Simulated results: `simulation` beside `inputs`; published runs below simulations/; atlas.json.",
            "What each release moved in moved.json.",
            "What rests on each datum below dependents/; how each thing is cited in citations.json.",
            "Revisions of examples: `examples/WX-001/r1.json`; an example has `revisions` and `digest`.",
            "`data_dates` of accelerators, systems, models and examples: oldest and newest date of the data behind "
            "the page, and which of them should be read again.",
        ],
    },
    {"version": "1.0", "changes": ["First version."]},
)
"""Newest first. A field that goes or changes its meaning raises the first number, a new field the second."""

ROOT = "api/v1/"
LISTS = tuple(name for name in COLLECTIONS if name not in (*ENTITIES, "examples"))
LICENCE = {"text_and_data": "CC-BY-4.0", "code": "MIT"}


def _schema_name(collection: str) -> str:
    return collection.replace("/", "-").replace("_", "-")


SCHEMAS = {
    "index": schemas.INDEX,
    "results": schemas.RESULTS,
    "listing": schemas.LISTING,
    "formulas": schemas.FORMULARY,
    "changelog": schemas.CHANGELOG,
    "example": schemas.EXAMPLE,
    "simulation": schemas.SIMULATED,
    "atlas": schemas.ATLAS,
    "dependents": schemas.DEPENDENTS,
    "citations": schemas.CITATIONS,
    "moved": schemas.MOVED,
    "validation": validation_document.SCHEMA,
    "revision": schemas.REVISION,
    **{name.removesuffix("s"): schemas.of_entity(TITLES[name], COLLECTIONS[name]) for name in ENTITIES},
    **{_schema_name(name): schemas.of_list(TITLES[name], COLLECTIONS[name]) for name in LISTS},
}
"""Every schema by its name."""


def write(book: Book) -> None:
    """Write `api/v1`. Runs last: whatever a page published is in here."""
    endpoints: list[dict[str, Any]] = []

    def add(path: str, schema: str, what: str, count: int, content: dict[str, Any]) -> None:
        endpoints.append({"path": path, "what": what, "count": count, "schema": f"schema/{schema}.schema.json"})
        _document(book, path, schema, content)

    described = Lineage(book)
    content = described.all()
    add("results.json", "results", "every published result", len(content["results"]), content)
    things = _dependents(book, Ledger(content))
    add("dependents/index.json", "listing", "what rests on the data of each spec file", len(things), {"items": things})
    for collection in ENTITIES:
        add(*_listing(book, collection))
        _entities(book, collection, described)
    add(*_listing(book, "examples"))
    for example in book.examples.values():
        path = spec_json("examples", example.record.id).removeprefix(ROOT)
        content = json.loads(examples.as_json(book, example)) | data_dates(book, example_page(example.record.id))
        _document(book, path, "example", content)
        for one in examples.revisions(book, example):
            place = f"examples/{example.record.id}/r{one['revision']}.json"
            _document(book, place, "revision", {"id": example.record.id, **one})
    for collection in LISTS:
        records = sorted(book.library.collections[collection].items())
        items = [_item(collection, record) for _, record in records]
        add(f"{collection}.json", _schema_name(collection), TITLES[collection], len(items), {"items": items})
    runs = [
        {"id": identifier, "name": f"{outcome.simulator}: {identifier}",
         "path": simulations.json_path(identifier).removeprefix(ROOT), "page": markup.address(page)}
        for identifier, (page, outcome) in sorted(book.simulations.items())
    ]  # fmt: skip
    add("simulations/index.json", "listing", "published runs of simulations", len(runs), {"items": runs})
    for identifier, (page, outcome) in book.simulations.items():
        path = simulations.json_path(identifier).removeprefix(ROOT)
        _document(book, path, "simulation", simulations.as_json(identifier, page, outcome))
    for path, document in sorted(book.documents.items()):
        schema, what, count, content = document
        add(path, schema, what, count, content)
    cited = cite.entries(book)
    add("citations.json", "citations", "how each thing is cited", len(cited), {"items": cited})
    releases = moved.read(book.root)
    add("moved.json", "moved", "what each release moved, newest first", len(releases), {"releases": releases})
    formulary = _formulary()
    add("formulas.json", "formulas", "every formula and every name", len(formulary["formulas"]), formulary)
    add("changelog.json", "changelog", "versions of this API", len(CHANGES), {"versions": list(CHANGES)})
    for name, schema in SCHEMAS.items():
        book.write(f"{ROOT}schema/{name}.schema.json", _dump(schema))
    index = {
        "title": "The LLM Capacity Handbook",
        "data_as_of": newest_date(book.library),
        "licence": LICENCE,
        "endpoints": endpoints,
        "changelog": "changelog.json",
    }
    _document(book, "index.json", "index", index)


def write_results(book: Book) -> None:
    """Write `results.json` alone."""
    _document(book, RESULTS.removeprefix(ROOT), "results", Lineage(book).all())


def _dependents(book: Book, ledger: Ledger) -> list[dict[str, Any]]:
    """For each spec file the results that rest on it, datum by datum: what could move if it changed.

    Returns the entries of their index.
    """
    by_thing: dict[str, dict[str, list[str]]] = {}
    for path, identifiers in ledger.dependents.items():
        by_thing.setdefault(path.partition("#")[0], {})[path] = list(identifiers)
    items = []
    for thing, data in sorted(by_thing.items()):
        results = sorted({one for identifiers in data.values() for one in identifiers})
        path = f"dependents/{thing}.json"
        _document(book, path, "dependents", {"of": thing, "count": len(results), "data": data})
        collection, _, identifier = thing.rpartition("/")
        page, anchor = page_of(collection, identifier)
        address = markup.address(page) + (f"#{anchor}" if anchor else "")
        items.append({"id": thing, "name": f"{len(results)} results", "path": path, "page": address})
    return items


def _document(book: Book, path: str, schema: str, content: dict[str, Any]) -> None:
    up = "../" * path.count("/")
    head = {"$schema": f"{up}schema/{schema}.schema.json", "schema_version": VERSION, "release": book.release}
    book.write(ROOT + path, _dump(head | content))


_COMPACT = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _dump(content: dict[str, Any]) -> str:
    """JSON with one line for each entry of a list or mapping at the top: small, and a change shows as a line."""

    compact = _COMPACT.encode

    def opened(value: Any) -> str:
        if isinstance(value, list) and value:
            return "[\n  " + ",\n  ".join(map(compact, value)) + "\n ]"
        if isinstance(value, dict) and value:
            return "{\n  " + ",\n  ".join(f"{compact(key)}:{compact(one)}" for key, one in value.items()) + "\n }"
        return compact(value)

    return "{\n " + ",\n ".join(f"{compact(key)}: {opened(value)}" for key, value in content.items()) + "\n}\n"


def _listing(book: Book, collection: str) -> tuple[str, str, str, int, dict[str, Any]]:
    page: Callable[[str], str] = (
        example_page if collection == "examples" else lambda identifier: entity_page(collection, identifier)
    )
    items = [
        {
            "id": identifier,
            "name": name_of(record),
            "path": spec_json(collection, identifier).removeprefix(ROOT),
            "page": markup.address(page(identifier)),
        }
        for identifier, record in sorted(book.library.collections[collection].items())
    ]
    return f"{collection}/index.json", "listing", TITLES[collection], len(items), {"items": items}


def _entities(book: Book, collection: str, described: Lineage) -> None:
    by_page: dict[str, list[Result]] = {}
    for _, result in sorted(book.registry.results.items()):
        by_page.setdefault(result.page, []).append(result)
    for identifier, record in sorted(book.library.collections[collection].items()):
        results = [described.short(one) for one in by_page.get(entity_page(collection, identifier), ())]
        path = spec_json(collection, identifier).removeprefix(ROOT)
        dated = data_dates(book, entity_page(collection, identifier))
        _document(book, path, collection.removesuffix("s"), _item(collection, record) | dated | {"results": results})


def data_dates(book: Book, page: str) -> dict[str, Any]:
    """Dates of the data behind a page, as its foot says them, and the paths of those that should be read again."""
    span = book.dates.get(page)
    dates = {"oldest": span.oldest, "newest": span.newest, "read_again": list(span.stale)} if span else None
    return {"data_dates": dates}


def _item(collection: str, record: Any) -> dict[str, Any]:
    """A record: its data with the best source of each, and all sources of the file."""
    page, anchor = page_of(collection, record.id)
    item = {
        "id": record.id,
        "name": name_of(record),
        "page": markup.address(page) + (f"#{anchor}" if anchor else ""),
        "data": {name: value for name, value in _plain(record).items() if name not in schemas.APART},
    }
    if hasattr(record, "sources"):
        item["sources"] = [_plain(source) for source in record.sources]
    return item


def _plain(value: Any) -> Any:
    """A record as JSON: quantities become data, what the file leaves out is missing."""
    if isinstance(value, Traced):
        return _datum(value)
    if dataclasses.is_dataclass(value):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return {name: _plain(one) for name, one in fields.items() if one is not None}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    return value


def _datum(number: Traced) -> dict[str, Any]:
    described: dict[str, Any] = {"value": published(number), "unit": number.unit}
    if isinstance(number.origin, Datum) and number.origin.sources:
        best = number.origin.sources[0]
        described |= {"status": best.status, "source": best.address, "seen": best.seen, "confirmed": best.confirmed}
    return described


def _formulary() -> dict[str, Any]:
    def page(of: str, name: str) -> str:
        return f"{markup.address(of)}#{markup.slug(name)}"

    formulas = [
        {
            "name": name,
            "topic": equations.topic(formula),
            "says": " ".join(inspect.getdoc(formula).split()),
            "latex": equations.equation(formula),
            "arguments": list(formula.arguments),
            "kind": formula.kind,
            "reference": formula.reference,
            "page": page(formula_page(name), name),
        }
        for name, formula in sorted(equations.all_formulas().items())
    ]
    names = [
        {
            "name": name,
            "section": section,
            "latex": entry.symbol,
            "unit": entry.unit,
            "meaning": entry.meaning,
            "page": page(symbols.page_of(name), name),
        }
        for section, entries in equations.all_names().items()
        for name, entry in entries.items()
    ]
    return {"formulas": formulas, "names": names}


def write_page(book: Book) -> str:
    """The page about the API for people."""
    writer = Writer(book, "reference/json.md")

    def row(path: str, what: str, schema: str) -> tuple[str, str, str]:
        return writer.link(ROOT + path, path), what, writer.link(f"{ROOT}schema/{schema}.schema.json", schema)

    first = {name: next(iter(sorted(book.library.collections[name])), None) for name in (*ENTITIES, "examples")}
    rows = [
        row("index.json", "what there is, how many, release, licence", "index"),
        row("results.json", "every published result: value, unit, kind, formula, inputs, page", "results"),
    ]
    for collection, identifier in first.items():
        rows.append(row(f"{collection}/index.json", f"{TITLES[collection].lower()}: ids, names, pages", "listing"))
        if identifier is not None:
            path = spec_json(collection, identifier).removeprefix(ROOT)
            rows.append(row(path, "for instance: data with sources, and results", collection.removesuffix("s")))
    rows += [row(f"{name}.json", f"{markup.text(TITLES[name])}, all in one file", _schema_name(name)) for name in LISTS]
    rows.append(
        row(
            "dependents/accelerators/h100-sxm.json",
            "for instance: what rests on each datum of a spec file",
            "dependents",
        )
    )
    rows.append(row("simulations/index.json", "published runs of the simulations: ids and pages", "listing"))
    if "atlas.json" in book.documents:
        rows.append(row("atlas.json", "the goodput atlas: highest rates by model, accelerator, load, limits", "atlas"))
    rows.append(row("citations.json", "how each thing is cited: one line, BibTeX, CSL-JSON", "citations"))
    rows.append(row("moved.json", "what each release moved, by cause, newest first", "moved"))
    rows.append(row("formulas.json", "every formula and every name, with LaTeX", "formulas"))
    rows.append(row("changelog.json", "versions of the API", "changelog"))
    body = (
        "# JSON\n\nEverything on the site for programs, as static files. Values are in base units (bytes, bytes per "
        "second, FLOP/s, seconds, tokens, US dollars per hour or per million tokens), rounded to six significant "
        "digits; counts are exact. Each datum names its best source, the date it was read and whether it is "
        "confirmed. Ids stay.\n\n"
        + markup.table(("File", "What it holds", "Schema"), rows)
        + f"\n\nSchema version {VERSION}. A field that goes or changes its meaning raises the first number; a new "
        "field raises the second, so a reader should ignore what it does not know."
    )
    writer.page("JSON", body, description="All data and results of the handbook as JSON.")
    return writer.path

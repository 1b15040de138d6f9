"""All results, data and sources as one SQLite file, made from the published JSON.

What rests on one datum:

    SELECT results.id, results.value, results.unit FROM results
    JOIN dependence ON dependence.result = results.id
    WHERE dependence.datum = 'accelerators/h200#memory.bandwidth';
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import Any

from generator.exports.published import API, ExportFault, Published
from generator.ledger import RESULTS, Ledger, file_of

SCHEMA_VERSION = "1"
"""Goes up when a table or column goes or changes its meaning; a new one leaves it as it is."""

PAGE_BYTES = 4096

# The names of formulas and quantities are the keys of their tables.
SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE formulas (
    name TEXT PRIMARY KEY, topic TEXT NOT NULL, says TEXT NOT NULL, latex TEXT NOT NULL, kind TEXT NOT NULL,
    reference TEXT NOT NULL, page TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE formula_arguments (
    formula TEXT NOT NULL REFERENCES formulas (name), position INTEGER NOT NULL, name TEXT NOT NULL,
    PRIMARY KEY (formula, position)) WITHOUT ROWID;
CREATE TABLE names (
    name TEXT PRIMARY KEY, section TEXT NOT NULL, latex TEXT NOT NULL, unit TEXT NOT NULL, meaning TEXT NOT NULL,
    page TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE data (
    number INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, file TEXT NOT NULL, value NUMERIC, unit TEXT NOT NULL,
    source TEXT, seen TEXT, status TEXT, confirmed INTEGER CHECK (confirmed IN (0, 1)));
CREATE TABLE results (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, quantity TEXT NOT NULL, title TEXT NOT NULL, value NUMERIC,
    unit TEXT NOT NULL, kind TEXT NOT NULL, low NUMERIC, high NUMERIC, formula TEXT REFERENCES formulas (name),
    simulation TEXT, page TEXT NOT NULL, oldest_source TEXT, newest_source TEXT);
CREATE TABLE result_data (
    result INTEGER NOT NULL REFERENCES results (number), datum INTEGER NOT NULL REFERENCES data (number),
    PRIMARY KEY (result, datum)) WITHOUT ROWID;
CREATE TABLE examples (
    id TEXT PRIMARY KEY, title TEXT NOT NULL, question TEXT NOT NULL, chapter TEXT, revision INTEGER NOT NULL,
    digest TEXT, result INTEGER NOT NULL REFERENCES results (number), page TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE measurements (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, quantity TEXT NOT NULL, value NUMERIC, unit TEXT NOT NULL,
    setting TEXT NOT NULL, model TEXT, accelerator TEXT, datum INTEGER REFERENCES data (number),
    page TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE prices (
    id TEXT NOT NULL, field TEXT NOT NULL, name TEXT NOT NULL, sort TEXT NOT NULL CHECK (sort IN ('gpu', 'api')),
    accelerator TEXT, provider TEXT, value NUMERIC NOT NULL, unit TEXT NOT NULL, date TEXT NOT NULL,
    datum INTEGER NOT NULL REFERENCES data (number), page TEXT NOT NULL, PRIMARY KEY (sort, id, field)) WITHOUT ROWID;
CREATE TABLE simulations (
    id TEXT PRIMARY KEY, simulation TEXT NOT NULL, settings TEXT NOT NULL, seed INTEGER NOT NULL,
    runs INTEGER NOT NULL, page TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE metrics (
    simulation TEXT NOT NULL REFERENCES simulations (id), name TEXT NOT NULL, value NUMERIC, low NUMERIC, high NUMERIC,
    unit TEXT NOT NULL, PRIMARY KEY (simulation, name)) WITHOUT ROWID;
CREATE VIEW dependence AS
    SELECT results.id AS result, data.path AS datum FROM result_data
    JOIN results ON results.number = result_data.result JOIN data ON data.number = result_data.datum;
"""
INDEXES = """
CREATE INDEX result_data_by_datum ON result_data (datum);
CREATE INDEX results_by_quantity ON results (quantity);
CREATE INDEX results_by_page ON results (page);
CREATE INDEX data_by_file ON data (file);
CREATE INDEX data_by_source ON data (source);
CREATE INDEX measurements_by_model ON measurements (model, accelerator);
"""

NO_SPECS = ("results", "dependents", "examples", "simulations", "citations", "moved", "formulas", "changelog")
"""Documents of the API that are no spec files with data."""

Row = tuple[Any, ...]
SEEN = 3
"""Place of the date in what `_data` gives of a datum."""


def as_sqlite(published: Published) -> bytes:
    """The database as bytes: the same for the same site, on one version of SQLite. Raises ExportFault."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(f"PRAGMA page_size = {PAGE_BYTES}; PRAGMA foreign_keys = ON;")
        database.executescript(SCHEMA)
        with database:
            for table, rows in _tables(published):
                _insert(database, table, rows)
        database.executescript(INDEXES)
        broken = database.execute("PRAGMA foreign_key_check").fetchall()
        if broken:
            raise ExportFault(f"the site is not consistent: {broken[0][0]} names an unknown {broken[0][2]}")
        return _without_history(database.serialize())


def _insert(database: sqlite3.Connection, table: str, rows: Iterable[Row]) -> None:
    rows = list(rows)
    if rows:
        marks = ", ".join("?" * len(rows[0]))
        database.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)


def _without_history(content: bytes) -> bytes:
    """Header fields that say how and by which SQLite the file came about, set to fixed values.

    Bytes 24 to 27 count the changes, 92 to 95 repeat that count, 96 to 99 are the version of the library.
    """
    header = bytearray(content[:100])
    header[24:28] = header[92:96] = (1).to_bytes(4, "big")
    header[96:100] = bytes(4)
    return bytes(header) + content[100:]


def _tables(published: Published) -> Iterator[tuple[str, Iterable[Row]]]:
    """Every table with its rows, those first that others refer to."""
    yield "meta", _meta(published)
    formulary = published.api("formulas.json")
    fields = ("name", "topic", "says", "latex", "kind", "reference", "page")
    yield "formulas", (tuple(one[field] for field in fields) for one in formulary["formulas"])
    yield (
        "formula_arguments",
        (
            (one["name"], position, name)
            for one in formulary["formulas"]
            for position, name in enumerate(one["arguments"])
        ),
    )
    fields = ("name", "section", "latex", "unit", "meaning", "page")
    yield "names", (tuple(one[field] for field in fields) for one in formulary["names"])

    document = json.loads(published.file(RESULTS))
    ledger = Ledger(document)
    data = dict(sorted(_data(published, ledger).items()))
    of_datum = {path: number for number, path in enumerate(data, 1)}
    yield "data", ((of_datum[path], path, file_of(path), *fields) for path, fields in data.items())
    of_result = {one["id"]: number for number, one in enumerate(document["results"], 1)}
    seen = {path: row[SEEN] for path, row in data.items() if row[SEEN]}
    yield (
        "results",
        (
            _result(number, one, [seen[path] for path in ledger.data(one["id"]) if path in seen])
            for number, one in enumerate(document["results"], 1)
        ),
    )
    yield (
        "result_data",
        (
            (number, datum)
            for identifier, number in of_result.items()
            for datum in sorted(of_datum[path] for path in ledger.data(identifier))
        ),
    )
    yield "examples", _examples(published, of_result)
    yield "measurements", _measurements(published, of_datum)
    yield "prices", _prices(published, of_datum)
    runs = published.items("simulations")
    yield "simulations", (
        (one["id"], one["simulation"], json.dumps(one["settings"], sort_keys=True), one["seed"], one["runs"],
         one["page"])
        for one in runs
    )  # fmt: skip
    yield (
        "metrics",
        (
            (one["id"], name, metric["value"], metric["low"], metric["high"], metric["unit"])
            for one in runs
            for name, metric in one["metrics"].items()
        ),
    )


def _meta(published: Published) -> list[Row]:
    index = published.api("index.json")
    return sorted(
        {
            "title": index["title"],
            "release": index["release"],
            "data_as_of": index["data_as_of"],
            "licence_text_and_data": index["licence"]["text_and_data"],
            "licence_code": index["licence"]["code"],
            "schema_version": SCHEMA_VERSION,
            "api": API,
            "api_schema_version": index["schema_version"],
        }.items()
    )


def _result(number: int, one: dict[str, Any], dates: list[str]) -> Row:
    simulation = one.get("simulation", {})
    return (
        number, one["id"], one["quantity"], one["title"], one["value"], one["unit"], one["kind"],
        simulation.get("low"), simulation.get("high"), one.get("formula"), simulation.get("name"), one["page"],
        min(dates, default=None), max(dates, default=None),
    )  # fmt: skip


def _data(published: Published, ledger: Ledger) -> dict[str, Row]:
    """Datum path -> value, unit, source, date, status, confirmed.

    Every value of a spec file is in, and what is worked out from the requests of a trace, whose source the trace has.
    """
    found: dict[str, Row] = {}
    whole_file: dict[str, Row] = {}
    names = [one["path"].removesuffix(".json").removesuffix("/index") for one in published.endpoints()]
    for collection in (name for name in names if name not in NO_SPECS):
        for item in published.items(collection):
            thing = f"{collection}/{item['id']}"
            found |= {f"{thing}#{field}": row for field, row in _fields(item["data"])}
            for source in item.get("sources", ())[:1]:
                whole_file[thing] = (source["source"], source["seen"], source["status"], source["confirmed"])
    for path, leaf in ledger.leaves.items():
        if path not in found:
            found[path] = (leaf.value, leaf.unit, *whole_file.get(path.partition("#")[0], (None,) * 4))
    return found


def _fields(value: Any, path: str = "") -> Iterator[tuple[str, Row]]:
    """Path and row of every datum in a record."""
    if isinstance(value, dict) and {"value", "unit", "seen"} <= value.keys():
        yield path, tuple(value[name] for name in ("value", "unit", "source", "seen", "status", "confirmed"))
    elif isinstance(value, (dict, list)):
        for name, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _fields(one, f"{path}.{name}" if path else str(name))


def _examples(published: Published, of_result: dict[str, int]) -> Iterator[Row]:
    for entry in published.api("examples/index.json")["items"]:
        one = published.api(entry["path"])
        yield (
            one["id"], one["title"], one["question"], one.get("chapter"), one["revision"], one.get("digest"),
            of_result[f"{one['id']}/answer"], entry["page"],
        )  # fmt: skip


def _measurements(published: Published, of_datum: dict[str, int]) -> Iterator[Row]:
    for one in published.items("measurements"):
        data = one["data"]
        value = data.get("value", {})
        yield (
            one["id"], one["name"], data["quantity"], value.get("value"), value.get("unit", data["unit"]),
            data["setting"], data.get("model"), data.get("accelerator"),
            of_datum.get(f"measurements/{one['id']}#value"), one["page"],
        )  # fmt: skip


def _prices(published: Published, of_datum: dict[str, int]) -> Iterator[Row]:
    for sort, collection in (("gpu", "prices/gpus"), ("api", "prices/apis")):
        for one in published.items(collection):
            data = one["data"]
            for field, row in _fields(data):
                yield (
                    one["id"], field, one["name"], sort, data.get("accelerator"), data.get("provider"), row[0], row[1],
                    data["date"], of_datum[f"{collection}/{one['id']}#{field}"], one["page"],
                )  # fmt: skip

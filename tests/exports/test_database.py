"""The database holds what `results.json` holds, with keys that hold, the same bytes each time."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from typing import Any

import pytest

from generator.exports import database
from generator.exports.published import ExportFault, Published, rendered
from generator.ledger import RESULTS, Ledger
from generator.pages.downloads import QUERY


@pytest.fixture(scope="module")
def published(book) -> Published:
    return rendered(book.files)


@pytest.fixture(scope="module")
def content(published) -> bytes:
    return database.as_sqlite(published)


@pytest.fixture(scope="module")
def results(book) -> dict[str, Any]:
    return json.loads(book.files[RESULTS])


@pytest.fixture(scope="module")
def opened(content, tmp_path_factory) -> Iterator[sqlite3.Connection]:
    path = tmp_path_factory.mktemp("database") / "handbook.sqlite"
    path.write_bytes(content)
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    yield connection
    connection.close()


def test_every_result_has_the_value_that_results_json_gives_it(opened, results):
    rows = opened.execute("SELECT id, quantity, title, value, unit, kind, page, formula FROM results ORDER BY number")
    fields = ("id", "quantity", "title", "value", "unit", "kind", "page", "formula")
    assert [tuple(one.get(field) for field in fields) for one in results["results"]] == rows.fetchall()


def test_a_simulated_result_has_its_interval(opened, results):
    expected = {
        one["id"]: (one["simulation"]["low"], one["simulation"]["high"])
        for one in results["results"]
        if "simulation" in one
    }
    rows = opened.execute("SELECT id, low, high FROM results WHERE simulation IS NOT NULL").fetchall()
    assert {identifier: (low, high) for identifier, low, high in rows} == expected
    assert opened.execute("SELECT count(*) FROM results WHERE low > value OR high < value").fetchone() == (0,)


def test_what_rests_on_what_is_what_the_ledger_says(opened, results):
    ledger = Ledger(results)
    found: dict[str, set[str]] = {identifier: set() for identifier in ledger.entries}
    for result, datum in opened.execute("SELECT result, datum FROM dependence"):
        found[result].add(datum)
    assert found == {identifier: set(ledger.data(identifier)) for identifier in ledger.entries}


def test_the_query_on_the_page_lists_what_rests_on_the_bandwidth_of_the_h200(opened, results):
    rows = opened.execute(QUERY).fetchall()
    assert [row[0] for row in rows] == list(Ledger(results).dependents["accelerators/h200#memory.bandwidth"])


def test_the_bandwidth_of_the_h200_stands_there_with_its_source_and_date(opened):
    row = opened.execute(
        "SELECT file, value, unit, source, seen, status, confirmed FROM data "
        "WHERE path = 'accelerators/h200#memory.bandwidth'"
    ).fetchone()
    assert row[:3] == ("specs/accelerators/h200.yaml", 4.8e12, "B/s")
    assert row[3].startswith("https://")
    assert row[4:] >= ("2020-01-01",)
    assert row[6] == 1


def test_every_datum_has_a_source(opened):
    assert opened.execute("SELECT path FROM data WHERE source IS NULL OR seen IS NULL").fetchall() == []


def test_keys_and_pages_of_the_file_are_sound(opened):
    assert opened.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert opened.execute("PRAGMA foreign_key_check").fetchall() == []
    tables = [name for (name,) in opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    referring = [table for table in tables if opened.execute(f"PRAGMA foreign_key_list({table})").fetchall()]
    assert {"results", "result_data", "examples", "measurements", "prices", "metrics"} <= set(referring)


def test_each_example_has_the_result_that_answers_it(opened, book):
    rows = opened.execute(
        "SELECT examples.id, results.value FROM examples JOIN results ON results.number = examples.result"
    )
    answers = dict(rows.fetchall())
    assert answers["WX-007"] == 50
    assert answers.keys() == book.examples.keys()


def test_every_price_measurement_formula_name_and_run_is_there(opened, book, published):
    def count(table: str) -> int:
        return opened.execute(f"SELECT count(*) FROM {table}").fetchone()[0]

    collections = book.library.collections
    things = opened.execute("SELECT count(DISTINCT id) FROM prices GROUP BY sort ORDER BY sort").fetchall()
    assert things == [(len(collections["prices/apis"]),), (len(collections["prices/gpus"]),)]
    assert count("measurements") == len(collections["measurements"])
    assert count("formulas") == len(published.api("formulas.json")["formulas"])
    assert count("names") == len(published.api("formulas.json")["names"])
    assert count("simulations") == len(book.simulations)


def test_meta_says_release_date_and_licence(opened, book):
    meta = dict(opened.execute("SELECT key, value FROM meta").fetchall())
    assert meta["release"] == book.release
    assert meta["data_as_of"] == book.edition.date
    assert meta["licence_text_and_data"] == "CC-BY-4.0"
    assert meta["schema_version"] == database.SCHEMA_VERSION


def test_the_same_site_gives_the_same_bytes(content, published):
    assert database.as_sqlite(published) == content
    assert content[96:100] == bytes(4), "no trace of the version of the library"


def test_a_site_without_a_document_is_refused_by_its_name(book):
    files = {path: one for path, one in book.files.items() if path != "api/v1/formulas.json"}
    with pytest.raises(ExportFault, match=r"api/v1/formulas\.json"):
        database.as_sqlite(rendered(files))

"""`results.csv` says what `results.json` says; the links of `llms.txt` lead somewhere."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest

from generator.exports.database import SCHEMA
from generator.ledger import RESULTS
from generator.pages import downloads, markup
from generator.provenance import Datum, leaves


@pytest.fixture(scope="module")
def rows(book) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(book.files[downloads.RESULTS_CSV].decode(), newline="")))


def test_the_csv_has_the_results_of_the_json_row_by_row(book, rows):
    results = json.loads(book.files[RESULTS])["results"]
    assert len(rows) == len(results)
    for row, result in zip(rows, results, strict=True):
        assert [row[field] for field in ("id", "quantity", "title", "unit", "kind", "page")] == [
            result[field] for field in ("id", "quantity", "title", "unit", "kind", "page")
        ]
        assert (json.loads(row["value"]) if row["value"] else None) == result["value"], row["id"]


def test_a_line_ends_with_a_line_feed_alone(book):
    content = book.files[downloads.RESULTS_CSV]
    assert b"\r" not in content
    assert content.endswith(b"\n")
    assert content.split(b"\n", 1)[0].decode() == ",".join(downloads.COLUMNS)


@pytest.mark.parametrize("identifier", ["WX-007/answer", "models/llama-3-8b/total_params"])
def test_dates_and_count_are_those_of_the_data_behind_a_result(book, rows, identifier):
    row = next(one for one in rows if one["id"] == identifier)
    data = {
        one.origin.path: one.origin.sources[0].seen
        for one in leaves(book.registry.results[identifier].traced)
        if isinstance(one.origin, Datum)
    }
    assert int(row["data"]) == len(data)
    assert row["oldest_source"] == min(data.values())
    assert row["newest_source"] == max(data.values())


def test_a_simulated_number_has_the_ends_of_its_interval_and_no_other_has(rows):
    for row in rows:
        if row["kind"] == "simulated" and row["low"]:
            assert float(row["low"]) <= float(row["value"]) <= float(row["high"])
        elif row["kind"] != "simulated":
            assert row["low"] == row["high"] == ""


def test_every_link_of_llms_txt_leads_to_a_file(book):
    text = book.files[downloads.LLMS].decode()
    published = {markup.address(path) for path in book.files}
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert len(links) > 40
    assert [link for link in links if link not in published] == []


def test_llms_txt_has_the_form_that_its_readers_expect(book):
    lines = book.files[downloads.LLMS].decode().splitlines()
    assert lines[0] == "# The LLM Capacity Handbook"
    assert lines[2].startswith("> ")
    assert [line for line in lines if line.startswith("## ")] == ["## Chapters", "## Things", "## Reference", "## Data"]
    assert len("\n".join(lines)) < 10_000


def test_the_page_names_every_table_of_the_database(book):
    page = book.files[downloads.PAGE].decode()
    for table in re.findall(r"CREATE (?:TABLE|VIEW) (\w+)", SCHEMA):
        assert re.search(rf"\b{table}\b", page), table

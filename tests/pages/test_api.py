"""`api/v1` says what the pages say, in documents that their own schemas describe."""

from __future__ import annotations

import json
import posixpath
import re
from typing import Any

import pytest

from generator import formatting, pages
from generator.pages import api, markup
from generator.pages.book import entity_page


@pytest.fixture(scope="module")
def documents(book) -> dict[str, Any]:
    """Every document of the API, read as strictly as JSON can be."""

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not JSON")

    return {
        path: json.loads(content, parse_constant=refuse)
        for path, content in book.files.items()
        if path.startswith(api.ROOT)
    }


def faults(value: Any, schema: Any, root: Any, place: str = "$") -> list[str]:
    """What of a JSON Schema a value breaks; for the keywords that `generator.pages.schemas` uses."""
    if "$ref" in schema:
        return faults(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, place)
    if "anyOf" in schema:
        tried = [faults(value, choice, root, place) for choice in schema["anyOf"]]
        return [] if [] in tried else min(tried, key=len)
    if "const" in schema:
        return [] if value == schema["const"] else [f"{place}: {value!r} is not {schema['const']!r}"]
    if "enum" in schema:
        return [] if value in schema["enum"] else [f"{place}: {value!r} is none of {schema['enum']}"]
    if "type" in schema and not any(is_a(value, one) for one in listed(schema["type"])):
        return [f"{place}: {value!r} is no {schema['type']}"]
    found = []
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        found.append(f"{place}: {value!r} does not match {schema['pattern']}")
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            found += faults(item, schema["items"], root, f"{place}[{index}]")
    if isinstance(value, dict):
        known = schema.get("properties", {})
        found += [f"{place}: {name} is missing" for name in schema.get("required", ()) if name not in value]
        for name, item in value.items():
            inner = known.get(name, schema.get("additionalProperties", {}))
            if inner is False:
                found.append(f"{place}: {name} is not in the schema")
            elif isinstance(inner, dict):
                found += faults(item, inner, root, f"{place}.{name}")
    return found


def listed(given: Any) -> list[str]:
    return given if isinstance(given, list) else [given]


def is_a(value: Any, kind: str) -> bool:
    types = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
    if kind in types:
        return isinstance(value, types[kind])
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return kind == "number" or value == int(value)


def test_every_document_fits_the_schema_it_names(documents):
    checked = 0
    for path, document in documents.items():
        if path.startswith(api.ROOT + "schema/"):
            continue
        schema = documents[posixpath.normpath(posixpath.join(posixpath.dirname(path), document["$schema"]))]
        assert faults(document, schema, schema)[:3] == [], path
        checked += 1
    assert checked > 100


def test_a_schema_refuses_what_does_not_fit(documents):
    schema = documents["api/v1/schema/accelerator.schema.json"]
    document = json.loads(json.dumps(documents["api/v1/accelerators/h100-sxm.json"]))
    document["data"]["memory"]["capacity"] = 80e9
    document["data"]["memory"]["colour"] = "green"
    del document["page"]
    broken = " ".join(faults(document, schema, schema))
    assert "capacity" in broken
    assert "colour is not in the schema" in broken
    assert "page is missing" in broken


def test_the_index_leads_to_every_document(documents):
    index = documents["api/v1/index.json"]
    reached = {"api/v1/index.json"}
    for endpoint in index["endpoints"]:
        reached |= {api.ROOT + endpoint["path"], api.ROOT + endpoint["schema"]}
        document = documents[api.ROOT + endpoint["path"]]
        reached |= {api.ROOT + item["path"] for item in document.get("items", ()) if "path" in item}
    for path in [one for one in reached if one in documents and "revisions" in documents[one]]:
        reached |= {f"{api.ROOT}examples/{one}" for one in documents[path]["revisions"]}
    assert reached <= set(documents)
    assert {path for path in documents if not path.startswith(api.ROOT + "schema/")} <= reached
    assert index["schema_version"] == api.VERSION


def test_results_have_unique_ids_in_order(documents, book):
    ids = [result["id"] for result in documents["api/v1/results.json"]["results"]]
    assert ids == sorted(set(ids))
    assert set(ids) == set(book.registry.results), "the numbers that the last page published are in it, too"


def test_every_input_leads_to_a_result_a_step_or_a_datum(documents, book):
    content = documents["api/v1/results.json"]
    results = {result["id"] for result in content["results"]}
    for node in [*content["results"], *content["steps"].values()]:
        for several in node.get("inputs", {}).values():
            for given in listed(several):
                assert given.get("result", next(iter(results))) in results
                if "step" in given:
                    assert given["value"] == content["steps"][given["step"]]["value"]
                if "datum" in given:
                    place, _, field = given["datum"].partition("#")
                    assert field
                    assert place in book.library.files


def test_the_page_of_a_result_shows_the_value_of_the_json(documents, book):
    section = re.compile(
        r'<section class="derivation" id="(d-[^"]+)">.*?<p class="derivation-value"><strong>(.*?)</strong>', re.DOTALL
    )
    shown = {
        f"{markup.address(path)}#{anchor}": value
        for path, content in book.files.items()
        if path.endswith(".md")
        for anchor, value in section.findall(content.decode())
    }
    compared = 0
    for result in documents["api/v1/results.json"]["results"]:
        if "#" in result["page"]:
            number = book.registry.results[result["id"]].traced
            assert shown[result["page"]] == formatting.text(number, result["unit"])
            assert result["value"] == pytest.approx(float(number), rel=1e-5)
            compared += 1
    assert compared > 100


def test_a_thing_carries_its_own_results(documents):
    document = documents["api/v1/models/llama-3-8b.json"]
    everything = {one["id"]: one for one in documents["api/v1/results.json"]["results"]}
    assert document["results"]
    for result in document["results"]:
        assert result["page"].startswith(markup.address(entity_page("models", "llama-3-8b")))
        assert everything[result["id"]]["value"] == result["value"]


def test_the_h100_has_80_gb_with_a_source_and_a_date(documents):
    memory = documents["api/v1/accelerators/h100-sxm.json"]["data"]["memory"]
    assert (memory["capacity"]["value"], memory["capacity"]["unit"]) == (80_000_000_000, "B")
    assert memory["bandwidth"]["value"] == 3.35e12
    assert memory["capacity"]["source"].startswith("https://")
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", memory["capacity"]["seen"])


def test_examples_carry_their_case_and_their_answer(documents, book):
    for example in book.examples.values():
        document = documents[f"api/v1/examples/{example.record.id}.json"]
        assert document["case"] == (example.record.cases[0] if example.record.cases else None)
        assert document["answer"]["value"] == pytest.approx(float(example.answer), rel=1e-5)


def test_the_api_is_the_same_when_it_is_written_again(documents, book, root):
    again = pages.open_book(root)
    pages.write_book(again)
    assert [path for path in documents if again.files[path] != book.files[path]] == []

"""`handbook explain ID`, the derivation that the page opens and results.json tell the same story, down to every source.

All three are read back as trees: formula or simulation, its arguments in order with their values, and at the end data
and choices.
"""

from __future__ import annotations

import html
import json
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from generator import formatting
from generator.cli import main
from generator.cli.explain import explain_configuration
from generator.ledger import RESULTS
from generator.pages import markup
from generator.pages.explanations import explain
from generator.provenance import Datum

SAMPLES = 3
"""Results of each sort: folder of the page, origin and kind of the number."""


@dataclass(frozen=True)
class Node:
    """How one number came about. what: `formula ridge_point`, `datum accelerators/h200#tdp`, `choice ...`."""

    what: str
    inputs: tuple[tuple[str, str, Node | None], ...] = ()
    """Argument, value, and where it came from; None for a fixed number."""


# --- results.json ----------------------------------------------------------------------------------------------------


class Document:
    def __init__(self, book):
        content = json.loads(book.files[RESULTS])
        self.results = {one["id"]: one for one in content["results"]}
        self.steps = content["steps"]

    def node(self, given: dict[str, Any]) -> Node | None:
        if "result" in given:
            return self.node(self.results[given["result"]])
        if "step" in given:
            return self.node(self.steps[given["step"]])
        if "datum" in given:
            return Node(f"datum {given['datum']}")
        if "choice" in given:
            return Node(f"choice {given['choice']}")
        if "inputs" not in given:
            return None
        run = given.get("simulation")
        name = f"simulation {run['name']} {run['seed']} {run['runs']}" if run else f"formula {given['formula']}"
        return Node(name, tuple(self.inputs(given["inputs"])))

    def inputs(self, inputs: dict[str, Any]) -> Iterator[tuple[str, str, Node | None]]:
        for name, given in inputs.items():
            for one in given if isinstance(given, list) else [given]:
                yield name, value_text(one["value"]), self.node(one)


def value_text(value: float | None) -> str:
    return "none" if value is None else f"{value:.6g}"


# --- handbook explain ------------------------------------------------------------------------------------------------


class Told:
    """The tree in the lines of an explanation."""

    HEAD = re.compile(
        r"(?:([\w\[\]]+): )?(.*?) = .*? \((\S+)(?: [^()]*)?\), (\w+)(?: \[([^\[\]]+)\])?(; see above)?", re.DOTALL
    )

    def __init__(self, lines: list[str], library, top: str = ""):
        self.lines = [((len(line) - len(line.lstrip())) // 2, line.strip()) for line in lines]
        self.lines[0] = (0, self.lines[0][1].removeprefix(f"{top}: "))
        self.library = library
        self.at = 0
        self.known: dict[tuple[str, ...], Node | None] = {}

    def tree(self) -> Node | None:
        found = self.number()[2]
        assert self.at == len(self.lines)
        return found

    def number(self) -> tuple[str, str, Node | None]:
        depth, line = self.lines[self.at]
        self.at += 1
        fixed = re.fullmatch(r"([\w\[\]]+) = (\S+)", line)
        if fixed and depth:
            return bare(fixed[1]), value_text(None if fixed[2] == "None" else float(fixed[2])), None
        head = self.HEAD.fullmatch(line)
        assert head, line
        argument, meaning, value, kind, named, above = head.groups()
        key = (meaning, value, kind, named or "")
        if not above:
            self.known[key] = self.origin(depth + 1, named)
        return bare(argument or ""), value_text(None if value == "None" else float(value)), self.known[key]

    def origin(self, depth: int, named: str | None) -> Node:
        below, line = self.lines[self.at]
        assert below == depth
        self.at += 1
        formula = re.search(r"  \[(\w+), [^\]]+\]$", line)
        run = re.match(r"(?:mean of (\d+)|one) runs? of the simulation ([\w-]+) ", line)
        if formula or run:
            inputs = []
            while self.at < len(self.lines) and self.lines[self.at][0] >= depth:
                inputs.append(self.number())
            if formula:
                return Node(f"formula {formula[1]}", tuple(inputs))
            seeds = re.search(r"seeds (\d+) to", line)
            return Node(f"simulation {run[2]} {seeds[1] if seeds else '*'} {run[1] or 1}", tuple(inputs))
        if re.fullmatch(r"specs/\S+:\d+", line):
            return Node(f"datum {self.sources(depth, line, named)}")
        return Node(f"choice {line}")

    def sources(self, depth: int, place: str, named: str | None) -> str:
        told = []
        while self.at < len(self.lines) and self.lines[self.at][0] == depth and "seen 20" in self.lines[self.at][1]:
            told.append(self.lines[self.at][1])
            self.at += 1
        assert told, f"{place}: no source"
        return f"{named} {place} {told}"


def bare(argument: str) -> str:
    return argument.partition("[")[0]


def with_sources(node: Node | None, library, places: dict[str, str]) -> Node | None:
    """The tree with file, line and all sources of each datum beside its path, as an explanation tells them."""
    if node is None:
        return None
    if node.what.startswith("datum "):
        return Node(f"datum {places[node.what.removeprefix('datum ')]}")
    inputs = tuple((name, value, with_sources(one, library, places)) for name, value, one in node.inputs)
    # Without a draw no seed is told.
    return Node(re.sub(r" \d+ 1$", " * 1", node.what) if node.what.startswith("simulation") else node.what, inputs)


# --- the page --------------------------------------------------------------------------------------------------------


class Written:
    """Derivations on the written pages, followed from link to link."""

    def __init__(self, book):
        self.book = book
        self.sections: dict[str, dict[str, str]] = {}

    def section(self, page: str, anchor: str) -> str:
        if page not in self.sections:
            text = self.book.files[page].decode()
            self.sections[page] = {
                found[1]: found[2]
                for found in re.finditer(r'<section class="derivation" id="([^"]+)">(.*?)</section>', text, re.DOTALL)
            }
        return self.sections[page][anchor]

    def differences(self, node: Node, address: str, seen: set[str]) -> Iterator[str]:
        """What the derivation under an address says otherwise than the tree."""
        if address in seen:
            return
        seen.add(address)
        page, _, anchor = address.partition("#")
        page = page.removesuffix(".html") + ".md"
        section = self.section(page, anchor)
        if node.what.startswith("datum "):
            yield from self.source(node, section, address)
            return
        if node.what.startswith("simulation "):
            _, name, seed, runs = node.what.split()
            last = int(seed) + int(runs) - 1
            told = f"seeds {seed} to {last}" if runs != "1" else "nothing is drawn"
            if f">{name}</a>" not in section or told not in section:
                yield f"{address}: not the runs of {name}, {told}"
        rows = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", section, re.DOTALL)
        if len(rows) != len(node.inputs):
            yield f"{address}: {len(rows)} inputs, {len(node.inputs)} in the tree"
            return
        for (term, origin), (name, value, child) in zip(rows, node.inputs, strict=True):
            if f'nomenclature.html#{markup.slug(name)}"' not in term:
                yield f"{address}: {name} stands elsewhere"
            yield from self.input(child, origin, value, term, address, seen)

    def input(
        self, child: Node | None, origin: str, value: str, term: str, address: str, seen: set[str]
    ) -> Iterator[str]:
        here = address.partition("#")[0]
        derived = re.fullmatch(r'<a href="([^"]+)">derived</a>', origin)
        if child is None:
            if origin:
                yield f"{address}: a fixed number with an origin: {origin}"
        elif child.what.startswith("choice "):
            if html.unescape(origin) != child.what.removeprefix("choice "):
                yield f"{address}: {origin!r} is not the choice {child.what!r}"
        elif child.what.startswith("datum "):
            yield from self.source(child, origin, address)
        elif not derived:
            yield f"{address}: {origin!r} does not lead to {child.what}"
        else:
            page, _, anchor = derived[1].partition("#")
            there = posixpath.normpath(posixpath.join(posixpath.dirname(here), page)) if page else here
            yield from self.differences(child, f"{there}#{anchor}", seen)

    def source(self, node: Node, shown: str, address: str) -> Iterator[str]:
        """The best source of a datum, with status and date."""
        best = self.leaf(node.what.removeprefix("datum ")).sources[0]
        linked = markup.source_link("x.md", best.address, self.book.library.references)
        label = re.sub(r"<[^>]+>", "", linked)
        for part in (label, f", {best.status}, ", f'<time datetime="{best.seen}">{best.seen}</time>'):
            if part not in shown:
                yield f"{address}: {node.what} without {part!r}"

    def leaf(self, path: str) -> Datum:
        return leaves_of(self.book)[path]


_LEAVES: dict[int, dict[str, Datum]] = {}


def leaves_of(book) -> dict[str, Datum]:
    """Every datum behind any result by its path."""
    if id(book) not in _LEAVES:
        from generator.results import data_behind

        numbers = [result.traced for result in book.registry.results.values()]
        _LEAVES[id(book)] = {one.origin.path: one.origin for one in data_behind(iter(numbers))}
    return _LEAVES[id(book)]


def told_of(datum: Datum, named: bool = True) -> str:
    lines = [
        f"{one.address} ({one.status}, seen {one.seen}{'' if one.confirmed else ', unconfirmed'})"
        for one in datum.sources
    ]
    return f"{datum.path if named else None} {datum.file}:{datum.line} {lines}"


# --- the tests -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def document(book) -> Document:
    return Document(book)


@pytest.fixture(scope="module")
def sample(book) -> list[str]:
    """Ids of results of every sort; of every sort those with their derivation on the page, and those without."""
    sorts: dict[tuple[str, ...], list[str]] = {}
    for identifier, result in sorted(book.registry.results.items()):
        folder = result.page.partition("/")[0]
        sorts.setdefault((folder, type(result.traced.origin).__name__, result.kind), []).append(identifier)
    return [one for ids in sorts.values() for one in ids[:: max(1, len(ids) // SAMPLES)]]


def test_the_sample_holds_every_sort_of_result(book, sample):
    pages = {book.registry.results[one].page.partition("/")[0] for one in sample}
    assert pages >= {"accelerators", "chapters", "examples", "models", "playground", "systems"}
    kinds = {book.registry.results[one].kind for one in sample}
    assert kinds == {"exact", "bound", "reference", "calibrated", "simulated", "measured"}
    assert any(one.startswith("WX-") for one in sample)


def test_explain_tells_the_tree_of_results_json(book, document, sample):
    places = {path: told_of(datum) for path, datum in leaves_of(book).items()}
    for identifier in sample:
        lines = list(explain(book.registry.results[identifier].traced, book.registry))
        told = Told(lines, book.library, book.registry.of(book.registry.results[identifier].traced).id
                    if book.registry.of(book.registry.results[identifier].traced) else "").tree()  # fmt: skip
        entry = document.results[identifier]
        expected = document.node(entry)
        assert _unnamed_top(told) == _unnamed_top(with_sources(expected, book.library, places)), identifier


def _unnamed_top(node: Node | None) -> Node | None:
    """A number that is a datum itself does not repeat its path behind itself."""
    if node is not None and node.what.startswith("datum "):
        return Node(re.sub(r"^datum \S+ ", "datum ", node.what))
    return node


def test_the_derivation_on_the_page_is_the_tree_of_results_json(book, document, sample):
    written = Written(book)
    found = []
    anchored = 0
    for identifier in sample:
        entry = document.results[identifier]
        if "#" in entry["page"]:
            anchored += 1
            found += [f"{identifier}: {one}" for one in written.differences(document.node(entry), entry["page"], set())]
    assert found == []
    assert anchored > len(sample) / 4
    assert any("-steps" in page for page in written.sections), "no derivation of the sample led to a page of steps"


def test_a_configuration_of_the_playground_is_told_as_it_is_published(book, document, sample):
    places = {path: told_of(datum) for path, datum in leaves_of(book).items()}
    asked = [one for one in sample if one.startswith("playground/")]
    assert asked
    for identifier in asked:
        told = Told(list(explain_configuration(identifier, book.library)), book.library).tree()
        assert told == with_sources(document.node(document.results[identifier]), book.library, places), identifier


def test_values_on_the_page_are_those_of_results_json(book, document, sample):
    written = Written(book)
    for identifier in sample:
        entry = document.results[identifier]
        page, _, anchor = entry["page"].partition("#")
        if anchor and entry["value"] is not None:
            section = written.section(page.removesuffix(".html") + ".md", anchor)
            assert entry["kind"] in section
            value = book.registry.results[identifier].traced
            assert f"<strong>{formatting.text(value, value.unit)}</strong>" in section


def test_explain_of_a_datum_ends_with_how_many_results_rest_on_it(book, root, monkeypatch, capsys):
    monkeypatch.chdir(root)
    assert main(["explain", "accelerators/h200#memory.bandwidth"]) == 0
    said = capsys.readouterr().out
    resting = json.loads(book.files["api/v1/dependents/accelerators/h200.json"])["data"]
    count = len(resting["accelerators/h200#memory.bandwidth"])
    assert f"{count} published results rest on it:\n  handbook impact accelerators/h200#memory.bandwidth\n" in said
    assert 'handbook impact accelerators/h200 --set "memory.bandwidth=VALUE"' in said

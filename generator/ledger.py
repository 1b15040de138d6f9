"""Every published result of one build, with the data behind each: what two builds are compared by.

Read from `api/v1/results.json`, so that a build of any age, made by any version of the code, can be compared.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

RESULTS = "api/v1/results.json"


@dataclass(frozen=True)
class Leaf:
    """A datum behind a result: its value in base units."""

    value: float | None
    unit: str


@dataclass(frozen=True)
class Entry:
    """One published result."""

    id: str
    value: float | None
    unit: str
    kind: str
    title: str
    page: str


class Ledger:
    """The results of one build by id, and the data, formulas and simulations that each rests on."""

    def __init__(self, document: Mapping[str, Any]):
        self.release = str(document.get("release", ""))
        self._nodes: dict[str, Mapping[str, Any]] = {}
        self.entries: dict[str, Entry] = {}
        for result in document["results"]:
            self._nodes[result["id"]] = result
            self.entries[result["id"]] = Entry(
                *(result[name] for name in ("id", "value", "unit", "kind", "title", "page"))
            )
        self._steps: Mapping[str, Mapping[str, Any]] = document["steps"]
        self._behind: dict[tuple[str, str], tuple[dict[str, Leaf], frozenset[str]]] = {}

    @classmethod
    def read(cls, content: bytes | str) -> Ledger:
        """The ledger in the bytes of `results.json`."""
        return cls(json.loads(content))

    def data(self, identifier: str) -> Mapping[str, Leaf]:
        """Datum path -> leaf, for everything behind a result."""
        return self._of("result", identifier)[0]

    def formulas(self, identifier: str) -> frozenset[str]:
        """Formulas and simulations that a result was computed with, all the way down."""
        return self._of("result", identifier)[1]

    @cached_property
    def dependents(self) -> Mapping[str, tuple[str, ...]]:
        """Datum path -> ids of the results that rest on it, in order."""
        found: dict[str, list[str]] = {}
        for identifier in sorted(self.entries):
            for path in self.data(identifier):
                found.setdefault(path, []).append(identifier)
        return {path: tuple(ids) for path, ids in sorted(found.items())}

    @cached_property
    def leaves(self) -> Mapping[str, Leaf]:
        """Datum path -> its leaf, for all data behind any result."""
        found: dict[str, Leaf] = {}
        for identifier in self.entries:
            found |= self.data(identifier)
        return found

    def _of(self, kind: str, name: str) -> tuple[dict[str, Leaf], frozenset[str]]:
        key = (kind, name)
        if key not in self._behind:
            node = self._nodes[name] if kind == "result" else self._steps[name]
            self._behind[key] = self._walk(node)
        return self._behind[key]

    def _walk(self, node: Mapping[str, Any]) -> tuple[dict[str, Leaf], frozenset[str]]:
        if "result" in node:
            return self._of("result", node["result"])
        if "step" in node:
            return self._of("step", node["step"])
        if "datum" in node:
            return {node["datum"]: Leaf(node["value"], node["unit"])}, frozenset()
        leaves: dict[str, Leaf] = {}
        used = {node["formula"]} if "formula" in node else set()
        if "simulation" in node:
            used.add(f"simulation {node['simulation']['name']}")
        for given in node.get("inputs", {}).values():
            for one in given if isinstance(given, list) else [given]:
                found, more = self._walk(one)
                leaves |= found
                used |= more
        return leaves, frozenset(used)


def file_of(datum: str) -> str:
    """Spec file of a datum, `specs/accelerators/h200.yaml` for `accelerators/h200#memory.bandwidth`."""
    return f"specs/{datum.partition('#')[0]}.yaml"


def paths_within(ledger: Ledger, asked: str) -> Iterator[str]:
    """Data of the ledger that a spec file, a thing or a datum path names."""
    wanted = asked.removeprefix("specs/").removesuffix(".yaml")
    for path in ledger.dependents:
        if path == wanted or path.partition("#")[0] == wanted or path.startswith(wanted + "."):
            yield path

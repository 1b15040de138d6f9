"""Results as JSON with where they came from: formula and inputs, down to data and choices.

A number between two results is written once, as a step that carries a name made from its content.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from generator.pages import markup
from generator.pages.book import Book
from generator.provenance import INNER, Choice, Datum, Simulation, Traced
from generator.results import Result, published, simulation


class Anchors:
    """Anchors of the derivations on each written page."""

    def __init__(self, book: Book):
        self.book = book
        self.known: dict[str, set[str]] = {}

    def address(self, result: Result) -> str:
        """Page of a result, with the anchor of its derivation if the page shows it."""
        if result.page not in self.known:
            content = self.book.files.get(result.page, b"").decode()
            self.known[result.page] = set(re.findall(r'id="(d-[^"]+)"', content))
        anchor = "d-" + markup.slug(result.id)
        return markup.address(result.page) + (f"#{anchor}" if anchor in self.known[result.page] else "")


class Lineage:
    """Results as JSON. Numbers between two results become steps, each once, named by what they are."""

    def __init__(self, book: Book):
        self.book = book
        self.anchors = Anchors(book)
        self.steps: dict[str, dict[str, Any]] = {}
        self.names: dict[int, str] = {}

    def all(self) -> dict[str, Any]:
        """Every result of the book, and the steps between them."""
        results = [self.whole(one) for _, one in sorted(self.book.registry.results.items())]
        return {"results": results, "steps": dict(sorted(self.steps.items()))}

    def short(self, result: Result) -> dict[str, Any]:
        """What a result is, without where it came from."""
        return {
            "id": result.id,
            "quantity": result.quantity,
            "title": result.title,
            "value": result.value,
            "unit": result.unit,
            "kind": result.kind,
            "page": self.anchors.address(result),
        }

    def whole(self, result: Result) -> dict[str, Any]:
        """A result with its formula and inputs, or the datum or choice that it is."""
        return self.short(result) | self._origin(result.traced)

    def _origin(self, number: Traced) -> dict[str, Any]:
        origin = number.origin
        if isinstance(origin, Datum):
            return {"datum": origin.path}
        if isinstance(origin, Choice):
            return {"choice": origin.reason}
        inputs = {
            name: [self._input(one) for one in given] if isinstance(given, (tuple, list)) else self._input(given)
            for name, given in origin.inputs.items()
        }
        if isinstance(origin, Simulation):
            return {"simulation": simulation(origin), "inputs": inputs}
        return {"formula": origin.formula.__name__, "inputs": inputs}

    def _input(self, number: Any) -> dict[str, Any]:
        if not isinstance(number, Traced):
            return {"value": published(number)}
        described: dict[str, Any] = {"value": published(number), "unit": number.unit}
        result = self.book.registry.of(number)
        if result is not None:
            return described | {"result": result.id}
        if isinstance(number.origin, INNER):
            return described | {"step": self._step(number)}
        return described | self._origin(number)

    def _step(self, number: Traced) -> str:
        if id(number) not in self.names:
            step = {"value": published(number), "unit": number.unit, "kind": number.kind} | self._origin(number)
            name = hashlib.sha256(json.dumps(step).encode()).hexdigest()[:12]
            self.names[id(number)] = name
            self.steps[name] = step
        return self.names[id(number)]

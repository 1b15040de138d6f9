"""A published number: its id, value, unit and kind, and the derivation behind it.

A result is made from a traced number. Its id is permanent: pages, JSON, CSV and `handbook explain` name it by that.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from generator.formulas.nomenclature import NOMENCLATURE
from generator.provenance import INNER, Choice, Datum, Fingerprints, Simulation, Traced, leaves
from generator.units import round_significant


@dataclass(frozen=True)
class Result:
    """One published number. `page` is where its derivation stands."""

    id: str
    traced: Traced
    page: str

    @property
    def value(self) -> float | int | None:
        """Whole counts as they are; everything else to six significant digits."""
        return published(self.traced)

    @property
    def unit(self) -> str:
        return self.traced.unit

    @property
    def kind(self) -> str:
        return self.traced.kind

    @property
    def quantity(self) -> str:
        return self.traced.name

    @property
    def title(self) -> str:
        return meaning(self.traced)


def published(number: Any) -> float | int | None:
    """A number as it leaves the model layer: whole counts and exact bytes as they are, the rest to six digits.

    None for a number that is not finite, such as an input that no source gives.
    """
    value = float(number)
    if not math.isfinite(value):
        return None
    if value == int(value) and abs(value) < 2**53 and (_counted(number) or getattr(number, "kind", "") == "exact"):
        return int(value)
    rounded = round_significant(value)
    return int(rounded) if rounded == int(rounded) and abs(rounded) < 1e6 else rounded


def _counted(number: Any) -> bool:
    return getattr(number, "unit", "") in ("count", "param", "layer", "token")


def meaning(number: Traced) -> str:
    """What a number is, in words."""
    if isinstance(number.origin, Datum):
        place, _, field = number.origin.path.partition("#")
        thing = place.rpartition("/")[2]
        if field == "value":
            return thing.replace("-", " ")
        return f"{field.replace('_', ' ').replace('.', ' ')} of {thing}"
    if number.name in NOMENCLATURE:
        return NOMENCLATURE[number.name].meaning
    return number.name.replace("_", " ")


def data_behind(numbers: Iterator[Traced]) -> list[Traced]:
    """Every datum behind some numbers, each once."""
    found: dict[str, Traced] = {}
    seen: set[int] = set()
    for number in numbers:
        for leaf in leaves(number, seen):
            if isinstance(leaf.origin, Datum):
                found.setdefault(leaf.origin.path, leaf)
    return list(found.values())


def origin_of(number: Any, ids: dict[int, str]) -> Any:
    """Where an input came from, for JSON: a result id, a datum path, a choice, or a formula with its inputs."""
    if isinstance(number, (tuple, list)):
        return [origin_of(one, ids) for one in number]
    if not isinstance(number, Traced):
        return {"value": published(number)}
    described: dict[str, Any] = {"value": published(number), "unit": number.unit}
    if id(number) in ids:
        return described | {"result": ids[id(number)]}
    if isinstance(number.origin, Datum):
        return described | {"datum": number.origin.path}
    if isinstance(number.origin, Choice):
        return described | {"choice": number.origin.reason}
    return described | derivation(number, ids)


def derivation(number: Traced, ids: dict[int, str]) -> dict[str, Any]:
    """Formula or simulation, and inputs, of a derived number, for JSON."""
    if not isinstance(number.origin, INNER):
        return {}
    inputs = {name: origin_of(given, ids) for name, given in number.origin.inputs.items()}
    if isinstance(number.origin, Simulation):
        return {"simulation": simulation(number.origin), "inputs": inputs}
    return {"formula": number.origin.formula.__name__, "inputs": inputs}


def simulation(origin: Simulation) -> dict[str, Any]:
    """How a simulated number was obtained, for JSON: which simulation, settings, seeds, and the 95 % interval."""
    return {
        "name": origin.simulator,
        "settings": dict(sorted(origin.settings.items())),
        "seed": origin.seed,
        "runs": origin.runs,
        "low": round_significant(origin.low),
        "high": round_significant(origin.high),
    }


THING_PAGES = ("accelerators/", "systems/", "models/")


class Registry:
    """All results of a build by id, and which result each traced number is published as."""

    def __init__(self) -> None:
        self.results: dict[str, Result] = {}
        self.ids: dict[int, str] = {}
        self.fingerprints = Fingerprints()
        self._of_things: dict[int, str] = {}
        """Fingerprint -> id of the numbers that the pages of accelerators, systems and models hold."""
        self.wanted: dict[str, dict[str, None]] = {}
        """Page -> ids of the results on it that other pages point to."""
        self.shown: dict[str, set[str]] = {}
        """Written page -> anchors of the derivations on it."""

    def publish(self, identifier: str, number: Any, page: str, *, derived_there: bool = True) -> Result:
        """Give a number its permanent id; the first page that publishes it holds its derivation.

        Not `derived_there`: a table cell, whose derivation other pages must not look for on that page. A datum that a
        chapter shows stays a datum: it is at home on the page of its thing.
        """
        if not isinstance(number, Traced):
            raise TypeError(f"{identifier}: only traced numbers are published, got {number!r}")
        known = self.results.get(identifier)
        if known is not None:
            if float(known.traced) != float(number):
                raise ValueError(f"two numbers want the id {identifier}: {known.traced!r} and {number!r}")
            return known
        result = Result(identifier, number, page)
        self.results[identifier] = result
        at_home = page.startswith(THING_PAGES)
        if derived_there and (at_home or isinstance(number.origin, INNER)):
            self.ids.setdefault(id(number), identifier)
        if at_home:
            self._of_things.setdefault(self.fingerprints.of(number), identifier)
        return result

    def will_show(self, result: Result, anchor: str) -> bool:
        """The page of a result shows its derivation, or is still to be written and will, now that it is asked for."""
        if result.page in self.shown:
            return anchor in self.shown[result.page]
        self.wanted.setdefault(result.page, {})[result.id] = None
        return True

    def wanted_on(self, page: str) -> list[Result]:
        """Results of a page that pages written before it point to."""
        return [self.results[identifier] for identifier in self.wanted.get(page, ())]

    def of(self, number: Traced) -> Result | None:
        """The result that this very number is published as, or that a thing's page derives in the same way."""
        identifier = self.ids.get(id(number)) or self._of_things.get(self.fingerprints.of(number))
        return self.results[identifier] if identifier else None

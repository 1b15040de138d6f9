"""Numbers that remember where they came from.

A `Traced` is a float with a unit, a kind and an origin.  Specs hand out leaves (`Datum`); a formula that is given
a traced argument returns a traced result (`Derivation`).  Following origins from any published number leads through
every formula to the data sheets, papers and price lists behind it.  Arrays and plain floats pass through untraced,
so the same code sweeps a million configurations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

KINDS = ("exact", "measured", "bound", "reference", "calibrated", "simulated")
"""From the strongest statement to the weakest; a result is as weak as its weakest input."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a datum was read: an address or bibliography id, the words seen there, the date, whether confirmed."""

    address: str
    status: str
    seen: str
    evidence: str = ""
    confirmed: bool = True


@dataclass(frozen=True, slots=True)
class Datum:
    """A leaf: one value of one spec file. `path` is `collection/id#field.field`."""

    path: str
    file: str
    line: int
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """A leaf that nobody measured: the batch size of an example, the price a reader types."""

    reason: str


@dataclass(frozen=True, slots=True)
class Derivation:
    """An inner node: the formula and the named arguments it was called with (numbers or tuples of numbers)."""

    formula: Callable[..., Any]
    inputs: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Simulation:
    """An inner node: the mean of one metric over the seeded runs of a simulation, and what they were run with.

    settings: choices that are words, such as the policy; seeds run from `seed` to `seed + runs - 1`; low and high are
    the ends of the 95 % confidence interval of the mean.
    """

    simulator: str
    inputs: Mapping[str, Any]
    settings: Mapping[str, str]
    seed: int
    runs: int
    low: float
    high: float
    values: tuple[float, ...] = ()
    """The metric of each run, in the order of the seeds."""


Origin = Datum | Choice | Derivation | Simulation
INNER = (Derivation, Simulation)
"""Origins that rest on other numbers, their `inputs`."""


class Traced(float):
    """A float with `name`, `unit`, `kind` and `origin`; arithmetic on it gives plain floats again."""

    __slots__ = ("kind", "name", "origin", "unit")

    name: str
    unit: str
    kind: str
    origin: Origin

    def __new__(cls, value: float, *, name: str, unit: str, kind: str, origin: Origin) -> Traced:
        self = super().__new__(cls, value)
        self.name, self.unit, self.kind, self.origin = name, unit, kind, origin
        return self

    def __reduce__(self):
        raise TypeError("a traced number holds a function; store its value and its derivation instead")


def choice(value: float, *, name: str, unit: str, reason: str) -> Traced:
    """A chosen input as a traced leaf."""
    return Traced(value, name=name, unit=unit, kind="exact", origin=Choice(reason))


def flatten(inputs: Mapping[str, Any]) -> list[Any]:
    """All numbers among the arguments of a formula, those inside tuples included."""
    found: list[Any] = []
    for value in inputs.values():
        if isinstance(value, (tuple, list)):
            found.extend(value)
        else:
            found.append(value)
    return found


def weakest(kinds: Iterator[str], floor: str = "exact") -> str:
    """The weakest of the kinds and `floor`, in the order of `KINDS`."""
    return max([*kinds, floor], key=KINDS.index)


def leaves(value: Any, seen: set[int] | None = None) -> Iterator[Traced]:
    """Every datum and choice below a number, each once, in the order in which the formulas name them.

    seen: ids of the numbers walked so far, for who asks about many numbers that share steps.
    """
    seen = set() if seen is None else seen

    def walk(node: Any) -> Iterator[Traced]:
        if not isinstance(node, Traced) or id(node) in seen:
            return
        seen.add(id(node))
        if isinstance(node.origin, INNER):
            for child in flatten(node.origin.inputs):
                yield from walk(child)
        else:
            yield node

    yield from walk(value)


class Fingerprints:
    """Numbers that came about in the same way, from the same data and chosen values, have the same fingerprint."""

    def __init__(self) -> None:
        self._interned: dict[Any, int] = {}
        self._seen: dict[int, tuple[Traced, int]] = {}

    def of(self, number: Any) -> int:
        """The fingerprint of a number, traced or plain."""
        if not isinstance(number, Traced):
            return self._intern(("plain", float(number)))
        if id(number) not in self._seen:
            # The number is kept beside its fingerprint, so that its id cannot be given to another one.
            self._seen[id(number)] = (number, self._intern(self._origin(number)))
        return self._seen[id(number)][1]

    def _origin(self, number: Traced) -> tuple[Any, ...]:
        origin = number.origin
        if isinstance(origin, Datum):
            return ("datum", origin.path)
        if isinstance(origin, Choice):
            return ("choice", number.name, float(number))
        inputs = tuple(
            (name, *(self.of(one) for one in (given if isinstance(given, (tuple, list)) else (given,))))
            for name, given in origin.inputs.items()
        )
        if isinstance(origin, Simulation):
            settings = tuple(sorted(origin.settings.items()))
            return ("simulation", origin.simulator, number.name, settings, origin.seed, origin.runs, inputs)
        return ("derivation", origin.formula.__name__, inputs)

    def _intern(self, key: Any) -> int:
        return self._interned.setdefault(key, len(self._interned))

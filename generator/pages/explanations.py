"""How a number came about, as text for a terminal: the derivation that the page shows, down to every source."""

from __future__ import annotations

from collections.abc import Iterator

from generator import equations, formatting
from generator.provenance import Choice, Datum, Simulation, Traced
from generator.results import Registry, meaning, published


def explain(number: Traced, registry: Registry) -> Iterator[str]:
    """Formula, inputs by the name they have in it, down to every source; what occurs twice is derived once."""
    result = registry.of(number)
    return _Explanation(registry).lines(number, f"{result.id}: " if result else "", 0)


class _Explanation:
    """What has been derived so far of one number."""

    def __init__(self, registry: Registry):
        self.registry = registry
        self.shown: set[int] = set()

    def lines(self, number: Traced, name: str, depth: int) -> Iterator[str]:
        """A number and, below it, where it came from."""
        indent = "  " * depth
        known = self.registry.fingerprints.of(number)
        above = known in self.shown and not isinstance(number.origin, Choice)
        self.shown.add(known)
        named = self._named(number) if depth else ""
        exact = f"{published(number)} {number.unit}".removesuffix(" 1")
        yield (
            f"{indent}{name}{meaning(number)} = {formatting.plain(number, number.unit)} ({exact}), {number.kind}"
            f"{named}{'; see above' if above else ''}"
        )
        if not above:
            yield from self._origin(number, depth + 1)

    def _named(self, number: Traced) -> str:
        """The id under which an input is published, or the path of a datum: what to ask for next."""
        result = self.registry.of(number)
        if result is not None:
            return f" [{result.id}]"
        return f" [{number.origin.path}]" if isinstance(number.origin, Datum) else ""

    def _origin(self, number: Traced, depth: int) -> Iterator[str]:
        indent, origin = "  " * depth, number.origin
        if isinstance(origin, Choice):
            yield f"{indent}{origin.reason}"
        elif isinstance(origin, Datum):
            yield f"{indent}{origin.file}:{origin.line}"
            for source in origin.sources:
                state = "" if source.confirmed else ", unconfirmed"
                yield f"{indent}{source.address} ({source.status}, seen {source.seen}{state})"
        else:
            if isinstance(origin, Simulation):
                yield f"{indent}{_run_in_words(number)}"
            else:
                used = origin.formula
                yield f"{indent}{equations.plain_equation(used)}  [{used.__name__}, {used.reference}]"
            yield from self._inputs(number, depth)

    def _inputs(self, number: Traced, depth: int) -> Iterator[str]:
        for name, given in number.origin.inputs.items():
            several = given if isinstance(given, (tuple, list)) else (given,)
            for index, one in enumerate(several):
                argument = f"{name}[{index + 1}]" if several is given else name
                if isinstance(one, Traced):
                    yield from self.lines(one, f"{argument}: ", depth)
                else:
                    yield f"{'  ' * depth}{argument} = {published(one)}"


def _run_in_words(number: Traced) -> str:
    origin = number.origin
    settings = ", ".join(f"{name} {value}" for name, value in origin.settings.items())
    if origin.runs == 1:
        return f"one run of the simulation {origin.simulator} ({settings}), in which nothing is drawn"
    return (
        f"mean of {origin.runs} runs of the simulation {origin.simulator} ({settings}), seeds {origin.seed} to "
        f"{origin.seed + origin.runs - 1}; 95 % interval {origin.low:.6g} to {origin.high:.6g} {number.unit}"
    )

"""The page about the simulations: what each of them does, and every published run with its seeds and its interval."""

from __future__ import annotations

from typing import Any

from generator.pages import markup
from generator.pages.book import Book
from generator.pages.derivations import SIMULATIONS_PAGE
from generator.pages.writer import Writer
from generator.provenance import Traced
from generator.published import digest
from generator.results import published
from generator.simulation.catalogue import SIMULATORS
from generator.simulation.outcomes import Outcome
from generator.units import round_significant

REPLAY = "chapters/engine-replay.md"
TEXTS = "docs/simulations"
"""One Markdown file for each simulation: the rules it follows, and what it leaves out."""


def write(book: Book) -> list[str]:
    """Write the page; returns what goes into the navigation. Runs after the pages that publish runs."""
    writer = Writer(book, SIMULATIONS_PAGE)
    parts = [
        "# Simulations\n\nEvery number marked <em>s</em> is the mean over at least 20 runs, each with its own seed. "
        "**±** is half the 95 % interval of that mean, in per cent of it, or in points if it is a share. Tables give "
        "it from 0.1 on, text from 5 on, the card of a number always. Replays of recordings draw nothing and have "
        "none. The interval says how well the mean is known, not how well the model fits an engine"
        f"{_replayed(writer)}.\n\n"
        "The same seed gives the same records on any machine: `handbook simulate NAME --seed N` makes one run again, "
        "request by request."
    ]
    for name, simulator in SIMULATORS.items():
        text = (book.root / TEXTS / f"{name}.md").read_text(encoding="utf-8")
        parts.append(f"## {name.capitalize()} {{#{markup.slug(name)}}}\n\n{simulator.what}\n\n{text.strip()}")
        runs = {one: kept for one, kept in sorted(book.simulations.items()) if kept[1].simulator == name}
        if runs:
            parts.append(_listed(writer, runs))
    writer.page("Simulations", "\n\n".join(parts), description="What is simulated, by which rules, with which seeds.")
    return [writer.path]


def _replayed(writer: Writer) -> str:
    """Where a real engine is replayed, if this book does so."""
    if not (writer.book.root / "docs" / REPLAY).exists():
        return ""
    return f": for that see {writer.link(REPLAY, 'replaying a real engine')}"


def _listed(writer: Writer, runs: dict[str, tuple[str, Outcome]]) -> str:
    rows, anchors = [], []
    for identifier, (page, outcome) in runs.items():
        numbers = [number for _, number in sorted(outcome.numbers.items())]
        address = json_path(identifier)
        anchors.append(f"run-{markup.slug(identifier)}")
        cited = writer.citation("run", identifier, f"runs of {outcome.simulator}", anchors[-1], digest(numbers[0]))
        words = ", ".join(f"{name} {value}" for name, value in outcome.settings.items())
        rows.append(
            (
                writer.link(page, identifier),
                markup.text(words),
                _seeds(outcome),
                f'<span class="files">{writer.link(address, "JSON")} · {cited}</span>',
            )
        )
    table = markup.table(("Published run", "Settings", "Seeds", "All metrics"), rows, ids=anchors)
    summary = f"{len(rows)} published runs, with settings and seeds"
    return f'<details class="problem" open><summary>{summary}</summary>{table}</details>'


def _seeds(outcome: Outcome) -> str:
    last = outcome.seed + outcome.runs - 1
    return f"{outcome.seed}\u00a0to\u00a0{last}" if outcome.runs > 1 else "nothing is drawn"


def json_path(identifier: str) -> str:
    """Path of a published run as JSON."""
    return f"api/v1/simulations/{markup.slug(identifier)}.json"


def as_json(identifier: str, page: str, outcome: Outcome) -> dict[str, Any]:
    """A published run for programs: what was run, with which numbers and seeds, and every metric with its interval."""

    def value_of(given: Any) -> Any:
        if isinstance(given, (tuple, list)):
            return [value_of(one) for one in given]
        if isinstance(given, Traced):
            return {"value": published(given), "unit": given.unit}
        return {"value": published(given), "unit": ""}

    metrics = {}
    for name, number in sorted(outcome.numbers.items()):
        low, high = (round_significant(end) for end in (number.origin.low, number.origin.high))
        metrics[name] = {"value": published(number), "low": low, "high": high, "unit": number.unit}
    return {
        "id": identifier,
        "simulation": outcome.simulator,
        "page": markup.address(page),
        "settings": dict(sorted(outcome.settings.items())),
        "inputs": {name: value_of(given) for name, given in outcome.inputs.items()},
        "seed": outcome.seed,
        "runs": outcome.runs,
        "metrics": metrics,
    }

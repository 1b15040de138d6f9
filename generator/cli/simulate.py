"""simulate NAME: seeded runs of one simulation, as a table for people or one JSON object in base units."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from generator import formatting, units
from generator.cli.atlas import add_atlas
from generator.cli.estimate import find_model
from generator.estimates.architecture import NotSupported
from generator.estimates.layouts import check_range
from generator.formulas.nomenclature import NOMENCLATURE
from generator.provenance import Traced
from generator.publish import write_file
from generator.results import published
from generator.simulation.catalogue import SIMULATORS, Simulator
from generator.simulation.outcomes import RUNS, Experiment, repeat
from generator.simulation.records import PERCENTILES
from generator.simulation.requests import MOST_SEED
from generator.simulation.serving_runs import Plan
from generator.specs.load import load
from generator.units import round_significant

FLAGS = {
    "ttft_limit": "ttft-slo-s",
    "tpot_limit": "tpot-slo-s",
    "step_overhead": "step-overhead-s",
    "link": "link-bytes-per-s",
    "think": "think-s",
    "handover": "handover-s",
    "budget": "budget-tokens",
    "shared_prefix": "shared-prefix-tokens",
}
"""Choice of the serving simulation -> its flag, where the two differ."""
CHOICE = "choice "
"""Before the name of a choice among the parsed arguments, so that none is taken for an argument of the command."""
TIMES = ("ttft", "tpot", "e2e", "wait", "itl")


def add_commands(commands: Any) -> None:
    """Add a command for each simulation."""
    command = commands.add_parser("simulate", help="seeded runs: batching, serving, experts, sessions, operations")
    kinds = command.add_subparsers(dest="kind", required=True, metavar="{" + ",".join((*SIMULATORS, "atlas")) + "}")
    for name, simulator in SIMULATORS.items():
        one = kinds.add_parser(name, help=simulator.what[0].lower() + simulator.what[1:].rstrip("."))
        _add_choices(one, name, simulator)
        one.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the first run (default: 1)")
        runs = 1 if name == "serving" else RUNS
        one.add_argument(
            "--runs", type=int, default=runs, metavar="N", help=f"runs, each with the next seed (default: {runs})"
        )
        one.add_argument("--json", action="store_true", help="one JSON object in base units")
        if name == "serving":
            one.add_argument("--records", type=Path, metavar="OUT.csv", help="write one row a request of the run")
        one.set_defaults(run=run)
    add_atlas(kinds)


def _add_choices(command: argparse.ArgumentParser, name: str, simulator: Simulator) -> None:
    for word, valid in simulator.words.items():
        needed = word in simulator.example
        shown = "FILE|ID" if word == "trace" else "ID|config.json" if word == "model" else "WORD"
        command.add_argument(
            _flag(name, word), dest=CHOICE + word, choices=valid or None, metavar=None if valid else shown,
            required=needed, help=None if valid else word.replace("_", " "),
        )  # fmt: skip
    for number, unit in simulator.numbers.items():
        command.add_argument(
            _flag(name, number), dest=CHOICE + number, type=_quantity(unit), metavar="X",
            help=f"{number.replace('_', ' ')}{'' if unit in ('1', 'count') else f' ({unit})'}",
        )  # fmt: skip


def _flag(simulator: str, choice: str) -> str:
    return "--" + (FLAGS.get(choice, choice) if simulator == "serving" else choice).replace("_", "-")


def _quantity(unit: str) -> Any:
    def quantity(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            try:
                value = units.parse(text, unit)
            except (ValueError, KeyError) as error:
                raise argparse.ArgumentTypeError(str(error)) from None
        if not isfinite(value):
            raise argparse.ArgumentTypeError(f"want a finite number, got {text!r}")
        if unit == "count" and value != int(value):
            raise argparse.ArgumentTypeError(f"want a whole number, got {text!r}")
        return value

    return quantity


def run(given: argparse.Namespace, root: Path) -> int:
    """Simulate and print; records are written at once or not at all."""
    library = load(root)
    choices = {
        name.removeprefix(CHOICE): value
        for name, value in vars(given).items()
        if name.startswith(CHOICE) and value is not None
    }
    if isinstance(choices.get("model"), str) and choices["model"].endswith(".json"):
        choices["model"] = find_model(library, choices["model"])
    check_range("--seed", given.seed, 0, MOST_SEED)
    if given.runs < 1:
        raise NotSupported(f"--runs must be at least 1, got {given.runs}")
    if given.kind == "serving":
        if "trace" in choices and choices["trace"] not in library.traces:
            choices["trace"] = Path(choices["trace"])
        plan = Plan(library, **choices)
        if given.records is not None:
            if given.runs > 1:
                raise NotSupported("--records holds one run; leave --runs out")
            write_file(given.records, plan.run(given.seed)[0].to_csv())
    experiment = SIMULATORS[given.kind].experiment(library, **choices)
    if given.runs == 1 or not experiment.seeded:
        found = {name: (value, value, value) for name, value in experiment.run(given.seed).items()}
        runs = 1
    else:
        outcome = repeat(experiment, seed=given.seed, runs=given.runs)
        found = {name: (float(one), one.origin.low, one.origin.high) for name, one in outcome.numbers.items()}
        runs = given.runs
    print(
        _as_json(experiment, found, given.seed, runs) if given.json else _as_text(experiment, found, given.seed, runs)
    )
    return 0


Found = Mapping[str, tuple[float, float, float]]


def _as_json(experiment: Experiment, found: Found, seed: int, runs: int) -> str:
    """Settings, inputs and metrics. Serving names its percentiles by quantity: `ttft_s: {p50: ...}`."""
    inputs = {name: published(one) for name, one in experiment.inputs.items() if isinstance(one, Traced)}
    whole: dict[str, Any] = {
        "simulation": experiment.simulator,
        "settings": dict(experiment.settings),
        "inputs": inputs,
        "seed": seed,
        "runs": runs,
    }
    plain = {name: round_significant(value) for name, (value, _, _) in found.items()}
    if experiment.simulator == "serving":
        ranks = ("mean", *(f"p{rank}" for rank in PERCENTILES), "max")
        for quantity in TIMES:
            names = {rank: f"{quantity}_{rank}_s" for rank in ranks}
            whole[f"{quantity}_s"] = {rank: plain.pop(name) for rank, name in names.items() if name in plain}
    whole |= plain
    if runs > 1:
        whole["interval"] = {
            name: {"low": round_significant(low), "high": round_significant(high)}
            for name, (_, low, high) in found.items()
        }
    return json.dumps(whole, indent=1, allow_nan=False)


def _as_text(experiment: Experiment, found: Found, seed: int, runs: int) -> str:
    settings = ", ".join(f"{name} {value}" for name, value in experiment.settings.items())
    seeds = f"seed {seed}" if runs == 1 else f"seeds {seed} to {seed + runs - 1}, 95 % interval of the mean"
    rows = []
    for name, (value, low, high) in found.items():
        unit = NOMENCLATURE[name].unit
        shown = formatting.plain(value, unit)
        spread = f"{formatting.plain(low, unit)} to {formatting.plain(high, unit)}" if runs > 1 else ""
        rows.append((name, shown, spread, NOMENCLATURE[name].meaning))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = [f"{experiment.simulator}: {settings}", seeds if experiment.seeded else "nothing is drawn: one run"]
    lines += [
        f"  {name:<{widths[0]}}  {value:>{widths[1]}}  {spread:<{widths[2]}}  {meaning}"
        for name, value, spread, meaning in rows
    ]
    return "\n".join(lines)

"""estimate serving, training, memory: one configuration, as a table for people or one JSON object in base units."""

from __future__ import annotations

import argparse
import dataclasses
import json
from pathlib import Path
from typing import Any

from generator import formatting
from generator.cli import calibrated_times
from generator.provenance import Traced
from generator.results import meaning, published
from generator.specs.library import Library
from generator.specs.load import load
from generator.specs.records import Model
from generator.worksheets import run_estimate

CALIBRATED = (
    "engine",
    "engine_version",
    "software",
    "global_batch",
    "virtual_stages",
    "context_parallel",
    "expert_parallel",
    "format",
)
"""Arguments of the calibrated times alone."""


def add_commands(commands: Any) -> None:
    """Add the three estimates."""
    command = commands.add_parser("estimate", help="memory, time, throughput and cost of one configuration")
    kinds = command.add_subparsers(dest="kind", required=True, metavar="{serving,training,memory}")
    serving = kinds.add_parser("serving", help="what fits, step time, latency, throughput, cost")
    memory = kinds.add_parser("memory", help="memory by part, against what one accelerator offers")
    training = kinds.add_parser("training", help="FLOPs, time, accelerator hours, state, cost")
    for one in (serving, memory, training):
        one.add_argument("--model", required=True, metavar="ID|config.json", help="model id, or a Hugging Face config")
        one.add_argument("--accelerator", required=True, metavar="ID")
        one.add_argument("--tp", type=int, metavar="N", help="tensor-parallel degree")
        one.add_argument("--pp", type=int, metavar="N", help="pipeline stages")
        one.add_argument("--json", action="store_true", help="one JSON object in base units")
        one.set_defaults(run=run)
    for one in (serving, memory):
        one.add_argument("--gpus", type=int, metavar="N", help="accelerators (default: tp x pp)")
        one.add_argument("--ep", type=int, metavar="N", help="accelerators the experts are spread over")
        one.add_argument("--weights", default="native", metavar="FMT", help="number format of all weights")
        one.add_argument("--kv", default="native", metavar="FMT", help="number format of the cache")
        one.add_argument("--batch", type=float, default=1, metavar="B", help="requests at once")
        one.add_argument("--input", type=float, default=1024, metavar="P", dest="prompt_tokens", help="prompt tokens")
        one.add_argument("--output", type=float, default=256, metavar="O", dest="output_tokens", help="output tokens")
    serving.add_argument("--users", type=float, metavar="U", help="users who ask at once, for the waiting time")
    training.add_argument("--gpus", type=int, required=True, metavar="N")
    training.add_argument(
        "--tokens", type=float, required=True, metavar="D", help="training tokens, for example 15.6e12"
    )
    training.add_argument("--mfu", type=float, metavar="X", help="model FLOPs utilisation (default: the assumption)")
    training.add_argument("--zero", type=int, choices=(0, 1, 2, 3), metavar="STAGE", help="ZeRO stage")
    training.add_argument("--sequence", type=float, metavar="S", dest="sequence_tokens", help="tokens of a sequence")
    training.add_argument("--micro-batch", type=int, metavar="B", help="sequences of a micro-batch (default: 1)")
    training.add_argument("--recompute", choices=("none", "selective", "full"), help="activations computed again")
    calibrated_times.add_arguments(serving, training)
    for one in (serving, training):
        one.add_argument(
            "--usd-per-gpu-hour", type=float, metavar="X", help="price (default: the dated one of the specs)"
        )


def find_model(library: Library, given: str) -> Model:
    """A model by id, or from a Hugging Face `config.json`."""
    if given.endswith(".json"):
        from generator.specs.huggingface import model_from_config

        return model_from_config(Path(given))
    return library.find("models", given)


def run(given: argparse.Namespace, root: Path) -> int:
    """Estimate and print. An infeasible configuration is an answer, not an error."""
    library = load(root)
    skipped = ("command", "kind", "run", "json", "model", "accelerator", *CALIBRATED)
    arguments = {key: value for key, value in vars(given).items() if key not in skipped and value is not None}
    model = find_model(library, given.model)
    estimate = run_estimate(given.kind, library, model=model, accelerator=given.accelerator, **arguments)
    calibrated = calibrated_times.times(given, library, model)
    if given.json:
        more = {} if calibrated is None else {"calibrated": calibrated}
        print(json.dumps(as_json(estimate) | more, indent=1, allow_nan=False))
    else:
        print("\n".join([as_text(estimate), *([] if calibrated is None else calibrated_times.text(calibrated))]))
    return 0


PUBLIC_NAMES = {
    "training_flops": "flops",
    "training_seconds": "seconds",
    "training_gpu_hours": "gpu_hours",
    "training_state_bytes": "state_bytes",
    "training_usd": "usd",
}
"""Field of an estimate -> its name in the JSON contract, where the two differ."""


def as_json(estimate: Any) -> dict[str, Any]:
    """Every field of an estimate in base units: numbers, words, and lists of reasons."""
    names = [field.name for field in dataclasses.fields(estimate) if _shown(estimate, field.name)]
    return {PUBLIC_NAMES.get(name, name): _plain(getattr(estimate, name)) for name in names}


def _shown(estimate: Any, name: str) -> bool:
    return name != "architecture" and not callable(getattr(estimate, name))


def _plain(value: Any) -> Any:
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        return published(value) if value == value else None
    if dataclasses.is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return str(value)


def as_text(estimate: Any) -> str:
    """A readable table: what was asked, whether it works, then every number with its meaning and kind."""
    lines = [f"{estimate.model} on {estimate.accelerator}"]
    feasible = getattr(estimate, "feasible", True)
    lines.append("fits" if feasible else "does not work:")
    lines += [f"  {reason}" for reason in getattr(estimate, "reasons", ())]
    lines += [f"  note: {note}" for note in getattr(estimate, "notes", ())]
    if getattr(estimate, "binding", None):
        lines.append(f"a decode step is bound by {estimate.binding}")
    rows = []
    for field in dataclasses.fields(estimate):
        value = getattr(estimate, field.name)
        if isinstance(value, Traced):
            rows.append((field.name, formatting.plain(value, value.unit), value.kind, meaning(value)))
        elif value is None and field.name.endswith(("_s", "_tokens", "_bytes")):
            rows.append((field.name, "not known", "", ""))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines += [
        f"  {name:<{widths[0]}}  {value:>{widths[1]}}  {kind:<{widths[2]}}  {words}"
        for name, value, kind, words in rows
    ]
    return "\n".join(lines)

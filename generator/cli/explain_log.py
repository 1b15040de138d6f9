"""explain-log: a vLLM start-up log beside what the handbook predicts for the same configuration."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from generator import engine_logs, formatting, log_comparison
from generator.engine_logs import GIB
from generator.log_comparison import Comparison, Row
from generator.results import published
from generator.specs.load import load


def add_commands(commands: Any) -> None:
    """Add the command."""
    command = commands.add_parser("explain-log", help="a vLLM start-up log: predicted beside logged, with reasons")
    command.add_argument("file", type=Path, metavar="FILE", help="the log; DEBUG lines tell more")
    command.add_argument("--model", metavar="ID", help="model id, if the log does not tell it")
    command.add_argument("--accelerator", metavar="ID", help="accelerator id, if the log does not tell it")
    command.add_argument("--tp", type=int, metavar="N", help="tensor-parallel degree (default: as logged)")
    command.add_argument("--pp", type=int, metavar="N", help="pipeline stages (default: as logged)")
    command.add_argument("--weights", metavar="FMT", help="number format of the weights (default: as logged)")
    command.add_argument("--kv", metavar="FMT", help="number format of the cache (default: as logged)")
    command.add_argument("--json", action="store_true", help="one JSON object in base units")
    command.set_defaults(run=run)


def run(given: argparse.Namespace, root: Path) -> int:
    """Parse, compare and print."""
    for name, degree in (("tp", given.tp), ("pp", given.pp)):
        if degree is not None and degree < 1:
            raise log_comparison.LogFault(f"{name} must be a whole number from 1, got {degree}")
    log = engine_logs.parse(given.file.read_text(encoding="utf-8", errors="replace"))
    found = log_comparison.compare(
        log, load(root), model=given.model, accelerator=given.accelerator, tp=given.tp, pp=given.pp,
        weights=given.weights, kv=given.kv,
    )  # fmt: skip
    print(json.dumps(as_json(found), indent=1, allow_nan=False) if given.json else as_text(found))
    return 0


def as_json(found: Comparison) -> dict[str, Any]:
    """Configuration, rows and remarks in base units."""
    return {
        "model": found.model,
        "accelerator": found.accelerator,
        "weights": found.weights,
        "kv": found.kv,
        "tp": found.tp,
        "pp": found.pp,
        "engine": {"generation": found.log.generation, "version": found.log.get("version")},
        "memory_utilization": published(found.estimate.engine.memory_utilization),
        "device_visible_bytes": published(found.estimate.engine.device_visible_bytes),
        "rows": [
            {
                "quantity": row.quantity,
                "formula": row.formula,
                "unit": row.unit,
                "predicted": None if row.predicted is None else published(row.predicted),
                "logged": None if row.logged is None else published(row.logged),
                "line": row.line,
                "difference": None if row.difference is None else published(row.difference),
                "reason": row.reason,
            }
            for row in found.rows
        ],
        "notes": list(found.notes),
    }


def as_text(found: Comparison) -> str:
    """A table for people: predicted beside logged, the line of the log, the difference, the likely reason."""
    engine = " ".join(filter(None, ["vLLM", found.log.get("version"), found.log.generation]))
    head = f"{found.model} on {found.tp * found.pp} x {found.accelerator}"
    layout = f"TP {found.tp}" + (f", PP {found.pp}" if found.pp > 1 else "")
    lines = [
        f"{head}, {layout}, weights {found.weights}, cache {found.kv}, {engine}",
        *(f"  note: {note}" for note in found.notes),
    ]
    cells = [("", "predicted", "logged", "difference", "line", "")]
    cells += [
        (
            row.quantity,
            _size(row, row.predicted),
            _size(row, row.logged),
            "" if row.difference is None else f"{100 * row.difference:+.1f} %",
            "" if row.line is None else str(row.line),
            row.reason,
        )
        for row in found.rows
    ]
    widths = [max(len(row[place]) for row in cells) for place in range(5)]
    for row in cells:
        name, *numbers, reason = row
        columns = [f"{text:>{width}}" for text, width in zip(numbers, widths[1:], strict=True)]
        lines.append(f"  {name:<{widths[0]}}  {'  '.join(columns)}  {reason}".rstrip())
    named = dict.fromkeys(row.formula for row in found.rows if row.formula not in ("", "value", "not predicted"))
    return "\n".join([*lines, f"formulas: {', '.join(named)}"])


def _size(row: Row, value: Any) -> str:
    if value is None:
        return "-"
    if row.unit == "B":
        return f"{float(value) / GIB:.2f} GiB"
    if row.unit == "token":
        return f"{round(float(value)):,}"
    if row.unit == "1":
        return f"{float(value):.2f}"
    return formatting.plain(value, row.unit)

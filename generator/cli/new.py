"""new: a commented file to fill in, for anything that the specs hold."""

from __future__ import annotations

import argparse
import dataclasses
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

from generator import units
from generator.estimates.architecture import describe
from generator.specs.fields import FullDate, Id
from generator.specs.huggingface import model_yaml
from generator.specs.knowledge import ExampleId
from generator.specs.load import load
from generator.specs.records import COLLECTIONS, InUnitOfFile, Quantity
from generator.specs.validate import marker_of, records_in

KINDS = {
    "accelerator": "accelerators",
    "system": "systems",
    "link": "links",
    "tier": "tiers",
    "model": "models",
    "number-format": "number_formats",
    "assumption": "assumptions",
    "workload": "workloads",
    "gpu-price": "prices/gpus",
    "api-price": "prices/apis",
    "reference": "references",
    "measurement": "measurements",
    "grid": "grids",
    "example": "examples",
}


def add_commands(commands: Any) -> None:
    """Add the command."""
    command = commands.add_parser("new", help="write a commented spec file to fill in")
    command.add_argument("kind", choices=KINDS, metavar="KIND", help=", ".join(KINDS))
    command.add_argument("id", help="id of the new thing, which is also its file name")
    command.add_argument(
        "--from-config", type=Path, metavar="config.json", help="model only: fill in from a Hugging Face config"
    )
    command.add_argument("--seen", metavar="YYYY-MM-DD", help="date on which the config was read")
    command.set_defaults(run=run)


def run(given: argparse.Namespace, root: Path) -> int:
    """Write the file; refuses to overwrite one."""
    rule = get_args(ExampleId if given.kind == "example" else Id)[1]
    if not re.fullmatch(rule.pattern, given.id):
        print(f"{rule.rule}, got `{given.id}`; nothing was written", file=sys.stderr)
        return 1
    collection = KINDS[given.kind]
    path = root / "specs" / collection / f"{given.id}.yaml"
    if path.exists():
        print(f"{path} exists; nothing was written", file=sys.stderr)
        return 1
    if given.from_config:
        if given.kind != "model":
            print("--from-config makes a model", file=sys.stderr)
            return 2
        written = get_args(FullDate)[1]
        if given.seen is not None and not re.fullmatch(written.pattern, given.seen):
            print(f"{written.rule}, got `{given.seen}`; nothing was written", file=sys.stderr)
            return 1
        library = load(root)
        text = model_yaml(
            given.from_config,
            identifier=given.id,
            seen=given.seen or "YYYY-MM-DD",
            count=lambda model: describe(model, library).total_params,
        )
    else:
        text = template(COLLECTIONS[collection], given.id)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    print(f"wrote {path.relative_to(root)}; fill it in, then run: handbook check")
    return 0


def template(record: type, identifier: str) -> str:
    """A file with every field of a record: required ones to fill in, optional ones commented out."""
    summary = (record.__doc__ or "").strip().splitlines()[0]
    lines = [
        f"# {summary}",
        "# Fill in what is known; delete lines that do not apply. `handbook check` lists what is missing.",
    ]
    lines += _fields(record, identifier)
    return "\n".join(lines) + "\n"


LAST = ("notes", "conflicts", "sources")
"""Fields that stand at the end of a file."""


def _place(name: str) -> tuple[bool, int]:
    return name not in ("id", "name"), LAST.index(name) + 1 if name in LAST else 0


def _optional(field: dataclasses.Field) -> bool:
    return field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING


def _fields(record: type, identifier: str, *, open_all: bool = False) -> Iterator[str]:
    """A line for each field; optional ones are commented out, unless the record has no others."""
    hints = get_type_hints(record, include_extras=True)
    for field in sorted(dataclasses.fields(record), key=lambda one: _place(one.name)):
        hint = hints[field.name]
        mark = "# " if _optional(field) and not open_all else ""
        inner = records_in(hint)
        if field.name == "id":
            yield f"id: {identifier}"
        elif inner:
            yield from (mark + line for line in _nested(field.name, hint, inner, identifier))
        else:
            yield f"{mark}{field.name}: {_sample(field.name, hint)}"


def _nested(name: str, hint: Any, inner: list[type], identifier: str) -> Iterator[str]:
    several = f"  # one of: {', '.join(one.__name__ for one in inner)}" if len(inner) > 1 else ""
    word = "  # or one word: none" if "OrWord" in str(hint) else ""
    yield f"{name}:{several}{word}"
    no_other = all(map(_optional, dataclasses.fields(inner[0])))
    in_list = "list" in str(hint)
    for number, line in enumerate(_fields(inner[0], identifier, open_all=no_other)):
        yield ("  - " if number == 0 else "    ") + line if in_list else f"  {line}"


SAMPLES = {
    "B": "80 GB",
    "B/s": "3.35 TB/s",
    "FLOP/s": "989.4 TFLOP/s",
    "W": "700 W",
    "s": "5 us",
    "token": "131072 tokens",
}
"""How a quantity of each unit is written."""


def _sample(name: str, hint: Any) -> str:
    found = marker_of(hint)
    if isinstance(found, InUnitOfFile):
        return "  # in the unit given in `unit`"
    if isinstance(found, Quantity):
        if found.unit == "1":
            return "  # a share between 0 and 1" if found.most == 1 else "  # a plain number"
        if found.unit in units.PLAIN:
            return "  # a whole number" if found.whole else "  # a plain number"
        spelling = next(iter(units.SPELLINGS[found.unit]))
        return f"  # a number and a unit, as in {SAMPLES.get(found.unit, f'2.5 {spelling}')}"
    choices = [value for value in get_args(hint) if isinstance(value, str)]
    if choices:
        return f"  # one of: {', '.join(choices)}"
    if name == "covers":
        return "[all]  # or the fields that this source covers: [memory, dense_peak.bf16]"
    if name in ("seen", "date", "released", "checked"):
        return "  # a date in quotes, as in '2026-01-31'"
    if str(hint).startswith(("list", "dict")):
        return "[]" if str(hint).startswith("list") else "{}"
    return "true" if hint is bool else '""'

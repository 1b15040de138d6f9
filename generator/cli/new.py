"""new: a commented file to fill in, for anything that the specs hold."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

from generator import units
from generator.estimates.architecture import describe
from generator.specs.huggingface import model_yaml
from generator.specs.load import load
from generator.specs.records import COLLECTIONS, InUnitOfFile, Quantity
from generator.specs.validate import marker_of, records_in

KINDS = {
    "accelerator": "accelerators",
    "system": "systems",
    "link": "links",
    "model": "models",
    "number-format": "number_formats",
    "assumption": "assumptions",
    "workload": "workloads",
    "gpu-price": "prices/gpus",
    "api-price": "prices/apis",
    "reference": "references",
    "measurement": "measurements",
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
    command.add_argument("--seen", default="YYYY-MM-DD", help="date on which the config was read")
    command.set_defaults(run=run)


def run(given: argparse.Namespace, root: Path) -> int:
    """Write the file; refuses to overwrite one."""
    collection = KINDS[given.kind]
    path = root / "specs" / collection / f"{given.id}.yaml"
    if path.exists():
        print(f"{path} exists; nothing was written", file=sys.stderr)
        return 1
    if given.from_config:
        if given.kind != "model":
            print("--from-config makes a model", file=sys.stderr)
            return 2
        library = load(root)
        text = model_yaml(
            given.from_config,
            identifier=given.id,
            seen=given.seen,
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
    lines += _fields(record, identifier, "")
    return "\n".join(lines) + "\n"


def _fields(record: type, identifier: str, indent: str) -> Iterator[str]:
    hints = get_type_hints(record, include_extras=True)
    fields = sorted(dataclasses.fields(record), key=lambda field: field.name not in ("id", "name"))
    for field in fields:
        hint = hints[field.name]
        optional = field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING
        mark = "# " if optional else ""
        if field.name == "id":
            yield f"{indent}id: {identifier}"
            continue
        inner = records_in(hint)
        if inner:
            is_list = "list" in str(hint)
            yield f"{indent}{mark}{field.name}:" + (
                f"  # one of: {', '.join(one.__name__ for one in inner)}" if len(inner) > 1 else ""
            )
            nested = list(_fields(inner[0], identifier, ""))
            for number, line in enumerate(nested):
                lead = ("  - " if number == 0 else "    ") if is_list else "  "
                yield f"{indent}{mark}{lead}{line}"
            continue
        yield f"{indent}{mark}{field.name}: {_sample(hint)}"


def _sample(hint: Any) -> str:
    found = marker_of(hint)
    if isinstance(found, InUnitOfFile):
        return "  # in the unit given in `unit`"
    if isinstance(found, Quantity):
        if found.unit in units.PLAIN:
            return f"  # a number ({found.unit})"
        spelling = next(
            (one for one in units.SPELLINGS[found.unit] if one[0] in "GT"), next(iter(units.SPELLINGS[found.unit]))
        )
        return f"  # a number and a unit, as in 80 {spelling}"
    choices = [value for value in get_args(hint) if isinstance(value, str)]
    if choices:
        return f"  # one of: {', '.join(choices)}"
    return {bool: "false", str: '""'}.get(hint, "")

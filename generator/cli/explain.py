"""explain: the derivation of any published number, as text."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from generator import pages
from generator.pages.derivations import explain
from generator.results import Registry
from generator.specs.library import UnknownId
from generator.specs.load import load
from generator.specs.validate import suggestion
from generator.worksheets import lookup


def add_commands(commands: Any) -> None:
    """Add the command."""
    command = commands.add_parser("explain", help="how a published number came about: formula, inputs, sources")
    command.add_argument("id", help="WX-007, models/llama-3-8b/total_params, or accelerators/h100-sxm#memory.bandwidth")
    command.set_defaults(run=run)


def run(given: argparse.Namespace, root: Path) -> int:
    """Print the derivation of a result, a worked example or a spec value."""
    library = load(root)
    if "#" in given.id:
        print("\n".join(explain(lookup(library, given.id), Registry())))
        return 0
    opened = pages.open_book(root, library)
    wanted = f"{given.id}/answer" if given.id in opened.examples else given.id
    if wanted not in opened.registry.results:
        pages.write_book(opened)
    results = opened.registry.results
    if wanted not in results:
        raise UnknownId(f"no result is called `{given.id}`{suggestion(given.id, list(results))}")
    result = results[wanted]
    if given.id in opened.examples:
        print(opened.examples[given.id].record.question)
    print("\n".join(explain(result.traced, opened.registry)))
    return 0

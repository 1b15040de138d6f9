"""explain: the derivation of any published number, as text."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from generator import pages
from generator.cli.estimate import as_text
from generator.estimates import configurations
from generator.pages.explanations import explain
from generator.provenance import Datum, Traced
from generator.results import Registry
from generator.specs.library import Library, UnknownId
from generator.specs.load import load
from generator.specs.validate import suggestion
from generator.worksheets import lookup


def add_commands(commands: Any) -> None:
    """Add the command."""
    command = commands.add_parser("explain", help="how a published number came about: formula, inputs, sources")
    command.add_argument(
        "id",
        help="WX-007, models/llama-3-8b/total_params, accelerators/h100-sxm#memory.bandwidth, "
        "or playground/llama-3.1-70b/h200/tp4/fp8/b64/chat",
    )
    command.set_defaults(run=run)


def run(given: argparse.Namespace, root: Path) -> int:
    """Print the derivation of a result, a worked example or a spec value."""
    library = load(root)
    if "#" in given.id:
        number = lookup(library, given.id)
        # The count needs every page and takes its time: what is known already comes first.
        print("\n".join(explain(number, Registry())), flush=True)
        if isinstance(number.origin, Datum):
            print(resting_on(number.origin, root))
        return 0
    if given.id.startswith(configurations.PREFIX + "/"):
        print("\n".join(explain_configuration(given.id, library)))
        return 0
    opened = pages.open_book(root, library)
    wanted = f"{given.id}/answer" if given.id in opened.examples else given.id
    if wanted not in opened.registry.results:
        pages.write_book(opened)
    results = opened.registry.results
    if wanted not in results:
        near = difflib.get_close_matches(given.id, [*results, *opened.examples], 1, 0.6)
        hint = f"; did you mean `{near[0]}`?" if near else "; the card of a number on the site shows its id"
        raise UnknownId(f"no result is called `{given.id}`{hint}")
    result = results[wanted]
    if given.id in opened.examples:
        print(opened.examples[given.id].record.question)
    print("\n".join(explain(result.traced, opened.registry)))
    return 0


def resting_on(datum: Datum, root: Path) -> str:
    """How many published results rest on a datum, and how to see them and what an edit would move."""
    count = pages.dependent_counts(root).get(datum.path, 0)
    if not count:
        return "no published result rests on it"
    results = f"{count} published results rest" if count > 1 else "one published result rests"
    place, _, field = datum.path.partition("#")
    return (
        f"{results} on it:\n  handbook impact {datum.path}\nwhat another value would move:\n"
        f'  handbook impact {place} --set "{field}=VALUE"'
    )


CONFIGURATION = ("max_concurrent_requests", "ttft_s", "tpot_s", "usd_per_million_tokens_mixed")
"""What is derived of a configuration of the playground, unless its id goes on with a number of the estimate."""


def explain_configuration(identifier: str, library: Library) -> Iterator[str]:
    """A configuration of the playground, worked out again: its numbers, and the derivation of those that count."""
    asked = configurations.configuration(identifier, library)
    estimate = asked.estimate(library)
    known = [name for name in vars(estimate) if isinstance(getattr(estimate, name), Traced)]
    if asked.field and asked.field not in known:
        raise UnknownId(f"a configuration has no number `{asked.field}`{suggestion(asked.field, known)}")
    if not asked.field:
        yield as_text(estimate)
        yield f"\n{asked.command()}\n"
    for name in [asked.field] if asked.field else [name for name in CONFIGURATION if name in known]:
        yield from explain(getattr(estimate, name), Registry())

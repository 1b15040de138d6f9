"""What has been published: every revision of every worked example, with the data it rested on.

`specs/published/examples.json` is written by `handbook example`, never by hand. It lets the check say which datum moved
a fixed value, keeps old revisions readable, and makes sure that an id once published stays.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from generator.examples import WorkedExample
from generator.provenance import Choice, Datum, Simulation, Traced, flatten, leaves
from generator.results import published

EXAMPLES = Path("specs/published/examples.json")

Record = dict[str, list[dict[str, Any]]]
"""Id of an example -> its published revisions, oldest first."""


def digest(number: Traced) -> str:
    """Twelve hexadecimal digits that stand for everything a number was made from: data, choices, formulas, seeds.

    Whoever rebuilds the handbook and sees the same digits has the same inputs.
    """
    lines = set()
    seen: set[int] = set()
    waiting: list[Any] = [number]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, Traced) or id(node) in seen:
            continue
        seen.add(id(node))
        origin = node.origin
        if isinstance(origin, Datum):
            lines.add(f"datum {origin.path} {published(node)!r} {node.unit}")
        elif isinstance(origin, Choice):
            lines.add(f"choice {node.name} {published(node)!r} {node.unit}")
        else:
            if isinstance(origin, Simulation):
                words = sorted(origin.settings.items())
                lines.add(f"simulation {origin.simulator} {words!r} {origin.seed} {origin.runs}")
            else:
                lines.add(f"formula {origin.formula.__name__}")
            lines |= {
                f"number {name} {published(one)!r}"
                for name, given in origin.inputs.items()
                for one in (given if isinstance(given, (tuple, list)) else (given,))
                if not isinstance(one, Traced)
            }
            waiting += flatten(origin.inputs)
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:12]


def snapshot(example: WorkedExample) -> dict[str, Any]:
    """One revision of an example as it is kept: question, steps, value, and every datum behind it."""
    record, answer = example.record, example.answer
    return {
        "revision": int(record.revision),
        "title": record.title,
        "question": record.question,
        "steps": record.steps,
        "answer": record.answer,
        "value": published(answer),
        "expected": example.expected,
        "tolerance": float(record.expected.tolerance),
        "unit": answer.unit,
        "kind": answer.kind,
        "digest": digest(answer),
        "data": data_of(answer),
    }


def data_of(number: Traced) -> dict[str, Any]:
    """Datum path -> value, for every datum behind a number."""
    return dict(
        sorted((leaf.origin.path, published(leaf)) for leaf in leaves(number) if isinstance(leaf.origin, Datum))
    )


def read(root: Path) -> Record:
    """The published revisions of a project; none if nothing has been published."""
    path = root / EXAMPLES
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def text_of(record: Record) -> str:
    """The file: one line for each revision, so that a change shows as a line."""
    lines = [
        f" {json.dumps(identifier)}: [\n  "
        + ",\n  ".join(json.dumps(one, ensure_ascii=False, separators=(",", ":"), default=str) for one in revisions)
        + "\n ]"
        for identifier, revisions in sorted(record.items())
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def with_new(record: Record, examples: Iterable[WorkedExample]) -> Record:
    """The record with every revision that it does not have yet; what it has stays as it is."""
    whole = {identifier: list(revisions) for identifier, revisions in record.items()}
    for example in examples:
        kept = whole.setdefault(example.record.id, [])
        if all(one["revision"] != int(example.record.revision) for one in kept):
            kept.append(snapshot(example))
    return whole


def faults(record: Record, examples: Mapping[str, WorkedExample], files: Mapping[str, str]) -> list[str]:
    """What is not as it was published, each with file, before, after, the data responsible, and what to do.

    files: `examples/WX-001` -> its spec file.
    """
    found = [
        f"specs/examples/{identifier}.yaml:1:1: {identifier} has been published and is gone; an id stays for ever"
        for identifier in record
        if identifier not in examples
    ]
    for identifier, example in examples.items():
        place = f"{files[f'examples/{identifier}']}:1:1: {identifier}"
        kept = next(
            (one for one in record.get(identifier, ()) if one["revision"] == int(example.record.revision)), None
        )
        if kept is not None and abs(example.expected - kept["expected"]) > 1e-9 * abs(kept["expected"]):
            found.append(
                f"{place} revision {kept['revision']} was published with {kept['expected']:.6g} {kept['unit']}, its "
                f"file says {example.expected:.6g}; put it back, or `handbook example revise {identifier} --reason ...`"
            )
        elif not example.holds:
            found.append(f"{place} {_moved(example)}{''.join(_causes(example, kept))}")
    return found


def _moved(example: WorkedExample) -> str:
    answer, identifier = example.answer, example.record.id
    unit = "" if answer.unit == "1" else f" {answer.unit}"
    return (
        f"was published with {example.expected:.6g}{unit}, now computes {published(answer)} "
        f"({example.relative_difference:+.3%}); if the change is right, "
        f"`handbook example revise {identifier} --reason ...`"
    )


def _causes(example: WorkedExample, kept: Mapping[str, Any] | None) -> Iterator[str]:
    """Data behind the answer that are not what they were when it was published, with file and line."""
    if kept is None:
        return
    now = {leaf.origin.path: leaf for leaf in leaves(example.answer) if isinstance(leaf.origin, Datum)}
    for path, before in kept["data"].items():
        if path not in now:
            yield f"\n    {path} was {before}, and is not behind it any more"
        elif published(now[path]) != before:
            leaf = now[path]
            yield (
                f"\n    {leaf.origin.file}:{leaf.origin.line}: {path.partition('#')[2]} was {before}, now "
                f"{published(leaf)} {leaf.unit}".rstrip()
            )
    for path in now.keys() - kept["data"].keys():
        yield f"\n    {now[path].origin.file}:{now[path].origin.line}: {path.partition('#')[2]} is new behind it"


_REVISE = re.compile(r"`handbook example revise (WX-\d+) ")


def advice(found: Iterable[str]) -> str:
    """The one command that accepts every moved value among the faults; empty if none moved."""
    moved = [one[1] for fault in found if (one := _REVISE.search(fault))]
    if not moved:
        return ""
    return f'if all of these changes are right:\n  handbook example revise {" ".join(moved)} --reason "..."'

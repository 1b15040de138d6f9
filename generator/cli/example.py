"""example revise, example record: the next revision of a fixed example, and the record of what has been published."""

from __future__ import annotations

import argparse
import re
from datetime import date
from pathlib import Path
from typing import Any, get_args

import yaml

from generator import published, units
from generator.examples import WorkedExample, work, work_all
from generator.overlay import replace_value
from generator.publish import write_file
from generator.specs import positions
from generator.specs.fields import FullDate
from generator.specs.library import UnknownId
from generator.specs.load import load
from generator.units import round_significant


def add_commands(commands: Any) -> None:
    """Add both commands."""
    command = commands.add_parser("example", help="revise a fixed example, or record what is published")
    kinds = command.add_subparsers(dest="kind", required=True, metavar="{revise,record}")
    revise = kinds.add_parser("revise", help="publish the value that an example has now, with the reason")
    revise.add_argument("ids", nargs="+", metavar="ID", help="WX-001")
    revise.add_argument("--reason", required=True, help="why the value is another one now")
    revise.add_argument("--date", help="YYYY-MM-DD, default: today")
    revise.set_defaults(run=run_revise)
    record = kinds.add_parser("record", help="record every revision that has not been recorded yet")
    record.set_defaults(run=run_record)


def run_revise(given: argparse.Namespace, root: Path) -> int:
    """Raise the revision of some examples: files and record, all or none."""
    library = load(root)
    examples = [work(library.find("examples", one), library) for one in dict.fromkeys(given.ids)]
    when, rule = given.date or date.today().isoformat(), get_args(FullDate)[1]
    if not re.fullmatch(rule.pattern, when):
        raise UnknownId(f"--date: {rule.rule}, got `{when}`")
    if not given.reason.strip():
        raise UnknownId("--reason is empty; readers will want to know why the value changed")
    record = published.read(root)
    for example in examples:
        # Never recorded: what stands in the file is what was published, whatever it computes now.
        first = {**published.snapshot(example), "value": example.expected, "data": {}}
        record.setdefault(example.record.id, [first])
    paths = {one.record.id: root / library.files[f"examples/{one.record.id}"] for one in examples}
    before = {identifier: path.read_text(encoding="utf-8") for identifier, path in paths.items()}
    try:
        for one in examples:
            text = revised(before[one.record.id], paths[one.record.id].name, one, when, given.reason)
            write_file(paths[one.record.id], text.encode())
        again = load(root)
        record = published.with_new(record, [work(again.find("examples", one), again) for one in paths])
        (root / published.EXAMPLES).parent.mkdir(parents=True, exist_ok=True)
        write_file(root / published.EXAMPLES, published.text_of(record).encode())
    except BaseException:
        for identifier, path in paths.items():
            path.write_text(before[identifier], encoding="utf-8")
        raise
    for one in examples:
        value = _value(before[one.record.id], paths[one.record.id].name, one)
        print(f"{one.record.id}: revision {one.record.revision + 1:g}, {value}")
    return 0


def run_record(given: argparse.Namespace, root: Path) -> int:
    """Record new revisions; refuses while a fixed value has moved."""
    library = load(root)
    examples = work_all(library)
    before = published.read(root)
    found = published.faults(before, examples, library.files)
    if found:
        raise UnknownId("\n".join(found))
    after = published.with_new(before, examples.values())
    (root / published.EXAMPLES).parent.mkdir(parents=True, exist_ok=True)
    write_file(root / published.EXAMPLES, published.text_of(after).encode())
    added = sum(map(len, after.values())) - sum(map(len, before.values()))
    print(f"recorded {added} revisions; {sum(map(len, after.values()))} in all")
    return 0


def revised(text: str, name: str, example: WorkedExample, when: str, reason: str) -> str:
    """The file of an example with its present value as the next revision; comments elsewhere stay."""
    data = positions.read(text, name).data
    revision = int(example.record.revision)
    history = [
        *data.get("history", []),
        {"revision": revision, "date": when, "value": str(data["expected"]["value"]), "reason": reason},
    ]
    text = replace_value(text, name, "expected.value", _value(text, name, example))
    text = _without(text, "revision", "history")
    tail = yaml.safe_dump(
        {"revision": revision + 1, "history": history}, sort_keys=False, allow_unicode=True, width=110
    )
    return text.rstrip("\n") + "\n" + tail


def _value(text: str, name: str, example: WorkedExample) -> str:
    """The present value in the unit in which the file gives the published one."""
    given = positions.read(text, name).data["expected"]["value"]
    value = float(example.answer)
    if isinstance(given, (int, float)):
        return f"{published.published(example.answer)}"
    unit = str(given).split(maxsplit=1)[1]
    return f"{round_significant(value / units.parse(f'1 {unit}', example.answer.unit)):.6g} {unit}"


def _without(text: str, *keys: str) -> str:
    """The text without some keys at the top of its mapping."""
    lines, kept, skipping = text.splitlines(keepends=True), [], False
    for line in lines:
        if line[:1] not in (" ", "\n", "-", "#"):
            skipping = line.partition(":")[0] in keys
        if not skipping:
            kept.append(line)
    return "".join(kept)

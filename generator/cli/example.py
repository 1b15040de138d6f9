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


def add_commands(commands: Any) -> None:
    """Add both commands."""
    command = commands.add_parser(
        "example",
        help="revise a fixed example, or record what is published",
        description="The value of a worked example is fixed: `handbook check` fails when an edit moves it.",
    )
    kinds = command.add_subparsers(dest="kind", required=True, metavar="{revise,record}")
    revise = kinds.add_parser(
        "revise",
        help="publish the value that an example has now, with the reason",
        description="Write the present value as the next revision. The one before stays on the page with the reason.",
        epilog='for instance: handbook example revise WX-050 WX-061 --reason "bandwidth by the new data sheet"',
    )
    revise.add_argument("ids", nargs="+", metavar="ID", help="ids that `handbook check` names, such as WX-050")
    revise.add_argument("--reason", required=True, help="why the value is another one now; readers see it")
    revise.add_argument("--date", help="YYYY-MM-DD, default: today")
    revise.set_defaults(run=run_revise)
    record = kinds.add_parser(
        "record",
        help="record every revision that has not been recorded yet",
        description="Write new examples into specs/published/examples.json, so that their ids and values stay.",
    )
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
    same = [one.record.id for one in examples if _as_published(one, record.get(one.record.id, []))]
    if same:
        raise UnknownId(f"{', '.join(same)}: nothing to revise, the published value is what is computed now")
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


def _as_published(example: WorkedExample, kept: list[dict[str, Any]]) -> bool:
    """Value and everything behind it are those of the last revision; without a record, the value alone is compared."""
    if not kept:
        return example.holds
    return example.holds and kept[-1]["digest"] == published.digest(example.answer)


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
    answer, unit = example.answer, "" if isinstance(given, (int, float)) else str(given).split(maxsplit=1)[1]
    if not unit and isinstance(published.published(answer), int):
        return f"{published.published(answer)}"
    value = float(answer) / (units.parse(f"1 {unit}", answer.unit) if unit else 1.0)
    # Six digits, unless they miss an answer that must be met more closely.
    allowed = float(example.record.expected.tolerance) * abs(value)
    digits = next((some for some in (6, 9, 12) if abs(float(f"{value:.{some}g}") - value) <= allowed), 17)
    return f"{value:.{digits}g} {unit}".rstrip()


def _without(text: str, *keys: str) -> str:
    """The text without some keys at the top of its mapping."""
    lines, kept, skipping = text.splitlines(keepends=True), [], False
    for line in lines:
        if line[:1] not in (" ", "\n", "-", "#"):
            skipping = line.partition(":")[0] in keys
        if not skipping:
            kept.append(line)
    return "".join(kept)

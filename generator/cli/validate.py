"""validate: what is predicted for the measurements of a file, with bands, beside what was measured."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from generator.formatting import percent
from generator.specs.load import load
from generator.units import round_significant
from generator.validation.errors import Errors
from generator.validation.judge import Verdict, judge
from generator.validation.registry import families, with_derived
from generator.validation.reports import by_family
from generator.validation.rows import read

WORST = 5


def add_commands(commands: Any) -> None:
    """Add `validate`."""
    parser = commands.add_parser(
        "validate",
        help="predicted against measured for a file of measurements",
        description="Predicts every row of a file in the format of specs/measurements/tables, with its 80 % band, and "
        "compares. Rows that are not covered are skipped and counted by reason.",
        epilog="for instance: handbook validate specs/measurements/tables/kv-transfer.csv",
    )
    parser.add_argument("file", type=Path, metavar="FILE.csv", help="one measurement a line; see the format in README")
    parser.add_argument("--family", choices=sorted(families()), help="rows of one family alone")
    parser.add_argument("--json", action="store_true", help="one JSON object: rows, families, skipped")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace, root: Path) -> int:
    """Judge the rows of a file."""
    verdicts = judge(list(with_derived(read(given.file))), load(root), given.family)
    print(json.dumps(as_json(verdicts), ensure_ascii=False) if given.json else as_text(verdicts))
    return 0


def as_json(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """Rows in the unit of each row; errors as shares of the measured value."""
    return {
        "rows": [_row(verdict) for verdict in verdicts],
        "families": {name: _errors(found) for name, found in by_family(verdicts).items()},
        "skipped": dict(Counter(one.refusal for one in verdicts if not one.covered).most_common()),
    }


def _row(verdict: Verdict) -> dict[str, Any]:
    row: dict[str, Any] = {"id": verdict.row.id}
    for name, value in zip(("predicted", "low", "high"), verdict.shown(), strict=True):
        row[name] = None if value is None else round_significant(value)
    row |= {
        "measured": verdict.row.value, "unit": verdict.row.unit, "family": verdict.family, "covered": verdict.covered,
        "alike": verdict.alike if verdict.covered else None,
    }  # fmt: skip
    reason = verdict.refusal or (verdict.case.remark if verdict.case else "")
    return row | ({"reason": reason} if reason else {})


def _errors(found: Errors) -> dict[str, Any]:
    return {"n": found.n} | {
        name: None if value is None else round_significant(value)
        for name, value in (
            ("median_ape", found.median), ("p90_ape", found.p90), ("bias", found.bias), ("inside_band", found.inside),
        )
    }  # fmt: skip


def as_text(verdicts: Sequence[Verdict]) -> str:
    """A line for each family, the worst rows of all, and what was skipped."""
    lines = [f"{'family':<22}{'n':>6}{'median':>9}{'p90':>9}{'bias':>9}{'in band':>9}"]
    for name, found in by_family(verdicts).items():
        shown = ["-" if one is None else percent(one, 3) for one in (found.median, found.p90, found.bias, found.inside)]
        lines.append(f"{name:<22}{found.n:>6}" + "".join(f"{one:>9}" for one in shown))
    covered = [one for one in verdicts if one.covered and one.case is not None and one.case.fitted]
    worst = sorted(covered, key=lambda one: -abs(one.error))[:WORST]
    if worst:
        lines += ["", "worst:"]
    for one in worst:
        told = f"predicted {one.shown()[0]:.4g}, measured {one.row.value:.4g} {one.row.unit}"
        lines.append(f"  {one.row.id}: {told} ({one.error:+.0%}), {one.family}")
    skipped = Counter(one.refusal for one in verdicts if not one.covered)
    if skipped:
        lines += ["", f"{sum(skipped.values())} of {len(verdicts)} rows skipped:"]
        lines += [f"  {count:>6}  {reason}" for reason, count in skipped.most_common()]
    return "\n".join(lines)

"""calibrate: refit the constants of a family to the measurement tables, and show what changes."""

from __future__ import annotations

import argparse
import importlib.util
import sys
from pathlib import Path
from typing import Any

from generator.formatting import percent
from generator.publish import write_file
from generator.specs.load import load
from generator.specs.records import Calibration
from generator.units import round_significant
from generator.validation.calibration_file import rewritten
from generator.validation.fit import Fit, fit
from generator.validation.judge import calibration_of, express_all
from generator.validation.merging import one_each
from generator.validation.registry import families
from generator.validation.reports import measured_rows

SMALLEST_CHANGE = 1e-4


def add_commands(commands: Any) -> None:
    """Add `calibrate`."""
    parser = commands.add_parser(
        "calibrate",
        help="refit the constants of calibrated predictions, and show what changes",
        description="Refits the fitted constants of specs/calibrations to specs/measurements/tables, measures the "
        "errors on groups that were held out, and shows what changes. Nothing is written without --write; a build "
        "never refits.",
    )
    parser.add_argument("families", nargs="*", metavar="FAMILY", help=f"all unless named: {', '.join(families())}")
    parser.add_argument("--write", action="store_true", help="write values, bands and errors to the spec files")
    parser.add_argument("--date", metavar="YYYY-MM-DD", help="date of the fit (default: that of the file)")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace, root: Path) -> int:
    """Refit one family after another."""
    unknown = [name for name in given.families if name not in families()]
    if unknown:
        print(f"no family is called {', '.join(unknown)}; known: {', '.join(families())}", file=sys.stderr)
        return 2
    if importlib.util.find_spec("scipy") is None:
        print("calibrate needs SciPy: install the handbook with its extra `calibrate`", file=sys.stderr)
        return 2
    library = load(root)
    for name in given.families or families():
        family = families()[name]
        calibration = calibration_of(library, family)
        if calibration is None:
            continue
        cases, _ = express_all(measured_rows(library, calibration.tables), library, name)
        chosen = one_each(cases.get(name, []))
        if not chosen:
            print(f"{name}: no row of {', '.join(calibration.tables)} is covered")
            continue
        found = fit(family, chosen, calibration)
        print(_text(calibration, found, len(chosen)))
        if given.write:
            path = root / library.files[f"calibrations/{calibration.id}"]
            new = rewritten(path.read_text(encoding="utf-8"), found, given.date)
            write_file(path, new.encode())
            print(f"  written to {path.relative_to(root)}")
    return 0


def _text(calibration: Calibration, found: Fit, rows: int) -> str:
    lines = [f"{calibration.id}: {rows} measurements"]
    for constant, new, count in zip(calibration.constants, found.values, found.rows, strict=True):
        where = " ".join(f"{name}={value}" for name, value in constant.where.items()) or "all"
        old = float(constant.value)
        moved = "" if abs(new / old - 1 if old else new) < SMALLEST_CHANGE else f" -> {round_significant(new, 4):g}"
        edge = [
            word for word, end in (("low", constant.low), ("high", constant.high)) if end and abs(new / end - 1) < 1e-3
        ]
        at = f"  at its {edge[0]} limit" if edge and constant.how == "fitted" else ""
        lines.append(f"  {constant.name} [{where}] {constant.how}: {old:g}{moved} ({count} rows){at}")
    for held in found.held:
        off = held.errors
        where = " ".join(f"{name}={value}" for name, value in held.where.items())
        shown = " ".join(
            f"{word} {percent(value, 3)}"
            for word, value in (("median", off.median), ("p90", off.p90), ("bias", off.bias), ("in band", off.inside))
            if value is not None
        )
        band = f"band {held.low:.3f} to {held.high:.3f}"
        lines.append(f"  held out {held.what} [{where}]: n {held.rows} in {held.groups} groups, {shown}, {band}")
    return "\n".join(lines)

"""Parts of the validation pages: constants, bands, errors on what was held out, aims reached or not."""

from __future__ import annotations

from collections.abc import Sequence

from generator import formatting
from generator.pages import markup
from generator.pages.book import Book
from generator.pages.writer import Writer
from generator.specs.records import Calibration, HeldOut
from generator.study import Cell, Column, Table
from generator.validation.calibration import ALIKE
from generator.validation.family import Aim, Family
from generator.validation.judged import Judged, errors_of


def held_out(book: Book, family: Family, where: dict[str, str] | None = None) -> HeldOut | None:
    """The errors on held-out groups of configurations like measured ones; None if none were held out."""
    wanted = {**(where or {}), ALIKE: "yes"}
    return next((one for one in book.library.find("calibrations", family.id).errors if one.where == wanted), None)


def reached(book: Book, family: Family, judged: Sequence[Judged]) -> list[str]:
    """For each aim of a family what the held-out groups say; all rows where no constant was fitted."""
    return [_reached(family, aim, *_found(book, family, aim, judged)) for aim in family.aims]


def _found(book: Book, family: Family, aim: Aim, judged: Sequence[Judged]) -> tuple[float | None, float | None, str]:
    """Median, 90th percentile, and on what."""
    held = held_out(book, family, dict(aim.where))
    if held is not None:
        return float(held.median), float(held.p90), "held out"
    if family.constants:
        return None, None, ""
    off = errors_of([one for one in judged if one.family == family.id and aim.where.items() <= dict(one.keys).items()])
    return off.median, off.p90, "all rows, since nothing is fitted:"


def _reached(family: Family, aim: Aim, median: float | None, p90: float | None, on: str) -> str:
    told = ", ".join(f"{name} {value}" for name, value in aim.where.items())
    name = f"{family.name}{f' ({told})' if told else ''}"
    asked = f"median {formatting.percent(aim.median)}"
    if aim.p90 is not None:
        asked += f", 90th percentile {formatting.percent(aim.p90)}"
    if median is None or p90 is None:
        return f"{name}: aimed at {asked}; not measured."
    got = f"median {formatting.percent(median)}, 90th percentile {formatting.percent(p90)}"
    well = median <= aim.median and (aim.p90 is None or p90 <= aim.p90)
    return f"{name}: aimed at {asked}; {on} {got}. {'Reached.' if well else '**Not reached.**'}"


def constants(writer: Writer, calibration: Calibration) -> str:
    """Every constant: value, what it holds for, how it was found, and from how many rows."""
    if not calibration.constants:
        return ""
    columns = (
        Column("constant", "Constant", ""), Column("where", "Holds for", ""), Column("value", "Value", ""),
        Column("how", "How", ""), Column("rows", "Measurements", "count"), Column("groups", "Groups", "count"),
        Column("why", "What it is", ""),
    )  # fmt: skip
    rows = tuple(
        (
            Cell(one.name), Cell(", ".join(f"{name} {value}" for name, value in one.where.items()) or "all"),
            Cell(formatting.text(float(one.value), one.unit)), Cell(one.how), Cell(one.rows), Cell(one.groups),
            Cell(one.why),
        )
        for one in calibration.constants
    )  # fmt: skip
    file = markup.text(f"specs/calibrations/{calibration.id}.yaml")
    return (
        f"## The constants\n\nThey stand in <code>{file}</code>, last fitted on {calibration.fitted}; change one there "
        "and build again.\n\n"
        + writer.table("constants", Table(columns, rows), "Constants of the calibrated prediction.")
    )


def bands(writer: Writer, calibration: Calibration) -> str:
    """The 80 % bands."""
    columns = (
        Column("where", "Rows", ""), Column("low", "Low", "1"), Column("high", "High", "1"),
        Column("rows", "Measurements", "count"),
    )  # fmt: skip
    words = {"yes": "like measured ones", "no": "unlike any measured"}
    rows = tuple(
        (
            Cell(", ".join(words[v] if n == ALIKE else f"{n} {v}" for n, v in one.where.items()) or "all"),
            Cell(one.low), Cell(one.high), Cell(one.rows),
        )
        for one in calibration.bands
    )  # fmt: skip
    return "## Bands\n\n" + writer.table(
        "bands", Table(columns, rows), "Measured over predicted: where four of five held-out measurements lie."
    )

"""Parts of the validation pages: constants, bands, errors on what was held out, aims reached or not."""

from __future__ import annotations

from collections.abc import Sequence

from generator import formatting
from generator.formulas.nomenclature import NOMENCLATURE
from generator.pages import markup, symbols
from generator.pages import validation_words as words
from generator.pages.book import Book
from generator.pages.writer import Writer
from generator.specs.records import Calibration, HeldOut
from generator.study import Cell, Column, Table
from generator.validation.calibration import ALIKE
from generator.validation.family import Aim, Family
from generator.validation.judged import Judged, errors_of

NOT_FITTED = "all rows: nothing is fitted"


def held_out(book: Book, family: Family, where: dict[str, str] | None = None) -> HeldOut | None:
    """The errors on held-out groups of configurations like measured ones; None if none were held out."""
    wanted = {**(where or {}), ALIKE: "yes"}
    return next((one for one in book.library.find("calibrations", family.id).errors if one.where == wanted), None)


def aims(book: Book, writer: Writer, chosen: Sequence[Family], judged: Sequence[Judged]) -> str:
    """A table of what was aimed at and what was reached; empty without an aim."""
    several = len(chosen) > 1
    rows = [(family, aim, *_found(book, family, aim, judged)) for family in chosen for aim in family.aims]
    if not rows:
        return ""
    columns = [Column("family", "Family", "")] if several else []
    columns += [
        Column("where", "Rows", ""), Column("aim", "Aim, median (%)", "%"), Column("aim_p90", "Aim, 90th (%)", "%"),
        Column("median", "Reached, median (%)", "%"), Column("p90", "Reached, 90th (%)", "%"),
        Column("on", "On", ""), Column("reached", "Reached", ""),
    ]  # fmt: skip
    table = tuple(
        (
            *([Cell(family.name)] if several else []), Cell(words.where(book.library, aim.where)), Cell(aim.median),
            known(aim.p90, "no aim"), known(median, "no such row"), known(p90, "no such row"),
            Cell(on), Cell(_verdict(aim, median, p90)),
        )
        for family, aim, median, p90, on in rows
    )  # fmt: skip
    return writer.table("aims", Table(tuple(columns), table), "Errors aimed at, and errors reached.")


def _found(book: Book, family: Family, aim: Aim, judged: Sequence[Judged]) -> tuple[float | None, float | None, str]:
    """Median, 90th percentile, and on what."""
    held = held_out(book, family, dict(aim.where))
    if held is not None:
        return float(held.median), float(held.p90), "held-out groups" if family.constants else NOT_FITTED
    off = errors_of([one for one in judged if one.family == family.id and aim.where.items() <= dict(one.keys).items()])
    return off.median, off.p90, "fitted rows" if family.constants else NOT_FITTED


def _verdict(aim: Aim, median: float | None, p90: float | None) -> str:
    if median is None or p90 is None:
        return "not measured"
    missed = [median > aim.median, aim.p90 is not None and p90 > aim.p90]
    return "no" if missed[0] else "the median only" if missed[1] else "yes"


def constants(writer: Writer, calibration: Calibration) -> str:
    """Every constant: value, what it holds for, how it was found, and from how many rows."""
    if not calibration.constants:
        return ""
    columns = (
        Column("meaning", "Constant", ""), Column("where", "Holds for", ""), Column("value", "Value", ""),
        Column("how", "How", ""), Column("rows", "Rows", "count"), Column("groups", "Groups", "count"),
        Column("why", "Note", ""), Column("constant", "Name in the file", ""),
    )  # fmt: skip
    library = writer.book.library
    rows = tuple(
        (
            Cell(words.meaning(one.name)),
            Cell(words.where(library, one.where)), Cell(formatting.text(float(one.value), one.unit)), Cell(one.how),
            Cell(one.rows), Cell(one.groups), Cell(one.why), Cell(one.name, link=_named(writer, one.name)),
        )
        for one in calibration.constants
    )  # fmt: skip
    file = markup.text(f"specs/calibrations/{calibration.id}.yaml")
    return (
        f"## The constants\n\nThey stand in <code>{file}</code>, last fitted on {calibration.fitted}; change one there "
        "and build again. Of several values that hold, the one with the narrowest range of rows is taken.\n\n"
        + writer.table(
            "constants",
            Table(columns, rows),
            "Constants of the calibrated prediction, and the rows each was fitted to.",
        )
    )


def _named(writer: Writer, name: str) -> str:
    """Where the nomenclature lists a name."""
    return markup.href(writer.path, symbols.page_of(name), markup.slug(name)) if name in NOMENCLATURE else ""


def known(value: object, why: str) -> Cell:
    """A number; if there is none, why."""
    return Cell(value, why=why if value is None else "")


def bands(writer: Writer, calibration: Calibration) -> str:
    """The 80 % bands."""
    columns = (
        Column("where", "Rows", ""), Column("low", "Low", "1"), Column("high", "High", "1"),
        Column("rows", "Measurements", "count"),
    )  # fmt: skip
    rows = tuple(
        (Cell(words.where(writer.book.library, one.where)), Cell(one.low), Cell(one.high), Cell(one.rows))
        for one in calibration.bands
    )
    return "## Bands\n\n" + writer.table(
        "bands",
        Table(columns, rows),
        "Measured over predicted: four of five held-out measurements lie between low and high.",
    )

"""Predicted against measured: the overview, one page for each family, and the points that other pages show."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from generator import formatting
from generator.charts.scatter import thin
from generator.pages import markup, validation_document
from generator.pages import validation_words as words
from generator.pages.book import Book
from generator.pages.lookups import anchor_of
from generator.pages.validation_curve import curve
from generator.pages.validation_parts import aims, bands, constants, held_out, known
from generator.pages.writer import Writer
from generator.study import Cell, Column, Series, Study, Table
from generator.validation.family import Family
from generator.validation.judged import Judged, all_judged, row_of
from generator.validation.registry import families
from generator.validation.statistics import statistics

TITLE = "Validation"
PAGE = "validation/index.md"
MOST_DOTS = 700
WORST = 10
MOST_REASONS = 25
HEADER = (
    "id", "table", "model", "accelerator", "unit", "measured", "predicted", "low", "high", "bound", "reference",
    "error", "counted", "alike", "remark",
)  # fmt: skip


def present(book: Book) -> list[Family]:
    """The families that this book has a calibration of."""
    return [family for name, family in families().items() if name in book.library.calibrations]


def judged_in(book: Book) -> list[Judged]:
    """Every row of every table of the book, judged."""
    return all_judged(book.library, book.cache) if present(book) else []


def write(book: Book) -> list[str]:
    """Write overview and family pages; returns what goes into the navigation."""
    if not present(book):
        return []
    judged = judged_in(book)
    pages = [_family_page(book, family, [one for one in judged if one.family == family.id]) for family in present(book)]
    _overview(book, judged)
    return [PAGE, *pages]


def _overview(book: Book, judged: Sequence[Judged]) -> None:
    writer = Writer(book, PAGE)
    rows = []
    for family in present(book):
        numbers = statistics(book.library, family.id, judged)
        for name, value in numbers.items():
            book.registry.publish(f"validation/{family.id}/{name}", value, PAGE)
        held = held_out(book, family)
        rows.append(
            (
                Cell(family.name, link=markup.href(PAGE, f"validation/{family.id}.md")),
                Cell(numbers.get("measurements_counted")),
                known(numbers.get("prediction_error_median"), "nothing is counted"),
                known(numbers.get("prediction_error_p90"), "nothing is counted"),
                known(numbers.get("prediction_bias"), "nothing is counted"),
                known(numbers.get("band_share"), "no band is given"),
                known(held.median if held else None, "not held out: no constant is fitted"),
                known(held.p90 if held else None, "not held out: no constant is fitted"),
                known(numbers.get("reference_error_median"), "the reference model does not predict this"),
            )
        )
    columns = (
        Column("family", "Family", ""), Column("n", "Measurements", "count"),
        Column("median", "Median error (%)", "%"), Column("p90", "90th percentile (%)", "%"),
        Column("bias", "Bias (%)", "%"), Column("inside", "In band (%)", "%"),
        Column("held_median", "Held out, median (%)", "%"), Column("held_p90", "Held out, 90th (%)", "%"),
        Column("reference", "Reference model, median (%)", "%"),
    )  # fmt: skip
    covered = sum(one.covered for one in judged)
    counted = sum(one.counted for one in judged)
    parts = [
        "# Predicted against measured",
        f"How far the numbers of this book are from {formatting.grouped(len(judged))} public measurements: "
        f"{formatting.grouped(covered)} can be predicted from the specs, {formatting.grouped(counted)} of them count. "
        "The error is that of the calibrated prediction as a share of the measured value; **held out** is the error on "
        "groups of configurations that the constants were not fitted on, which is what to expect for a "
        "configuration of your own. Bias is the median of the signed error, above 0 where too much is predicted. The "
        "band is meant to hold four of five measurements. The reference model is the one of the chapters, in which "
        "nothing is fitted.",
        writer.table("families", Table(columns, tuple(rows)), "Errors of calibrated predictions by family."),
        "## What was aimed at, and what was reached\n\n" + aims(book, writer, present(book), judged),
        _worst(writer, judged, "all"),
        _violations(judged),
        _tables(writer, judged),
        _uncovered(judged),
        "## Judge measurements of your own\n\n"
        "`handbook validate FILE.csv` predicts every row of a file in the format of the tables above, with its band, "
        "and counts what it does not cover. `handbook calibrate` refits the constants to the tables and shows what "
        "changes; a build never refits.",
    ]
    writer.page(
        "Predicted against measured", "\n\n".join(filter(None, parts)),
        description="How far predictions are from public measurements: error by family, bands, what is not covered.",
        hide=("toc",),
    )  # fmt: skip
    document = validation_document.content(book.library, present(book), judged)
    said = "errors of predictions against measurements"
    book.documents[validation_document.PATH] = ("validation", said, len(document["families"]), document)


def _family_page(book: Book, family: Family, judged: Sequence[Judged]) -> str:
    path = f"validation/{family.id}.md"
    writer = Writer(book, path)
    numbers = statistics(book.library, family.id, judged)
    calibration = book.library.find("calibrations", family.id)
    parts = [f"# {markup.prose(family.name)}", markup.prose(family.what)]
    if "prediction_error_median" in numbers:
        held = held_out(book, family)
        said = (
            f"Median error {writer.number(numbers['prediction_error_median'], percent=True)}, nine of ten below "
            f"{writer.number(numbers['prediction_error_p90'], percent=True)}, over "
            f"{writer.number(numbers['measurements_counted'])} measurements."
        )
        if held:
            said += (
                f" On groups that the fit did not see: {writer.number(held.median, percent=True)} and "
                f"{writer.number(held.p90, percent=True)}."
            )
        parts.append(f"<p><strong>{said}</strong></p>")
    parts += [_scatter(writer, family, judged), curve(writer, family, judged), held_out_text(book, writer, family)]
    parts += [aims(book, writer, [family], judged), _notes(calibration.notes)]
    parts += [_worst(writer, judged, "worst"), constants(writer, calibration), bands(writer, calibration)]
    parts += [_flagged(judged), _uncovered(judged)]
    files = writer.files(
        "rows", Table(tuple(Column(n, n, "") for n in HEADER), tuple(_line(one) for one in judged if one.covered))
    )
    parts.append(f"<p>All rows with predictions, bands and bounds: {files}</p>")
    writer.page(
        family.name, "\n\n".join(filter(None, parts)), description=f"{family.name}: {family.what}", hide=("toc",)
    )
    return path


def _notes(notes: Sequence[str]) -> str:
    return "## To know\n\n" + _list(markup.prose(note) for note in notes) if notes else ""


def held_out_text(book: Book, writer: Writer, family: Family) -> str:
    """The table of errors on what was held out."""
    calibration = book.library.find("calibrations", family.id)
    if not calibration.errors:
        return ""
    columns = (
        Column("what", "Held out", ""), Column("where", "Rows", ""), Column("n", "Measurements", "count"),
        Column("groups", "Groups", "count"), Column("median", "Median error (%)", "%"),
        Column("p90", "90th percentile (%)", "%"), Column("bias", "Bias (%)", "%"),
        Column("inside", "In band (%)", "%"),
    )  # fmt: skip
    rows = tuple(
        (
            Cell(words.held_out(one.what)), Cell(words.where(book.library, one.where)), Cell(one.rows),
            Cell(one.groups), Cell(one.median), Cell(one.p90), Cell(one.bias), Cell(one.inside),
        )
        for one in calibration.errors
    )  # fmt: skip
    return "## On what the fit did not see\n\n" + writer.table(
        "held-out", Table(columns, rows), "Errors on whole groups that were left out of the fit, and share in the band."
    )


def _scatter(writer: Writer, family: Family, judged: Sequence[Judged]) -> str:
    """Predicted over measured: a dot for each row, by engine where there are few."""
    counted = sorted((one for one in judged if one.counted and one.predicted), key=lambda one: (one.measured, one.id))
    if not counted:
        return ""
    unit = Counter(one.unit for one in counted).most_common(1)[0][0]
    same = [one for one in counted if one.unit == unit]
    by: dict[str, list[Judged]] = defaultdict(list)
    for one in thin(same, MOST_DOTS):
        by[words.engine(dict(one.keys).get("engine") or "all")].append(one)
    largest = sorted(by, key=lambda name: (-len(by[name]), name))[:6]
    groups = {name: by[name] for name in largest}
    for name in by:
        if name not in groups:
            groups.setdefault("others", []).extend(by[name])
    most = max(map(len, groups.values()))
    series = tuple(
        Series(
            name,
            tuple(one.predicted for one in several) + (None,) * (most - len(several)),
            "measured",
            xs=tuple(one.measured for one in several) + (None,) * (most - len(several)),
        )
        for name, several in groups.items()
    )
    few = (
        f", {len(thin(same, MOST_DOTS))} of {formatting.grouped(len(counted))} measurements"
        if len(counted) > MOST_DOTS or len(same) < len(counted)
        else ""
    )
    shown_unit = words.unit(unit)
    study = Study(
        tuple(range(1, most + 1)), f"measured ({shown_unit})", f"predicted ({shown_unit})", series, log_x=True,
        log_y=True, parameter="dot",
    )  # fmt: skip
    numbers = statistics(writer.book.library, family.id, judged)
    off = formatting.percent(float(numbers["prediction_error_median"]))
    alternative = (
        f"Predicted over measured in {shown_unit} on logarithmic axes, {len(counted)} measurements from "
        f"{same[0].measured:.3g} to {same[-1].measured:.3g}; the median dot is {off} off the line of equality."
    )
    return writer.chart(
        "scatter", "scatter", study, f"{family.name}, predicted over measured; on the dashed line both are equal{few}.",
        alternative,
    )  # fmt: skip


def _worst(writer: Writer, judged: Sequence[Judged], name: str) -> str:
    chosen = sorted(
        (one for one in judged if one.counted), key=lambda one: (-abs(math.log1p(max(one.error or 0, -0.999))), one.id)
    )[:WORST]
    if not chosen:
        return ""
    return "## The ten worst\n\n" + points_table(
        writer, name, chosen, "Rows whose prediction is furthest off, and why.", family=name == "all", why=True
    )


def points_table(
    writer: Writer, name: str, chosen: Sequence[Judged], caption: str, *, family: bool = True, why: bool = False,
    said: str = "",
) -> str:  # fmt: skip
    """Rows beside their predictions: what, measured, predicted, band, error; `said` is a field that the page tells."""
    columns = [Column("what", "What", ""), Column("setting", "Setting", "")]
    if family:
        columns.append(Column("family", "Family", ""))
    columns += [
        Column("measured", "Measured", "1"), Column("predicted", "Predicted", "1"), Column("unit", "Unit", ""),
        Column("error", "Error (%)", "%"), Column("low", "Band, low", "1"), Column("high", "Band, high", "1"),
    ]  # fmt: skip
    if why:
        columns.append(Column("why", "Why", ""))
    columns.append(Column("id", "Measurement", ""))
    rows = []
    for one in chosen:
        cells = [Cell(_what(writer, one, said)), Cell(_setting(writer, one))]
        if family:
            cells.append(Cell(families()[one.family].name))
        cells += [
            Cell(one.measured), Cell(one.predicted), Cell(words.unit(one.unit)), Cell(one.error),
            known(one.low, "no band"), known(one.high, "no band"),
        ]  # fmt: skip
        rows.append((*cells, *([Cell(one.why or "not known")] if why else []), Cell(one.id)))
    return writer.table(name, Table(tuple(columns), tuple(rows)), caption)


def _setting(writer: Writer, one: Judged) -> str:
    return words.setting(row_of(writer.book.library, one), one.family, dict(one.keys).get("scenario", ""))


def _what(writer: Writer, one: Judged, said: str = "") -> str:
    """A row in a few words: model, accelerator, engine."""
    library = writer.book.library
    model = library.find("models", one.model).name if one.model and said != "model" else ""
    card = words.card(library, one.accelerator) if said != "accelerator" else ""
    keys = dict(one.keys)
    told = ", ".join(filter(None, (model, card, words.engine(keys.get("engine", "")))))
    return told or words.where(library, {name: keys[name] for name in ("format",) if name in keys})


def _violations(judged: Sequence[Judged]) -> str:
    counted = [one for one in judged if one.counted and one.beats_bound]
    flagged = [one for one in judged if not one.counted and one.beats_bound]
    said = "No counted measurement beats its bound."
    if counted:
        said = "These counted measurements beat their bound: " + ", ".join(f"`{one.id}`" for one in counted[:20]) + "."
    if flagged:
        reasons = Counter(one.remark or "not counted" for one in flagged)
        said += (
            " Not counted because they do: "
            + "; ".join(f"{count} ({reason})" for reason, count in reasons.most_common(8))
            + "."
        )
    return f"## Bounds\n\n{said}"


def _flagged(judged: Sequence[Judged]) -> str:
    flagged = Counter(one.remark for one in judged if one.covered and not one.counted)
    if not flagged:
        return ""
    return "## Predicted but not counted\n\n" + _list(
        f"{count}: {markup.prose(reason)}" for reason, count in flagged.most_common(MOST_REASONS)
    )


def _uncovered(judged: Sequence[Judged]) -> str:
    reasons = Counter(one.refusal for one in judged if not one.covered)
    if not reasons:
        return ""
    shown = reasons.most_common(MOST_REASONS)
    rest = sum(reasons.values()) - sum(count for _, count in shown)
    items = [f"{count}: {markup.prose(reason)}" for reason, count in shown] + (
        [f"{rest}: other reasons, in the JSON"] if rest else []
    )
    return (
        f"## Not covered\n\n<details><summary>{formatting.grouped(sum(reasons.values()))} rows are not predicted, "
        f"by reason</summary>{_html_list(items)}</details>"
    )


def _tables(writer: Writer, judged: Sequence[Judged]) -> str:
    columns = (
        Column("table", "Table", ""), Column("rows", "Rows", "count"), Column("covered", "Predicted", "count"),
        Column("counted", "Counted", "count"), Column("licence", "Licence", ""),
    )  # fmt: skip
    by: dict[str, list[Judged]] = defaultdict(list)
    for one in judged:
        by[one.table].append(one)
    rows, ids = [], []
    for name, record in sorted(writer.book.library.collections["measurements/tables"].items()):
        several = by[name]
        ids.append(anchor_of("measurements/tables", name))
        rows.append(
            (
                Cell(record.name), Cell(len(several)), Cell(sum(one.covered for one in several)),
                Cell(sum(one.counted for one in several)), Cell(record.licence),
            )
        )  # fmt: skip
    marks = "".join(f'<span id="{one}"></span>' for one in ids)
    names = sorted(writer.book.library.collections["measurements/names"].items())
    marks += "".join(f'<span id="{anchor_of("measurements/names", name)}"></span>' for name, _ in names)
    return f"## Where the measurements are from {{#tables}}\n\n{marks}\n\n" + writer.table(
        "tables", Table(columns, tuple(rows)), "Tables of measurements; each line of a table has its own address."
    )


def _line(one: Judged) -> tuple[Cell, ...]:
    return tuple(Cell(_plain(getattr(one, name))) for name in HEADER)


def _plain(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value


def _list(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _html_list(items: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"

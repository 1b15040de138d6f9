"""One sweep that somebody measured, as a chart: bound, reference, calibrated line in its band, measured dots."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from generator.pages import validation_words as words
from generator.pages.writer import Writer
from generator.study import Series, Study
from generator.validation.family import Family
from generator.validation.judged import Judged, row_of
from generator.validation.rows import Row

SWEPT = {
    "batch_or_concurrency": "requests at a time",
    "message_bytes": "message (bytes)",
    "kv_bytes": "cache (bytes)",
    "n_gpus": "accelerators",
    "isl": "prompt (tokens)",
}
"""Columns that a sweep may run over, the first that one does is taken."""
SAME = (
    "model", "gpu", "engine", "engine_version", "precision_weights", "n_gpus", "tp", "pp", "ep", "isl", "osl", "metric",
    "unit", "collective", "batch_or_concurrency", "message_bytes", "kv_bytes", "seq_len", "mbs",
)  # fmt: skip
"""Columns that a sweep keeps, but for the one it runs over."""
FEWEST = 4


def curve(writer: Writer, family: Family, judged: Sequence[Judged]) -> str:
    """The sweep with the most places, of equals the first by name; empty if none has enough."""
    rows = {one.id: row_of(writer.book.library, one) for one in judged if one.counted}
    for column, label in SWEPT.items():
        found = _longest(column, judged, rows)
        if len(found) >= FEWEST:
            return _chart(writer, family, found, rows, column, label)
    return ""


def _longest(column: str, judged: Sequence[Judged], rows: dict[str, Row]) -> list[Judged]:
    sweeps: dict[tuple[str, ...], dict[float, Judged]] = defaultdict(dict)
    for one in judged:
        place = rows[one.id].number(column) if one.counted else None
        if place is not None and place > 0:
            key = tuple(rows[one.id].text(name) for name in SAME if name != column)
            sweeps[key].setdefault(place, one)
    best = max(sorted(sweeps), key=lambda key: len(sweeps[key]), default=None)
    return [] if best is None else [one for _, one in sorted(sweeps[best].items())]


def _chart(
    writer: Writer, family: Family, found: Sequence[Judged], rows: dict[str, Row], column: str, label: str
) -> str:  # fmt: skip
    first = rows[found[0].id]
    xs = tuple(rows[one.id].number(column) for one in found)
    banded = all(one.low is not None and one.high is not None for one in found)
    series = [
        Series("bound", tuple(one.bound for one in found), "bound", "muted"),
        Series("reference", tuple(one.reference for one in found), "reference", "2"),
        Series(
            "calibrated", tuple(one.predicted for one in found), "calibrated", "1",
            low=tuple(one.low for one in found) if banded else None,
            high=tuple(one.high for one in found) if banded else None,
        ),
        Series("measured", tuple(one.measured for one in found), "measured", "3"),
    ]  # fmt: skip
    shown = tuple(one for one in series if any(value is not None for value in one.values))
    places = [value for value in xs if value]
    study = Study(
        xs, label, f"{words.in_a_sentence(family.name)} ({words.unit(found[0].unit)})", shown,
        log_x=max(places) / min(places) > 8, log_y=True, log_base=2 if max(places) < 1e5 else 10,
    )  # fmt: skip
    library, keys = writer.book.library, dict(found[0].keys)
    release = first.text("engine_version")
    named = " ".join(filter(None, (words.engine(keys.get("engine", "")), release if release != "nan" else "")))
    model = library.find("models", found[0].model).name if found[0].model else ""
    rest = words.setting(replace(first, fields={**first.fields, column: ""}))
    setting = ", ".join(filter(None, (model, words.card(library, found[0].accelerator), named, rest)))
    return writer.chart("sweep", "lines", study, f"The longest sweep among the measurements: {setting}.")

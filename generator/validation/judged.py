"""All tables of the specs, judged: plain records, kept by content, so that a build judges again only what an edit
concerns: the rows of one model on one accelerator."""

from __future__ import annotations

import functools
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from generator.cache import Cache, code_digest, source_digest
from generator.specs.library import Library
from generator.units import round_significant
from generator.validation import names
from generator.validation.calibration import constants_of
from generator.validation.errors import Errors, errors
from generator.validation.judge import Verdict, judge
from generator.validation.measures import express
from generator.validation.registry import MODULES, families, with_derived
from generator.validation.rows import Row, Uncovered, read

SHARED = ("assumptions", "number_formats", "links", "calibrations", "systems", "workloads", "measurements/names")
"""Collections of which any file may matter to any prediction."""


@dataclass(frozen=True)
class Judged:
    """One row of a table: predicted beside measured in the unit of the row, or why it is not predicted.

    ratio: measured over predicted, in the unit of the prediction. counted: part of the errors; not so a second record
    of the same run, or a row with a `remark` why it does not count.
    """

    table: str
    id: str
    family: str
    model: str = ""
    accelerator: str = ""
    measured: float = 0.0
    unit: str = ""
    predicted: float | None = None
    low: float | None = None
    high: float | None = None
    bound: float | None = None
    reference: float | None = None
    error: float | None = None
    counted: bool = False
    alike: bool = True
    beats_bound: bool = False
    refusal: str = ""
    remark: str = ""
    why: str = ""
    keys: tuple[tuple[str, str], ...] = ()
    identity: str = ""

    @property
    def covered(self) -> bool:
        return self.predicted is not None


def all_judged(library: Library, cache: Cache) -> list[Judged]:
    """Every row of every table, in the order of the tables; worked out once for a library."""
    if "judged" not in library.derived:
        library.derived["judged"] = _without_repeats(
            one for table in sorted(library.collections["measurements/tables"]) for one in _table(library, table, cache)
        )
    return library.derived["judged"]


def _table(library: Library, table: str, cache: Cache) -> list[Judged]:
    rows = list(_rows(library, table).values())
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row.text("model"), row.text("gpu")].append(row)
    found: dict[str, Judged] = {}
    for (model, gpu), several in groups.items():
        inputs = [
            [[sorted((name, value) for name, value in row.fields.items() if value) for row in several]],
            _spec(library, "models", model), _spec(library, "accelerators", gpu), _shared(library), _code(),
        ]  # fmt: skip
        kept = cache.get(
            "judged", inputs, lambda several=several: [dict(vars(one)) for one in _judge(table, several, library)]
        )
        for one in kept:
            found[one["id"]] = Judged(**{**one, "keys": tuple(tuple(pair) for pair in one["keys"])})
    return [found[row.id] for row in rows]


def _judge(table: str, rows: Sequence[Row], library: Library) -> list[Judged]:
    found = []
    for verdict in judge(rows, library):
        family = families()[verdict.family] if verdict.family else None
        if verdict.case is None:
            found.append(_plain(table, verdict))
            continue
        case = verdict.case
        predicted, low, high = verdict.shown()
        why = family.explain(case.row, case, verdict.error) if family and verdict.covered else ""
        found.append(
            Judged(
                table, verdict.row.id, verdict.family or "", case.keys.get("model", ""),
                case.keys.get("accelerator", ""), verdict.row.value, verdict.row.unit,
                _six(predicted), _six(low), _six(high), _six(_shown(case, case.bound)),
                _six(_shown(case, case.reference)), _six(verdict.error) if verdict.covered else None,
                verdict.covered and case.fitted, verdict.alike, verdict.beats_bound, verdict.refusal, case.remark, why,
                tuple(sorted(case.keys.items())), json.dumps(case.identity, default=str) if case.identity else "",
            )
        )  # fmt: skip
    return found


def _plain(table: str, verdict: Verdict) -> Judged:
    row = verdict.row
    return Judged(table, row.id, verdict.family or "", measured=row.value, unit=row.unit, refusal=verdict.refusal)


def _shown(case: Any, value: Any) -> float | None:
    return None if value is None or not float(value) > 0 else case.in_row_unit(float(value))


def _six(value: float | None) -> float | None:
    return None if value is None or value != value or abs(value) == float("inf") else round_significant(value)


def _without_repeats(found: Iterable[Judged]) -> list[Judged]:
    """A run that was published several times counts once."""
    seen: set[tuple[str, str]] = set()
    kept = []
    for one in found:
        if one.counted and one.identity:
            if (one.family, one.identity) in seen:
                one = replace(one, counted=False, remark=one.remark or "published before: the same run")
            seen.add((one.family, one.identity))
        kept.append(one)
    return kept


def errors_of(judged: Sequence[Judged], kind: str = "predicted") -> Errors:
    """Errors of the counted rows; kind: predicted, bound or reference."""
    chosen = [one for one in judged if one.counted and getattr(one, kind) is not None]
    bands = [(one.low, one.high) if one.low is not None and one.high is not None else None for one in chosen]
    return errors(
        [getattr(one, kind) for one in chosen], [one.measured for one in chosen], bands if kind == "predicted" else ()
    )


def _spec(library: Library, collection: str, name: str) -> str:
    """Text of the spec file that a name stands for; empty if it has none."""
    try:
        found = names.model(library, name).model if collection == "models" else names.accelerator(library, name)
    except Uncovered:
        return ""
    assert library.root is not None
    return (library.root / library.files[f"{collection}/{found.id}"]).read_text(encoding="utf-8")


def _shared(library: Library) -> str:
    """Digest of the specs that may matter to any row."""
    if "shared specs" not in library.derived:
        assert library.root is not None
        digest = hashlib.sha256()
        for collection in SHARED:
            for path in sorted((library.root / "specs" / collection).glob("*")):
                if path.is_file():
                    digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
        library.derived["shared specs"] = digest.hexdigest()
    return library.derived["shared specs"]


@functools.cache
def _code() -> str:
    """Digest of the code that judges."""
    parts = [code_digest(f"generator.validation.families.{name}") for name in MODULES]
    return hashlib.sha256("".join([*parts, source_digest("validation/*.py")]).encode()).hexdigest()


def prediction(library: Library, one: Judged) -> Any:
    """The prediction of a covered row as a traced number, in the unit of its family."""
    row = row_of(library, one)
    family = families()[one.family]
    case = express(family, row, library)
    return family.predict(case.inputs, constants_of(family, library.find("calibrations", family.id), case))


def row_of(library: Library, one: Judged) -> Row:
    """The row that was judged."""
    return _rows(library, one.table)[one.id]


def _rows(library: Library, table: str) -> dict[str, Row]:
    if ("rows", table) not in library.derived:
        rows = with_derived(read(library.table("measurements/tables", table)))
        library.derived["rows", table] = {row.id: row for row in rows}
    return library.derived["rows", table]

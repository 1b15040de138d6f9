"""From plain data to records: every fault of a file at once, each with its place, the rule and the valid choices."""

from __future__ import annotations

import dataclasses
import difflib
import functools
import math
import types
from collections.abc import Iterator
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError

from generator import units
from generator.provenance import Datum, Source, Traced
from generator.specs.positions import Fault, Path, Positioned
from generator.specs.records import InUnitOfFile, Quantity, SourceNote


@functools.cache
def _adapter(record: type) -> TypeAdapter:
    return TypeAdapter(record)


@functools.cache
def _hints(record: type) -> dict[str, Any]:
    return get_type_hints(record, include_extras=True)


def _strip(hint: Any) -> list[Any]:
    """The bare alternatives of a type hint: `Annotated`, `list` and unions opened up."""
    if get_origin(hint) is Annotated:
        return _strip(get_args(hint)[0])
    if get_origin(hint) in (list, types.UnionType) or str(get_origin(hint)) == "typing.Union":
        return [bare for part in get_args(hint) for bare in _strip(part)]
    return [hint]


def marker_of(hint: Any) -> Any:
    """The `Quantity` or `InUnitOfFile` of a field, if it has one, also behind `| None`."""
    if get_origin(hint) is Annotated:
        for extra in get_args(hint)[1:]:
            if isinstance(extra, (Quantity, InUnitOfFile)):
                return extra
        return marker_of(get_args(hint)[0])
    if get_origin(hint) is types.UnionType or str(get_origin(hint)) == "typing.Union":
        return next((found for found in map(marker_of, get_args(hint)) if found), None)
    return None


def records_in(hint: Any) -> list[type]:
    """The records that a field holds, one or several, also in a list."""
    return [bare for bare in _strip(hint) if dataclasses.is_dataclass(bare)]


def _known_keys(record: type, path: Path, data: Any) -> list[str]:
    """Field names allowed at a path."""
    choices = [record]
    for step in path:
        data = data[step] if isinstance(data, (dict, list)) and _has(data, step) else None
        if isinstance(step, int):
            continue
        choices = [
            bare
            for choice in choices
            if dataclasses.is_dataclass(choice)
            for bare in _strip(_hints(choice).get(step, str))
        ]
    kind = data.get("kind") if isinstance(data, dict) else None
    fitting = [c for c in choices if dataclasses.is_dataclass(c)]
    if kind is not None:
        fitting = [c for c in fitting if kind in get_args(_hints(c).get("kind"))] or fitting
    return sorted({field.name for choice in fitting for field in dataclasses.fields(choice)})


def _has(data: Any, step: str | int) -> bool:
    if isinstance(data, dict):
        return step in data
    return isinstance(data, list) and isinstance(step, int) and step < len(data)


def _located(location: tuple[str | int, ...], data: Any) -> Path:
    """pydantic's location without the tags of unions, which are no keys of the file."""
    path: list[str | int] = []
    for index, step in enumerate(location):
        if _has(data, step):
            data = data[step]
            path.append(step)
        elif index == len(location) - 1:
            path.append(step)
    return tuple(path)


def suggestion(given: object, choices: Iterator[str] | list[str]) -> str:
    """`; did you mean ...?` for a near miss, else the valid choices."""
    known = list(choices)
    near = difflib.get_close_matches(str(given), known, 1, 0.6)
    if near:
        return f"; did you mean `{near[0]}`?"
    more = f" and {len(known) - 20} more" if len(known) > 20 else ""
    return f"; valid: {', '.join(known[:20])}{more}" if known else ""


def _fault(file: Positioned, record: type, error: dict[str, Any]) -> Fault:
    path = _located(error["loc"], file.data)
    field = ".".join(map(str, path)) or "the file"
    kind = error["type"]
    if kind in ("unexpected_keyword_argument", "extra_forbidden"):
        hint = suggestion(path[-1], _known_keys(record, path[:-1], file.data))
        return file.fault(path, f"unknown field `{field}`{hint}", at_key=True)
    if kind in ("missing", "missing_argument", "missing_keyword_only_argument"):
        return file.fault(path[:-1], f"missing field `{field}`, which every {record.__name__} must have")
    if kind in ("literal_error", "union_tag_invalid"):
        expected = error["ctx"].get("expected") or error["ctx"].get("expected_tags")
        return file.fault(path, f"`{field}` must be one of {expected}, got {_shown(error['input'])}")
    if kind == "union_tag_not_found":
        return file.fault(path, f"missing field `{field}.kind`, which tells what it is")
    message = error["msg"].removeprefix("Value error, ")
    if "got " not in message:
        message = f"{message[0].lower()}{message[1:]}, got {_shown(error['input'])}"
    return file.fault(path, f"`{field}`: {message}")


def _shown(given: Any) -> str:
    text = repr(given)
    return text if len(text) <= 60 else text[:57] + "..."


def validate(file: Positioned, record: type) -> tuple[Any, list[Fault]]:
    """A record of plain numbers, or None, and the faults."""
    faults = list(file.faults)
    if file.data is None:
        return None, faults or [file.fault((), "the file is empty")]
    if not isinstance(file.data, dict):
        return None, [*faults, file.fault((), f"want fields, as in `id: ...`, got {_shown(file.data)}")]
    try:
        result = _adapter(record).validate_python(file.data)
    except ValidationError as error:
        return None, [*faults, *(_fault(file, record, one) for one in error.errors())]
    return result, faults


MOST = 1e30
"""No quantity of the handbook is larger in its base unit: a larger number is a slip of the keyboard."""


def _in_unit(given: Any, unit: str) -> float:
    """A number in the unit that the file names: finite and not negative; units without spellings take plain numbers."""
    value = units.parse(given, unit if unit in units.SPELLINGS else units.PLAIN[0])
    if not 0 <= value < math.inf:
        raise ValueError(f"must be a finite number from 0, got {given!r}")
    return value


def _sources_of(path: Path, notes: list[SourceNote]) -> tuple[Source, ...]:
    dotted = ".".join(map(str, path))
    return tuple(
        Source(note.source, note.status, note.seen, note.evidence, note.confirmed)
        for note in notes
        if any(cover == "all" or dotted == cover or dotted.startswith(cover + ".") for cover in note.covers)
    )


def trace(record: Any, file: Positioned, collection: str, kind: str) -> tuple[Any, list[Fault]]:
    """The record with every quantity as a traced leaf; a quantity that no source covers is a fault."""
    faults: list[Fault] = []
    notes = getattr(record, "sources", None)
    covered: set[str] = set()

    def leaf(value: Any, marker: Any, path: Path, unit: str | None) -> Any:
        dotted = ".".join(map(str, path))
        if isinstance(marker, InUnitOfFile):
            if unit is None:
                return value
            try:
                value = _in_unit(value, unit)
            except ValueError as error:
                faults.append(file.fault(path, f"`{dotted}`: {error}"))
                return None
        else:
            unit = marker.unit
        if value > MOST:
            faults.append(file.fault(path, f"`{dotted}`: must be at most {MOST:g}, got {_shown(value)}"))
            value = MOST
        sources = _sources_of(path, notes) if notes is not None else ()
        if notes is not None and not sources:
            faults.append(file.fault(path, f"no source covers `{dotted}`; name it in `covers:` of one of the sources"))
        line = file.mark(path)[0]
        origin = Datum(f"{collection}/{record.id}#{dotted}", file.file, line, sources)
        measured = kind == "exact" and bool(sources) and sources[0].status == "measured"
        return Traced(value, name=dotted, unit=unit, kind="measured" if measured else kind, origin=origin)

    def walk(value: Any, path: Path) -> Any:
        if dataclasses.is_dataclass(value):
            hints = _hints(type(value))
            unit = getattr(value, "unit", None)
            changed = {}
            for field in dataclasses.fields(value):
                inner = getattr(value, field.name)
                here = (*path, field.name)
                covered.add(".".join(map(str, here)))
                marker = marker_of(hints[field.name])
                if inner is None and isinstance(marker, InUnitOfFile) and field.default is dataclasses.MISSING:
                    faults.append(file.fault(here, f"`{'.'.join(map(str, here))}`: want a number, got None"))
                if inner is None or isinstance(value, SourceNote):
                    continue
                changed[field.name] = leaf(inner, marker, here, unit) if marker else walk(inner, here)
            return dataclasses.replace(value, **changed)
        if isinstance(value, list):
            covered.update(".".join(map(str, (*path, index))) for index in range(len(value)))
            return [walk(item, (*path, index)) for index, item in enumerate(value)]
        return value

    traced = walk(record, ())
    for index, note in enumerate(notes or []):
        if not note.covers:
            faults.append(file.fault(("sources", index, "covers"), "`covers` is empty: name the fields, or `all`"))
        for number, cover in enumerate(note.covers):
            if cover != "all" and cover not in covered:
                hint = suggestion(cover, sorted(covered))
                faults.append(file.fault(("sources", index, "covers", number), f"covers unknown field `{cover}`{hint}"))
    for index, conflict in enumerate(getattr(record, "conflicts", [])):
        if conflict.field not in covered:
            hint = suggestion(conflict.field, sorted(covered))
            message = f"`field` of a conflict is unknown: `{conflict.field}`{hint}"
            faults.append(file.fault(("conflicts", index, "field"), message))
    return traced, faults

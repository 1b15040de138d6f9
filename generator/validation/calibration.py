"""Which constant and which band of a calibration hold for a case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy

from generator.provenance import Traced
from generator.specs.records import Band, Calibration
from generator.validation.family import Case, Family
from generator.validation.rows import Uncovered

ALIKE = "alike"
"""A key that every case gets: `yes` if a combination like it was measured, else `no`."""


def holds(where: Mapping[str, str], keys: Mapping[str, str]) -> bool:
    """Whether all that `where` names is so for these keys."""
    return all(keys.get(name) == value for name, value in where.items())


def ranked(calibration: Calibration, name: str, keys: Mapping[str, str]) -> list[int]:
    """Positions of the constants that hold, the one that names most first."""
    found = [index for index, one in enumerate(calibration.constants) if one.name == name and holds(one.where, keys)]
    return sorted(found, key=lambda index: -len(calibration.constants[index].where))


def place(calibration: Calibration, name: str, keys: Mapping[str, str]) -> int:
    """Position of the constant that holds: of those that do, the one that names most. Raises Uncovered."""
    found = ranked(calibration, name, keys)
    if not found:
        told = ", ".join(f"{key} {value}" for key, value in keys.items())
        raise Uncovered(f"no constant `{name}` is calibrated for {told}")
    return found[0]


def constants_of(family: Family, calibration: Calibration, case: Case) -> dict[str, Traced]:
    """The constants for one case as traced numbers. Raises Uncovered."""
    return {name: constant_of(calibration, name, case.keys) for name in family.constants}


def constant_of(calibration: Calibration, name: str, keys: Mapping[str, str]) -> Traced:
    """The constant that holds for these keys as a traced number. Raises Uncovered."""
    constant = calibration.constants[place(calibration, name, keys)]
    origin = constant.value.origin  # type: ignore[attr-defined]
    return Traced(constant.value, name=name, unit=constant.unit, kind="calibrated", origin=origin)


def is_alike(family: Family, calibration: Calibration, case: Case) -> bool:
    """Whether the combination of keys that matter was measured."""
    return not family.alike_by or combination(family, case) in calibration.seen


def combination(family: Family, case: Case) -> dict[str, str]:
    """The keys of a case that tell whether it is like another one."""
    return {name: case.keys[name] for name in family.alike_by}


def band_of(calibration: Calibration, keys: Mapping[str, str]) -> Band | None:
    """The band that holds; None if there is none, so that none is given."""
    found = [band for band in calibration.bands if holds(band.where, keys)]
    return max(found, key=lambda band: len(band.where), default=None)


def stack(cases: Sequence[Case]) -> dict[str, Any]:
    """The inputs of many cases as arrays."""
    names = cases[0].inputs
    for case in cases:
        assert case.inputs.keys() == names.keys(), f"{case.row.id}: other inputs than {cases[0].row.id}"
    return {name: numpy.array([float(case.inputs[name]) for case in cases]) for name in names}


def places(family: Family, calibration: Calibration, cases: Sequence[Case]) -> dict[str, Any]:
    """For each constant the position that holds for each case, as arrays."""
    known: dict[tuple[str, tuple[tuple[str, str], ...]], int] = {}

    def found(name: str, case: Case) -> int:
        key = (name, tuple(sorted(case.keys.items())))
        if key not in known:
            known[key] = place(calibration, name, case.keys)
        return known[key]

    return {name: numpy.array([found(name, case) for case in cases]) for name in family.constants}


def predict_all(family: Family, cases: Sequence[Case], where: Mapping[str, Any], values: Any) -> Any:
    """Predictions of many cases at once; `values` are those of all constants by position."""
    return family.predict(stack(cases), {name: values[index] for name, index in where.items()})

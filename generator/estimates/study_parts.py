"""What all studies share: axes, configurations in the words of a page, units of an axis, measured points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from generator import units
from generator.estimates.serving import Serving, serving
from generator.specs.library import Library
from generator.study import Series

_LOAD = {"input": "prompt_tokens", "output": "output_tokens"}
_OWN = ("label", "field", "colour", "kind", "measured", "where")


class StudyFault(ValueError):
    """A study that cannot be computed: what is wrong in its description."""


def axis(values: Any) -> tuple[float, ...]:
    """The values of an axis: a list, or `{from: 1, to: 512, per_octave: 2}` for steps of equal ratio,
    or `{from: 1, to: 64, step: 1}` for steps of equal size."""
    if isinstance(values, Sequence) and not isinstance(values, str):
        return tuple(float(value) for value in values)
    first, last = float(values["from"]), float(values["to"])
    if "step" in values:
        count = int((last - first) / values["step"] + 1e-9) + 1
        return tuple(first + index * values["step"] for index in range(count))
    per_octave = values.get("per_octave", 4)
    points, value, index = [], first, 0
    while value <= last * (1 + 1e-9):
        points.append(round(value) if values.get("whole", True) else value)
        index += 1
        value = first * 2 ** (index / per_octave)
    return tuple(float(point) for point in dict.fromkeys(points))


def configuration(library: Library, given: Mapping[str, Any]) -> Serving:
    """A serving estimate from the words of a page: `model`, `accelerator`, `batch`, `input`, `output`, `tp`, ..."""
    arguments = {_LOAD.get(name, name): value for name, value in given.items() if name not in _OWN}
    model = library.find("models", arguments.pop("model"))
    accelerator = library.find("accelerators", arguments.pop("accelerator"))
    if "workload" in arguments:
        shape = library.find("workloads", arguments.pop("workload"))
        arguments = {"prompt_tokens": shape.prompt, "output_tokens": shape.output} | arguments
    for name in ("gpus", "tp", "pp", "ep"):
        if name in arguments:
            arguments[name] = int(arguments[name])
    return serving(model, accelerator, library, **arguments)


def scale_of(unit: str | None) -> float:
    """Size of a unit that an axis names, in base units."""
    if unit is None:
        return 1.0
    if unit == "%":
        return 0.01
    return next((spellings[unit] for spellings in units.SPELLINGS.values() if unit in spellings), 1.0)


def field_of(estimate: Serving, name: str) -> Any:
    """A number of an estimate by name."""
    if name == "context_tokens":
        return estimate.load.prompt_tokens + estimate.load.output_tokens
    if not hasattr(estimate, name):
        raise StudyFault(f"a serving estimate has no `{name}`")
    return getattr(estimate, name)


def measured_points(library: Library, one: Mapping[str, Any], values: Sequence[float], scale: float) -> Series:
    """Dots from measurements: `measured: {16: measurement-id, ...}` by position on the axis."""
    at = {float(place): library.find("measurements", name).value for place, name in one["measured"].items()}
    missing = set(at) - set(values)
    if missing:
        raise StudyFault(f"measured points at {sorted(missing)} are not on the axis")
    points = tuple(float(at[value]) / scale if value in at else None for value in values)
    return Series(one["label"], points, "measured", one.get("colour"))

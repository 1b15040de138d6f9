"""Charts of worksheets: a step over one of its choices, and steps that are parts of a whole.

As in a table of steps, `{name}` in a step stands for that field of the series, or for the place on the axis.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from generator import units
from generator.estimates.studies import StudyFault, axis
from generator.intervals import interval_of
from generator.replay_studies import engine_timeline
from generator.simulation import operations_runs
from generator.simulation.operations_course import course
from generator.specs.library import Library
from generator.study import Limit, Series, Study
from generator.worksheets import evaluate, filled, needed

Steps = Mapping[str, Mapping[str, Any]]


def steps_curve(library: Library, *, steps: Steps, x: Mapping[str, Any], y: Mapping[str, Any],
                series: Sequence[Mapping[str, Any]], limits: Sequence[Mapping[str, Any]] = ()) -> Study:  # fmt: skip
    """A step over one choice of its worksheet, for each series.

    x: `{name, label, values, log, ticks}`; y: `{step, label, unit, log}`; a series fills its fields into the steps,
    may name its own `step` and end at `upto`, and is drawn as dots if it is `measured: {place: measurement}`.
    """
    values = axis(x["values"])
    scale = _scale(y.get("unit"))
    drawn = []
    for one in series:
        if "measured" in one:
            points, kind = _measured(library, one, values, scale), "measured"
        else:
            points, lows, highs, found = [], [], [], set()
            for value in values:
                if value > one.get("upto", value):
                    points.append(None)
                    lows.append(None)
                    highs.append(None)
                    continue
                number = _number(library, steps, {**one, x["name"]: value}, one.get("step", y["step"]))
                points.append(float(number) / scale)
                if (ends := interval_of(number)) is not None:
                    lows.append(ends[0] / scale)
                    highs.append(ends[1] / scale)
                found.add(getattr(number, "kind", "exact"))
            kind = one.get("kind") or ("reference" if "reference" in found else found.pop())
            if len(lows) == len(points):
                spread = {"low": tuple(lows), "high": tuple(highs)}
                drawn.append(Series(one["label"], tuple(points), kind, one.get("colour"), **spread))
                continue
        drawn.append(Series(one["label"], tuple(points), kind, one.get("colour")))
    return Study(
        x=values,
        x_label=x["label"],
        y_label=y["label"],
        series=tuple(drawn),
        limits=tuple(
            Limit(one["label"], float(_number(library, steps, {**series[0], **one}, one["step"])) / scale)
            for one in limits
        ),
        ticks=tuple(x.get("ticks", ())),
        log_x=bool(x.get("log")),
        log_y=bool(y.get("log")),
        log_base=x.get("base", 10),
    )


def steps_parts(library: Library, *, steps: Steps, parts: Sequence[Mapping[str, Any]],
                series: Sequence[Mapping[str, Any]], y: Mapping[str, Any],
                limits: Sequence[Mapping[str, Any]] = ()) -> Study:  # fmt: skip
    """Steps that add up, as stacked bars: a bar for each series, a part for each `{label, step, colour}`."""
    scale = _scale(y.get("unit"))
    drawn = []
    for part in parts:
        values = tuple(float(_number(library, steps, one, part["step"])) / scale for one in series)
        drawn.append(Series(part["label"], values, part.get("kind", "reference"), part.get("colour")))
    return Study(
        x=tuple(one["label"] for one in series),
        x_label=y.get("over", "configuration"),
        y_label=y["label"],
        series=tuple(drawn),
        limits=tuple(
            Limit(one["label"], float(_number(library, steps, {**series[0], **one}, one["step"])) / scale)
            for one in limits
        ),
    )


def day_course(library: Library, *, choices: Mapping[str, Any], x: Mapping[str, Any], y: Mapping[str, Any],
               series: Sequence[Mapping[str, Any]]) -> Study:  # fmt: skip
    """A fleet over a day, in equal parts of it: for each series one `field` of `operations_course`.

    choices: those of the simulation of operations, which a series overrides in `with`; x: `{label, points, ticks}`.
    """
    drawn, hours = [], ()
    for one in series:
        given = {**choices, **one.get("with", {})}
        arguments = {
            name: evaluate("chart", {"it": {"value": value, "unit": operations_runs.NUMBERS[name]}}, library).number(
                "it"
            )
            if name in operations_runs.NUMBERS
            else value
            for name, value in given.items()
        }
        times_s, found = course(library, arguments, fields=(one["field"],), points=int(x["points"]))
        scale = _scale(one.get("unit", y.get("unit")))
        means, lows, highs = (
            tuple(value / scale for value in column) for column in zip(*found[one["field"]], strict=True)
        )
        hours = tuple(time_s / 3600 for time_s in times_s)
        drawn.append(Series(one["label"], means, "simulated", one.get("colour"), low=lows, high=highs))
    return Study(
        x=hours,
        x_label=x["label"],
        y_label=y["label"],
        series=tuple(drawn),
        ticks=tuple(x.get("ticks", ())),
        log_y=bool(y.get("log")),
    )


def _number(library: Library, steps: Steps, row: Mapping[str, Any], path: str) -> Any:
    wanted = needed(filled(steps, row), path.partition(".")[0])
    return evaluate("chart", wanted, library).number(path)


def _measured(library: Library, one: Mapping[str, Any], values: Sequence[float], scale: float) -> list[float | None]:
    at = {float(place): library.find("measurements", name).value for place, name in one["measured"].items()}
    missing = set(at) - set(values)
    if missing:
        raise StudyFault(f"measured points at {sorted(missing)} are not on the axis")
    return [float(at[value]) / scale if value in at else None for value in values]


def _scale(unit: str | None) -> float:
    """Size of a unit in base units; hours and days as well, which a chart may have on its axis."""
    if unit is None:
        return 1.0
    if unit == "%":
        return 0.01
    for spellings in units.SPELLINGS.values():
        if unit in spellings:
            return spellings[unit]
    raise StudyFault(f"no unit is called `{unit}`")


WORKSHEET_STUDIES: dict[str, Callable[..., Study]] = {
    "steps_curve": steps_curve, "steps_parts": steps_parts, "day_course": day_course,
    "engine_timeline": engine_timeline,
}  # fmt: skip

"""Studies of single formulas, of links and of the parameters of models, for charts that need no serving estimate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from generator import units
from generator.estimates.architecture import describe
from generator.formulas import FORMULAS, NOMENCLATURE
from generator.specs.library import Library
from generator.study import Limit, Series, Study

_OWN = ("label", "kind", "colour", "measured", "quantity")
PARAMETER_PARTS = {
    "attention": "attention_params",
    "feed-forward": "ffn_params",
    "routed experts": "routed_expert_params",
    "tables": None,
}


def number(library: Library, name: str, given: Any) -> float:
    """An argument of a formula as a page writes it: a spec path, a quantity with unit, or a plain number."""
    if isinstance(given, str) and "#" in given:
        return float(library.datum(given))
    if isinstance(given, str):
        return units.parse(given, NOMENCLATURE[name].unit)
    return float(given)


def formula_curve(library: Library, *, formula: str, x: Mapping[str, Any], y: Mapping[str, Any],
                  series: Sequence[Mapping[str, Any]], base: Mapping[str, Any] | None = None,
                  limits: Sequence[Mapping[str, Any]] = ()) -> Study:  # fmt: skip
    """One formula over one of its arguments for each series; `x.scale` and `y.scale` are the units of the axes.

    A series with `measured: {place: measurement}` draws dots instead, at places of the axis.
    """
    from generator.estimates.studies import axis

    function = FORMULAS[formula]
    places = axis(x["values"])
    x_scale, y_scale = float(x.get("scale", 1)), float(y.get("scale", 1))
    drawn = []
    for one in series:
        if "measured" in one:
            found = {float(place): library.find("measurements", name).value for place, name in one["measured"].items()}
            values = tuple(float(found[place]) / y_scale if place in found else None for place in places)
            drawn.append(Series(one["label"], values, "measured", one.get("colour")))
            continue
        given = {**(base or {}), **{name: value for name, value in one.items() if name not in _OWN}}
        arguments = {name: number(library, name, value) for name, value in given.items()}
        values = tuple(float(function(**arguments, **{x["name"]: place * x_scale})) / y_scale for place in places)
        drawn.append(Series(one["label"], values, one.get("kind", function.kind), one.get("colour")))
    return Study(
        x=places,
        x_label=x["label"],
        y_label=y["label"],
        series=tuple(drawn),
        limits=tuple(Limit(one["label"], number(library, "value", one["value"]) / y_scale) for one in limits),
        ticks=tuple(x.get("ticks", ())),
        log_x=bool(x.get("log")),
        log_y=bool(y.get("log")),
    )


def link_rates(library: Library, *, links: Mapping[str, str]) -> Study:
    """Rate of each link in one direction: what a test reached, and what of the nominal rate it left."""
    reached, left = [], []
    for name in links:
        link = library.find("links", name)
        reached.append(float(link.measured) / 1e9)
        left.append((float(link.bandwidth) - float(link.measured)) / 1e9)
    return Study(
        x=tuple(links.values()),
        x_label="link",
        y_label="GB/s of one accelerator in one direction",
        series=(
            Series("reached in a test", tuple(reached), "measured", "communication"),
            Series("nominal and not reached", tuple(left), "exact", "muted"),
        ),
    )


def parameter_parts(library: Library, *, models: Mapping[str, str]) -> Study:
    """Share of each component in the parameters of several models, in per cent."""
    parts: dict[str, list[float]] = {label: [] for label in PARAMETER_PARTS}
    for name in models:
        own = describe(library.find("models", name), library)
        whole = float(own.total_params)
        for label, field in PARAMETER_PARTS.items():
            count = (
                float(own.embedding_params) + float(own.head_params) if field is None else float(getattr(own, field))
            )
            parts[label].append(100 * count / whole)
    return Study(
        x=tuple(models.values()),
        x_label="model",
        y_label="share of all parameters (%)",
        series=tuple(Series(label, tuple(values), "exact", str(index + 1)) for index, (label, values) in
                     enumerate(parts.items())),
    )  # fmt: skip

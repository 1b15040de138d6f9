"""Writes a fit into its spec file: values, rows, groups, bands, errors and what was seen; the rest stays as it is."""

from __future__ import annotations

from typing import Any

import yaml

from generator.units import round_significant
from generator.validation.calibration import ALIKE
from generator.validation.fit import Fit, Held

DIGITS = 4


class _Dumper(yaml.SafeDumper):
    """Lists indented below their key, as everywhere in the specs."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def rewritten(text: str, found: Fit, date: str | None = None) -> str:
    """The file with the new fit in it."""
    content = yaml.safe_load(text)
    if date:
        content["fitted"] = date
    for constant, value, rows, groups in zip(
        content["constants"], found.values, found.rows, found.groups, strict=True
    ):  # fmt: skip
        if constant["how"] == "fitted":
            constant["value"] = _written(value, constant["unit"])
        constant |= {"rows": rows, "groups": groups}
    content["bands"] = []
    for held in found.held:
        low, high = _ends(held, found.held)
        content["bands"].append(
            {"where": dict(held.where), "low": _short(low), "high": _short(high), "rows": held.rows}
        )
    if content["bands"] and not any(band["where"].get(ALIKE) == "no" for band in content["bands"]):
        content["bands"].append({**content["bands"][0], "where": {}})
    content["errors"] = [
        {
            "what": held.what, "where": dict(held.where), "rows": held.rows, "groups": held.groups,
            "median": _short(held.errors.median), "p90": _short(held.errors.p90), "bias": _short(held.errors.bias),
            "inside": _short(held.errors.inside),
        }
        for held in found.held
    ]  # fmt: skip
    content["seen"] = found.seen
    return yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120, default_flow_style=None)


def _ends(held: Held, others: list[Held]) -> tuple[float, float]:
    """Ends of a band; what is unlike any measured has no narrower one than what is like it."""
    like = next((one for one in others if one.where.get(ALIKE) == "yes" and _rest(one) == _rest(held)), held)
    if held.where.get(ALIKE) == "yes":
        return held.low, held.high
    return min(held.low, like.low), max(held.high, like.high)


def _rest(one: Held) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((name, value) for name, value in one.where.items() if name != ALIKE))


def _short(value: float | None) -> float:
    return round_significant(value or 0.0, DIGITS)


def _written(value: float, unit: str) -> Any:
    short = _short(value)
    return short if unit in ("1", "count") else f"{short:g} {unit}"

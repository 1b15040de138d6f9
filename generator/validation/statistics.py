"""Errors of a family as numbers, worked out from all rows of its tables at each build.

They rest on too many data to name each: the reason names tables and constants; the page of the family has every row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from generator.provenance import Choice, Traced
from generator.specs.library import Library
from generator.units import round_significant
from generator.validation.judged import Judged, errors_of

STATISTICS = {
    "measurements_counted": "count",
    "prediction_error_median": "1",
    "prediction_error_p90": "1",
    "prediction_bias": "1",
    "band_share": "1",
    "reference_error_median": "1",
}
"""Name -> unit."""


def statistics(
    library: Library, family: str, judged: Sequence[Judged], where: Mapping[str, str] | None = None
) -> dict[str, Traced]:  # fmt: skip
    """The errors of a family, or of its rows with these keys; a number that cannot be known is left out."""
    chosen = [one for one in judged if one.family == family and (where or {}).items() <= dict(one.keys).items()]
    found = errors_of(chosen)
    reference = errors_of(chosen, "reference")
    values = {
        "measurements_counted": found.n,
        "prediction_error_median": found.median,
        "prediction_error_p90": found.p90,
        "prediction_bias": found.bias,
        "band_share": found.inside,
        "reference_error_median": reference.median,
    }
    tables = ", ".join(library.find("calibrations", family).tables)
    told = "".join(f", {name} {value}" for name, value in (where or {}).items())
    reason = (
        f"over the {found.n} counted rows of {tables}{told}, which the page lists; constants in "
        f"specs/calibrations/{family}.yaml"
    )
    return {
        name: Traced(
            round_significant(value),
            name=name,
            unit=STATISTICS[name],
            kind="measured" if name == "measurements_counted" else "calibrated",
            origin=Choice(reason),
        )
        for name, value in values.items()
        if value is not None
    }

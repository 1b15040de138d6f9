"""Errors of all families as one document of the API, and its schema."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from generator.pages import markup
from generator.pages.schemas import COUNT, STRING, array, document, object_of
from generator.specs.library import Library
from generator.units import round_significant
from generator.validation.errors import Errors
from generator.validation.family import Family
from generator.validation.judged import Judged, errors_of

PATH = "validation.json"

_SHARE = {"type": ["number", "null"], "description": "share of the measured value; null if there is none"}
_ERRORS = {"n": COUNT, "median_ape": _SHARE, "p90_ape": _SHARE, "bias": _SHARE, "inside_band": _SHARE}
SCHEMA = document(
    "Predicted against measured: errors by family, aims, and what is not covered",
    {
        "measurements": COUNT,
        "families": array(
            object_of(
                {
                    "id": STRING,
                    "name": STRING,
                    "page": STRING,
                    **_ERRORS,
                    "reference_median_ape": _SHARE,
                    "held_out": array(
                        object_of(
                            {
                                "what": STRING,
                                "where": {"type": "object", "additionalProperties": STRING},
                                "groups": COUNT,
                                **_ERRORS,
                            }
                        )
                    ),
                }
            )
        ),
        "tables": array(object_of({"id": STRING, "rows": COUNT, "covered": COUNT, "counted": COUNT})),
        "skipped": {"type": "object", "additionalProperties": COUNT},
    },
)


def content(library: Library, families: Sequence[Family], judged: Sequence[Judged]) -> dict[str, Any]:
    """Errors by family, rows by table, and reasons why rows are not predicted."""
    by_table: dict[str, list[Judged]] = {name: [] for name in sorted(library.collections["measurements/tables"])}
    for one in judged:
        by_table[one.table].append(one)
    return {
        "measurements": len(judged),
        "families": [_family(library, family, judged) for family in families],
        "tables": [
            {
                "id": name, "rows": len(rows), "covered": sum(one.covered for one in rows),
                "counted": sum(one.counted for one in rows),
            }
            for name, rows in by_table.items()
        ],
        "skipped": dict(sorted(Counter(one.refusal for one in judged if not one.covered).items())),
    }  # fmt: skip


def _family(library: Library, family: Family, judged: Sequence[Judged]) -> dict[str, Any]:
    own = [one for one in judged if one.family == family.id]
    return {
        "id": family.id,
        "name": family.name,
        "page": markup.address(f"validation/{family.id}.md"),
        **_errors(errors_of(own)),
        "reference_median_ape": _six(errors_of(own, "reference").median),
        "held_out": [
            {
                "what": one.what, "where": dict(one.where), "groups": int(one.groups), "n": int(one.rows),
                "median_ape": float(one.median), "p90_ape": float(one.p90), "bias": float(one.bias),
                "inside_band": float(one.inside),
            }
            for one in library.find("calibrations", family.id).errors
        ],
    }  # fmt: skip


def _errors(found: Errors) -> dict[str, float | int | None]:
    return {
        "n": found.n,
        "median_ape": _six(found.median),
        "p90_ape": _six(found.p90),
        "bias": _six(found.bias),
        "inside_band": _six(found.inside),
    }


def _six(value: float | None) -> float | None:
    return None if value is None else round_significant(value)

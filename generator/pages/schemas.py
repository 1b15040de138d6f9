"""JSON Schema of every kind of document below `api/v1`; those of specs come from the records that validate the YAML."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from generator.citations import KINDS as KINDS_CITED
from generator.provenance import KINDS
from generator.specs.fields import ByKind, InUnitOfFile, OrWord, Quantity, SourceNote, Status, Text

DIALECT = "https://json-schema.org/draft/2020-12/schema"
APART = ("id", "name", "sources")
"""Fields of a record that stand beside `data`, not in it."""

STRING = {"type": "string"}
NUMBER = {"type": ["number", "null"], "description": "in the base unit, six significant digits; null if there is none"}
COUNT = {"type": "integer", "minimum": 0}


def object_of(properties: Mapping[str, Any], optional: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    required = [name for name in properties if name not in optional]
    return {
        "type": "object",
        "properties": dict(properties),
        "required": required,
        "additionalProperties": False,
        **more,
    }


def array(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


DATUM = object_of(
    {
        "value": {"type": "number"},
        "unit": STRING,
        "status": {"enum": list(get_args(Status))},
        "source": STRING,
        "seen": STRING,
        "confirmed": {"type": "boolean"},
    },
    ("status", "source", "seen", "confirmed"),
    description="one value in its base unit with its best source; all sources of the file stand in `sources`",
)
DATA_DATES = {
    "description": "oldest and newest date of the data behind the page, and paths of those that should be read again",
    "anyOf": [
        object_of({"oldest": STRING, "newest": STRING, "read_again": array(STRING)}),
        {"type": "null"},
    ],
}
INPUT = {
    "description": "where an input comes from: a result, a step of this document, a datum, a choice, or a formula",
    "anyOf": [
        array({"$ref": "#/$defs/input"}),
        object_of(
            {
                "value": NUMBER,
                "unit": STRING,
                "result": STRING,
                "step": STRING,
                "datum": STRING,
                "choice": STRING,
                "formula": STRING,
                "simulation": {"$ref": "#/$defs/simulation"},
                "inputs": {"$ref": "#/$defs/inputs"},
            },
            ("unit", "result", "step", "datum", "choice", "formula", "simulation", "inputs"),
        ),
    ],
}
SIMULATION = object_of(
    {
        "name": STRING,
        "settings": {"type": "object", "additionalProperties": STRING},
        "seed": COUNT,
        "runs": COUNT,
        "low": {"type": "number"},
        "high": {"type": "number"},
    },
    description="the value is the mean of `runs` seeded runs; low and high are the ends of its 95 % interval",
)
DEFINITIONS = {
    "datum": DATUM,
    "simulation": SIMULATION,
    "input": INPUT,
    "inputs": {"type": "object", "additionalProperties": {"$ref": "#/$defs/input"}},
}
INPUTS = {"$ref": "#/$defs/inputs"}
_NUMBER_OF = {
    "value": NUMBER,
    "unit": STRING,
    "kind": {"enum": list(KINDS)},
    "formula": STRING,
    "simulation": {"$ref": "#/$defs/simulation"},
    "inputs": INPUTS,
}
_OF_LEAF = ("formula", "simulation", "inputs", "datum", "choice")
RESULT = object_of(
    {
        "id": STRING,
        "quantity": STRING,
        "title": STRING,
        "page": STRING,
        **_NUMBER_OF,
        "datum": STRING,
        "choice": STRING,
    },
    _OF_LEAF,
)
STEP = object_of(_NUMBER_OF, _OF_LEAF)


def of_hint(hint: Any) -> dict[str, Any]:
    """Schema of a value as the API writes it: quantities as data, everything else as in the file."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _annotated(arguments[0], arguments[1:])
    if origin in (Union, types.UnionType):
        choices = [of_hint(one) for one in arguments if one is not type(None)]
        return choices[0] if len(choices) == 1 else {"anyOf": choices}
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin is list:
        return array(of_hint(arguments[0]))
    if origin is dict:
        return {"type": "object", "additionalProperties": of_hint(arguments[1])}
    if dataclasses.is_dataclass(hint):
        return of_record(hint)
    plain = {str: "string", bool: "boolean", int: "integer", float: "number"}
    return {"type": plain[hint]} if hint in plain else {}


def _annotated(inner: Any, markers: tuple[Any, ...]) -> dict[str, Any]:
    for marker in markers:
        if isinstance(marker, (Quantity, InUnitOfFile)):
            return {"$ref": "#/$defs/datum"}
        if isinstance(marker, Text):
            return {"type": "string", "pattern": f"^(?:{marker.pattern})$"}
        if isinstance(marker, OrWord):
            return {"anyOf": [of_hint(get_args(inner)[0]), {"const": marker.word}]}
        if isinstance(marker, ByKind):
            return {"anyOf": [of_hint(one) for one in get_args(inner)]}
    return of_hint(inner)


def of_record(record: type, leave_out: tuple[str, ...] = ()) -> dict[str, Any]:
    """Schema of a record; a field that a file may leave out may be missing here."""
    hints = get_type_hints(record, include_extras=True)
    fields = [field for field in dataclasses.fields(record) if field.name not in leave_out]
    properties = {field.name: of_hint(hints[field.name]) for field in fields}
    optional = tuple(
        field.name
        for field in fields
        if field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING
    )
    return object_of(properties, optional)


def _item(record: type) -> dict[str, Any]:
    properties = {"id": STRING, "name": STRING, "page": STRING, "data": of_record(record, APART)}
    if "sources" in {field.name for field in dataclasses.fields(record)}:
        properties["sources"] = array(of_record(SourceNote))
    return properties


def document(title: str, properties: Mapping[str, Any], optional: tuple[str, ...] = ()) -> dict[str, Any]:
    """A whole schema: what every document carries, and its own properties."""
    common = {"$schema": STRING, "schema_version": STRING, "release": STRING}
    return {
        "$schema": DIALECT,
        "title": title,
        **object_of({**common, **properties}, optional),
        "$defs": DEFINITIONS,
    }


def of_entity(title: str, record: type) -> dict[str, Any]:
    """Schema of an accelerator, a system or a model with its results."""
    return document(title, {**_item(record), "data_dates": DATA_DATES, "results": array(RESULT)})


def of_list(title: str, record: type) -> dict[str, Any]:
    """Schema of a document with a whole collection."""
    return document(title, {"items": array(object_of(_item(record)))})


LISTING = document(
    "Things of a collection", {"items": array(object_of(dict.fromkeys(("id", "name", "path", "page"), STRING)))}
)
RESULTS = document(
    "Every published result, and the steps between them by name",
    {"results": array(RESULT), "steps": {"type": "object", "additionalProperties": STEP}},
)
FORMULA = object_of(
    {
        "name": STRING,
        "topic": STRING,
        "says": STRING,
        "latex": STRING,
        "arguments": array(STRING),
        "kind": {"enum": list(KINDS)},
        "reference": STRING,
        "page": STRING,
    }
)
NAME = object_of(
    {"name": STRING, "section": STRING, "latex": STRING, "unit": STRING, "meaning": STRING, "page": STRING}
)
FORMULARY = document("Formulas and nomenclature", {"formulas": array(FORMULA), "names": array(NAME)})
INDEX = document(
    "What there is",
    {
        "title": STRING,
        "data_as_of": STRING,
        "licence": object_of({"text_and_data": STRING, "code": STRING}),
        "endpoints": array(object_of({"path": STRING, "what": STRING, "count": COUNT, "schema": STRING})),
        "changelog": STRING,
    },
)
CHANGELOG = document(
    "Versions of the API", {"versions": array(object_of({"version": STRING, "changes": array(STRING)}))}
)
EXAMPLE = document(
    "One worked example",
    {
        "id": STRING,
        "revision": COUNT,
        "revisions": array(STRING),
        "digest": STRING,
        "data_dates": DATA_DATES,
        "title": STRING,
        "question": STRING,
        "chapter": STRING,
        "cases": array(STRING),
        "case": {"type": ["string", "null"]},
        "inputs": {"type": "object"},
        "steps": {"type": "object", "additionalProperties": STEP},
        "answer": STEP,
        "expected": object_of({"value": {"type": "number"}, "tolerance": {"type": "number"}}),
        "holds": {"type": "boolean"},
        "explanation": STRING,
        "printed": array({"type": "object"}),
        "page": STRING,
    },
)
DEPENDENTS = document(
    "What rests on the data of one spec file: datum -> ids of results, also through other results",
    {"of": STRING, "count": COUNT, "data": {"type": "object", "additionalProperties": array(STRING)}},
)
REVISION = document(
    "One published revision of a worked example, with every datum it rested on",
    {
        "id": STRING,
        "revision": COUNT,
        "title": STRING,
        "question": STRING,
        "steps": {"type": "object"},
        "answer": STRING,
        "value": NUMBER,
        "expected": {"type": "number"},
        "tolerance": {"type": "number"},
        "unit": STRING,
        "kind": {"enum": list(KINDS)},
        "digest": STRING,
        "data": {"type": "object", "additionalProperties": NUMBER},
    },
)
CITATIONS = document(
    "How each thing is cited",
    {
        "items": array(
            object_of(
                {
                    "kind": {"enum": list(KINDS_CITED)},
                    "id": STRING,
                    "title": STRING,
                    "address": STRING,
                    "digest": STRING,
                    "one_line": STRING,
                    "bibtex": STRING,
                    "csl": {"type": "object"},
                }
            )
        )
    },
)
_LEAF = {"anyOf": [object_of({"value": NUMBER, "unit": STRING}), {"type": "null"}]}
_MOVE = object_of(
    {
        "id": STRING,
        "title": STRING,
        "unit": STRING,
        "before": NUMBER,
        "after": NUMBER,
        "relative": {"type": ["number", "null"], "description": "change over the value before; null if it has none"},
        "formulas": array(STRING),
    },
    description="`formulas`: those that only one of the two releases computes it with",
)
_LISTED = object_of({"count": COUNT, "moves": array(_MOVE)}, description="`count` is of all, `moves` lists at most 500")
MOVED = document(
    "What each release moved since the one before it, newest first; `previous` is null for the first",
    {
        "releases": array(
            object_of(
                {
                    "version": STRING,
                    "previous": {"type": ["string", "null"]},
                    "changed": COUNT,
                    "groups": array(
                        object_of(
                            {
                                "causes": array(object_of({"datum": STRING, "before": _LEAF, "after": _LEAF})),
                                "more_causes": COUNT,
                                "count": COUNT,
                                "moves": array(_MOVE),
                            },
                            description="results that the same data moved, largest move first; `count` is of all",
                        )
                    ),
                    "more_groups": COUNT,
                    "appeared": _LISTED,
                    "went": _LISTED,
                }
            )
        )
    },
)
_SETTING = object_of({"value": NUMBER, "unit": STRING})
_METRIC = object_of({"value": NUMBER, "low": {"type": "number"}, "high": {"type": "number"}, "unit": STRING})
SIMULATED = document(
    "One published run of a simulation: means over its seeds, with the ends of their 95 % intervals",
    {
        "id": STRING,
        "simulation": STRING,
        "page": STRING,
        "settings": {"type": "object", "additionalProperties": STRING},
        "inputs": {"type": "object", "additionalProperties": {"anyOf": [_SETTING, array(_SETTING)]}},
        "seed": COUNT,
        "runs": COUNT,
        "metrics": {"type": "object", "additionalProperties": _METRIC},
    },
)
_RATIO = {"anyOf": [_METRIC, {"type": "null"}]}
ATLAS = document(
    "The goodput atlas: highest rates within limits, by question and policy",
    {
        "grid": STRING,
        "seed": COUNT,
        "runs": COUNT,
        "target": {"type": "number"},
        "limits": array(object_of({"id": STRING, "name": STRING, "ttft_s": NUMBER, "tpot_s": NUMBER})),
        "questions": array(
            object_of(
                {
                    **dict.fromkeys(("id", "model", "accelerator", "workload", "limits"), STRING),
                    "gpus": COUNT,
                    "best": {"type": ["string", "null"]},
                    "clear": {"type": "boolean"},
                    "why": STRING,
                    "lead_ratio": _RATIO,
                    "split_ratio": _RATIO,
                    "policies": {
                        "type": "object",
                        "additionalProperties": object_of(
                            {
                                "attains": {"type": "boolean"},
                                "why": STRING,
                                "metrics": {"type": "object", "additionalProperties": _METRIC},
                            }
                        ),
                    },
                }
            )
        ),
    },
)
# An example may say more without a new version of the API.
EXAMPLE["additionalProperties"] = True

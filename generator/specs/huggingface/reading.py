"""From a `config.json` to the data of a model file, and to a traced model record that works wherever a model does."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from generator.specs import consistency, validate
from generator.specs.huggingface.formats import formats
from generator.specs.huggingface.keys import NAMES, Keys
from generator.specs.huggingface.kinds import KINDS
from generator.specs.huggingface.writing import to_yaml
from generator.specs.positions import Positioned
from generator.specs.records import Model

DATE = "2000-01-01"
"""Stands in while the rest of a record is validated: `handbook check` judges the dates of a finished file."""

Count = Callable[[Model], float]
"""Counts the parameters of a model. It is passed in, because specs do not know formulas."""


class UnknownConfig(ValueError):
    """A config that does not describe a decoder we know; the message lists everything that is missing or wrong."""


def identifier_of(text: str) -> str:
    """A valid id from a name or a path: lower case, `-` for what an id may not hold."""
    dashed = re.sub(r"[^a-z0-9.]+", "-", text.lower())
    single = re.sub(r"[-.]*\.[-.]*", ".", dashed)
    return single.strip("-.") or "model"


def _shape(keys: Keys) -> dict[str, Any]:
    """The field `config`. Raises UnknownConfig with all that is missing or wrong."""
    reader = KINDS.get(keys.kind)
    if reader is None:
        said = f"model_type `{keys.kind}` is not known" if keys.kind else "the file has no model_type"
        near = difflib.get_close_matches(keys.kind, KINDS, 1, 0.6)
        hint = f"; did you mean `{near[0]}`?" if near else "."
        raise UnknownConfig(f"{said}{hint} {_known()}")
    shape = reader(keys)
    keys.size("max_context")
    return shape


def _known() -> str:
    return f"Known kinds: {', '.join(KINDS)}"


def _complain(keys: Keys) -> None:
    if not keys.missing and not keys.wrong:
        return
    missing = f"missing: {', '.join(dict.fromkeys(keys.missing))}" if keys.missing else ""
    said = "; ".join(filter(None, [missing, *dict.fromkeys(keys.wrong)]))
    raise UnknownConfig(f"{keys.kind} config: {said}. {_known()}")


def from_config(
    config: dict[str, Any],
    *,
    identifier: str,
    seen: str,
    count: Count | None = None,
    name: str | None = None,
    org: str | None = None,
    released: str | None = None,
    address: str | None = None,
) -> tuple[dict[str, Any], list[str]]:
    """The data of a model file, and notes on what was assumed.

    seen: the date on which the file was read, YYYY-MM-DD.
    count: gives the total that stands in `published` until somebody looks up the publisher's; without it, none does.
    address: where the file can be looked up; without one the source is marked as not confirmed.

    Raises UnknownConfig for a kind or a quantisation that is not known, and for missing keys, all at once.
    """
    if not isinstance(config, dict):
        raise UnknownConfig("a config.json is an object with keys")
    keys = Keys(config)
    shape = _shape(keys)
    routed = any(group["kind"] == "moe" for group in shape["ffn"])
    kept, cache = formats(keys, has_experts=routed, layers=shape["layers"])
    _complain(keys)
    origin = str(config.get("_name_or_path") or "")
    source = {
        "covers": ["config", "max_context", "published.total"],
        "source": address or "config.json of the checkpoint",
        "status": "config",
        "seen": seen,
        "evidence": f"model_type {keys.kind}; the total is computed from the shape",
        **({} if address else {"confirmed": False}),
    }
    data = {
        "id": identifier,
        "name": name or origin.rpartition("/")[2] or identifier,
        "org": org or origin.rpartition("/")[0] or "unknown",
        "released": released or seen[:7],
        "max_context": f"{keys.size('max_context')} tokens",
        "formats": kept,
        **({"kv_format": cache} if cache != "bf16" else {}),
        "published": {"note": "The total is computed from the config, not a figure of the publisher."},
        "config": shape,
        **({"notes": keys.notes} if keys.notes else {}),
        "sources": [source],
    }
    record = _validated(data, Positioned(identifier, data, {}, ()))
    if count is None:
        data["published"] = {"note": "The publisher's total is still to be looked up."}
        source["covers"].remove("published.total")
    else:
        data["published"] = {"total": int(count(record)), **data["published"]}
    return data, keys.notes


def _validated(data: dict[str, Any], file: Positioned) -> Model:
    """The data as a record, whatever its dates and its total; raises UnknownConfig with every fault."""
    stand_in = {"released": DATE, "published": {"total": 1, **data["published"]}}
    sources = [{**source, "seen": DATE} for source in data["sources"]]
    record, faults = validate.validate(replace(file, data={**data, **stand_in, "sources": sources}), Model)
    messages = [fault.message for fault in faults]
    if record is not None:
        messages += [message for _, message in consistency.model(record)]
    if messages:
        raise UnknownConfig(f"{data['id']}: {'; '.join(messages)}")
    sources = [replace(note, seen=source["seen"]) for note, source in zip(record.sources, data["sources"], strict=True)]
    published = replace(record.published, total=data["published"].get("total"))
    return replace(record, released=data["released"], published=published, sources=sources)


def _read(path: Path) -> tuple[Path, str, dict[str, Any]]:
    """The file, its text and its keys; a folder stands for the `config.json` in it."""
    if path.is_dir():
        path = path / "config.json"
    try:
        text = path.read_text(encoding="utf-8")
        return path, text, json.loads(text)
    except UnicodeDecodeError as error:
        raise UnknownConfig(f"{path.name}: not JSON: it is not text in UTF-8") from error
    except RecursionError as error:
        raise UnknownConfig(f"{path.name}: not a config.json: it is nested too deeply") from error
    except json.JSONDecodeError as error:
        raise UnknownConfig(f"{path.name}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from error


def model_from_config(
    path: Path, *, identifier: str | None = None, seen: str = "", count: Count | None = None
) -> Model:
    """A traced model from a `config.json` or the folder that holds it; every size leads to its line in that file.

    Without `count` it has no published total, which no estimate needs.

    Raises UnknownConfig, also for a file that is not JSON, and OSError for one that cannot be read.
    """
    path, text, config = _read(path)
    if identifier is None:
        named = isinstance(config, dict) and str(config.get("_name_or_path") or "").rpartition("/")[2]
        folder = path.resolve().parent.name if path.name == "config.json" else path.stem
        identifier = identifier_of(named or folder)
    data, _ = from_config(config, identifier=identifier, seen=seen, count=count, address=path.name)
    file = Positioned(path.name, data, _marks(data, text), ())
    record, faults = validate.trace(_validated(data, file), file, "models", "exact")
    if faults:
        raise UnknownConfig("; ".join(fault.message for fault in faults))
    return record


def model_yaml(
    path: Path, *, identifier: str, seen: str, count: Count | None = None, address: str | None = None
) -> str:
    """The text of a model file filled in from a `config.json`, for a person to finish.

    Raises as `model_from_config` does.
    """
    return to_yaml(from_config(_read(path)[2], identifier=identifier, seen=seen, count=count, address=address)[0])


def _marks(data: Any, text: str) -> dict[tuple[str | int, ...], tuple[int, int]]:
    """Where the key behind each field stands in the JSON text; sizes that no key holds point to the first line."""
    marks: dict[tuple[str | int, ...], tuple[int, int]] = {}

    def walk(value: Any, path: tuple[str | int, ...]) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                walk(inner, (*path, key))
        elif isinstance(value, list):
            for index, inner in enumerate(value):
                walk(inner, (*path, index))
        elif path:
            marks[path] = _place(str(path[-1]), text)

    walk(data, ())
    return marks


def _place(field: str, text: str) -> tuple[int, int]:
    for key in NAMES.get(field, (field,)):
        at = text.find(f'"{key}"')
        if at >= 0:
            return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    return 1, 1

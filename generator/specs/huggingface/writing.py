"""The data of a model as a commented YAML file, for a person to finish."""

from __future__ import annotations

from typing import Any

import yaml

WIDTH = 118
REMARKS = {
    "org": "who published it",
    "released": "when it was published; until you look it up, the month in which the config was read",
    "max_context": "the longest context that the publisher supports, if it is not this one",
    "formats": "of the checkpoint",
    "total": "put the publisher's figure here, and `exact`, `active`, `active_convention` beside it",
}
"""Field -> what a person should check."""


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return f"{value:_}" if value >= 10**9 else str(value)
    return yaml.safe_dump(value, width=10**6, default_flow_style=True).removesuffix("\n...\n").strip()


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return _scalar(value)


def _lines(value: dict[str, Any], indent: int) -> list[str]:
    """Block lines of a mapping; what fits on one line and holds no mapping stays on it."""
    pad = " " * indent
    lines: list[str] = []
    for key, inner in value.items():
        remark = f"   # {REMARKS[key]}" if key in REMARKS else ""
        if isinstance(inner, list) and inner and key != "covers":
            lines.append(f"{pad}{key}:")
            for item in inner:
                lines += _item(item, indent + 2)
        elif isinstance(inner, dict) and key not in ("formats", "indexer"):
            lines += [f"{pad}{key}:", *_lines(inner, indent + 2)]
        else:
            lines.append(f"{pad}{key}: {_flow(inner)}{remark}")
    return lines


def _item(item: Any, indent: int) -> list[str]:
    """A list item: on one line if it fits and is a group of layers, else a block."""
    pad = " " * indent
    line = f"{pad}- {_flow(item)}"
    if not isinstance(item, dict) or ("covers" not in item and len(line) <= WIDTH):
        return [line]
    first, *rest = _lines(item, indent + 2)
    return [f"{pad}- {first.lstrip()}", *rest]


def to_yaml(data: dict[str, Any]) -> str:
    """A model file as text: the data of `from_config` with remarks where a person should look something up."""
    head = [
        f"# {data['name']}, read from a config.json. The shape is complete; look up what the remarks ask for,",
        "# name its sources, and delete this paragraph. `handbook check` reports what is still wrong.",
    ]
    return "\n".join([*head, *_lines(data, 0)]) + "\n"

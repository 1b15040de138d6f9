"""What each release moved: `specs/published/moved/2026.12.json`, written when it is made and never afterwards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from generator.differences import Difference, as_json
from generator.releases import is_version, order

FOLDER = Path("specs/published/moved")
MOST_MOVES = 500
"""Moves listed for one cause; the rest is counted."""
MOST_GROUPS = 50
MOST_CAUSES = 50

Document = dict[str, Any]


def document(version: str, previous: str | None, found: Difference | None) -> Document:
    """What a release moved since the one before it; the first release moved nothing."""
    by_kind: dict[str, list[Any]] = {"changed": [], "appeared": [], "went": []}
    for move in found.moves if found else ():
        by_kind[move.what].append(move)
    plain = {
        what: as_json(Difference(previous or "", version, tuple(moves)))["groups"] for what, moves in by_kind.items()
    }
    groups = plain["changed"]
    listed = {what: [_small(move) for group in plain[what] for move in group["moves"]] for what in ("appeared", "went")}
    return {
        "version": version,
        "previous": previous,
        "changed": len(by_kind["changed"]),
        "groups": [
            {
                "causes": group["causes"][:MOST_CAUSES],
                "more_causes": max(0, len(group["causes"]) - MOST_CAUSES),
                "count": len(group["moves"]),
                "moves": [_small(move) for move in group["moves"][:MOST_MOVES]],
            }
            for group in groups[:MOST_GROUPS]
        ],
        "more_groups": max(0, len(groups) - MOST_GROUPS),
        **{
            what: {"count": len(moves), "moves": sorted(moves, key=lambda move: move["id"])[:MOST_MOVES]}
            for what, moves in listed.items()
        },
    }


def _small(move: dict[str, Any]) -> dict[str, Any]:
    return {name: move[name] for name in ("id", "title", "unit", "before", "after", "relative", "formulas")}


def text_of(one: Document) -> str:
    """The file: one line for each move."""
    text = json.dumps(one, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # A quotation mark inside a title is escaped, so this finds beginnings of moves and of groups alone.
    return text.replace('{"id":', '\n  {"id":').replace('{"causes":', '\n {"causes":') + "\n"


def read(root: Path) -> list[Document]:
    """What every release of a project moved, newest first."""
    paths = [path for path in (root / FOLDER).glob("*.json") if is_version(path.stem)]
    return [
        json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(paths, key=lambda path: order(path.stem), reverse=True)
    ]

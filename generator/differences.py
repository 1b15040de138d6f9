"""What moved between two builds: every result that changed, appeared or went, and the data responsible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from generator.ledger import Entry, Leaf, Ledger


@dataclass(frozen=True)
class Cause:
    """A datum whose value is not the same in both builds, or that one of them does not have."""

    datum: str
    before: Leaf | None
    after: Leaf | None


@dataclass(frozen=True)
class Move:
    """A result that is not the same in both builds. One that appeared has no `before`, one that went no `after`."""

    id: str
    before: Entry | None
    after: Entry | None
    causes: tuple[Cause, ...]
    formulas: tuple[str, ...]
    """Formulas that only one of the two builds computes it with."""
    by_choice: bool = False
    """No datum behind it changed: something chosen from data did, such as the best layout. Its causes are all data that
    changed."""

    @property
    def relative(self) -> float | None:
        """Change over the value before; None where there is none, or where it was 0."""
        if self.before is None or self.after is None or not self.before.value or self.after.value is None:
            return None
        return (self.after.value - self.before.value) / abs(self.before.value)

    @property
    def what(self) -> str:
        """changed, appeared or went."""
        return "appeared" if self.before is None else "went" if self.after is None else "changed"

    @property
    def size(self) -> float:
        """How far it moved, for sorting: what cannot be compared comes first."""
        return float("inf") if self.relative is None else abs(self.relative)


@dataclass(frozen=True)
class Group:
    """Moves with the same causes, largest first."""

    causes: tuple[Cause, ...]
    moves: tuple[Move, ...]


@dataclass(frozen=True)
class Difference:
    """Everything that moved between two builds."""

    old: str
    new: str
    moves: tuple[Move, ...]

    @property
    def groups(self) -> tuple[Group, ...]:
        """By cause, the cause that moved most results first."""
        found: dict[tuple[Cause, ...], list[Move]] = {}
        for move in self.moves:
            found.setdefault(move.causes, []).append(move)
        order = sorted(found.items(), key=lambda one: (-len(one[1]), [cause.datum for cause in one[0]]))
        return tuple(Group(causes, tuple(moves)) for causes, moves in order)


def difference(old: Ledger, new: Ledger) -> Difference:
    """Compare two ledgers; moves are sorted by size, largest first, then by id."""
    moves = []
    changed = _changed(old, new)
    for identifier in sorted(old.entries.keys() | new.entries.keys()):
        before, after = old.entries.get(identifier), new.entries.get(identifier)
        if before is not None and after is not None and _same(before, after):
            continue
        moves.append(_move(identifier, before, after, old, new, changed))
    moves.sort(key=lambda move: (-move.size, move.id))
    return Difference(old.release, new.release, tuple(moves))


def _same(before: Entry, after: Entry) -> bool:
    return (before.value, before.unit, before.kind) == (after.value, after.unit, after.kind)


def _changed(old: Ledger, new: Ledger) -> dict[str, Cause]:
    """Data behind any result whose value is not the same in both builds, or that one of them does not use."""
    was, now = old.leaves, new.leaves
    return {
        path: Cause(path, was.get(path), now.get(path))
        for path in sorted(was.keys() | now.keys())
        if was.get(path) != now.get(path)
    }


def _move(
    identifier: str, before: Entry | None, after: Entry | None, old: Ledger, new: Ledger, changed: dict[str, Cause]
) -> Move:
    behind = set(old.data(identifier) if before else ()) | set(new.data(identifier) if after else ())
    causes = tuple(cause for path, cause in changed.items() if path in behind)
    used = (old.formulas(identifier) if before else frozenset()) ^ (new.formulas(identifier) if after else frozenset())
    formulas = tuple(sorted(used)) if before and after else ()
    if causes:
        return Move(identifier, before, after, causes, formulas)
    return Move(identifier, before, after, tuple(changed.values()), formulas, by_choice=True)


def as_json(found: Difference) -> dict[str, Any]:
    """For programs: moves grouped by cause."""

    def leaf(one: Leaf | None) -> Any:
        return None if one is None else {"value": one.value, "unit": one.unit}

    def move(one: Move) -> dict[str, Any]:
        here = one.after or one.before
        assert here is not None
        return {
            "id": one.id,
            "what": one.what,
            "title": here.title,
            "unit": here.unit,
            "before": one.before.value if one.before else None,
            "after": one.after.value if one.after else None,
            "relative": None if one.relative is None else float(f"{one.relative:.6g}"),
            "page": here.page,
            "formulas": list(one.formulas),
            "by_choice": one.by_choice,
        }

    return {
        "old": found.old,
        "new": found.new,
        "moved": len(found.moves),
        "groups": [
            {
                "causes": [
                    {"datum": cause.datum, "before": leaf(cause.before), "after": leaf(cause.after)}
                    for cause in group.causes
                ],
                "moves": [move(one) for one in group.moves],
            }
            for group in found.groups
        ],
    }


def as_text(found: Difference, most: int = 0) -> str:
    """For people: a block for each cause, largest moves first; `most` lines a block, 0 for all."""
    if not found.moves:
        return "nothing moved"
    lines = [f"{len(found.moves)} results moved"]
    for group in found.groups:
        lines.append("")
        lines += [f"{cause.datum}: {_shown(cause.before)} -> {_shown(cause.after)}" for cause in group.causes]
        if not group.causes:
            lines.append("no datum changed: another formula, choice or text")
        shown: Sequence[Move] = group.moves[:most] if most else group.moves
        lines += [f"  {_line(move)}" for move in shown]
        if len(shown) < len(group.moves):
            lines.append(f"  and {len(group.moves) - len(shown)} more")
    return "\n".join(lines)


def _shown(leaf: Leaf | None) -> str:
    return "none" if leaf is None else f"{_number(leaf.value)} {leaf.unit}".rstrip()


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.6g}"


def _line(move: Move) -> str:
    here = move.after or move.before
    assert here is not None
    unit = "" if here.unit == "1" else f" {here.unit}"
    if move.before is None:
        return f"{move.id}: appeared, {_number(here.value)}{unit}"
    if move.after is None:
        return f"{move.id}: went, was {_number(here.value)}{unit}"
    change = "" if move.relative is None else f" ({move.relative:+.3%})"
    kind = "" if move.before.kind == move.after.kind else f", {move.before.kind} -> {move.after.kind}"
    return f"{move.id}: {_number(move.before.value)} -> {_number(move.after.value)}{unit}{change}{kind}"

"""A hierarchy of memories for caches: least recently used blocks move down, blocks that are used again come back up.

One block is in one tier only. Taken together the tiers are one list of blocks by last use, cut where each tier is full:
the most recent ones are in the first tier, the next ones in the second, and what the last one cannot hold is lost.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Sequence

UNLIMITED = float("inf")


class Tiers:
    """Caches in whole blocks, by key: a session, a document, or one block of a trace.

    A key has blocks from the beginning of its text on. The first block of a text counts as more recently used than the
    last, so that a cache loses the end of a text before its beginning and what is left is always a prefix.
    capacities: blocks that each tier holds, the fastest first; `UNLIMITED` for as many as come.

    Blocks of a key lie together in the list, so that a tier needs one number for each key, and a use costs a constant
    time for each key that moves, however many blocks it has.
    """

    def __init__(self, capacities: Sequence[float]) -> None:
        if not capacities or any(one < 0 for one in capacities):
            raise ValueError(f"a hierarchy needs tiers of 0 blocks or more, got {list(capacities)}")
        self.levels: list[OrderedDict[Hashable, int]] = [OrderedDict() for _ in capacities]
        """Blocks by key, the least recently used key first."""
        self.room: list[float] = list(capacities)
        self.written = [0] * len(self.levels)
        """Blocks that came into each tier: for the first one those that were not in it, for the others from above."""
        self.lost = 0
        """Blocks that fell out of the last tier."""

    def find(self, key: Hashable) -> list[int]:
        """Blocks of a key in each tier; in this order they are its prefix."""
        return [level.get(key, 0) for level in self.levels]

    def take(self, key: Hashable) -> list[int]:
        """Take a key out, because its blocks are worked on; returns how many were in each tier."""
        found = []
        for number, level in enumerate(self.levels):
            held = level.pop(key, 0)
            self.room[number] += held
            found.append(held)
        return found

    def reserve(self, blocks: int) -> None:
        """Keep room in the first tier for blocks that are worked on, or give it back if negative."""
        self.room[0] -= blocks
        if self.room[0] < 0:
            self._demote()

    def use(self, key: Hashable, blocks: int) -> list[int]:
        """Make the first blocks of a key the most recently used ones; returns how many of them were in each tier.

        Blocks that the key has beyond these are given up.
        """
        top = self.levels[0]
        if top.get(key) == blocks:
            top.move_to_end(key)
            return [blocks] + [0] * (len(self.levels) - 1)
        found, left = [], blocks
        for held in self.take(key):
            found.append(min(held, left))
            left -= found[-1]
        if blocks:
            top[key] = blocks
            self.written[0] += blocks - found[0]
            self.reserve(blocks)
        return found

    def _demote(self) -> None:
        """Move what each tier holds too much to the next one."""
        last = len(self.levels) - 1
        for number, level in enumerate(self.levels):
            over = -self.room[number]
            if over <= 0:
                return
            self.room[number] = 0
            below = self.levels[number + 1] if number < last else None
            if below is None:
                self.lost += int(over)
            else:
                self.written[number + 1] += int(over)
                self.room[number + 1] -= over
            while over > 0:
                key = next(iter(level))
                held = level[key]
                moved = int(min(held, over))
                if moved == held:
                    del level[key]
                else:
                    level[key] = held - moved
                over -= moved
                if below is not None:
                    # Its end is there already if it came piece by piece: the pieces lie side by side.
                    below[key] = below.pop(key, 0) + moved


def prefix_hits(tiers: Tiers, blocks: Sequence[Hashable]) -> int:
    """Use the blocks of one prompt, each a key of its own; returns how many at its beginning were held in any tier."""
    first, lower = tiers.levels[0], tiers.levels[1:]
    hits = 0
    for block in blocks:
        if block not in first and not any(block in level for level in lower):
            break
        hits += 1
    use = tiers.use
    for block in reversed(blocks):
        use(block, 1)
    return hits

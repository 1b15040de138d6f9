"""Cache in blocks: how many are free, and which prompts a later request may still find in the free ones."""

from __future__ import annotations

from collections import OrderedDict

BLOCK = 16
"""Tokens of a block."""


def blocks_of(tokens: int) -> int:
    """Blocks that hold this many tokens."""
    return -(-tokens // BLOCK)


class BlockPool:
    """Blocks of one instance. A freed block keeps its content until the block is taken for something else.

    Free blocks wait in a queue, the longest free in front. Blocks of one owner are freed tail first, so that the
    beginning of a prompt survives longest. An owner is a piece of a prompt that requests may share (its id, 0 or
    more), or what one request held alone (a number below 0, new each time).
    """

    def __init__(self, blocks: int, *, caching: bool):
        self.blocks = self.free = blocks
        self.caching = caching
        self.queue: OrderedDict[int, int] = OrderedDict({-1: blocks})
        """Owner -> its blocks that are free; what is left of them is the beginning of its content."""
        self.users: dict[int, int] = {}
        """Shared piece -> requests that hold it."""
        self.whole: dict[int, int] = {}
        """Shared piece -> full blocks of it, where a request gave it back before it was complete."""
        self.last_owner = -1

    def take(self, blocks: int) -> None:
        """Take blocks from the front of the queue; what they held is lost."""
        self.free -= blocks
        if not self.caching:
            return
        queue = self.queue
        while blocks:
            owner = next(iter(queue))
            there = queue[owner]
            if there > blocks:
                queue[owner] = there - blocks
                return
            del queue[owner]
            blocks -= there

    def give(self, blocks: int) -> int:
        """Give back blocks that one request held alone; returns the owner under which they are found again."""
        self.free += blocks
        self.last_owner -= 1
        if self.caching and blocks:
            self.queue[self.last_owner] = blocks
        return self.last_owner

    def found(self, owner: int) -> int:
        """Free blocks that still hold the beginning of what this owner gave back."""
        return self.queue.get(owner, 0) if self.caching else 0

    def regain(self, owner: int, blocks: int) -> None:
        """Take blocks of an owner out of the queue, with what they hold."""
        if not blocks:
            return
        self.free -= blocks
        self.queue[owner] -= blocks
        if not self.queue[owner]:
            del self.queue[owner]

    def held(self, piece: int, size: int) -> tuple[int, bool]:
        """Blocks of a shared piece that hold its content, and whether a request holds them now."""
        if piece in self.users:
            return size, True
        return min(self.queue.get(piece, 0), self.whole.get(piece, size)), False

    def share(self, piece: int) -> int:
        """Hold a shared piece with what is left of it; returns the blocks that this takes out of the free ones."""
        users = self.users.get(piece, 0)
        self.users[piece] = users + 1
        if users:
            return 0
        there = self.queue.pop(piece, 0)
        self.whole.pop(piece, None)
        self.free -= there
        return there

    def unshare(self, piece: int, blocks: int, full: int, size: int) -> None:
        """Hold a shared piece no longer: `blocks` of it are there, `full` of them are complete."""
        users = self.users[piece] - 1
        if users:
            self.users[piece] = users
            return
        del self.users[piece]
        self.free += blocks
        if blocks:
            self.queue[piece] = blocks
            if full < size:
                self.whole[piece] = full

"""The hierarchy of tiers as one plain list of blocks, searched and cut anew at every use."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from generator.simulation.tiers import UNLIMITED


class SlowTiers:
    """The same answers as `Tiers`, block by block. Each tier is a list, most recently used block first."""

    def __init__(self, capacities: Sequence[float]) -> None:
        self.capacities = list(capacities)
        self.tiers: list[list[tuple[Hashable, int]]] = [[] for _ in capacities]
        self.written = [0] * len(self.tiers)
        self.lost = 0

    @property
    def room(self) -> list[float]:
        return [most - len(tier) for most, tier in zip(self.capacities, self.tiers, strict=True)]

    def find(self, key: Hashable) -> list[int]:
        return [sum(1 for owner, _ in tier if owner == key) for tier in self.tiers]

    def take(self, key: Hashable) -> list[int]:
        found = self.find(key)
        self.tiers = [[block for block in tier if block[0] != key] for tier in self.tiers]
        return found

    def reserve(self, blocks: int) -> None:
        self.capacities[0] -= blocks
        self._cut()

    def use(self, key: Hashable, blocks: int) -> list[int]:
        wanted = [(key, number) for number in range(blocks)]
        found = [sum(1 for block in wanted if block in tier) for tier in self.tiers]
        self.written[0] += blocks - found[0]
        self.take(key)
        self.tiers[0] = wanted + self.tiers[0]
        self._cut()
        return found

    def _cut(self) -> None:
        for number, most in enumerate(self.capacities):
            tier = self.tiers[number]
            while most != UNLIMITED and len(tier) > most:
                block = tier.pop()
                if number + 1 < len(self.tiers):
                    self.tiers[number + 1].insert(0, block)
                    self.written[number + 1] += 1
                else:
                    self.lost += 1

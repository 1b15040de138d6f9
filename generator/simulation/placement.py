"""Which experts an accelerator holds: copies of the hottest, and their places, with or without regard to popularity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from generator.estimates.architecture import NotSupported

PLACEMENTS = ("round-robin", "balanced")


@dataclass(frozen=True)
class Placement:
    """Experts by layer, accelerator and slot.

    slots: (layers, gpus, slots) ids of experts, the number of experts where a slot is empty; rank: which copy of the
    expert it is, from 0; copies: (layers, experts + 1) copies of each expert, 1 for the empty one.
    """

    slots: Any
    rank: Any
    copies: Any

    def spread(self, counts: Any) -> Any:
        """Tokens of each accelerator, (steps, layers, gpus), from those of each expert: copies share them evenly."""
        import numpy

        experts = self.copies.shape[1] - 1
        each = counts / self.copies[:, :experts].astype(numpy.float32)
        return self._taken(each).sum(axis=-1)

    def read(self, counts: Any) -> Any:
        """Experts that each accelerator reads, (steps, layers, gpus): a copy is read if a token comes to it."""
        import numpy

        if counts.min() >= self.copies.max():
            return numpy.broadcast_to(
                (self.slots < self.copies.shape[1] - 1).sum(axis=-1), (len(counts), *self.slots.shape[:2])
            )
        # The n-th copy gets a token from the n-th one on; counts of large steps are not quite whole.
        return (self._taken(counts) > self.rank.astype(numpy.float32)).sum(axis=-1)

    def _taken(self, values: Any) -> Any:
        """Value of the expert in each slot, 0 in an empty one: (steps, layers, gpus, slots)."""
        import numpy

        steps, layers, experts = values.shape
        wide = numpy.zeros((steps, layers, experts + 1), numpy.float32)
        wide[:, :, :experts] = values
        places = (numpy.arange(layers)[:, None] * (experts + 1) + self.slots.reshape(layers, -1)).ravel()
        return wide.reshape(steps, -1).take(places, axis=1).reshape(steps, *self.slots.shape)


def copies(shares: Any, redundant: int) -> Any:
    """Copies of each expert of each layer when redundant ones go, one by one, to the expert with most for each copy."""
    import numpy

    layers, _ = shares.shape
    found = numpy.ones(shares.shape, int)
    rows = numpy.arange(layers)
    each = shares.copy()
    for _ in range(redundant):
        hottest = each.argmax(axis=1)
        found[rows, hottest] += 1
        each[rows, hottest] = shares[rows, hottest] / found[rows, hottest]
    return found


def place(shares: Any, *, gpus: int, redundant: int, how: str) -> Placement:
    """Placement made for a popularity, (layers, experts).

    round-robin: experts in the order of their ids, then the copies. balanced: the heaviest first, each to the
    accelerator that has least so far and a free slot, as EPLB packs them.
    """
    import numpy

    if how not in PLACEMENTS:
        raise NotSupported(f"no placement is called `{how}`; valid: {', '.join(PLACEMENTS)}")
    layers, experts = shares.shape
    number = copies(shares, redundant)
    ids, ranks = _listed(number, redundant)
    slots = -(-(experts + redundant) // gpus)
    rows = numpy.arange(layers)
    placed = numpy.full((layers, gpus, slots), experts)
    order = numpy.zeros((layers, gpus, slots), int)
    if how == "round-robin" or slots == 1:
        for item in range(experts + redundant):
            placed[:, item % gpus, item // gpus] = ids[:, item]
            order[:, item % gpus, item // gpus] = ranks[:, item]
    else:
        weights = numpy.take_along_axis(shares / number, ids, axis=1)
        heaviest = numpy.argsort(-weights, axis=1, kind="stable")
        gpu, slot = _packed(numpy.take_along_axis(weights, heaviest, axis=1), gpus, slots)
        placed[rows[:, None], gpu, slot] = numpy.take_along_axis(ids, heaviest, axis=1)
        order[rows[:, None], gpu, slot] = numpy.take_along_axis(ranks, heaviest, axis=1)
    return Placement(placed, order, numpy.concatenate([number, numpy.ones((layers, 1), int)], axis=1))


def _packed(weights: Any, gpus: int, slots: int) -> tuple[Any, Any]:
    """Accelerator and slot of each item, (layers, items): in their order, each to the least loaded with a free slot."""
    import numpy

    layers, items = weights.shape
    load, filled = numpy.zeros(layers * gpus), numpy.zeros(layers * gpus, int)
    first = numpy.arange(layers) * gpus
    where = numpy.empty((items, layers), int)
    slot = numpy.empty((items, layers), int)
    grid = load.reshape(layers, gpus)
    for item, weight in enumerate(numpy.ascontiguousarray(weights.T)):
        found = grid.argmin(axis=1)
        found += first
        where[item] = found
        taken = filled[found]
        slot[item] = taken
        taken += 1
        filled[found] = taken
        load[found] += numpy.where(taken < slots, weight, numpy.inf)
    return (where - first).T, slot.T


def _listed(number: Any, redundant: int) -> tuple[Any, Any]:
    """Experts, then the copies beyond the first: ids and which copy each is, (layers, experts + redundant)."""
    import numpy

    layers, experts = number.shape
    ids = numpy.tile(numpy.arange(experts), (layers, 1))
    if not redundant:
        return ids, numpy.zeros_like(ids)
    more = numpy.stack([numpy.repeat(numpy.arange(experts), row - 1) for row in number])
    ranks = numpy.stack([numpy.concatenate([numpy.arange(1, one) for one in row[row > 1]]) for row in number])
    return numpy.concatenate([ids, more], axis=1), numpy.concatenate([numpy.zeros_like(ids), ranks], axis=1)

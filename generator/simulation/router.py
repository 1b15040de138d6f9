"""Which instance gets a request: in turn, the one with the fewest requests, or the one that knows its beginning."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from generator.simulation.instance import FOREVER, Instance

BALANCES = ("least-loaded", "round-robin", "prefix")
Start = Callable[[int, list[int]], Instance]
"""Makes an instance from its number and its queue."""


Prefixes = Sequence[tuple[int, ...]]
"""Blocks of each prompt, where a trace tells them."""


def route(
    start: Start, instances: int, order: Sequence[int], ready_s: Sequence[float], balance: str,
    prefixes: Prefixes | None = None,
) -> None:  # fmt: skip
    """Run all instances to the end. `order`: requests by the time they are ready.

    `prefix`: a request goes to the instance that last took the longest beginning of its prompt, unless that one has
    more than twice as many unfinished requests as the least loaded, and one more; else to the least loaded.
    """
    if instances == 1:
        _finish(start(0, list(order)))
        return
    if balance == "round-robin":
        for number in range(instances):
            _finish(start(number, list(order[number::instances])))
        return
    queues: list[list[int]] = [[] for _ in range(instances)]
    running = [start(number, queue) for number, queue in enumerate(queues)]
    for one in running:
        next(one)
    holders: dict[int, int] = {}
    for request in order:
        time = ready_s[request]
        loads = [one.send(time) for one in running]
        least = min(loads)
        chosen = loads.index(least)
        if prefixes is not None and balance == "prefix":
            chosen = _holder(prefixes[request], holders, loads, 2 * least + 1, chosen)
            holders.update(dict.fromkeys(prefixes[request], chosen))
        queues[chosen].append(request)
    for one in running:
        _finish(one, begun=True)


def _holder(blocks: tuple[int, ...], holders: dict[int, int], loads: list[int], most: int, otherwise: int) -> int:
    """The instance that last took the longest known beginning of a prompt, if its load allows it."""
    known = otherwise
    for block in blocks:
        if block not in holders:
            break
        known = holders[block]
    return known if loads[known] <= most else otherwise


def _finish(instance: Instance, *, begun: bool = False) -> None:
    if not begun:
        next(instance)
    try:
        instance.send(FOREVER)
    except StopIteration:
        return
    raise AssertionError("an instance that knows its whole queue runs to the end")

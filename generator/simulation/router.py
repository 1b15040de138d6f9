"""Which instance gets a request: in turn, or the one with the fewest requests when it arrives."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from generator.simulation.instance import FOREVER, Instance

BALANCES = ("least-loaded", "round-robin")
Start = Callable[[int, list[int]], Instance]
"""Makes an instance from its number and its queue."""


def route(start: Start, instances: int, order: Sequence[int], ready_s: Sequence[float], balance: str) -> None:
    """Run all instances to the end. `order`: requests by the time they are ready."""
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
    for request in order:
        time = ready_s[request]
        loads = [one.send(time) for one in running]
        queues[loads.index(min(loads))].append(request)
    for one in running:
        _finish(one, begun=True)


def _finish(instance: Instance, *, begun: bool = False) -> None:
    if not begun:
        next(instance)
    try:
        instance.send(FOREVER)
    except StopIteration:
        return
    raise AssertionError("an instance that knows its whole queue runs to the end")

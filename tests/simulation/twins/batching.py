"""The slow twin of slots and batches: one step at a time, one object a request, one count of blocks a step.

It shares the costs of a single request with the package, and no rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf

from generator.simulation.costs import Costs


@dataclass
class Request:
    """One request and what has happened to it so far."""

    number: int
    arrival: float
    prompt: int
    output: int
    made: int = 0
    start: float = -1.0
    finish: float = -1.0
    sent_back: int = 0

    @property
    def context(self) -> int:
        return self.prompt + self.made


def requests_of(arrivals: list[float], prompts: list[int], outputs: list[int]) -> list[Request]:
    return [Request(number, *one) for number, one in enumerate(zip(arrivals, prompts, outputs, strict=True))]


def static(
    requests: list[Request], *, slots: int, fill_wait: float = 0.0, streamed: bool = False, costs: Costs | None = None
) -> None:
    """Batches one after another. With costs, prompts are prefilled and give the first token; without, a step is 1."""
    now, waiting = 0.0, list(requests)
    while waiting:
        moments = sorted({now, waiting[0].arrival + fill_wait, *(one.arrival for one in waiting)})
        for moment in moments:
            there = [one for one in waiting if one.arrival <= moment]
            ready = len(there) >= slots or len(there) == len(waiting)
            if moment >= now and there and (ready or moment >= there[0].arrival + fill_wait):
                now = moment
                break
        batch = [one for one in waiting if one.arrival <= now][:slots]
        if costs is not None:
            room, taken = costs.pool_bytes, []
            for one in batch:
                room -= costs.request_bytes[one.prompt + one.output]
                if room < 0:
                    break
                taken.append(one)
            batch = taken
        waiting = waiting[len(batch) :]
        for one in batch:
            one.start = now
        if costs is not None:
            tokens = sum(one.prompt for one in batch)
            work = sum(costs.prompt_s[one.prompt] for one in batch)
            now += max(work, costs.weights_s[tokens]) + costs.fixed_s[tokens]
            for one in batch:
                one.made, one.finish = 1, now
        while any(one.made < one.output for one in batch):
            live = [one for one in batch if one.made < one.output]
            if costs is None:
                now += 1
            else:
                line = costs.lines[0]
                memory = costs.weights_s[len(live)]
                memory += sum(line.memory_s + line.memory_per_token_s * one.context for one in live)
                compute = sum(line.compute_s + line.compute_per_token_s * one.context for one in live)
                now += max(memory, compute) + costs.fixed_s[len(live)]
            for one in live:
                one.made += 1
                one.finish = now
        if not streamed:
            for one in batch:
                one.finish = now


def continuous(
    requests: list[Request], *, slots: int, block: int = 1, pool_blocks: float = inf, on_demand: bool = True
) -> int:
    """A step at a time; blocks are taken when a token needs one, or all at admission. Returns the most in use."""
    now, waiting, running = 0.0, list(requests), []
    most = 0

    def held(one: Request, more: int = 0) -> int:
        return ceil((one.context + more if on_demand else one.prompt + one.output) / block)

    while waiting or running:
        if not running and waiting[0].arrival > now:
            now = waiting[0].arrival
        while waiting and waiting[0].arrival <= now and len(running) < slots:
            one = waiting[0]
            if sum(held(other, 1) for other in [*running, one]) > pool_blocks:
                break
            waiting.pop(0)
            running.append(one)
            if one.start < 0:
                one.start = now
        while sum(held(one, 1) for one in running) > pool_blocks:
            last = max(running, key=lambda one: one.number)
            running.remove(last)
            last.sent_back += 1
            waiting = sorted([last, *waiting], key=lambda one: one.number)
        most = max(most, sum(held(one, 1) for one in running))
        now += 1
        for one in running:
            one.made += 1
            if one.made == one.output:
                one.finish = now
        running = [one for one in running if one.made < one.output]
    return most

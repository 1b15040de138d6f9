"""One instance that prefills and decodes by itself: waiting prompts first, or with the prompts done elsewhere.

An instance is a generator function. It is sent the time up to which its queue is known, runs until that time is
reached, and answers how many requests it has not finished. Everything that happens is written into the records.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

from generator.simulation.costs import Costs
from generator.simulation.iterations import Iterations
from generator.simulation.jumps import steps_within
from generator.simulation.records import Records

Instance = Generator[int, float, None]
FOREVER = float("inf")


@dataclass(frozen=True)
class Task:
    """The requests of one run as an instance sees them; lists are indexed by request.

    ready_s: when a request may start here; decode_steps: steps after the first token; growth: tokens that one step
    adds to its context; cached_tokens: how much of the prompt needs no work.
    step_tokens: tokens of one request in one decode step, more than one where drafts are checked.
    """

    ready_s: list[float]
    decode_steps: list[int]
    growth: list[float] | None = None
    cached_tokens: list[int] | None = None
    step_tokens: int = 1
    follower: list[int] | None = None
    """The request that the same client sends next, or -1."""
    think_s: list[float] | None = None
    """Time between an answer and the request that follows, by the request that follows."""


def colocated(
    costs: Costs,
    task: Task,
    records: Records,
    queue: list[int],
    *,
    number: int = 0,
    prefill_tokens: int | None = 16_384,
    slots: int = 16_384,
    log: Iterations | None = None,
) -> Instance:
    """Continuous batching. Waiting prompts are prefilled first, at most `prefill_tokens` an iteration; decodes wait.

    With `prefill_tokens` None the prompts were processed elsewhere: a request joins at the next step, and its first
    token is out then. Cache for prompt and output is reserved when a request is admitted, in order of arrival.
    """
    weights_s, fixed_s, prompt_s, request_bytes = (
        costs.weights_s, costs.fixed_s, costs.prompt_s, costs.request_bytes,
    )  # fmt: skip
    prompts, outputs = records.prompt_tokens, records.output_tokens
    started, first, finish, where = (
        records.start_s, records.first_token_s, records.finish_s, records.instance,
    )  # fmt: skip
    ready, decode_steps, growth, cached = task.ready_s, task.decode_steps, task.growth, task.cached_tokens
    per_request, follower = task.step_tokens, task.follower
    batch = Batch(costs, len(records))
    straight, line = costs.straight, costs.lines[0]
    line_memory, line_memory_growth = line.memory_s, line.memory_per_token_s
    line_compute, line_compute_growth = line.compute_s, line.compute_per_token_s
    shift, mask = batch.shift, batch.mask
    events = batch.events
    room = costs.pool_bytes
    now, step, head, decoding, fresh = 0.0, 0, 0, 0, 0
    context: float = 0
    growing: float = 0
    until = yield 0
    while True:
        while now >= until:
            until = yield len(queue) - head + decoding
        # Requests that end with the step that has just been made.
        while events and events[0] >> shift <= step:
            request = heappop(events) & mask
            if not straight and batch.crossed(request, step):
                continue
            finish[request] = now
            decoding -= 1
            tokens = prompts[request] + outputs[request]
            room += request_bytes[tokens]
            context -= tokens
            growing -= 1 if growth is None else growth[request]
            if not straight:
                batch.leave(request, step)
            if follower is not None:
                follow(queue, head, ready, task, request, now, records)
        if not decoding:
            context, growing = 0, 0
        # Admission in order of arrival.
        group: list[int] = []
        tokens = 0
        work_s = 0.0
        arrivals = len(queue)
        while head < arrivals:
            request = queue[head]
            if ready[request] > now or decoding + len(group) >= slots:
                break
            prompt = prompts[request]
            need = request_bytes[prompt + outputs[request]]
            if need > room:
                if not decoding and not group:
                    raise TooLarge(request, prompt + outputs[request])
                break
            if prefill_tokens is not None:
                done = 0 if cached is None else cached[request]
                if tokens and tokens + prompt - done > prefill_tokens:
                    break
                tokens += prompt - done
                work_s += prompt_s[prompt] - prompt_s[done]
            room -= need
            head += 1
            group.append(request)
        if group:
            begin = now
            if prefill_tokens is not None:
                reading = weights_s[tokens if tokens < len(weights_s) else -1]
                now += (work_s if work_s > reading else reading) + fixed_s[tokens if tokens < len(fixed_s) else -1]
                if log is not None:
                    log.rows.append((begin, now, tokens, 0, 0, 0.0, 0.0, 0))
            for request in group:
                started[request] = begin if prefill_tokens is not None else started[request]
                first[request] = now
                where[request] = number
                steps = decode_steps[request]
                if steps <= 0:
                    finish[request] = now
                    room += request_bytes[prompts[request] + outputs[request]]
                    if follower is not None:
                        follow(queue, head, ready, task, request, now, records)
                    continue
                decoding += 1
                fresh += 1
                context += prompts[request] + 1
                growing += 1 if growth is None else growth[request]
                heappush(events, (step + steps) << shift | request)
                if not straight:
                    batch.join(request, prompts[request] + 1, 1 if growth is None else growth[request], step, steps)
            continue
        if decoding:
            # A prompt that waits for room cannot join before a request ends; one that is still to come can.
            horizon = FOREVER if decoding >= slots else until
            if head < len(queue):
                coming = ready[queue[head]]
                horizon = min(horizon, coming) if coming > now else FOREVER
            tokens = decoding * per_request
            if straight:
                memory = line_memory * decoding + line_memory_growth * context
                memory_growth = line_memory_growth * growing
                compute = line_compute * decoding + line_compute_growth * context
                compute_growth = line_compute_growth * growing
            else:
                memory, memory_growth, compute, compute_growth = batch.lines(step)
            memory += weights_s[tokens]
            if per_request > 1:
                compute *= per_request
                compute_growth *= per_request
            fixed = fixed_s[tokens]
            begin = now
            steps, now = steps_within(
                (events[0] >> shift) - step, horizon, now, memory, memory_growth, compute, compute_growth, fixed
            )
            step += steps
            context += steps * growing
            if log is not None:
                last = steps - 1
                log.rows.append(
                    (
                        begin, now, 0, decoding, steps, max(memory, compute) + fixed,
                        max(memory + last * memory_growth, compute + last * compute_growth) + fixed, fresh,
                    )
                )  # fmt: skip
                fresh = 0
            continue
        if head < len(queue):
            now = min(ready[queue[head]], until)
        elif until == FOREVER:
            return
        else:
            now = until


class TooLarge(ValueError):
    """A request whose cache is larger than the whole pool of an instance."""

    def __init__(self, request: int, tokens: int):
        super().__init__(f"request {request} of {tokens} tokens needs more cache than one instance has in all")


class Batch:
    """The decoding requests of a model whose layers do not all see the whole context, by piece of their cost lines."""

    def __init__(self, costs: Costs, requests: int):
        self.lines_of = costs.lines
        self.shift = max(requests, 1).bit_length()
        self.mask = (1 << self.shift) - 1
        self.events: list[int] = []
        """Heap of `step << shift | request`: ends, and crossings from one line to the next."""
        self.members: dict[int, list[float]] = {}
        """request -> piece, context at a step, that step, growth, step of its end."""
        self.crossings: dict[int, int] = {}

    def join(self, request: int, context: float, growth: float, step: int, steps: int) -> None:
        """A request begins to decode at a context, for so many steps."""
        piece = next(index for index, line in enumerate(self.lines_of) if context <= line.upto_tokens)
        self.members[request] = [piece, context, step, growth, step + steps]
        self._plan(request)

    def leave(self, request: int, step: int) -> None:
        """A request has ended."""
        del self.members[request]
        self.crossings.pop(request, None)

    def crossed(self, request: int, step: int) -> bool:
        """True if this event was a crossing, which is then done; False if the request ends."""
        if self.crossings.get(request) != step:
            return False
        member = self.members[request]
        member[1] += member[3] * (step - member[2])
        member[2] = step
        while member[1] > self.lines_of[int(member[0])].upto_tokens:
            member[0] += 1
        del self.crossings[request]
        self._plan(request)
        return True

    def _plan(self, request: int) -> None:
        from math import floor

        piece, context, step, growth, end = self.members[request]
        upto = self.lines_of[int(piece)].upto_tokens
        if upto == FOREVER:
            return
        at = int(step) + floor((upto - context) / growth) + 1
        if at >= end:
            return
        self.crossings[request] = at
        heappush(self.events, at << self.shift | request)

    def reading(self, tokens: float) -> float:
        """Time to read the cache of the first tokens of a prompt."""
        line = next(line for line in self.lines_of if tokens <= line.upto_tokens)
        return line.memory_s + line.memory_per_token_s * tokens

    def lines(self, step: int) -> tuple[float, float, float, float]:
        """Memory and compute time of the caches in this step, and by how much each grows from step to step."""
        memory = memory_growth = compute = compute_growth = 0.0
        for piece, context, since, growth, _ in self.members.values():
            line = self.lines_of[int(piece)]
            there = context + growth * (step - since)
            memory += line.memory_s + line.memory_per_token_s * there
            memory_growth += line.memory_per_token_s * growth
            compute += line.compute_s + line.compute_per_token_s * there
            compute_growth += line.compute_per_token_s * growth
        return memory, memory_growth, compute, compute_growth


def follow(
    queue: list[int], head: int, ready: list[float], task: Task, request: int, now: float, records: Records
) -> None:
    """The client of a request thinks, and sends its next one to the same instance."""
    assert task.follower is not None and task.think_s is not None
    following: Any = task.follower[request]
    if following < 0:
        return
    ready[following] = records.arrival_s[following] = now + task.think_s[following]
    place = len(queue)
    while place > head and ready[queue[place - 1]] > ready[following]:
        place -= 1
    queue.insert(place, following)

"""Slots shared by requests: a static batch that ends with its longest answer, and slots refilled at every step.

Continuous batching with reserved cache is `instance.colocated`; here is what it is compared with: static batches, and
cache taken block by block as answers grow.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush

from generator.estimates.architecture import NotSupported
from generator.simulation.costs import Costs, Line
from generator.simulation.instance import FOREVER, Task, TooLarge
from generator.simulation.iterations import Iterations
from generator.simulation.jumps import span_s
from generator.simulation.records import Records


@dataclass(frozen=True)
class StaticBatch:
    """Requests `first` to `beyond - 1`, which were served together; steps: decode steps of the longest."""

    first: int
    beyond: int
    start_s: float
    end_s: float
    steps: int


def step_costs(*, pool_tokens: float, longest_tokens: int) -> Costs:
    """Costs where the clock counts steps: every step takes 1, prompts take nothing, cache is counted in tokens."""
    return Costs(
        weights_s=[0.0] * 16_385,
        fixed_s=[1.0] * 16_385,
        prompt_s=[0.0] * (longest_tokens + 1),
        lines=(Line(FOREVER, 0.0, 0.0, 0.0, 0.0),),
        pool_bytes=pool_tokens,
        request_bytes=[float(tokens) for tokens in range(longest_tokens + 1)],
        moved_bytes=[],
    )


def static(
    costs: Costs,
    task: Task,
    records: Records,
    *,
    slots: int,
    fill_wait: float = 0.0,
    prefill: bool = True,
    streamed: bool = False,
    log: Iterations | None = None,
) -> list[StaticBatch]:
    """Static batching: the waiting requests, at most `slots`, run until the longest of their answers ends.

    A batch begins when it is full, when its oldest request has waited `fill_wait`, or when nobody else is to come. Its
    answers are given out together at its end, unless they are streamed. Requests that have ended are neither computed
    nor read any more, which is more than early engines did; their slots and their cache stay taken.
    """
    if not costs.straight:
        raise NotSupported("static batches want a model in which every layer sees the whole context")
    weights_s, fixed_s, prompt_s, request_bytes = costs.weights_s, costs.fixed_s, costs.prompt_s, costs.request_bytes
    prompts, outputs, ready = records.prompt_tokens, records.output_tokens, task.ready_s
    line = costs.lines[0]
    count, head, now = len(records), 0, 0.0
    batches = []
    while head < count:
        full = ready[min(head + slots, count) - 1]
        now = begin = max(now, min(full, ready[head] + fill_wait))
        room, first = costs.pool_bytes, head
        while head < count and head - first < slots and ready[head] <= now:
            room -= request_bytes[prompts[head] + outputs[head]]
            if room < 0:
                break
            head += 1
        if head == first:
            raise TooLarge(first, prompts[first] + outputs[first])
        members = sorted(range(first, head), key=task.decode_steps.__getitem__)
        if prefill:
            tokens = sum(prompts[first:head])
            reading, fixed = (table[min(tokens, len(table) - 1)] for table in (weights_s, fixed_s))
            now += max(sum(prompt_s[prompts[one]] for one in members), reading) + fixed
            if log is not None:
                more = sum(task.decode_steps[one] > 0 for one in members)
                log.rows.append((begin, now, tokens, 0, 0, 0.0, 0.0, more))
        for one in members:
            records.start_s[one] = begin
            records.first_token_s[one] = now
        live, done = len(members), 0
        context = sum(prompts[one] + 1 for one in members)
        for one in members:
            steps = task.decode_steps[one] - done
            if steps > 0:
                since = now
                memory = line.memory_s * live + line.memory_per_token_s * context + weights_s[live]
                compute = line.compute_s * live + line.compute_per_token_s * context
                growths = line.memory_per_token_s * live, line.compute_per_token_s * live
                now += span_s(steps, memory, growths[0], compute, growths[1], fixed_s[live])
                if log is not None:
                    each = (now - since) / steps
                    log.rows.append((since, now, 0, live, steps, each, each, 0))
                done += steps
                context += steps * live
            records.finish_s[one] = now
            context -= prompts[one] + 1 + done
            live -= 1
        if not streamed:
            for one in members:
                records.finish_s[one] = now
        batches.append(StaticBatch(first, head, begin, now, done))
    return batches


def on_demand(
    records: Records, *, pool_blocks: int, block_tokens: int, slots: int, log: Iterations | None = None
) -> list[int]:
    """Continuous batching with cache in blocks that are taken when a token needs one; the clock counts steps.

    A request is admitted, in order of arrival, when blocks for its prompt and its next token are free. When a step
    finds too few free blocks, the request that came last gives all of its blocks back and waits in front; it keeps
    its tokens, whose recomputation takes nothing on this clock. Returns how often each request was sent back.
    """
    prompts, outputs, ready = records.prompt_tokens, records.output_tokens, records.arrival_s
    count, head, now, step = len(records), 0, 0.0, 0
    ends: list[tuple[int, int, int]] = []
    waiting: list[int] = []
    running: dict[int, tuple[int, int]] = {}
    """Request -> its context at a step, and that step."""
    newcomers: list[int] = []
    """Heap of the requests that run, the last to come in front; may hold some that have ended."""
    made, sent_back, visits = [0] * count, [0] * count, [0] * count
    phases = [0] * block_tokens
    """How many requests start a new block in a step of this remainder."""
    free = pool_blocks

    def blocks(tokens: int) -> int:
        return -(-tokens // block_tokens)

    def leave(one: int) -> int:
        """Take a request off its slot; returns the blocks that it gives back."""
        context, since = running.pop(one)
        phases[(since - context) % block_tokens] -= 1
        return blocks(context + step - since)

    while True:
        while ends and ends[0][0] <= step:
            _, one, visit = heappop(ends)
            if visit == visits[one] and one in running:
                free += leave(one)
                records.finish_s[one] = now
        while len(running) < slots:
            fresh = not waiting
            if fresh and (head == count or ready[head] > now):
                break
            one = head if fresh else waiting[0]
            context = prompts[one] + made[one]
            starts = (context % block_tokens == 0) + phases[step % block_tokens]
            if blocks(context) + starts > free:
                if not running:
                    raise TooLarge(one, prompts[one] + outputs[one])
                break
            if fresh:
                head += 1
                records.start_s[one] = now
            else:
                heappop(waiting)
            free -= blocks(context)
            running[one] = context, step
            phases[(step - context) % block_tokens] += 1
            visits[one] += 1
            heappush(ends, (step + outputs[one] - made[one], one, visits[one]))
            heappush(newcomers, -one)
        if not running:
            if head == count:
                return sent_back
            now = ready[head]
            continue
        if phases[step % block_tokens] > free:
            one = -heappop(newcomers)
            if one in running:
                if len(running) == 1:
                    raise TooLarge(one, prompts[one] + outputs[one])
                made[one] += step - running[one][1]
                free += leave(one)
                sent_back[one] += 1
                heappush(waiting, one)
            continue
        # Steps until a request ends, one arrives that can be admitted, or the free blocks are used up.
        most = ends[0][0] - step
        if head < count and len(running) < slots and not waiting and ready[head] > now:
            most = min(most, max(1, int(-(-(ready[head] - now) // 1))))
        cycles = min(free // len(running), most // block_tokens)
        steps = cycles * block_tokens
        free -= cycles * len(running)
        while steps < most and phases[(step + steps) % block_tokens] <= free:
            free -= phases[(step + steps) % block_tokens]
            steps += 1
        if log is not None:
            log.rows.append((now, now + steps, 0, len(running), steps, 1.0, 1.0, 0))
        step += steps
        now += steps

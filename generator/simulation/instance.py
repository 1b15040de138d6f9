"""One instance that prefills and decodes by itself: waiting prompts first, or with the prompts done elsewhere.

An instance is a generator function. It is sent the time up to which its queue is known, runs until that time is
reached, and answers how many requests it has not finished. Everything that happens is written into the records.
"""

from __future__ import annotations

from collections.abc import Generator

from generator.simulation.batch import FOREVER, Batch, Task, TooLarge, follow
from generator.simulation.costs import Costs
from generator.simulation.iterations import Iterations
from generator.simulation.records import Records

Instance = Generator[int, float, None]
__all__ = ["FOREVER", "Batch", "Instance", "Task", "TooLarge", "colocated", "follow"]


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
    weights_s, fixed_s, prompt_s = costs.weights_s, costs.fixed_s, costs.prompt_s
    prompts, started, ready, cached = records.prompt_tokens, records.start_s, task.ready_s, task.cached_tokens
    limit = FOREVER if prefill_tokens is None else prefill_tokens
    batch = Batch(costs, task, records, number, log)
    events, shift = batch.events, batch.shift
    now, head = 0.0, 0
    until = yield 0
    while True:
        while now >= until:
            until = yield len(queue) - head + batch.count
        if events and events[0] >> shift <= batch.step:
            for request in batch.end(now):
                if task.follower is not None:
                    follow(queue, head, ready, task, request, now, records)
        group: list[int] = []
        tokens, reading, work = 0, 0.0, 0.0
        while head < len(queue):
            request = queue[head]
            if ready[request] > now or batch.count + len(group) >= slots:
                break
            prompt = prompts[request]
            done = 0 if cached is None else cached[request]
            if (tokens and tokens + prompt - done > limit) or not batch.admit(request):
                break
            head += 1
            group.append(request)
            if prefill_tokens is not None:
                tokens += prompt - done
                work += prompt_s[prompt] - prompt_s[done]
                if done:
                    reading += costs.reading_s(done)
                started[request] = now
        if group:
            begin = now
            if prefill_tokens is not None:
                reading += weights_s[tokens if tokens < len(weights_s) else -1]
                now += (work if work > reading else reading) + fixed_s[tokens if tokens < len(fixed_s) else -1]
            before = batch.fresh
            for request in group:
                batch.join(request, now)
            if prefill_tokens is not None and log is not None:
                log.rows.append((begin, now, tokens, 0, 0, 0.0, 0.0, batch.fresh - before))
        elif batch.count:
            # A prompt that waits for room or a slot cannot join before a request ends; one still to come can.
            horizon = until
            if batch.count >= slots:
                horizon = FOREVER
            elif head < len(queue):
                coming = ready[queue[head]]
                horizon = min(until, coming) if coming > now else FOREVER
            now = batch.run(now, horizon)
        elif head < len(queue):
            now = min(ready[queue[head]], until)
        elif until == FOREVER:
            return
        else:
            now = until

"""One instance with chunked prefill: an iteration holds the decodes and pieces of prompts, up to a token budget."""

from __future__ import annotations

from generator.simulation.batch import FOREVER, Batch, Task, follow
from generator.simulation.costs import Costs
from generator.simulation.instance import Instance
from generator.simulation.iterations import Iterations
from generator.simulation.records import Records


def chunked(
    costs: Costs,
    task: Task,
    records: Records,
    queue: list[int],
    *,
    number: int = 0,
    budget_tokens: int = 512,
    slots: int = 16_384,
    log: Iterations | None = None,
) -> Instance:
    """Chunked prefill after Agrawal et al. 2024. Decodes come first, prompts fill the budget in order of arrival.

    A piece reads the cache of its prompt before it, and computes attention over it. Cache for prompt and output is
    reserved when the first piece of a prompt is taken; the first token is out at the end of the last piece.
    """
    prompt_s, prompts, started = costs.prompt_s, records.prompt_tokens, records.start_s
    ready, cached = task.ready_s, task.cached_tokens
    straight, line = costs.straight, costs.lines[0]
    # The compute time of a prompt is linear + bend * p^2 where every layer sees all of it.
    bend = (prompt_s[2] - 2.0 * prompt_s[1]) / 2.0
    batch = Batch(costs, task, records, number, log)
    events, shift = batch.events, batch.shift
    now, head = 0.0, 0
    current, done = -1, 0
    until = yield 0
    while True:
        while now >= until:
            until = yield len(queue) - head + batch.count + (current >= 0)
        if events and events[0] >> shift <= batch.step:
            for request in batch.end(now):
                if task.follower is not None:
                    follow(queue, head, ready, task, request, now, records)
        share = budget_tokens - batch.count * task.step_tokens
        pieces, whole, reading, work = 0, 0, 0.0, 0.0
        finished: list[int] = []
        while pieces < share:
            if current < 0:
                if head >= len(queue) or batch.count + len(finished) >= slots:
                    break
                request = queue[head]
                if ready[request] > now or not batch.admit(request):
                    break
                head += 1
                current, done = request, 0 if cached is None else cached[request]
                started[request] = now
            left = prompts[current] - done
            if not pieces and left > share and straight and (done or not line.memory_s):
                # The prompt fills whole iterations: nothing else can join until it is done or a decode ends.
                whole = (left - 1) // share
                break
            taken = min(left, share - pieces)
            work += prompt_s[done + taken] - prompt_s[done]
            if done:
                reading += costs.reading_s(done)
            pieces += taken
            done += taken
            if taken == left:
                finished.append(current)
                current = -1
        if whole:
            before = batch.step
            now = batch.run(
                now, FOREVER, whole, share, costs.reading_s(done), line.memory_per_token_s * share,
                prompt_s[done + share] - prompt_s[done], 2.0 * bend * share * share,
            )  # fmt: skip
            done += share * (batch.step - before)
        elif pieces:
            now = batch.run(now, FOREVER, 1, pieces, reading, 0.0, work)
            for request in finished:
                batch.join(request, now)
        elif batch.count:
            # A prompt that waits for room, a slot or a share cannot join before a request ends; one to come can.
            horizon = until
            if share <= 0 or batch.count >= slots:
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

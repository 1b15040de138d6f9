"""One instance that allocates its cache in blocks as it grows, preempts when they run out, and finds prompts again.

The scheduler of vLLM V1 as its code has it (github.com/vllm-project/vllm, vllm/v1/core/sched/scheduler.py, with the
admission rule of its pull request 37307): requests that run come first, each takes the blocks of its next tokens, and
if there are none, the request admitted last gives its own back and waits in front of all others.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from generator.simulation.batch import FOREVER, Task, follow
from generator.simulation.costs import Costs
from generator.simulation.instance import Instance
from generator.simulation.iterations import Iterations
from generator.simulation.paged_batch import PagedBatch, Prefixes
from generator.simulation.records import Records


@dataclass
class Occupancy:
    """Who runs and which blocks are used, one row an iteration or a run of like iterations.

    Row: its end, requests that run, requests admitted and not sent back, blocks in use.
    """

    rows: list[tuple[float, int, int, int]] = field(default_factory=list)


def paged(
    costs: Costs,
    task: Task,
    records: Records,
    queue: list[int],
    *,
    number: int = 0,
    budget_tokens: int = 2048,
    slots: int = 16_384,
    caching: bool = True,
    prefixes: Prefixes | None = None,
    log: Iterations | None = None,
    occupancy: Occupancy | None = None,
) -> Instance:
    """Chunked prefill with blocks on demand, preemption with recomputation, and a prefix cache.

    An iteration holds one token of each decode, then what is left of a prompt that was begun, then new prompts, up to
    `budget_tokens` and `slots` requests. A request is admitted when all of its prompt fits into free blocks; nothing
    is admitted in an iteration that preempts. Whole blocks are found again, and at least one token is computed.
    """
    prompt_s, line = costs.prompt_s, costs.lines[0]
    # The compute time of a prompt is linear + bend * p^2, since every layer sees all of it.
    bend = (prompt_s[2] - 2.0 * prompt_s[1]) / 2.0
    batch = PagedBatch(costs, task, records, number, log, caching=caching, prefixes=prefixes)
    pool, waiting, ready = batch.pool, batch.waiting, task.ready_s
    now, head = 0.0, 0
    until = yield 0
    while True:
        while now >= until:
            until = yield len(queue) - head + len(waiting) + batch.count + (batch.current >= 0)
        ended = batch.end(now)
        if task.follower is not None:
            for request in ended:
                follow(queue, head, task, request, now, records)
        preempted = batch.grow()
        share = budget_tokens - batch.count
        if batch.current >= 0 and share > 0 and batch.more(min(batch.target - batch.done, share)) > pool.free:
            batch.preempt()
            preempted = True
        pieces, whole, reading, work = 0, 0, 0.0, 0.0
        finished: list[int] = []
        while pieces < share:
            if batch.current < 0:
                if preempted or batch.count + len(finished) >= slots:
                    break
                if waiting:
                    if not batch.admit(waiting[-1], now):
                        break
                elif head < len(queue) and ready[queue[head]] <= now:
                    if not batch.admit(queue[head], now):
                        break
                    head += 1
                else:
                    break
            done, left = batch.done, batch.target - batch.done
            if not pieces and left > share and (done or not line.memory_s):
                # The prompt fills whole iterations: nothing else can join until it is done or a decode ends.
                whole = (left - 1) // share
                if batch.more(left) + batch.blocks_in(whole) > pool.free:
                    whole = 1
                break
            taken = min(left, share - pieces)
            work += prompt_s[done + taken] - prompt_s[done]
            if done:
                reading += costs.reading_s(done)
            pieces += taken
            batch.compute(taken)
            if taken == left:
                finished.append(batch.current)
                batch.current = -1
        if whole:
            done, before = batch.done, batch.step
            now = batch.run(
                now, FOREVER, most=whole, pieces=share,
                memory=costs.reading_s(done), memory_growth=line.memory_per_token_s * share,
                compute=prompt_s[done + share] - prompt_s[done], compute_growth=2.0 * bend * share * share,
            )  # fmt: skip
            batch.compute(share * (batch.step - before))
        elif pieces:
            now = batch.run(now, FOREVER, most=1, pieces=pieces, memory=reading, compute=work)
            for request in finished:
                batch.join(request, now)
        elif batch.count:
            # A prompt that waits for blocks, a slot or a share cannot join before a request ends or is sent back.
            horizon = until
            if share <= 0 or batch.count >= slots or waiting:
                horizon = FOREVER
            elif head < len(queue):
                coming = ready[queue[head]]
                horizon = min(until, coming) if coming > now else FOREVER
            now = batch.run(now, horizon, most=1 if preempted else batch.steps_with(pool.free))
        elif preempted:
            continue
        elif head < len(queue):
            now = min(ready[queue[head]], until)
            continue
        elif until == FOREVER:
            return
        else:
            now = until
            continue
        if occupancy is not None:
            running = batch.count + (batch.current >= 0)
            occupancy.rows.append((now, running, head - len(waiting), pool.blocks - pool.free))

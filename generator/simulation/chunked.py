"""One instance with chunked prefill: an iteration holds the decodes and pieces of prompts, up to a token budget."""

from __future__ import annotations

from heapq import heappop, heappush

from generator.simulation.costs import Costs
from generator.simulation.instance import FOREVER, Batch, Instance, Task, TooLarge, follow
from generator.simulation.iterations import Iterations
from generator.simulation.jumps import steps_within
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
    # A prompt costs linear + bend * p^2 where every layer sees all of it.
    bend = (prompt_s[2] - 2.0 * prompt_s[1]) / 2.0
    shift, mask = batch.shift, batch.mask
    events = batch.events
    room = costs.pool_bytes
    now, step, head, decoding, fresh = 0.0, 0, 0, 0, 0
    context: float = 0
    growing: float = 0
    current, done = -1, 0
    until = yield 0
    while True:
        while now >= until:
            until = yield len(queue) - head + decoding + (current >= 0)
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
        if current < 0 and head < len(queue):
            request = queue[head]
            if ready[request] <= now and decoding < slots:
                need = request_bytes[prompts[request] + outputs[request]]
                if need <= room:
                    room -= need
                    head += 1
                    current, done = request, 0 if cached is None else cached[request]
                    started[request], where[request] = now, number
                elif not decoding:
                    raise TooLarge(request, prompts[request] + outputs[request])
        share = budget_tokens - decoding * per_request
        if not decoding and (current < 0 or share <= 0):
            if head < len(queue):
                now = min(ready[queue[head]], until)
            elif until == FOREVER:
                return
            else:
                now = until
            continue
        # The decodes of the next iteration: two lines over the number of the step.
        if straight:
            memory = line_memory * decoding + line_memory_growth * context
            memory_growth = line_memory_growth * growing
            compute = line_compute * decoding + line_compute_growth * context
            compute_growth = line_compute_growth * growing
        else:
            memory, memory_growth, compute, compute_growth = batch.lines(step)
        if per_request > 1:
            compute *= per_request
            compute_growth *= per_request
        begin = now
        most = (events[0] >> shift) - step if decoding else 1 << 60
        if current < 0 or share <= 0:
            horizon = FOREVER if decoding >= slots else until
            if current < 0 and head < len(queue):
                coming = ready[queue[head]]
                horizon = min(horizon, coming) if coming > now else FOREVER
            tokens = decoding * per_request
            memory += weights_s[tokens]
            fixed = fixed_s[tokens]
            steps, now = steps_within(
                most, horizon if share > 0 else FOREVER, now, memory, memory_growth, compute, compute_growth, fixed
            )
            step += steps
            context += steps * growing
            if log is not None:
                log.rows.append((begin, now, 0, decoding, steps, *_ends(
                    steps, memory, memory_growth, compute, compute_growth, fixed), fresh))  # fmt: skip
                fresh = 0
            continue
        left = prompts[current] - done
        if left > share:
            # The prompt fills whole iterations: nothing else can join until it is done or a decode ends.
            steps = min((left - 1) // share, most) if straight and (done or not line_memory) else 1
            memory += weights_s[budget_tokens]
            fixed = fixed_s[budget_tokens]
            compute += prompt_s[done + share] - prompt_s[done]
            if done:
                memory += line_memory
            if straight:
                memory += line_memory_growth * done
                memory_growth += line_memory_growth * share
                compute_growth += 2.0 * bend * share * share
            elif done:
                memory += batch.reading(done) - line_memory
            steps, now = steps_within(steps, FOREVER, now, memory, memory_growth, compute, compute_growth, fixed)
            step += steps
            context += steps * growing
            done += steps * share
            if log is not None:
                log.rows.append((begin, now, steps * share, decoding, steps, *_ends(
                    steps, memory, memory_growth, compute, compute_growth, fixed), fresh))  # fmt: skip
                fresh = 0
            continue
        # The last piece of the prompt; what is left of the budget goes to the prompts behind it.
        finished: list[int] = []
        pieces = 0
        while current >= 0:
            taken = min(prompts[current] - done, share - pieces)
            compute += prompt_s[done + taken] - prompt_s[done]
            if done:
                memory += batch.reading(done)
            pieces += taken
            done += taken
            if done < prompts[current]:
                break
            finished.append(current)
            current = -1
            if pieces >= share or head >= len(queue) or decoding + len(finished) >= slots:
                break
            request = queue[head]
            if ready[request] > now:
                break
            need = request_bytes[prompts[request] + outputs[request]]
            if need > room:
                break
            room -= need
            head += 1
            current, done = request, 0 if cached is None else cached[request]
            started[request], where[request] = now, number
        tokens = decoding * per_request + pieces
        memory += weights_s[tokens]
        now += (memory if memory > compute else compute) + fixed_s[tokens]
        step += 1
        context += growing
        if log is not None:
            log.rows.append((begin, now, pieces, decoding, 1, now - begin, now - begin, fresh))
            fresh = 0
        for request in finished:
            first[request] = now
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


def _ends(
    steps: int, memory: float, memory_growth: float, compute: float, compute_growth: float, fixed: float
) -> tuple[float, float]:
    """Time of the first and of the last of some steps."""
    last = steps - 1
    return (
        max(memory, compute) + fixed,
        max(memory + last * memory_growth, compute + last * compute_growth) + fixed,
    )

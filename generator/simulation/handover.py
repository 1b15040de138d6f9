"""Prefill apart from decode: a pool of prefill instances that share one queue, and the links that carry the caches."""

from __future__ import annotations

from collections import deque
from heapq import heapify, heappop, heappush

from generator.simulation.batch import TooLarge
from generator.simulation.costs import Costs
from generator.simulation.iterations import Iterations
from generator.simulation.records import Records


def prefill_pool(
    costs: Costs,
    records: Records,
    *,
    instances: int,
    link_bytes_per_s: float,
    overhead_s: float = 0.0,
    cached_tokens: list[int] | None = None,
    prefill_tokens: int = 16_384,
    shared_link: bool = False,
    logs: list[Iterations] | None = None,
) -> list[float]:
    """When each request's cache has arrived at the decode side; start times go into the records.

    The instance that has been free longest takes the waiting prompts in order of arrival, at most `prefill_tokens` at
    once. When they are done their caches go, one after the other, over the link of the instance, or over one link that
    all instances share in the order in which prompts are finished. A prompt holds room on its prefill instance until
    its cache has gone. overhead_s is added to each handover and occupies no link.
    """
    weights_s, fixed_s, prompt_s = costs.weights_s, costs.fixed_s, costs.prompt_s
    arrivals, prompts, started = records.arrival_s, records.prompt_tokens, records.start_s
    held_bytes, moved_bytes = costs.request_bytes, costs.moved_bytes
    requests = len(arrivals)
    ready_s = [0.0] * requests
    free = [(0.0, 0.0, number) for number in range(instances)]
    """Heap of instances: when to look at it again, since when it is free, its number."""
    blocked: set[int] = set()
    """Free instances without room for the first prompt."""
    link_free_s = [0.0] * instances
    room, held = [costs.pool_bytes] * instances, [0] * instances
    leaving: list[deque[tuple[float, float]]] = [deque() for _ in range(instances)]
    working: list[tuple[float, int, int, int]] = []
    """Heap of groups of prompts that are not done or not sent: end, first and last request, instance."""

    def send(until_s: float) -> None:
        """Put the caches of all prompts that are done by then on their link."""
        while working and working[0][0] <= until_s:
            end, first, last, number = heappop(working)
            link = 0 if shared_link else number
            gone = max(link_free_s[link], end)
            for request in range(first, last):
                gone += moved_bytes[prompts[request]] / link_bytes_per_s
                ready_s[request] = gone + overhead_s
                leaving[number].append((gone, held_bytes[prompts[request]]))
            link_free_s[link] = gone

    head = 0
    while head < requests:
        now, since, number = heappop(free)
        if arrivals[head] > now:
            now = arrivals[head]
        send(now)
        going = leaving[number]
        while going and going[0][0] <= now:
            room[number] += going.popleft()[1]
            held[number] -= 1
        if not held[number]:
            room[number] = costs.pool_bytes
        if held_bytes[prompts[head]] > room[number]:
            if not held[number]:
                raise TooLarge(head, prompts[head])
            blocked.add(number)
            heappush(free, (going[0][0] if going else working[0][0], since, number))
            continue
        first, tokens, reading, work = head, 0, 0.0, 0.0
        while head < requests and arrivals[head] <= now:
            prompt, done = prompts[head], 0
            if cached_tokens is not None and cached_tokens[head]:
                done = cached_tokens[head]
            if tokens and (tokens + prompt - done > prefill_tokens or held_bytes[prompt] > room[number]):
                break
            tokens += prompt - done
            work += prompt_s[prompt] - prompt_s[done]
            if done:
                reading += costs.reading_s(done)
            room[number] -= held_bytes[prompt]
            held[number] += 1
            started[head] = now
            head += 1
        reading += weights_s[tokens if tokens < len(weights_s) else -1]
        end = now + (work if work > reading else reading) + fixed_s[tokens if tokens < len(fixed_s) else -1]
        if logs is not None:
            logs[number].rows.append((now, end, tokens, 0, 0, 0.0, 0.0, head - first))
        heappush(working, (end, first, head, number))
        heappush(free, (end, end, number))
        if blocked:
            # There may be room for the prompt that is first now.
            blocked.discard(number)
            free = [(now if one in blocked else time, since, one) for time, since, one in free]
            heapify(free)
            blocked.clear()
    send(float("inf"))
    return ready_s

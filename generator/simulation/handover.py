"""Prefill apart from decode: a pool of prefill instances that share one queue, and the links that carry the caches."""

from __future__ import annotations

from collections import deque
from heapq import heappop, heappush

from generator.simulation.costs import Costs
from generator.simulation.instance import TooLarge
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

    A free instance takes the waiting prompts in order of arrival, at most `prefill_tokens` at once. When they are done
    their caches go, one after the other, over the link of the instance, or over one link that all instances share in
    the order in which prompts are finished. A prompt holds room on its prefill instance until its cache has gone
    (with a shared link the room is not limited). overhead_s is added to each handover and occupies no link.
    """
    weights_s, fixed_s, prompt_s = costs.weights_s, costs.fixed_s, costs.prompt_s
    arrivals, prompts, started = records.arrival_s, records.prompt_tokens, records.start_s
    held_bytes, moved_bytes = costs.request_bytes, costs.moved_bytes
    requests = len(arrivals)
    ready_s = [0.0] * requests
    free = [(0.0, number) for number in range(instances)]
    link_free_s = [0.0] * instances
    room = [costs.pool_bytes] * instances
    leaving: list[deque[tuple[float, float]]] = [deque() for _ in range(instances)]
    finished: list[tuple[float, int]] = []
    head = 0
    while head < requests:
        now, number = heappop(free)
        if arrivals[head] > now:
            now = arrivals[head]
        gone = leaving[number]
        while gone and gone[0][0] <= now:
            room[number] += gone.popleft()[1]
        need = held_bytes[prompts[head]]
        while need > room[number] and not shared_link:
            if not gone:
                raise TooLarge(head, prompts[head])
            now, held = gone.popleft()
            room[number] += held
        first, tokens, work_s = head, 0, 0.0
        while head < requests and arrivals[head] <= now:
            prompt = prompts[head]
            done = 0 if cached_tokens is None else cached_tokens[head]
            if tokens and (
                tokens + prompt - done > prefill_tokens or (held_bytes[prompt] > room[number] and not shared_link)
            ):
                break
            tokens += prompt - done
            work_s += prompt_s[prompt] - prompt_s[done]
            room[number] -= held_bytes[prompt]
            started[head] = now
            head += 1
        reading = weights_s[tokens if tokens < len(weights_s) else -1]
        end = now + (work_s if work_s > reading else reading) + fixed_s[tokens if tokens < len(fixed_s) else -1]
        if logs is not None:
            logs[number].rows.append((now, end, tokens, 0, 0, 0.0, 0.0, head - first))
        heappush(free, (end, number))
        if shared_link:
            finished += [(end, request) for request in range(first, head)]
            continue
        link = max(link_free_s[number], end)
        for request in range(first, head):
            link += moved_bytes[prompts[request]] / link_bytes_per_s
            ready_s[request] = link + overhead_s
            gone.append((link, held_bytes[prompts[request]]))
        link_free_s[number] = link
    link = 0.0
    for end, request in sorted(finished):
        link = max(link, end) + moved_bytes[prompts[request]] / link_bytes_per_s
        ready_s[request] = link + overhead_s
    return ready_s

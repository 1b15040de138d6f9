"""One replica of a fleet: how many requests it holds, how long each stays, when its first token is out.

All times come from the costs of an iteration, for requests of one prompt and one output length.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from generator.estimates.architecture import NotSupported
from generator.formulas import planning, prefill, service
from generator.simulation.costs import Costs


@dataclass(frozen=True)
class Replica:
    """Times by the number of requests that one replica serves, index 0 to `slots`; index 0 repeats index 1."""

    slots: int
    request_s: list[float]
    """From the first work on a request to its last token."""
    first_token_s: list[float]
    """From arrival to the first token, if a slot is free: prompts ahead, half an iteration, its own prompt."""

    @property
    def requests_per_s(self) -> float:
        """What one replica finishes per second with all slots in use."""
        return self.slots / self.request_s[self.slots]

    def filled_by(self, requests_per_s: float) -> int:
        """Fewest requests in a replica at which it finishes this many per second; all slots if it never does."""
        for served in range(1, self.slots + 1):
            if served / self.request_s[served] >= requests_per_s:
                return served
        return self.slots


def replica(
    costs: Costs,
    *,
    prompt_tokens: float,
    output_tokens: float,
    token_limit_s: float,
    slots: int | None = None,
    most_slots: int = 1024,
) -> Replica:
    """A replica that prefills its prompts between decode steps.

    Its slots are the most requests whose caches fit and whose mean time per token stays within the limit, unless they
    are given. Raises NotSupported if not even one request is served within the limit.
    """
    prompt, context = int(prompt_tokens), prompt_tokens + output_tokens / 2
    line = costs.lines[bisect_right([one.upto_tokens for one in costs.lines[:-1]], context)]
    memory_s = line.memory_s + line.memory_per_token_s * context
    compute_s = line.compute_s + line.compute_per_token_s * context
    prefill_s = max(costs.weights_s[prompt], costs.prompt_s[prompt]) + costs.fixed_s[prompt]
    room = int(costs.pool_bytes // costs.request_bytes[int(prompt_tokens + output_tokens)])
    request_s, first_token_s = [0.0], [0.0]
    for served in range(1, min(room, slots or most_slots) + 1):
        step_s = max(costs.weights_s[served] + served * memory_s, served * compute_s) + costs.fixed_s[served]
        rate = planning.capacity_requests_per_s(
            mixed_tokens_per_s=prefill.mixed_tokens_per_s(
                batch=served, dp=1, output_tokens=output_tokens, prefill_s=prefill_s, tpot_s=step_s
            ),
            output_tokens=output_tokens,
        )
        if (
            slots is None
            and planning.mean_token_s(batch=served, mixed_tokens_per_s=rate * output_tokens) > token_limit_s
        ):
            break
        load = rate * prefill_s
        wait_s = service.single_server_wait_s(
            load_ratio=load, arrival_variation=1, service_variation=0, service_s=prefill_s
        )
        request_s.append(served / rate)
        first_token_s.append(wait_s + (1 - load) * step_s / 2 + prefill_s)
    held = len(request_s) - 1
    if held < (slots or 1):
        raise NotSupported(f"a replica serves {held} requests of this length within {token_limit_s:g} s a token")
    request_s[0], first_token_s[0] = request_s[1], first_token_s[1]
    return Replica(held, request_s, first_token_s)

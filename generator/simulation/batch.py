"""The requests that one instance holds: room for their caches, the steps of those that decode, and when each ends.

Sums over the decoding requests are kept, so that a step costs the same to add up whether it holds two or two thousand.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush

from generator.simulation.costs import Costs
from generator.simulation.iterations import Iterations
from generator.simulation.jumps import FOREVER, steps_within
from generator.simulation.pieces import Pieces
from generator.simulation.records import Records

ENDLESS = 1 << 60
__all__ = ["ENDLESS", "FOREVER", "Batch", "Task", "TooLarge", "follow"]


@dataclass(frozen=True)
class Task:
    """The requests of one run as an instance sees them; lists are indexed by request.

    ready_s: when a request may start here; decode_steps: steps after the first token; growth: tokens that one step
    adds to its context; cached_tokens: how much of the prompt needs no work.
    step_tokens: tokens of one request in one decode step, more than one where drafts are checked; draft_s: time to
    draft them, in every iteration that decodes.
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
    draft_s: float = 0.0


class TooLarge(ValueError):
    """A request whose cache is larger than the whole pool of an instance."""

    def __init__(self, request: int, tokens: int):
        super().__init__(f"request {request} of {tokens} tokens needs more cache than one instance has in all")


class Batch:
    """What one instance holds. Its requests are admitted, join the decodes with their first token, and end."""

    __slots__ = (
        "_checked", "_context", "_draft_s", "_fixed_s", "_growing", "_growth", "_line", "_mask", "_outputs", "_pieces",
        "_prompts", "_records", "_request_bytes", "_task", "_weights_s", "costs", "count", "events", "fresh", "held",
        "log", "number", "room", "shift", "step",
    )  # fmt: skip

    def __init__(self, costs: Costs, task: Task, records: Records, number: int = 0, log: Iterations | None = None):
        self.costs, self.number, self.log = costs, number, log
        self.room, self.held = costs.pool_bytes, 0
        self.count = 0
        """Requests that decode."""
        self.fresh = 0
        """Those of them that have not taken a step."""
        self.step = 0
        """Decode steps so far."""
        self.events: list[int] = []
        """Heap of `step, request, kind` in one number: ends (0), and crossings from one cost line to the next (1)."""
        self.shift = max(len(records), 1).bit_length() + 1
        self._mask = (1 << self.shift) - 1
        self._context: float = 0
        """Contexts of all that decode, together, and what a step adds to them."""
        self._growing: float = 0
        self._line = costs.lines[0]
        self._pieces = None if costs.straight else Pieces(costs.lines)
        self._task, self._records = task, records
        self._prompts, self._outputs, self._request_bytes = (
            records.prompt_tokens, records.output_tokens, costs.request_bytes,
        )  # fmt: skip
        self._growth, self._checked, self._draft_s = task.growth, task.step_tokens, task.draft_s
        self._weights_s, self._fixed_s = costs.weights_s, costs.fixed_s

    def admit(self, request: int) -> bool:
        """Take the room for prompt and output, if there is as much. Raises TooLarge if there never will be."""
        tokens = self._prompts[request] + self._outputs[request]
        need = self._request_bytes[tokens]
        if need <= self.room:
            self.room -= need
            self.held += 1
            return True
        if not self.held:
            raise TooLarge(request, tokens)
        return False

    def join(self, request: int, now: float) -> None:
        """The first token of a request is out, and it decodes from the next step on."""
        records = self._records
        records.first_token_s[request] = now
        records.instance[request] = self.number
        steps = self._task.decode_steps[request]
        growth = 1 if self._growth is None else self._growth[request]
        context = self._prompts[request] + 1
        self.count += 1
        self.fresh += steps > 0
        self._context += context
        self._growing += growth
        heappush(self.events, self.step + steps << self.shift | request << 1)
        if self._pieces is not None:
            self._note(request, self._pieces.join(request, context, growth, self.step, self.step + steps))

    def end(self, now: float) -> list[int]:
        """The requests that end with the step that has just been made; their room is free again."""
        events, pieces = self.events, self._pieces
        due = self.step + 1 << self.shift
        ended: list[int] = []
        while events and events[0] < due:
            event = heappop(events)
            request = (event & self._mask) >> 1
            if event & 1:
                assert pieces is not None
                self._note(request, pieces.cross(request, self.step))
                continue
            tokens = self._prompts[request] + self._outputs[request]
            self._records.finish_s[request] = now
            self.count -= 1
            self.held -= 1
            self.room += self._request_bytes[tokens]
            self._context -= tokens
            self._growing -= 1 if self._growth is None else self._growth[request]
            if pieces is not None:
                pieces.leave(request, self.step)
            ended.append(request)
        # What rounding has left behind goes with the last request.
        if not self.count:
            self._context = self._growing = 0
        if not self.held:
            self.room = self.costs.pool_bytes
        return ended

    def run(
        self, now: float, until: float, most: int = ENDLESS, pieces: int = 0, memory: float = 0.0,
        memory_growth: float = 0.0, compute: float = 0.0, compute_growth: float = 0.0,
    ) -> float:  # fmt: skip
        """Like iterations of all decodes, until one ends or the time is `until`; the time after them.

        pieces: prompt tokens in each of them; the times are those of the pieces in the first, and what they grow by.
        """
        count, tokens, fixed = self.count, pieces, 0.0
        if count:
            checked = self._checked
            tokens += count * checked
            fixed = self._draft_s
            coming = (self.events[0] >> self.shift) - self.step
            if coming < most:
                most = coming
            if self._pieces is None:
                line, context, growing = self._line, self._context, self._growing
                memory += line.memory_s * count + line.memory_per_token_s * context
                memory_growth += line.memory_per_token_s * growing
                compute += (line.compute_s * count + line.compute_per_token_s * context) * checked
                compute_growth += line.compute_per_token_s * growing * checked
            else:
                read, more_read, work, more_work = self._pieces.times()
                memory += read
                memory_growth += more_read
                compute += work * checked
                compute_growth += more_work * checked
        memory += self._weights_s[tokens if tokens < len(self._weights_s) else -1]
        fixed += self._fixed_s[tokens if tokens < len(self._fixed_s) else -1]
        if most == 1:
            steps, end = 1, now + ((memory if memory > compute else compute) + fixed)
        else:
            steps, end = steps_within(most, until, now, memory, memory_growth, compute, compute_growth, fixed)
        self.step += steps
        self._context += steps * self._growing
        if self._pieces is not None:
            self._pieces.grow(steps)
        if self.log is not None:
            first = last = (memory if memory > compute else compute) + fixed
            if steps > 1:
                memory += (steps - 1) * memory_growth
                compute += (steps - 1) * compute_growth
                last = (memory if memory > compute else compute) + fixed
            self.log.rows.append((now, end, steps * pieces, count, steps, first, last, self.fresh))
        self.fresh = 0
        return end

    def _note(self, request: int, crossing: int | None) -> None:
        if crossing is not None:
            heappush(self.events, crossing << self.shift | request << 1 | 1)


def follow(
    queue: list[int], head: int, ready: list[float], task: Task, request: int, now: float, records: Records
) -> None:
    """The client of a request that has ended thinks, and sends its next one to the same instance."""
    assert task.follower is not None and task.think_s is not None
    following = task.follower[request]
    if following < 0:
        return
    ready[following] = records.arrival_s[following] = now + task.think_s[following]
    place = len(queue)
    while place > head and ready[queue[place - 1]] > ready[following]:
        place -= 1
    queue.insert(place, following)

"""The requests of one instance whose caches are held in blocks: growth, preemption, and what is found again."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from generator.estimates.architecture import NotSupported
from generator.simulation.batch import ENDLESS, Task, TooLarge
from generator.simulation.blocks import BLOCK, BlockPool, blocks_of
from generator.simulation.costs import Costs
from generator.simulation.iterations import Iterations, ends
from generator.simulation.jumps import steps_within
from generator.simulation.records import Records


@dataclass(frozen=True)
class Prefixes:
    """Which prompts begin alike: for each request the ids of the pieces of its prompt, all of one length."""

    pieces: list[tuple[int, ...]]
    piece_tokens: int

    def __post_init__(self) -> None:
        if self.piece_tokens < BLOCK or self.piece_tokens % BLOCK:
            raise NotSupported(f"pieces of {self.piece_tokens} tokens do not consist of blocks of {BLOCK}")


def pool_blocks(costs: Costs) -> int:
    """Blocks of an instance. Raises NotSupported if some layers keep less than the whole context."""
    block = costs.request_bytes[BLOCK]
    if not costs.straight or abs(costs.request_bytes[2 * BLOCK] - 2 * block) > 1e-6 * block:
        raise NotSupported("allocation in blocks wants a cache that grows with every token in every layer")
    return int(costs.pool_bytes / block + 1e-6)


class PagedBatch:
    """What one instance holds: requests that decode, in order of admission, and at most one prompt in the making."""

    def __init__(
        self, costs: Costs, task: Task, records: Records, number: int, log: Iterations | None, *,
        caching: bool, prefixes: Prefixes | None,
    ):  # fmt: skip
        if task.step_tokens > 1:
            raise NotSupported("allocation in blocks is not combined with drafts")
        self.costs, self.line, self.records, self.number, self.log = costs, costs.lines[0], records, number, log
        self.prompts, self.outputs = records.prompt_tokens, records.output_tokens
        self.pool = BlockPool(pool_blocks(costs), caching=caching)
        self.prefixes = prefixes if caching else None
        self.piece_blocks = prefixes.piece_tokens // BLOCK if prefixes else 0
        self.computed, self.hits, self.again, self.preemptions = records.counts()
        self.step, self.count, self.fresh, self.context = 0, 0, 0, 0
        """Decode steps so far; requests that decode, those of them that have not taken a step, and their contexts."""
        self.events: list[int] = []
        """Heap of `step, request` in one number: when requests end."""
        self.shift = max(len(records), 1).bit_length()
        self.ends: dict[int, int] = {}
        """Decoding request -> its end in the heap, in order of admission."""
        self.phase = [0] * BLOCK
        """Decodes by their place in a block: those of entry -step mod 16 need a new block in the next step."""
        self.places: dict[int, int] = {}
        self.waiting: list[int] = []
        """Preempted requests; the last one is the next to be admitted."""
        self.answered: dict[int, int] = {}
        """Preempted request -> tokens of its answer that are out."""
        self.kept: dict[int, tuple[int, int]] = {}
        """Preempted request -> owner of the blocks it gave back, and how many of them were full."""
        self.reached: dict[int, int] = {}
        """Preempted request -> tokens that were computed before."""
        self.current, self.done, self.target, self.blocks = -1, 0, 0, 0
        """The prompt in the making: its request, tokens that are there, tokens in all, blocks that it holds."""

    def admit(self, request: int, now: float) -> bool:
        """Begin a prompt if all of it fits; what the cache still holds of it is not computed again."""
        pool, prompt = self.pool, self.prompts[request]
        if blocks_of(prompt + self.outputs[request] - 1) > pool.blocks:
            raise TooLarge(request, prompt + self.outputs[request])
        target = prompt + self.answered.get(request, 0)
        found = in_use = 0
        unbroken = True
        pieces = self._pieces(request)
        if blocks_of(target) - len(pieces) * self.piece_blocks > pool.free:
            return False  # Not even if all that can be shared were in use.
        for piece in pieces:
            there, used = pool.held(piece, self.piece_blocks)
            found += there
            in_use += there if used else 0
            if there < self.piece_blocks:
                unbroken = False
                break
        if blocks_of(target) - in_use > pool.free:
            return False
        most = (target - 1) // BLOCK
        owner, full = self.kept.pop(request, (0, 0))
        own = min(pool.found(owner), full, max(0, most - found)) if owner and unbroken else 0
        pool.regain(owner, own)
        self.current, self.target, self.blocks = request, target, in_use + own
        for piece in pieces:
            self.blocks += pool.share(piece)
        self.done = min(found + own, most) * BLOCK
        if request in self.reached:
            self.waiting.pop()
        else:
            self.hits[request] = self.done
            self.records.start_s[request] = now
        return True

    def more(self, tokens: int) -> int:
        """Blocks that the next tokens of the current prompt need."""
        return max(0, blocks_of(self.done + tokens) - self.blocks)

    def compute(self, tokens: int) -> None:
        """Compute the next tokens of the current prompt."""
        request, more = self.current, self.more(tokens)
        self.computed[request] += tokens
        self.again[request] += max(0, min(self.done + tokens, self.reached.get(request, 0)) - self.done)
        if more:
            self.pool.take(more)
            self.blocks += more
        self.done += tokens

    def join(self, request: int, now: float) -> None:
        """The next token of a request is out, and it decodes from the next step on."""
        records = self.records
        out = self.answered.pop(request, 0) + 1
        self.reached.pop(request, None)
        if out == 1:
            records.first_token_s[request], records.instance[request] = now, self.number
        held, steps = self.prompts[request] + out - 1, self.outputs[request] - out
        self.count += 1
        self.fresh += 1
        self.context += held + 1
        self.ends[request] = self.step + steps << self.shift | request
        heappush(self.events, self.ends[request])
        place = self.places[request] = (held - self.step) % BLOCK
        self.phase[place] += 1

    def end(self, now: float) -> list[int]:
        """The requests that end with the step that has just been made; their blocks are free again."""
        ended: list[int] = []
        while self.events and self.events[0] >> self.shift <= self.step:
            request = heappop(self.events) & (1 << self.shift) - 1
            self.records.finish_s[request] = now
            ended.append(request)
            tokens = self.prompts[request] + self.outputs[request]
            self._drop(request, tokens)
            self._release(request, tokens - 1, blocks_of(tokens - 1))
        return ended

    def grow(self) -> bool:
        """Blocks for the next token of each decode, in order of admission; True if that preempted a request."""
        due, pool = -self.step % BLOCK, self.pool
        if self.phase[due] <= pool.free:
            if self.phase[due]:
                pool.take(self.phase[due])
            return False
        for request in [one for one in self.ends if self.places[one] == due]:
            while not pool.free and request in self.ends:
                self.preempt()
            if request not in self.ends:
                break
            pool.take(1)
        return True

    def preempt(self) -> None:
        """The request admitted last gives its blocks back and waits in front of all others."""
        if self.current >= 0:
            request, tokens, blocks, self.current = self.current, self.done, self.blocks, -1
        else:
            request, end = self.ends.popitem()
            self.events.remove(end)
            heapify(self.events)
            out = self.answered[request] = self.outputs[request] - ((end >> self.shift) - self.step)
            tokens = self.prompts[request] + out - 1
            blocks = blocks_of(tokens)
            self._drop(request, tokens + 1)
        self.reached[request] = max(self.reached.get(request, 0), tokens)
        self.kept[request] = self._release(request, tokens, blocks)
        self.waiting.append(request)
        self.preemptions[request] += 1

    def run(
        self, now: float, until: float, most: int = ENDLESS, pieces: int = 0, memory: float = 0.0,
        memory_growth: float = 0.0, compute: float = 0.0, compute_growth: float = 0.0,
    ) -> float:  # fmt: skip
        """Like iterations of all decodes until one ends or the time is `until`; the time after them.

        pieces: prompt tokens in each of them; the times are those of the pieces in the first, and what they grow by.
        `grow` took the blocks of the first step; those of the others are taken here.
        """
        line, count, tokens, before = self.line, self.count, self.count + pieces, self.step
        if count:
            most = min(most, (self.events[0] >> self.shift) - before)
        memory += line.memory_s * count + line.memory_per_token_s * self.context + self.costs.weights_s[tokens]
        memory_growth += line.memory_per_token_s * count
        compute += line.compute_s * count + line.compute_per_token_s * self.context
        compute_growth += line.compute_per_token_s * count
        fixed = self.costs.fixed_s[tokens]
        steps, end = steps_within(most, until, now, memory, memory_growth, compute, compute_growth, fixed)
        self.step += steps
        self.context += steps * count
        if steps > 1 and count and (taken := self.blocks_in(steps, before)):
            self.pool.take(taken)
        if self.log is not None:
            times = ends(steps, memory, memory_growth, compute, compute_growth, fixed)
            self.log.rows.append((now, end, steps * pieces, count, steps, *times, self.fresh))
        self.fresh = 0
        return end

    def blocks_in(self, steps: int, since: int | None = None) -> int:
        """New blocks of the decodes in so many steps, those of the first step excepted."""
        step = self.step if since is None else since
        cycles, rest = divmod(steps, BLOCK)
        blocks = cycles * self.count - self.phase[-step % BLOCK]
        for ahead in range(rest):
            blocks += self.phase[-(step + ahead) % BLOCK]
        return blocks

    def steps_with(self, free: int) -> int:
        """Steps for which so many free blocks suffice, if those of the first step are taken already."""
        if not self.count:
            return ENDLESS
        cycles, free = divmod(free + self.phase[-self.step % BLOCK], self.count)
        steps = cycles * BLOCK
        while free >= (blocks := self.phase[-(self.step + steps) % BLOCK]):
            free -= blocks
            steps += 1
        return steps

    def _pieces(self, request: int) -> tuple[int, ...]:
        if self.prefixes is None:
            return ()
        return self.prefixes.pieces[request][: self.prompts[request] // self.prefixes.piece_tokens]

    def _drop(self, request: int, context: int) -> None:
        """A request decodes no longer."""
        self.ends.pop(request, None)
        self.count -= 1
        self.phase[self.places.pop(request)] -= 1
        self.context -= context

    def _release(self, request: int, tokens: int, blocks: int) -> tuple[int, int]:
        """Give back the blocks of a request that has computed so many tokens, tail first."""
        pieces, size = self._pieces(request), self.piece_blocks
        before = len(pieces) * size
        owner = self.pool.give(max(0, blocks - before))
        for index in range(len(pieces) - 1, -1, -1):
            there = min(max(blocks - index * size, 0), size)
            full = min(max(tokens // BLOCK - index * size, 0), size)
            self.pool.unshare(pieces[index], there, full, size)
        return owner, max(0, tokens // BLOCK - before)

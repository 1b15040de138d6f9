"""Paged serving one iteration and one block at a time: every block is an object, every token a step."""

from __future__ import annotations

from collections import OrderedDict

BLOCK = 16


class Pool:
    """Blocks one by one. A free block is in the queue; a block with a key can be found again by it."""

    def __init__(self, blocks: int, caching: bool):
        self.caching = caching
        self.queue: OrderedDict[int, None] = OrderedDict((block, None) for block in range(blocks))
        self.key_of: dict[int, object] = {}
        self.block_of: dict[object, int] = {}
        self.users = [0] * blocks

    def take(self) -> int:
        block, _ = self.queue.popitem(last=False)
        if block in self.key_of:
            del self.block_of[self.key_of.pop(block)]
        self.users[block] = 1
        return block

    def touch(self, block: int) -> None:
        if not self.users[block]:
            del self.queue[block]
        self.users[block] += 1

    def name(self, block: int, key: object) -> None:
        if self.caching and key not in self.block_of and block not in self.key_of:
            self.key_of[block], self.block_of[key] = key, block

    def free(self, blocks: list[int]) -> None:
        for block in reversed(blocks):
            self.users[block] -= 1
            if not self.users[block]:
                self.queue[block] = None


def serve(costs, requests, *, blocks, budget=2048, slots=16_384, caching=True):
    """Rows of (start, first token, finish, computed, hits, recomputed, preemptions), and the most blocks used."""
    line = costs.lines[0]
    pool = Pool(blocks, caching)
    count = len(requests)
    prompts, outputs = requests.prompt_tokens, requests.output_tokens
    pieces = [
        (requests.prefix_blocks[one][: prompts[one] // requests.block_tokens] if requests.prefix_blocks else ())
        for one in range(count)
    ]
    start, first, finish = [-1.0] * count, [-1.0] * count, [-1.0] * count
    computed, hits, again, preempted = [0] * count, [0] * count, [0] * count, [0] * count
    out, done, reached = [0] * count, [0] * count, [0] * count
    mine: list[list[int]] = [[] for _ in range(count)]
    waiting, running = list(range(count)), []
    now, most_used = 0.0, 0

    def key(request, index):
        size = requests.block_tokens // BLOCK if pieces[request] else 1
        piece, inside = divmod(index, size)
        if piece < len(pieces[request]):
            return (pieces[request][piece], inside)
        return ("own", request, index)

    def grow(request, tokens):
        while len(mine[request]) * BLOCK < tokens:
            mine[request].append(pool.take())
        for index in range(tokens // BLOCK):
            pool.name(mine[request][index], key(request, index))

    def give_back(request):
        pool.free(mine[request])
        mine[request] = []

    while waiting or running:
        left, work, preempting = budget, [], False
        for request in list(running):
            if request not in running or left <= 0:
                continue
            total = prompts[request] + out[request]
            new = min(total - done[request], left)
            while -(-(done[request] + new) // BLOCK) - len(mine[request]) > len(pool.queue) and request in running:
                victim = running.pop()
                reached[victim] = max(reached[victim], done[victim])
                give_back(victim)
                done[victim] = 0
                waiting.insert(0, victim)
                preempted[victim] += 1
                preempting = True
            if request in running:
                grow(request, done[request] + new)
                work.append((request, new))
                left -= new
        while waiting and not preempting and left > 0 and len(running) < slots:
            request = waiting[0]
            if requests.arrival_s[request] > now:
                break
            total = prompts[request] + out[request]
            found = []
            while len(found) < total // BLOCK and key(request, len(found)) in pool.block_of:
                found.append(pool.block_of[key(request, len(found))])
            if not pieces[request]:
                found = found[: (total - 1) // BLOCK]
            if -(-total // BLOCK) - sum(pool.users[block] > 0 for block in found) > len(pool.queue):
                break
            for block in found:
                pool.touch(block)
            mine[request] = list(found)
            done[request] = min(len(found), (total - 1) // BLOCK) * BLOCK
            if start[request] < 0:
                start[request], hits[request] = now, done[request]
            new = min(total - done[request], left)
            waiting.pop(0)
            running.append(request)
            grow(request, done[request] + new)
            work.append((request, new))
            left -= new
        if not work:
            assert not running
            now = max(now, requests.arrival_s[waiting[0]])
            continue
        most_used = max(most_used, blocks - len(pool.queue))
        memory = costs.weights_s[budget - left]
        compute = 0.0
        for request, new in work:
            if (
                out[request]
                and done[request] == prompts[request] + out[request] - 1
                and not preempting_again(request, reached, done)
            ):
                memory += line.memory_s + line.memory_per_token_s * (done[request] + 1)
                compute += line.compute_s + line.compute_per_token_s * (done[request] + 1)
            else:
                compute += costs.prompt_s[done[request] + new] - costs.prompt_s[done[request]]
                if done[request]:
                    memory += line.memory_s + line.memory_per_token_s * done[request]
                computed[request] += new
                again[request] += max(0, min(done[request] + new, reached[request]) - done[request])
        now += max(memory, compute) + costs.fixed_s[budget - left]
        for request, new in work:
            done[request] += new
            if done[request] < prompts[request] + out[request]:
                continue
            reached[request] = 0
            out[request] += 1
            if out[request] == 1:
                first[request] = now
            if out[request] == outputs[request]:
                finish[request] = now
        for request in sorted(one for one in running if finish[one] >= 0):
            running.remove(request)
            give_back(request)
    return list(zip(start, first, finish, computed, hits, again, preempted, strict=True)), most_used


def preempting_again(request, reached, done):
    """Whether the last token of a recomputation is left, which is a piece of a prompt and no decode."""
    return reached[request] > 0

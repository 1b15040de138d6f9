"""The slow twin of serving: one iteration at a time, one object a request, every cost looked up for every request.

Nothing is summed in closed form, kept between iterations or skipped. It shares the costs of a single request with the
package, and no rule: how requests are admitted, prefilled, handed over, decoded and spread over instances is written
again here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from math import fsum, inf
from typing import Any

from generator.simulation.costs import Costs


@dataclass
class Request:
    """One request and what has happened to it so far."""

    number: int
    arrival: float
    prompt: int
    output: int
    steps: int
    cached: int = 0
    ready: float = 0.0
    made: int = 0
    done: int = 0
    instance: int = 0
    start: float | None = None
    first: float | None = None
    finish: float | None = None
    held: list[tuple[float, float]] = field(default_factory=list)
    token_times: list[float] = field(default_factory=list)

    @property
    def context(self) -> Fraction | int:
        """Tokens that its next step sees: prompt, first token, and what the steps so far have given."""
        if self.steps in (0, self.output - 1):
            return self.prompt + 1 + self.made
        return self.prompt + 1 + Fraction((self.output - 1) * self.made, self.steps)


@dataclass
class World:
    """What all instances share."""

    costs: Costs
    step_tokens: int = 1
    draft: float = 0.0
    slots: int = 16_384
    prefill_tokens: int = 16_384
    budget: int = 512
    follows: Callable[[Request, float], Request | None] = lambda request, now: None

    def weights(self, tokens: int) -> float:
        return self.costs.weights_s[min(tokens, len(self.costs.weights_s) - 1)]

    def fixed(self, tokens: int, decodes: int) -> float:
        return self.costs.fixed_s[min(tokens, len(self.costs.fixed_s) - 1)] + (self.draft if decodes else 0.0)

    def line(self, context: Any) -> Any:
        return next(line for line in self.costs.lines if context <= line.upto_tokens)

    def reading(self, context: Any) -> float:
        line = self.line(context)
        return line.memory_s + line.memory_per_token_s * float(context)

    def computing(self, context: Any) -> float:
        line = self.line(context)
        return line.compute_s + line.compute_per_token_s * float(context)

    def piece(self, start: int, end: int) -> float:
        return self.costs.prompt_s[end] - self.costs.prompt_s[start]

    def holds(self, request: Request) -> float:
        return self.costs.request_bytes[request.prompt + request.output]


class Instance:
    """One instance; the policies differ in `iterate`."""

    def __init__(self, world: World, number: int):
        self.world, self.number = world, number
        self.now = 0.0
        self.queue: list[Request] = []
        self.decoding: list[Request] = []
        self.all: list[Request] = []
        self.holding: list[Request] = []
        self.batch = 0
        self.iterations: list[tuple[float, float, int]] = []
        """Start, end and decodes of each."""

    def give(self, request: Request) -> None:
        request.instance = self.number
        self.all.append(request)
        self.queue.append(request)
        self.queue.sort(key=lambda one: one.ready)

    def room(self) -> float:
        return self.world.costs.pool_bytes - fsum(map(self.world.holds, self.holding))

    def fits(self, request: Request) -> bool:
        if self.world.holds(request) <= self.room():
            return True
        if not self.holding:
            raise ValueError(f"request {request.number} is larger than the pool")
        return False

    def unfinished(self, now: float) -> int:
        return sum(one.finish is None or one.finish >= now for one in self.all)

    def run(self, until: float) -> None:
        """Begin every iteration that can begin before `until`."""
        while self.now < until:
            if self.idle():
                self.now = min(until, self.queue[0].ready if self.queue else inf)
                if self.now == inf:
                    return
                continue
            begin, self.batch = self.now, 0
            self.iterate()
            if self.now > begin:
                self.iterations.append((begin, self.now, self.batch))
            self.release()

    def idle(self) -> bool:
        return not self.decoding and not (self.queue and self.queue[0].ready <= self.now)

    def release(self) -> None:
        over = [one for one in self.holding if one.first is not None and one.made >= one.steps]
        for request in sorted(over, key=lambda one: one.number):
            request.finish = self.now
            self.holding.remove(request)
            if request in self.decoding:
                self.decoding.remove(request)
            if (following := self.world.follows(request, self.now)) is not None:
                self.give(following)

    def decode(self, pieces: int = 0, reads: list[float] | None = None, work: list[float] | None = None) -> None:
        """One iteration of all decodes, with pieces of prompts."""
        world, many = self.world, len(self.decoding)
        self.batch = many
        tokens = many * world.step_tokens + pieces
        memory = fsum([world.weights(tokens), *(reads or []), *(world.reading(one.context) for one in self.decoding)])
        compute = fsum([*(work or []), *(world.step_tokens * world.computing(one.context) for one in self.decoding)])
        self.now += max(memory, compute) + world.fixed(tokens, many)
        for one in self.decoding:
            one.made += 1
            one.token_times.append(self.now)

    def out(self, request: Request) -> None:
        request.first = self.now
        request.token_times.append(self.now)
        if request.steps:
            self.decoding.append(request)


class Colocated(Instance):
    """Waiting prompts first, decodes stand still."""

    def iterate(self) -> None:
        world, group, tokens = self.world, [], 0
        while self.queue and self.queue[0].ready <= self.now:
            request = self.queue[0]
            work = request.prompt - request.cached
            if len(self.decoding) + len(group) >= world.slots or not self.fits(request):
                break
            if group and tokens + work > world.prefill_tokens:
                break
            group.append(self.queue.pop(0))
            self.holding.append(request)
            tokens += work
        if not group:
            self.decode()
            return
        for request in group:
            request.start = self.now
        memory = fsum([world.weights(tokens), *(world.reading(one.cached) for one in group if one.cached)])
        compute = fsum(world.piece(one.cached, one.prompt) for one in group)
        self.now += max(memory, compute) + world.fixed(tokens, 0)
        for request in group:
            self.out(request)


class Decoder(Instance):
    """Decodes what was prefilled elsewhere."""

    def iterate(self) -> None:
        more = True
        while more:
            more = False
            while self.queue and self.queue[0].ready <= self.now and len(self.decoding) < self.world.slots:
                request = self.queue[0]
                if not self.fits(request):
                    break
                self.queue.pop(0)
                self.holding.append(request)
                self.out(request)
                more = True
            self.release()
        if self.decoding:
            self.decode()


class Chunked(Instance):
    """Decodes and pieces of prompts, up to a budget of tokens."""

    def __init__(self, world: World, number: int):
        super().__init__(world, number)
        self.current: Request | None = None

    def idle(self) -> bool:
        return super().idle() and self.current is None

    def iterate(self) -> None:
        world = self.world
        share = world.budget - len(self.decoding) * world.step_tokens
        pieces, reads, work, finished = 0, [], [], []
        while pieces < share:
            if self.current is None:
                if not (self.queue and self.queue[0].ready <= self.now):
                    break
                if len(self.decoding) + len(finished) >= world.slots or not self.fits(self.queue[0]):
                    break
                self.current = self.queue.pop(0)
                self.holding.append(self.current)
                self.current.start = self.now
                self.current.done = self.current.cached
            one = self.current
            taken = min(one.prompt - one.done, share - pieces)
            if one.done:
                reads.append(world.reading(one.done))
            work.append(world.piece(one.done, one.done + taken))
            one.done += taken
            pieces += taken
            if one.done == one.prompt:
                finished.append(one)
                self.current = None
        self.decode(pieces, reads, work)
        for one in finished:
            self.out(one)


def spread(instances: list[Instance], requests: list[Request], balance: str) -> None:
    """Hand each request out when it is ready, and run everything to the end."""
    for place, request in enumerate(sorted(requests, key=lambda one: one.ready)):
        if balance == "round-robin":
            instances[place % len(instances)].give(request)
            continue
        for one in instances:
            one.run(request.ready)
        min(instances, key=lambda one: one.unfinished(request.ready)).give(request)
    for one in instances:
        one.run(inf)


def prefill(
    world: World, requests: list[Request], instances: int, link_bytes_per_s: float, overhead: float, shared: bool
) -> list[tuple[float, float, int]]:
    """A pool of prefill instances with one queue; time goes from one thing that happens to the next."""
    costs = world.costs
    waiting = list(requests)
    idle_since: dict[int, float] = dict.fromkeys(range(instances), 0.0)
    working: list[tuple[float, int, list[Request]]] = []
    held: dict[int, list[Request]] = {number: [] for number in range(instances)}
    gone: dict[int, float] = {}
    link_free = [0.0] * (1 if shared else instances)
    spans = []
    now = 0.0
    while waiting or working:
        for end, number, group in sorted(working, key=lambda one: (one[0], one[2][0].number)):
            if end <= now:
                working.remove((end, number, group))
                idle_since[number] = end
                link = 0 if shared else number
                for request in group:
                    link_free[link] = max(link_free[link], end) + costs.moved_bytes[request.prompt] / link_bytes_per_s
                    gone[request.number] = link_free[link]
                    request.ready = link_free[link] + overhead
        for number, ones in held.items():
            held[number] = [one for one in ones if gone.get(one.number, inf) > now]
        tried: set[int] = set()
        while ready := [number for number in idle_since if number not in tried]:
            number = min(ready, key=lambda one: (idle_since[one], one))
            room = costs.pool_bytes - fsum(costs.request_bytes[one.prompt] for one in held[number])
            group, tokens = [], 0
            while waiting and waiting[0].arrival <= now:
                one = waiting[0]
                if costs.request_bytes[one.prompt] > room:
                    if not group and not held[number]:
                        raise ValueError(f"prompt {one.number} is larger than the pool")
                    break
                if group and tokens + one.prompt - one.cached > world.prefill_tokens:
                    break
                room -= costs.request_bytes[one.prompt]
                tokens += one.prompt - one.cached
                one.start = now
                group.append(waiting.pop(0))
            tried.add(number)
            if group:
                tried.clear()  # Another prompt is first now.
                memory = fsum([world.weights(tokens), *(world.reading(one.cached) for one in group if one.cached)])
                compute = fsum(world.piece(one.cached, one.prompt) for one in group)
                end = now + max(memory, compute) + world.fixed(tokens, 0)
                del idle_since[number]
                held[number] += group
                working.append((end, number, group))
                spans.append((now, end, number))
        coming = [end for end, _, _ in working] + [one.arrival for one in waiting[:1]]
        coming += [gone[one.number] for ones in held.values() for one in ones if one.number in gone]
        now = min((time for time in coming if time > now), default=now)
    return spans


def twin(costs: Costs, requests: Any, setup: Any, *, decode_steps=None, cached_tokens=None, clients=None):
    """The requests after serving, in order of arrival, and the instances that decoded them."""
    count = len(requests)
    all_requests = [
        Request(
            number,
            requests.arrival_s[number],
            requests.prompt_tokens[number],
            requests.output_tokens[number],
            steps=decode_steps[number] if decode_steps else requests.output_tokens[number] - 1,
            cached=cached_tokens[number] if cached_tokens else 0,
            ready=requests.arrival_s[number],
        )
        for number in range(count)
    ]
    world = World(
        costs, step_tokens=setup.draft_tokens + 1, draft=setup.draft_s, slots=setup.slots,
        prefill_tokens=setup.prefill_tokens, budget=setup.budget_tokens,
    )  # fmt: skip
    first, kind = 0, {"colocated": Colocated, "chunked": Chunked, "disaggregated": Decoder}[setup.policy]
    if setup.policy == "disaggregated":
        first = setup.prefill_instances
        prefill(world, all_requests, first, setup.link_bytes_per_s, setup.handover_overhead_s, setup.shared_link)
    instances = [kind(world, number) for number in range(first, setup.instances)]
    if clients is not None:

        def follows(request: Request, now: float) -> Request | None:
            if request.number + clients.count >= count:
                return None
            following = all_requests[request.number + clients.count]
            following.arrival = following.ready = now + clients.think_s[following.number]
            return following

        world.follows = follows
        spread(instances, all_requests[: clients.count], "round-robin")
    else:
        spread(instances, all_requests, setup.balance)
    return all_requests, instances

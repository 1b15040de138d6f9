"""Agent sessions: turns with pauses between them, whose caches wait in tiers and come back, or are computed again.

Events are turns that arrive, prompts that are ready for prefill, and answers that are finished; no token is stepped.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any

from generator.simulation.costs import Costs
from generator.simulation.records import Records
from generator.simulation.tiers import UNLIMITED, Tiers

if TYPE_CHECKING:
    from numpy.random import Generator

PAUSES = ("exponential", "lognormal", "fixed")
RELOADS = ("faster", "always", "never")
SHARED, EARLIER = "shared", "earlier"
"""Keys of the cache of the shared beginning, and of sessions that ended before the run."""
DRAWN_AT_ONCE = 64
TURN, READY, START, FIRST, DONE = range(5)
"""A turn arrives; its cache is there; its prefill begins after a wait; its first token is out; its answer is done."""


@dataclass(frozen=True)
class Setup:
    """What serves the sessions. capacities: blocks of each tier of one instance, the accelerator's memory first.

    bandwidths: bytes per second from each tier after the first to one instance; bytes_per_token: one copy of the cache;
    reload: `faster` takes from lower tiers what gives the earliest first token, `always` all they have, `never`
    nothing.
    """

    capacities: tuple[float, ...]
    bandwidths: tuple[float, ...]
    bytes_per_token: float
    block_tokens: int = 16
    instances: int = 1
    reload: str = "faster"
    keep: bool = True
    """False: nothing is kept between turns, no prefix cache."""
    longest_tokens: int = 131_072


@dataclass(frozen=True)
class Habits:
    """What sessions are like. Lengths and the pause are means; sigma is that of the lognormal lengths, 0 for none."""

    shared_tokens: int
    turns: int
    input_tokens: float
    output_tokens: float
    pause_s: float
    pauses: str = "exponential"
    sigma: float = 0.8


@dataclass
class Turns(Records):
    """One row a turn, in order of arrival; `start_s` is the begin of its prefill.

    admitted_s: the accelerator has room for it, and reloads begin; held: tokens of its prompt that each tier held;
    taken: those that were used from it; work_s: its prefill; whole_work_s: its prefill without any cache.
    """

    session: list[int] = field(default_factory=list)
    admitted_s: list[float] = field(default_factory=list)
    turn: list[int] = field(default_factory=list)
    held: list[tuple[int, ...]] = field(default_factory=list)
    taken: list[tuple[int, ...]] = field(default_factory=list)
    work_s: list[float] = field(default_factory=list)
    whole_work_s: list[float] = field(default_factory=list)
    written: list[list[int]] = field(default_factory=list)
    """Blocks written into each tier of all instances until the first measured turn came, and until the last one."""

    def add(
        self, arrival_s: float, session: int, turn: int, prompt: int, output: int, whole_work_s: float, instance: int
    ) -> None:
        """A turn that has just arrived."""
        self.arrival_s.append(arrival_s)
        self.session.append(session)
        self.turn.append(turn)
        self.prompt_tokens.append(prompt)
        self.output_tokens.append(output)
        self.whole_work_s.append(whole_work_s)
        self.instance.append(instance)
        for times in (self.admitted_s, self.start_s, self.first_token_s, self.finish_s, self.work_s):
            times.append(-1.0)
        self.held.append(())
        self.taken.append(())


def draws(generator: Generator, habits: Habits) -> Iterator[tuple[list[int], list[int], list[float]]]:
    """Tokens that come in, tokens answered, and the pause before each turn, session after session for ever."""
    import numpy

    shape = (DRAWN_AT_ONCE, habits.turns)

    def lengths(mean: float) -> list[list[int]]:
        if not habits.sigma:
            return numpy.full(shape, round(mean)).tolist()
        drawn = generator.lognormal(math.log(max(mean, 1e-9)) - habits.sigma**2 / 2, habits.sigma, shape)
        return numpy.maximum(numpy.rint(drawn), 1 if mean else 0).astype(int).tolist()

    while True:
        inputs, outputs = lengths(habits.input_tokens), lengths(habits.output_tokens)
        if habits.pauses == "fixed" or not habits.pause_s:
            pauses = numpy.full(shape, float(habits.pause_s))
        elif habits.pauses == "exponential":
            pauses = generator.exponential(habits.pause_s, shape)
        else:
            sigma = habits.sigma or 1.0
            pauses = generator.lognormal(math.log(habits.pause_s) - sigma**2 / 2, sigma, shape)
        yield from zip(inputs, outputs, pauses.tolist(), strict=True)


class Home:
    """One instance: its tiers, links and prefill server, and the turns that wait for room."""

    def __init__(self, setup: Setup, shared_blocks: int, kind: Callable[[Sequence[float]], Any]) -> None:
        self.tiers = kind(setup.capacities)
        self.room = setup.capacities[0] - shared_blocks
        """Blocks that turns at work can still take."""
        self.link_free_s = [0.0] * len(setup.bandwidths)
        self.server_free_s = 0.0
        self.waiting: deque[int] = deque()
        self.lined_up = 0
        """Turns that are ready and wait for the prefill server."""
        self.answering = 0
        self.answering_tokens = 0


def work_sessions(
    costs: Costs,
    setup: Setup,
    habits: Habits,
    generator: Generator,
    more: Generator,
    *,
    sessions: int,
    rate_per_s: float = 0.0,
    warm_turns: int = 0,
    turns: int = 1000,
    fresh: bool = False,
    hierarchy: Callable[[Sequence[float]], Any] = Tiers,
) -> Turns:
    """Run sessions until `turns` turns after the first `warm_turns` are answered.

    Without a rate the number of sessions stays: one that ends is followed by another. With a rate new ones come as a
    Poisson stream. The first ones are found in the middle of their work, at any turn with equal chance, behind
    the caches of sessions before them; `fresh` begins with first turns and empty tiers instead.
    generator: draws what the sessions do; more: where they begin and when new ones come.
    """
    block, last, keep = setup.block_tokens, len(setup.capacities) - 1, setup.keep
    prompt_s, weights_s, fixed_s = costs.prompt_s, costs.weights_s, costs.fixed_s
    shared_blocks = habits.shared_tokens // block if keep else 0
    head = shared_blocks * block
    homes = [Home(setup, shared_blocks, hierarchy) for _ in range(setup.instances)]
    seconds_per_block = [block * setup.bytes_per_token / one for one in setup.bandwidths]
    line = costs.lines[0]
    drawn = draws(generator, habits)
    lives: list[tuple[list[int], list[int], list[float]]] = []
    context: list[int] = []
    place: list[int] = []
    home_of: list[Home] = []
    rows = Turns([], [], [])
    events: list[tuple[float, int, int, int]] = []
    pushed = 0
    enough = warm_turns + turns
    unfinished = turns

    def push(time: float, kind: int, which: int) -> None:
        nonlocal pushed
        heappush(events, (time, pushed, kind, which))
        pushed += 1

    def begin(number: int) -> int:
        life = next(drawn)
        inputs, outputs, _ = life
        space = setup.longest_tokens - habits.shared_tokens
        if inputs[0] + outputs[0] > space:
            # The first turn of a session is cut to what fits; a later one that does not fit ends it.
            inputs[0] = min(inputs[0], max(space // 2, 1))
            outputs[0] = min(outputs[0], space - inputs[0])
        lives.append(life)
        context.append(habits.shared_tokens)
        place.append(0)
        home_of.append(homes[number])
        return len(lives) - 1

    def work(prompt: int, hit: int) -> float:
        computing, tokens = prompt_s[prompt] - prompt_s[hit], prompt - hit
        reading = weights_s[tokens]
        return (computing if computing > reading else reading) + fixed_s[tokens]

    def fits(session: int) -> bool:
        """The next turn of a session and its answer are within the longest context."""
        inputs, outputs, _ = lives[session]
        turn = place[session]
        return turn < habits.turns and context[session] + inputs[turn] + outputs[turn] <= setup.longest_tokens

    def blocks_of(number: int) -> int:
        """Room for the own part of a turn and its answer."""
        return -(-(rows.prompt_tokens[number] + rows.output_tokens[number] - head) // block)

    def admit(home: Home, now: float) -> None:
        """Give room to waiting turns in order of arrival, as long as no turn that is ready waits for the server."""
        while home.waiting and not home.lined_up and blocks_of(home.waiting[0]) <= home.room:
            number = home.waiting.popleft()
            need = blocks_of(number)
            rows.admitted_s[number] = now
            held = home.tiers.take(rows.session[number])
            home.room -= need
            home.tiers.reserve(need)
            if keep:
                held = [a + b for a, b in zip(held, home.tiers.use(SHARED, shared_blocks), strict=True)]
            push(fetch(home, number, held, now), READY, number)

    def fetch(home: Home, number: int, held: list[int], now: float) -> float:
        """Choose what is reloaded and what is computed again; when the cache is there."""
        prompt, free, server = rows.prompt_tokens[number], home.link_free_s, home.server_free_s
        reach = hit = held[0] * block
        cut, loaded, ready = 0, now, now
        seconds = work(prompt, hit)
        best = max(now, server) + seconds
        for level in range(1, last + 1 if setup.reload != "never" else 1):
            if held[level]:
                reach += held[level] * block
                loaded = max(loaded, max(free[level - 1], now) + held[level] * seconds_per_block[level - 1])
                rest = work(prompt, reach)
                first = max(loaded, server) + rest
                if first <= best or setup.reload == "always":
                    cut, ready, seconds, best = level, loaded, rest, first
        for level in range(1, cut + 1):
            if held[level]:
                free[level - 1] = max(free[level - 1], now) + held[level] * seconds_per_block[level - 1]
        rows.held[number] = tuple(blocks * block for blocks in held)
        rows.taken[number] = tuple(blocks * block if level <= cut else 0 for level, blocks in enumerate(held))
        rows.work_s[number] = seconds
        return ready

    def answer_s(home: Home, output: int) -> float:
        """Time of the tokens after the first, at the batch that answers now."""
        if output < 2:
            return 0.0
        batch, tokens = home.answering, home.answering_tokens + output / 2
        memory = weights_s[batch] + batch * line.memory_s + line.memory_per_token_s * tokens
        compute = batch * line.compute_s + line.compute_per_token_s * tokens
        return (output - 1) * (max(memory, compute) + fixed_s[batch])

    if keep and not fresh:
        for home in homes:
            home.tiers.use(EARLIER, int(sum(one for one in setup.capacities if one != UNLIMITED)))
    for number in range(sessions):
        session = begin(number % setup.instances)
        inputs, outputs, pauses = lives[session]
        if not fresh:
            for turn in range(int(more.integers(habits.turns))):
                if fits(session):
                    context[session] += inputs[turn] + outputs[turn]
                    place[session] += 1
            if not fits(session):
                context[session], place[session] = habits.shared_tokens, 0
            if keep:
                home_of[session].tiers.use(session, (context[session] - head) // block)
                home_of[session].tiers.use(SHARED, shared_blocks)
        # Somewhere in the pause before its turn.
        push(more.random() * pauses[place[session]], TURN, session)
    if rate_per_s:
        push(more.exponential(1 / rate_per_s), TURN, -1)
    while unfinished:
        now, _, kind, which = heappop(events)
        if kind == TURN:
            session = which
            if session < 0:
                push(now + more.exponential(1 / rate_per_s), TURN, -1)
                session = begin(len(lives) % setup.instances)
            number, home = len(rows.turn), home_of[session]
            if number in (warm_turns, enough - 1):
                rows.written.append([sum(ways) for ways in zip(*(one.tiers.written for one in homes), strict=True)])
            turn = place[session]
            prompt = context[session] + lives[session][0][turn]
            rows.add(now, session, turn, prompt, lives[session][1][turn], work(prompt, 0), homes.index(home))
            home.waiting.append(number)
            admit(home, now)
            continue
        number = which
        session = rows.session[number]
        home = home_of[session]
        prompt, output = rows.prompt_tokens[number], rows.output_tokens[number]
        if kind == READY:
            start = rows.start_s[number] = max(now, home.server_free_s)
            home.server_free_s = rows.first_token_s[number] = start + rows.work_s[number]
            push(home.server_free_s, FIRST, number)
            if start > now:
                home.lined_up += 1
                push(start, START, number)
        elif kind == START:
            home.lined_up -= 1
            admit(home, now)
        elif kind == FIRST:
            home.answering += 1
            home.answering_tokens += prompt
            rows.finish_s[number] = now + answer_s(home, output)
            unfinished -= warm_turns <= number < enough
            push(rows.finish_s[number], DONE, number)
        else:
            home.answering -= 1
            home.answering_tokens -= prompt
            context[session] = prompt + output
            home.room += blocks_of(number)
            home.tiers.reserve(-blocks_of(number))
            if keep:
                home.tiers.use(session, (context[session] - head) // block)
                home.tiers.use(SHARED, shared_blocks)
            place[session] += 1
            if fits(session):
                push(now + lives[session][2][place[session]], TURN, session)
            elif not rate_per_s:
                session = begin(homes.index(home))
                push(now + lives[session][2][0], TURN, session)
            admit(home, now)
    return rows

"""A fleet over a day, in short steps: arrivals are drawn, requests leave by their mean stay, a rule adds and removes.

The fleet is one queue before identical replicas, each with a number of slots. How long a request stays depends on how
many its replica serves (`fleet.Replica`). Within a step that stay is constant, and requests leave as they do from a
Poisson process of service: in the long run the fleet is the queue M/M/c, with a state-dependent rate.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from math import ceil, exp, sqrt

from generator.simulation.fleet import Replica
from generator.simulation.scaling import Seen, wanted


@dataclass(frozen=True)
class Rule:
    """Who decides on replicas. Times are rounded up to whole steps.

    replicas: at the begin; standby: replicas that are paid for and serve nothing; forecast: expected rate at a time.
    """

    replicas: int
    signal: str = "none"
    target: float = 1.0
    most_replicas: int = 64
    startup_s: float = 0.0
    decision_s: float = 30.0
    cooldown_s: float = 300.0
    ttft_limit_s: float = 1.0
    standby: int = 0
    forecast: Callable[[float], float] | None = None


@dataclass(frozen=True)
class Change:
    """From a time on this many replicas serve; a share of the requests being served loses its work and starts again."""

    time_s: float
    serving: float
    lost_share: float = 0.0


@dataclass
class Day:
    """What happened, one entry a step; requests at the end of the step.

    level: requests in each serving replica; serving may be a fraction after a failure; again: requests that start
    again; sent: requests that went to an API; paid: replicas that serve, start, drain or stand by.
    """

    step_s: float
    begun: int
    arrived: list[int]
    waiting: list[int]
    level: list[int]
    serving: list[float]
    paid: list[int]
    sent: list[int]
    again: list[int]
    finished: int
    left: int
    scale_events: int


def operate(
    replica: Replica,
    arrived: Sequence[int],
    noise: Sequence[float],
    *,
    step_s: float,
    rule: Rule,
    begun: int = 0,
    changes: Sequence[Change] = (),
    overflow_at: float | None = None,
) -> Day:
    """Run a fleet. noise: one standard normal a step, for the number of requests that leave in it.

    overflow_at: with more than this share of the slots in use, further requests go to an API at once.
    """
    slots, stay_s = replica.slots, replica.request_s
    # Shares that leave before the end of a step: of the requests present at its begin, and of those that arrive in it.
    leaving = [1 - exp(-step_s / stay) for stay in stay_s]
    joining = [1 - share * stay / step_s for share, stay in zip(leaving, stay_s, strict=True)]
    saturated = step_s / stay_s[slots]
    system, serving, changed = begun, float(rule.replicas), list(changes)
    every = max(1, round(rule.decision_s / step_s))
    startup, until_decision = ceil(rule.startup_s / step_s - 1e-9), every
    # Orders arrive in the order in which they are given.
    starting: deque[int] = deque()
    draining: list[int] = []
    quiet_s, most_wanted, scale_events, finished = 0.0, 0, 0, 0
    used_sum = waiting_sum = system_sum = 0.0
    in_all = passed = 0
    share_left = 0.5
    seen_arrivals: list[int] = []
    watching, ahead = rule.signal == "ttft", rule.signal == "forecast"
    waitings, levels, servings, paids = [], [], [], []
    sents, agains = [0] * len(arrived), [0] * len(arrived)
    room = serving * slots
    # A failed replica is paid for as well: it, or the one that takes its place.
    least_paid = rule.replicas if changes else 0
    paid = rule.replicas + rule.standby
    deciding = rule.signal != "none"
    step = 0
    for count, chance in zip(arrived, noise, strict=True):
        if starting and starting[0] <= step:
            while starting and starting[0] <= step:
                starting.popleft()
                serving += 1
            room = serving * slots
        while draining and draining[0] <= step:
            heappop(draining)
            paid -= 1
        while changed and changed[0].time_s <= step * step_s:
            change = changed.pop(0)
            agains[step] += int(min(system, room) * change.lost_share + 0.5)
            serving = change.serving
            room = serving * slots
            paid = max(ceil(serving), least_paid) + rule.standby
        if system >= room:
            level = slots
            mean = room * saturated
            spread = mean
        else:
            level = int(system / serving + 0.5)
            if level > slots:
                level = slots
            share = leaving[level]
            mean = system * share + count * joining[level]
            spread = mean * (1 - share)
        # What rounding leaves over goes into the next step, so that few requests leave as often as they should.
        share_left += mean + sqrt(spread) * chance
        done = int(share_left) if share_left > 0 else 0
        present = system + count
        if done > present:
            done, share_left = present, 0.0
        else:
            share_left -= done
        system = present - done
        finished += done
        if overflow_at is not None and system > room * overflow_at:
            sents[step] = min(system - int(room * overflow_at), count)
            system -= sents[step]
        waiting = system - int(room) if system > room else 0
        waitings.append(waiting)
        levels.append(level)
        servings.append(serving)
        paids.append(paid)
        step += 1
        if not deciding:
            continue
        used_sum += system - waiting
        waiting_sum += waiting
        system_sum += system
        if watching:
            in_all += count
            seen_arrivals.append(in_all)
        until_decision -= 1
        if until_decision:
            continue
        until_decision = every
        slots_seen = room * every
        late = 0.0
        if watching:
            while passed < step and seen_arrivals[passed] <= in_all - waiting:
                passed += 1
            late = (step - passed) * step_s if waiting else 0.0
        seen = Seen(
            serving=int(serving),
            used=used_sum / slots_seen,
            waiting=waiting_sum / slots_seen,
            system=system_sum / slots_seen,
            ttft=(late + replica.first_token_s[level]) / rule.ttft_limit_s,
            busy=1 - exp(-system_sum / (every * serving)),
            forecast=_expected(rule, step * step_s) / replica.requests_per_s if ahead else 0.0,
        )
        used_sum = waiting_sum = system_sum = 0.0
        want = min(max(wanted(rule.signal, rule.target, seen), 1), rule.most_replicas)
        have = int(serving) + len(starting)
        if want >= have:
            quiet_s, most_wanted = 0.0, 0
            if want > have:
                scale_events += 1
                paid += want - have
                for _ in range(want - have):
                    starting.append(step + startup)
            continue
        quiet_s += every * step_s
        most_wanted = max(most_wanted, want)
        if quiet_s < rule.cooldown_s:
            continue
        scale_events += 1
        for _ in range(have - most_wanted):
            if starting:
                # The last one ordered is given back first.
                starting.pop()
                paid -= 1
            else:
                serving -= 1
                heappush(draining, step + ceil(stay_s[level] / step_s))
        room = serving * slots
        quiet_s, most_wanted = 0.0, 0
    return Day(
        step_s, begun, list(arrived), waitings, levels, servings, paids, sents, agains, finished, system, scale_events
    )


def _expected(rule: Rule, time_s: float) -> float:
    """The largest expected rate from a time to the end of a start-up begun then."""
    if rule.forecast is None:
        return 0.0
    ahead_s = rule.startup_s + rule.decision_s
    return max(rule.forecast(time_s), rule.forecast(time_s + ahead_s / 2), rule.forecast(time_s + ahead_s))


def first_token_s(day: Day, replica: Replica) -> tuple[list[float], list[int]]:
    """Time to first token of those that arrive in each step, and how many they are.

    Requests that start again wait at the end of the queue; those sent to an API are not among them.
    """
    import numpy

    sent, again = numpy.array(day.sent), numpy.array(day.again)
    own = numpy.array(day.arrived) - sent
    queued = numpy.cumsum(own + again).astype(float)
    waiting = numpy.array(day.waiting, float)
    ends = (numpy.arange(len(own)) + 1) * day.step_s
    started = numpy.maximum.accumulate(queued - waiting)
    # What still waits at the end is served at the rate of the last step.
    rate = max(day.serving[-1], 1) * replica.requests_per_s
    reached = numpy.append(started, started[-1] + waiting[-1] + 1)
    moments = numpy.append(ends, ends[-1] + (waiting[-1] + 1) / rate)
    # Steps in which nothing starts have the same place on the axis: the last of them counts.
    last = numpy.append(reached[1:] > reached[:-1], True)
    wait = numpy.interp(queued, reached[last], moments[last]) - ends
    base = numpy.array(replica.first_token_s)[numpy.array(day.level)]
    return (numpy.where(waiting > 0, numpy.maximum(wait, 0.0), 0.0) + base).tolist(), own.tolist()


def metrics(day: Day, replica: Replica, *, ttft_limit_s: float, failure_s: float | None = None) -> dict[str, float]:
    """What a run comes to: time to first token, attainment, replicas, queue. Requests on an API count as in time."""
    import numpy

    found, own = (numpy.array(one) for one in first_token_s(day, replica))
    order = numpy.argsort(found, kind="stable")
    reached = numpy.cumsum(own[order])
    arrived, paid = sum(day.arrived), numpy.array(day.paid, float)
    serving, waiting = numpy.array(day.serving), numpy.array(day.waiting, float)
    retried = sum(day.again)
    late = found > ttft_limit_s
    missed = min(int(own[late].sum()) + retried, arrived)
    level = numpy.array(day.level, float)
    served = level * serving
    result = {
        "requests": arrived,
        "attainment": 1 - missed / arrived if arrived else 1.0,
        "missed_requests": missed,
        "mean_replicas": paid.mean(),
        "peak_replicas": paid.max(),
        "scale_events": day.scale_events,
        "slots_used_share": served.sum() / max(serving.sum() * replica.slots, 1e-12),
        "instance_busy_share": (1 - numpy.exp(-level)).mean(),
        "requests_in_system": (served + waiting).mean(),
        "queue_mean_requests": waiting.mean(),
        "queue_peak_requests": waiting.max(),
        "retried_requests": retried,
        "overflow_share": sum(day.sent) / arrived if arrived else 0.0,
        "ttft_mean_s": float((found * own).sum() / own.sum()) if own.sum() else 0.0,
    }
    for rank in (50, 95, 99):
        place = min(int(numpy.searchsorted(reached, rank / 100 * reached[-1])), len(order) - 1)
        result[f"ttft_p{rank}_s"] = found[order[place]] if reached[-1] else 0.0
    if failure_s is not None:
        ends = (numpy.arange(len(own)) + 1) * day.step_s
        slow = ends[late & (own > 0) & (ends > failure_s)]
        result["recovery_s"] = slow.max() - failure_s if slow.size else 0.0
    return {name: float(value) for name, value in result.items()}

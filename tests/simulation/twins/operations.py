"""A fleet request by request and event by event: every arrival and every departure is drawn in its own time."""

from __future__ import annotations

from collections import deque
from math import ceil, exp

from generator.simulation.scaling import Seen, wanted


def operate(replica, traffic, rule, generator, *, horizon_s, begun):
    """Waits of all requests that begin service, mean replicas, mean queue; service is exponential at each moment."""
    slots, stay_s = replica.slots, replica.request_s
    now, serving = 0.0, rule.replicas
    in_service, queue, waits = begun, deque(), []
    starting, draining = [], []
    paid_s = queue_s = 0.0
    highest = traffic.peak_requests_per_s
    next_arrival = generator.exponential(1 / highest)
    next_decision, window = rule.decision_s, [0.0, 0.0]
    quiet_s, most_wanted = 0.0, 0
    while now < horizon_s:
        level = min(slots, int(in_service / serving + 0.5))
        rate = in_service / stay_s[level]
        leaves = now + generator.exponential(1 / rate) if rate else float("inf")
        ready = min(starting, default=float("inf"))
        gone = min(draining, default=float("inf"))
        moment = min(leaves, next_arrival, next_decision, ready, gone, horizon_s)
        paid_s += (moment - now) * (serving + len(starting) + len(draining))
        queue_s += (moment - now) * len(queue)
        window[0] += (moment - now) * in_service
        window[1] += (moment - now) * (in_service + len(queue))
        now = moment
        if moment == leaves:
            in_service -= 1
        elif moment == next_arrival:
            next_arrival += generator.exponential(1 / highest)
            if generator.random() < traffic.curve(now) / highest:
                queue.append(now)
        elif moment == ready:
            starting.remove(ready)
            serving += 1
        elif moment == gone:
            draining.remove(gone)
        elif moment == next_decision:
            next_decision += rule.decision_s
            places = slots * serving * rule.decision_s
            used, system = window[0] / places, window[1] / places
            window = [0.0, 0.0]
            seen = Seen(serving, used, system - used, system, 0.0, 1 - exp(-system * slots), 0.0)
            want = min(max(wanted(rule.signal, rule.target, seen), 1), rule.most_replicas)
            have = serving + len(starting)
            if rule.signal == "none":
                pass
            elif want >= have:
                quiet_s, most_wanted = 0.0, 0
                starting += [now + rule.startup_s] * (want - have)
            else:
                quiet_s, most_wanted = quiet_s + rule.decision_s, max(most_wanted, want)
                if quiet_s >= rule.cooldown_s:
                    for _ in range(have - most_wanted):
                        if starting:
                            starting.remove(max(starting))
                        else:
                            serving -= 1
                            draining.append(now + ceil(stay_s[level]))
                    quiet_s, most_wanted = 0.0, 0
                    # The requests of replicas that are given back move to the others, or wait in front.
                    excess = max(0, in_service - slots * serving)
                    in_service -= excess
                    queue.extendleft([now] * excess)
        while queue and in_service < slots * serving:
            waits.append(now - queue.popleft())
            in_service += 1
    return waits, paid_s / horizon_s, queue_s / horizon_s

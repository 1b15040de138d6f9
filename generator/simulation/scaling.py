"""How many replicas a scaling rule wants, from what it sees: the rules that are in use, one function."""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

SIGNALS = ("none", "forecast", "concurrency", "utilisation", "queue", "ttft", "busy")
TOLERANCE = 0.1
"""A proportional rule leaves the fleet alone while its signal is this close to its target, as Kubernetes does."""
TARGETS = {
    "none": 1.0, "forecast": 0.8, "concurrency": 0.4, "utilisation": 0.4, "queue": 0.05, "ttft": 0.5, "busy": 0.7,
}  # fmt: skip
"""Where a rule holds its signal unless a run says otherwise.

forecast: expected rate over what the fleet finishes; concurrency: requests in the system over slots; utilisation: slots
in use over slots; queue: requests waiting over slots; ttft: time to first token over its limit; busy: share of the time
in which a replica has any request.
"""


class Seen(NamedTuple):
    """What a rule sees when it decides, means over the time since its last decision.

    serving: replicas that answer; used: share of their slots in use; waiting, system: requests over all slots;
    ttft: time to first token over the limit; busy: share of time with a request; forecast: expected load over what one
    replica finishes, the largest between now and the end of a start-up.
    """

    serving: int
    used: float
    waiting: float
    system: float
    ttft: float
    busy: float
    forecast: float


def wanted(signal: str, target: float, seen: Seen) -> int:
    """Replicas that a rule wants.

    Forecast sets the number outright. Concurrency, utilisation and busy are proportional: replicas x signal / target.
    Queue and ttft add in proportion to the excess, at most as many again, and take one away below a tenth or a half of
    the target: both say nothing about a surplus.
    """
    serving = seen.serving
    if signal == "forecast":
        return ceil(seen.forecast / target - 1e-9)
    if signal == "queue":
        if seen.waiting > target:
            return min(serving + ceil(serving * seen.waiting), 2 * serving)
        return serving if seen.waiting > target / 10 else serving - 1
    if signal == "ttft":
        if seen.ttft > target:
            return min(ceil(serving * seen.ttft / target), 2 * serving)
        return serving if seen.ttft > target / 2 else serving - 1
    load = seen.system if signal == "concurrency" else seen.used if signal == "utilisation" else seen.busy
    ratio = load / target
    return serving if abs(ratio - 1) <= TOLERANCE else ceil(serving * ratio - 1e-9)

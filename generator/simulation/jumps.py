"""Jumps from event to event: while the members of a batch stay the same, many steps cost a closed-form sum.

Each step reads a little more cache and computes a little more attention than the one before, so its memory time and
its compute time are two lines over the number of the step; a step takes the larger of the two, and a fixed time.
"""

from __future__ import annotations

from math import ceil, sqrt

FOREVER = float("inf")


def span_s(
    steps: int, memory_s: float, memory_growth_s: float, compute_s: float, compute_growth_s: float, fixed_s: float
) -> float:
    """Time of `steps` steps: the sum of max(memory, compute) + fixed, wherever the two lines cross.

    memory_s, compute_s: times of the first step; the growths are added from one step to the next.
    """
    last = steps - 1
    if last < 0:
        return 0.0
    ahead = memory_s - compute_s
    ahead_at_end = ahead + (memory_growth_s - compute_growth_s) * last
    if ahead >= 0.0 and ahead_at_end >= 0.0:
        return steps * (memory_s + fixed_s + memory_growth_s * last * 0.5)
    if ahead <= 0.0 and ahead_at_end <= 0.0:
        return steps * (compute_s + fixed_s + compute_growth_s * last * 0.5)
    # Steps 0 .. before - 1 are on the side of the first line.
    before = min(last, int(ahead / (compute_growth_s - memory_growth_s)) + 1)
    after = steps - before
    if ahead > 0.0:
        first, first_growth, then, then_growth = memory_s, memory_growth_s, compute_s, compute_growth_s
    else:
        first, first_growth, then, then_growth = compute_s, compute_growth_s, memory_s, memory_growth_s
    return (
        steps * fixed_s
        + before * (first + first_growth * (before - 1) * 0.5)
        + after * (then + then_growth * (before + last) * 0.5)
    )


def steps_within(
    most: int,
    until_s: float,
    now_s: float,
    memory_s: float,
    memory_growth_s: float,
    compute_s: float,
    compute_growth_s: float,
    fixed_s: float,
) -> tuple[int, float]:
    """Fewest steps after which the time is `until_s` or later, at most `most` (at least 1), and the time after them.

    A step that has begun is finished, so the time after the steps may lie beyond `until_s`.
    """
    lines = (memory_s, memory_growth_s, compute_s, compute_growth_s, fixed_s)
    if until_s == FOREVER or most == 1:
        return most, now_s + span_s(most, *lines)
    # Were every step like the line that dominates first, this many would do; the other line only shortens the search.
    larger, growth = (memory_s, memory_growth_s) if memory_s > compute_s else (compute_s, compute_growth_s)
    if memory_s == compute_s and memory_growth_s > growth:
        growth = memory_growth_s
    wanted = until_s - now_s
    half = larger + fixed_s - growth * 0.5
    pace = (half + sqrt(half * half + 2.0 * growth * wanted)) * 0.5
    steps = most if wanted >= most * pace else ceil(wanted / pace) or 1
    end_s = now_s + span_s(steps, *lines)
    while end_s < until_s and steps < most:
        steps += 1
        end_s = now_s + span_s(steps, *lines)
    if steps > 1 and end_s >= until_s and now_s + span_s(steps - 1, *lines) >= until_s:
        low, steps = 0, steps - 1
        while steps - low > 1:
            middle = (low + steps) // 2
            low, steps = (low, middle) if now_s + span_s(middle, *lines) >= until_s else (middle, steps)
        end_s = now_s + span_s(steps, *lines)
    return steps, end_s

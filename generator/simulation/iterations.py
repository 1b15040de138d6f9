"""What the instances did, iteration by iteration: gaps between tokens, busy time, batch. Records have no such thing."""

from __future__ import annotations

from dataclasses import dataclass, field

from generator.units import round_significant


@dataclass
class Iterations:
    """What one instance did, one row an iteration or a run of like iterations.

    Row: start_s, end_s, prompt tokens, decodes, decode steps, time of the first step, time of the last step, and how
    many of the decodes take their first step in it. A row of prefill alone, after which others may follow before the
    next step, has no decodes and in the last place the requests whose first token it gave and that have more to come.
    """

    rows: list[tuple[float, float, int, int, int, float, float, int]] = field(default_factory=list)


def ends(
    steps: int, memory_s: float, memory_growth_s: float, compute_s: float, compute_growth_s: float, fixed_s: float
) -> tuple[float, float]:
    """Time of the first and of the last of some steps."""
    last = steps - 1
    return (
        max(memory_s, compute_s) + fixed_s,
        max(memory_s + last * memory_growth_s, compute_s + last * compute_growth_s) + fixed_s,
    )


GAP_PERCENTILES = (50, 90, 95, 99)


def gaps(logs: list[Iterations]) -> dict[str, float]:
    """Percentiles of the time between two tokens of one request (ITL), how long the instances were busy, and the batch.

    A token after a prefill of other prompts waits for that prefill as well, so its gap is longer than its step. Steps
    of one run of decodes differ by the growth of their caches alone; those between the first and the last count with
    their mean.
    """
    import numpy

    spans, weights = [numpy.empty(0)], [numpy.empty(0)]
    busy = steps_in_all = decodes_in_all = end_of_all = 0.0

    for log in logs:
        if not log.rows:
            continue
        rows = numpy.array(log.rows, float)
        busy += float((rows[:, 1] - rows[:, 0]).sum())
        end_of_all = max(end_of_all, float(rows[-1, 1]))
        decoding = rows[:, 3] > 0
        given = rows[~decoding & (rows[:, 7] > 0)]
        start, end, _, decodes, steps, first, last, fresh = rows[decoding].T
        if not len(start):
            continue
        steps_in_all += float(steps.sum())
        decodes_in_all += float((decodes * steps).sum())
        # The first step ends the gaps of those that decoded before it, of those that a prefill gave their first token,
        # and of those whose first token came with the iteration just before it.
        first_end = start + first
        following = numpy.searchsorted(start, given[:, 1])
        at_once = fresh - numpy.bincount(following, given[:, 7], len(start))[: len(start)]
        spans += [first_end - numpy.concatenate(([0.0], end[:-1])), first_end[following] - given[:, 1], first, last]
        weights += [decodes - fresh, given[:, 7], at_once, decodes * (steps > 1)]
        spans.append((end - start - first - last) / numpy.maximum(steps - 2, 1))
        weights.append(decodes * numpy.maximum(steps - 2, 0))
    values, counts = numpy.concatenate(spans), numpy.concatenate(weights)
    values, counts = values[counts > 0], counts[counts > 0]
    if not len(values):
        return {}
    order = numpy.argsort(values)
    values, cumulative = values[order], numpy.cumsum(counts[order])
    places = [int(numpy.searchsorted(cumulative, rank / 100 * cumulative[-1])) for rank in GAP_PERCENTILES]
    found = {f"itl_p{rank}_s": float(values[place]) for rank, place in zip(GAP_PERCENTILES, places, strict=True)}
    found["itl_max_s"] = float(values[-1])
    found["instance_busy_share"] = busy / (end_of_all * len(logs))
    found["mean_decode_batch"] = decodes_in_all / steps_in_all
    return {name: round_significant(value, 12) for name, value in found.items()}

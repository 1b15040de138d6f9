"""What the instances did, iteration by iteration: gaps between tokens, busy time, batch. Records have no such thing."""

from __future__ import annotations

from dataclasses import dataclass, field

from generator.units import round_significant


@dataclass
class Iterations:
    """What one instance did, one row an iteration or a run of like decode steps.

    Row: start_s, end_s, prompt tokens, decodes, steps, time of the first step, time of the last step, and how many of
    the decodes take their first step in it.
    """

    rows: list[tuple[float, float, int, int, int, float, float, int]] = field(default_factory=list)


GAP_PERCENTILES = (50, 90, 95, 99)


def gaps(logs: list[Iterations]) -> dict[str, float]:
    """Percentiles of the time between two tokens of one request (ITL), how long the instances were busy, and the batch.

    A token after a prefill of other prompts waits for that prefill as well, so its gap is longer than its step. Steps
    of one run of decodes differ by the growth of their caches alone; all but the first count with their mean.
    """
    import numpy

    spans: list[tuple[float, int]] = []
    busy = steps_in_all = decodes_in_all = 0.0
    end_of_all = 0.0
    for log in logs:
        before = 0.0
        for start, end, _, decodes, steps, first_s, _, fresh in log.rows:
            busy += end - start
            end_of_all = max(end_of_all, end)
            if not decodes:
                continue
            steps_in_all += steps
            decodes_in_all += decodes * steps
            if fresh:
                spans.append((first_s, fresh))
            if decodes > fresh:
                spans.append((first_s + start - before, decodes - fresh))
            if steps > 1:
                spans.append(((end - start - first_s) / (steps - 1), decodes * (steps - 1)))
            before = end
    if not spans:
        return {}
    values, weights = numpy.array([span for span, _ in spans]), numpy.array([weight for _, weight in spans])
    order = numpy.argsort(values, kind="stable")
    values, cumulative = values[order], numpy.cumsum(weights[order])
    places = [int(numpy.searchsorted(cumulative, rank / 100 * cumulative[-1])) for rank in GAP_PERCENTILES]
    found = {f"itl_p{rank}_s": float(values[place]) for rank, place in zip(GAP_PERCENTILES, places, strict=True)}
    found["itl_max_s"] = float(values[-1])
    found["instance_busy_share"] = busy / (end_of_all * len(logs))
    found["mean_decode_batch"] = decodes_in_all / steps_in_all
    return {name: round_significant(value, 12) for name, value in found.items()}

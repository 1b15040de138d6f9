"""What a run of slots and batches comes to, from its records and the log of its steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from generator.simulation.batching import StaticBatch
from generator.simulation.iterations import Iterations
from generator.simulation.records import Records, metrics
from generator.units import round_significant

PERCENTILES = (50, 95, 99)


@dataclass(frozen=True)
class Run:
    """One run; size: tokens for which cache is reserved, from the tokens of a request and of a block."""

    records: Records
    log: Iterations
    block_tokens: int
    size: Callable[[int, int], int]
    batches: list[StaticBatch] = field(default_factory=list)
    preemptions: int = 0


class Choices(Protocol):
    """What the metrics need to know of the choices."""

    @property
    def allocation(self) -> str: ...
    @property
    def slots(self) -> float: ...
    @property
    def burst_ratio(self) -> float: ...
    @property
    def burst_start(self) -> float: ...
    @property
    def burst_steps(self) -> float: ...
    @property
    def observed(self) -> float: ...


def of_steps(run: Run, load: Choices) -> dict[str, float]:
    """Metrics on the clock of steps: throughput, waits and latencies, idle slots, wasted cache, queue."""
    import numpy

    records = run.records
    arrival, start, finish = (numpy.array(one) for one in (records.arrival_s, records.start_s, records.finish_s))
    rate = _tokens_per_time(run)
    found = {"made_tokens_per_step": rate, "requests_per_step": rate / float(numpy.mean(records.output_tokens))}
    for name, values in (("wait", start - arrival), ("latency", finish - arrival)):
        found[f"{name}_mean_steps"] = float(values.mean())
        for rank, value in zip(PERCENTILES, numpy.percentile(values, PERCENTILES), strict=True):
            found[f"{name}_p{rank}_steps"] = float(value)
    found |= _slots_and_cache(run, load)
    found["preemptions_per_request"] = run.preemptions / len(records)
    begun = numpy.sort(start)

    def waiting(moments: Any) -> Any:
        """Requests that wait right after each moment."""
        return numpy.searchsorted(arrival, moments, "right") - numpy.searchsorted(begun, moments, "right")

    found["peak_queue"] = float(waiting(arrival).max())
    if load.burst_ratio > 1:
        end = load.burst_start + load.burst_steps
        after = numpy.concatenate(([end], begun[begun > end]))
        empty = after[waiting(after) <= 0]
        found["drain_steps"] = float((empty[0] if empty.size else begun[-1]) - end)
    if load.observed:
        found["queue_length"] = float(waiting(numpy.array([load.observed]))[0])
    return {name: round_significant(value, 12) for name, value in found.items()}


def of_seconds(run: Run, load: Choices) -> dict[str, float]:
    """Metrics on the clock of an accelerator; output tokens per second until the last request is admitted."""
    found = metrics(run.records) | _slots_and_cache(run, load) | {"output_tokens_per_s": _tokens_per_time(run)}
    del found["attainment"], found["goodput_requests_per_s"]
    return {name: round_significant(value, 12) for name, value in found.items()}


def _tokens_per_time(run: Run) -> float:
    """Output tokens until the last request is admitted, over that time: what comes later is a queue run dry."""
    records = run.records
    last = max(records.start_s)
    if last <= 0:
        return sum(records.output_tokens) / max(records.finish_s)
    made = sum(row[3] * row[4] for row in run.log.rows if row[1] <= last)
    if run.log.rows and any(row[2] for row in run.log.rows):
        # The first token of an answer comes from its prompt.
        made += sum(time <= last for time in records.first_token_s)
    return made / last


def _slots_and_cache(run: Run, load: Choices) -> dict[str, float]:
    last = max(run.records.start_s)
    decoding = [row for row in run.log.rows if row[3]]
    rows = [row for row in decoding if row[1] <= last] or decoding
    mean = sum(row[3] * row[4] for row in rows) / sum(row[4] for row in rows)
    found = {
        "mean_decode_batch": mean,
        "idle_slot_share": 1 - mean / load.slots,
        "peak_requests": float(max(row[3] for row in decoding)),
    }
    found["cache_used_share"] = _used_share(run, load.allocation)
    found["cache_waste_share"] = 1 - found["cache_used_share"]
    if run.batches:
        # The last batch holds what was left over.
        counted = run.batches[:-1] or run.batches
        outputs = run.records.output_tokens
        longest = [max(outputs[batch.first : batch.beyond]) for batch in counted]
        found["batch_longest_tokens"] = sum(longest) / len(longest)
    return found


def _used_share(run: Run, allocation: str) -> float:
    """Tokens in the cache over reserved places, in all steps of all requests; in step i one holds p + i tokens."""
    import numpy

    records, block = run.records, run.block_tokens
    prompts, outputs = numpy.array(records.prompt_tokens), numpy.array(records.output_tokens)
    held = float((outputs * prompts + outputs * (outputs + 1) / 2).sum())
    if allocation == "blocks":

        def up_to(tokens: Any) -> Any:
            """Tokens of the whole blocks that hold 1, 2, ... so many tokens, added up."""
            whole, rest = numpy.divmod(tokens, block)
            return block * (block * whole * (whole + 1) / 2 + rest * (whole + 1))

        reserved = float((up_to(prompts + outputs) - up_to(prompts)).sum())
    else:
        sizes = numpy.array([run.size(tokens, block) for tokens in (prompts + outputs).tolist()])
        stay = outputs.copy()
        for batch in run.batches:
            stay[batch.first : batch.beyond] = outputs[batch.first : batch.beyond].max()
        reserved = float((sizes * stay).sum())
    return held / reserved

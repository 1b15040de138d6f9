"""Records first: what happened to each request, one row each. Metrics are computed from records afterwards."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from typing import Any

from generator.units import round_significant

COLUMNS = (
    "id", "arrival_s", "start_s", "first_token_s", "finish_s", "prompt_tokens", "output_tokens", "instance",
)  # fmt: skip
PERCENTILES = (50, 90, 95, 99)


@dataclass
class Records:
    """One row a request, in order of arrival.

    start_s: its prompt is first worked on; first_token_s: the client sees the first token; finish_s: the last one.
    A time that has not come yet is -1. instance: the accelerator group that decoded it.
    """

    arrival_s: list[float]
    prompt_tokens: list[int]
    output_tokens: list[int]
    start_s: list[float] = field(default_factory=list)
    first_token_s: list[float] = field(default_factory=list)
    finish_s: list[float] = field(default_factory=list)
    instance: list[int] = field(default_factory=list)
    computed_tokens: list[int] | None = None
    """Prompt tokens that were computed, those of a recomputation included, where a run counts them."""
    hit_tokens: list[int] | None = None
    """Prompt tokens that a cache held when the request was first admitted."""
    recomputed_tokens: list[int] | None = None
    """Tokens that were computed a second time after a preemption."""
    preemptions: list[int] | None = None

    def counts(self) -> tuple[list[int], list[int], list[int], list[int]]:
        """The columns of a run that counts computed, found and recomputed tokens, and preemptions; at first 0."""
        if self.computed_tokens is None:
            count = len(self)
            self.computed_tokens, self.hit_tokens = [0] * count, [0] * count
            self.recomputed_tokens, self.preemptions = [0] * count, [0] * count
        assert self.hit_tokens is not None and self.recomputed_tokens is not None and self.preemptions is not None
        return self.computed_tokens, self.hit_tokens, self.recomputed_tokens, self.preemptions

    def __post_init__(self) -> None:
        count = len(self.arrival_s)
        self.start_s = self.start_s or [-1.0] * count
        self.first_token_s = self.first_token_s or [-1.0] * count
        self.finish_s = self.finish_s or [-1.0] * count
        self.instance = self.instance or [0] * count

    def __len__(self) -> int:
        return len(self.arrival_s)

    def columns(self) -> dict[str, Any]:
        """The columns as arrays, by name, and `ttft_s`, `tpot_s`, `e2e_s` beside them.

        The TPOT of an answer of one token is 0: no token follows the first.
        """
        import numpy

        found: dict[str, Any] = {"id": numpy.arange(len(self))}
        found |= {name: numpy.array(getattr(self, name)) for name in COLUMNS[1:]}
        found["ttft_s"] = found["first_token_s"] - found["arrival_s"]
        found["tpot_s"] = (found["finish_s"] - found["first_token_s"]) / numpy.maximum(found["output_tokens"] - 1, 1)
        found["e2e_s"] = found["finish_s"] - found["arrival_s"]
        found["wait_s"] = found["start_s"] - found["arrival_s"]
        return found

    def to_csv(self) -> bytes:
        """One line a request; times to a nanosecond, so that every machine writes the same bytes."""
        buffer = io.StringIO(newline="")
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(COLUMNS)
        times = zip(self.arrival_s, self.start_s, self.first_token_s, self.finish_s, strict=True)
        rest = zip(self.prompt_tokens, self.output_tokens, self.instance, strict=True)
        for number, (moments, others) in enumerate(zip(times, rest, strict=True)):
            writer.writerow([number, *(f"{moment:.9f}" for moment in moments), *others])
        return buffer.getvalue().encode()


def cache_metrics(records: Records) -> dict[str, float]:
    """Preemptions, recomputation and prefix hits of a run that counts them; nothing for another."""
    if records.computed_tokens is None:
        return {}
    _, hits, again, preemptions = records.counts()
    found = {
        "preemptions_per_request": sum(preemptions) / len(records),
        "recomputed_tokens_per_request": sum(again) / len(records),
        "prefix_hit_share": sum(hits) / sum(records.prompt_tokens),
    }
    return {name: round_significant(value, 12) for name, value in found.items()}


def metrics(
    records: Records, *, ttft_limit_s: float | None = None, tpot_limit_s: float | None = None
) -> dict[str, float]:
    """What a run comes to: percentiles of TTFT, TPOT, E2E and wait, rates, attainment and goodput.

    A request attains the service level when its TTFT and its mean TPOT are both within the limits; goodput counts such
    requests over the makespan, which runs from time 0 to the last token.
    """
    import numpy

    columns = records.columns()
    makespan = float(columns["finish_s"].max())
    found: dict[str, float] = {}
    for name in ("ttft", "tpot", "e2e", "wait"):
        values = columns[f"{name}_s"]
        found[f"{name}_mean_s"] = float(values.mean())
        for rank, value in zip(PERCENTILES, numpy.percentile(values, PERCENTILES), strict=True):
            found[f"{name}_p{rank}_s"] = float(value)
    found["makespan_s"] = makespan
    found["requests_per_s"] = len(records) / makespan
    found["output_tokens_per_s"] = float(columns["output_tokens"].sum()) / makespan
    found["requests_in_system"] = float(columns["e2e_s"].sum()) / makespan
    attained = numpy.ones(len(records), bool)
    if ttft_limit_s is not None:
        attained &= columns["ttft_s"] <= ttft_limit_s
    if tpot_limit_s is not None:
        attained &= columns["tpot_s"] <= tpot_limit_s
    found["attainment"] = float(attained.mean())
    found["goodput_requests_per_s"] = float(attained.sum()) / makespan
    return {name: round_significant(value, 12) for name, value in found.items()}

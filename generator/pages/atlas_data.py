"""A goodput atlas for programs: every cell as CSV, every question as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from generator import study
from generator.provenance import Traced
from generator.results import published
from generator.simulation.atlas_verdict import Question
from generator.specs.records import Grid
from generator.units import round_significant

METRICS = (
    "attained_rate_per_gpu", "goodput_per_gpu", "attainment", "ttft_p90_s", "tpot_p90_s", "capacity_per_gpu",
    "capacity_share", "counted_requests", "prefill_gpus",
)  # fmt: skip
"""Metrics of a cell in the order of the CSV; the last one of split policies alone."""
HEADER = (
    "model", "accelerator", "workload", "limits", "gpus", "policy", "tp", "best", "attained_rate_per_gpu_low",
    "attained_rate_per_gpu_high", *METRICS, "why",
)  # fmt: skip


def to_csv(found: Sequence[Question]) -> bytes:
    """One row a cell; a cell without a rate says why."""
    rows = []
    for question in found:
        for policy, cell in question.cells.items():
            head = [cell.model, cell.accelerator, cell.workload, cell.limits, cell.gpus, policy]
            outcome = question.outcomes.get(policy)
            if outcome is None:
                rows.append([*head, None, False, *[None] * (2 + len(METRICS)), cell.why])
                continue
            rate = outcome.attained_rate_per_gpu
            rows.append(
                [
                    *head, published(outcome.inputs["tp"]), policy == question.best,
                    round_significant(rate.origin.low), round_significant(rate.origin.high),
                    *(published(outcome.numbers[name]) if name in outcome.numbers else None for name in METRICS),
                    question.missed(policy),
                ]
            )  # fmt: skip
    return study.to_csv(HEADER, rows)


def as_json(grid: Grid, found: Sequence[Question], *, seed: int, runs: int) -> dict[str, Any]:
    """The atlas: grid, seeds, and for each question what the policies come to."""
    return {
        "grid": grid.id,
        "seed": seed,
        "runs": runs,
        "target": published(grid.target),
        "limits": [
            {"id": one.id, "name": one.name, "ttft_s": published(one.ttft), "tpot_s": published(one.tpot)}
            for one in grid.limits
        ],
        "questions": [_question(one) for one in found],
    }


def _question(question: Question) -> dict[str, Any]:
    cell = question.any
    return {
        "id": question.id,
        "model": cell.model,
        "accelerator": cell.accelerator,
        "workload": cell.workload,
        "limits": cell.limits,
        "gpus": cell.gpus,
        "best": question.best or None,
        "clear": question.clear,
        "why": question.why,
        "lead_ratio": _number(question.lead),
        "split_ratio": _number(question.split),
        "policies": {policy: _policy(question, policy) for policy in question.cells},
    }


def _policy(question: Question, policy: str) -> dict[str, Any]:
    outcome = question.outcomes.get(policy)
    numbers = {} if outcome is None else outcome.numbers
    return {
        "attains": bool(numbers) and not question.missed(policy),
        "why": question.missed(policy),
        "metrics": {name: _number(numbers[name]) for name in METRICS if name in numbers},
    }


def _number(number: Traced | None) -> dict[str, Any] | None:
    if number is None:
        return None
    low, high = (round_significant(end) for end in (number.origin.low, number.origin.high))
    return {"value": published(number), "low": low, "high": high, "unit": number.unit}

"""The smallest group of an accelerator that serves a workload within limits, and the largest batch it serves so.

Infeasible is an answer: the reason names the memory that is missing, or the limit that is not met by how much.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from generator import formatting
from generator.estimates.architecture import describe
from generator.estimates.devices import Device, device
from generator.estimates.entities import once
from generator.estimates.fitting import groups, smallest_group
from generator.estimates.layouts import hourly_price
from generator.estimates.serving import Serving, serving
from generator.formulas import cost, planning
from generator.provenance import choice
from generator.specs.library import Library
from generator.specs.records import Accelerator, Model

Number = Any

NO_PRICE = "no price of this accelerator is in the price list"


@dataclass(frozen=True)
class Selection:
    """What serves a workload on one accelerator; numbers are None where nothing does, `reasons` say why."""

    model: str
    accelerator: str
    feasible: bool
    reasons: tuple[str, ...]
    served: Serving | None = None
    group_gpus: Number | None = None
    batch: Number | None = None
    mean_token_s: Number | None = None
    tpot_s: Number | None = None
    ttft_s: Number | None = None
    mixed_tokens_per_s: Number | None = None
    capacity_requests_per_s: Number | None = None
    tokens_per_s_per_gpu: Number | None = None
    mixed_tokens_per_s_per_gpu: Number | None = None
    system_usd_per_hour: Number | None = None
    usd_per_million_tokens_mixed: Number | None = None
    missing: dict[str, str] = field(default_factory=dict)
    """Why a single number is missing although the group serves."""

    @property
    def verdict(self) -> str:
        """The answer in words."""
        return "serves" if self.feasible else "; ".join(self.reasons)


def selection(
    model: Model,
    accelerator: Accelerator,
    library: Library,
    *,
    weights: str = "native",
    kv: str = "native",
    prompt_tokens: float = 1024,
    output_tokens: float = 256,
    token_limit_s: float | None = None,
    ttft_limit_s: float | None = None,
    usd_per_gpu_hour: float | None = None,
    least_gpus: float = 1,
) -> Selection:
    """The smallest tensor-parallel group within the limits, with its largest batch within them.

    Groups below `least_gpus` are passed over.
    """
    key = (
        "selection", model.id, accelerator.id, weights, kv, float(prompt_tokens), float(output_tokens),
        _plain(token_limit_s), _plain(ttft_limit_s), _plain(usd_per_gpu_hour), int(least_gpus),
    )  # fmt: skip
    prompt_tokens, output_tokens = float(prompt_tokens), float(output_tokens)
    limits = _Limits(_plain(token_limit_s), _plain(ttft_limit_s), int(least_gpus))
    shape = {"weights": weights, "kv": kv, "prompt_tokens": prompt_tokens, "output_tokens": output_tokens}
    return once(library, key, lambda: _select(model, accelerator, library, shape, limits, usd_per_gpu_hour))


def mean_token_s(served: Serving) -> Number | None:
    """Mean time between two tokens of a request while the same accelerators also prefill; None if not known."""
    if served.mixed_tokens_per_s is None:
        return None
    return planning.mean_token_s(batch=served.load.batch, mixed_tokens_per_s=served.mixed_tokens_per_s)


def _plain(value: float | None) -> float | None:
    return None if value is None else float(value)


@dataclass(frozen=True)
class _Limits:
    token_s: float | None
    ttft_s: float | None
    least_gpus: int

    def broken(self, served: Serving) -> list[str]:
        """The limits that a configuration does not meet."""
        found = []
        pairs = (
            ("time per token", mean_token_s(served), self.token_s),
            ("time to first token", served.ttft_s, self.ttft_s),
        )
        for name, value, limit in pairs:
            if limit is not None and (value is None or not value <= limit):
                is_known = value is not None and value == value
                shown = formatting.plain(value, "s") if is_known else "not known"
                found.append(f"{name} {shown}, above the limit of {formatting.plain(limit, 's')}")
        return found


def _select(
    model: Model, accelerator: Accelerator, library: Library, shape: dict[str, Any], limits: _Limits,
    price: float | None,
) -> Selection:  # fmt: skip
    architecture = describe(model, library, weights=shape["weights"], kv=shape["kv"])
    card = device(accelerator, library, architecture.compute_format)
    tokens = float(shape["prompt_tokens"]) + float(shape["output_tokens"])
    if tokens > model.max_context:
        reason = f"requests of {tokens:g} tokens are beyond the context of {model.max_context:g}"
        return Selection(model.id, accelerator.id, False, (reason,))
    first = smallest_group(architecture, card, library, tokens)
    if first is None:
        return Selection(model.id, accelerator.id, False, _too_small(model, accelerator, card, library, shape))
    reasons: list[str] = []
    for size in (size for size in groups(card) if size >= max(first, limits.least_gpus)):

        def attempt(batch: int, size: int = size) -> Serving:
            return serving(
                model, accelerator, library, tp=size, batch=batch, usd_per_gpu_hour=price, **shape
            )  # fmt: skip

        alone = attempt(1)
        reasons = [*alone.reasons, *limits.broken(alone)] if alone.feasible else list(alone.reasons)
        if not reasons:
            return _answer(model, accelerator, library, attempt, limits, price)
        if alone.tpot_s is None:
            break
    if first != groups(card)[-1] and reasons and "not published" not in reasons[0]:
        reasons = [f"{reason}, even with {groups(card)[-1]}" for reason in reasons]
    return Selection(model.id, accelerator.id, False, tuple(reasons))


def _too_small(
    model: Model, accelerator: Accelerator, card: Device, library: Library, shape: dict[str, Any]
) -> tuple[str, ...]:
    """What the largest group lacks."""
    served = serving(model, accelerator, library, tp=groups(card)[-1], **shape)
    return tuple(served.reasons[:1])


def _answer(
    model: Model, accelerator: Accelerator, library: Library, attempt: Any, limits: _Limits, price: float | None
) -> Selection:
    """The largest batch of a group that memory and limits allow: a step grows with the batch, so halving finds it."""
    low, high = 1, max(1, int(attempt(1).max_concurrent_requests))
    while low < high:
        middle = (low + high + 1) // 2
        if limits.broken(attempt(middle)):
            high = middle - 1
        else:
            low = middle
    served = attempt(low)
    batch = choice(low, name="batch", unit="count", reason="the largest batch that memory and the limits allow")
    served = attempt(batch)
    hourly = hourly_price(accelerator, library, price)
    gpus = served.layout.gpus
    return Selection(
        model.id,
        accelerator.id,
        True,
        (),
        served=served,
        group_gpus=gpus,
        batch=batch,
        mean_token_s=mean_token_s(served),
        tpot_s=served.tpot_s,
        ttft_s=served.ttft_s,
        mixed_tokens_per_s=served.mixed_tokens_per_s,
        capacity_requests_per_s=planning.capacity_requests_per_s(
            mixed_tokens_per_s=served.mixed_tokens_per_s, output_tokens=served.load.output_tokens
        ),
        tokens_per_s_per_gpu=served.tokens_per_s_per_gpu,
        mixed_tokens_per_s_per_gpu=planning.mixed_tokens_per_s_per_gpu(
            mixed_tokens_per_s=served.mixed_tokens_per_s, gpus=gpus
        ),
        system_usd_per_hour=None
        if hourly is None
        else cost.system_usd_per_hour(gpus=gpus, usd_per_gpu_hour=hourly),
        usd_per_million_tokens_mixed=served.usd_per_million_tokens_mixed,
        missing={} if hourly is not None else dict.fromkeys(
            ("system_usd_per_hour", "usd_per_million_tokens_mixed"), NO_PRICE
        ),
    )  # fmt: skip

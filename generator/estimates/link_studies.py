"""Sweeps over links and spreads: all-reduces over size, expert exchanges over spread, decode over spread, bubbles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from generator.estimates.architecture import describe
from generator.estimates.devices import Device, device
from generator.estimates.study_parts import axis, configuration, field_of, measured_points, scale_of
from generator.formulas import collectives, expert_exchange, parallelism
from generator.specs.library import Library
from generator.study import Series, Study


def _card(library: Library, name: str) -> Device:
    """An accelerator by id; links do not depend on the number format."""
    return device(library.find("accelerators", name), library, library.find("number_formats", "bf16"))


def all_reduce(library: Library, *, sizes: Any, series: Sequence[Mapping[str, Any]]) -> Study:
    """Time of one all-reduce over the size of its buffer: `{label, accelerator, degree}` or `{label, measured}`."""
    values = axis(sizes)
    drawn = []
    for one in series:
        if "measured" in one:
            drawn.append(measured_points(library, one, values, scale_of("us")))
            continue
        card, degree = _card(library, one["accelerator"]), one["degree"]
        times = tuple(
            float(
                collectives.all_reduce_s(
                    buffer_bytes=size,
                    degree=degree,
                    link_bytes_per_s=card.scale_up_bytes_per_s,
                    link_latency_s=card.scale_up_latency_s,
                )
            )
            / scale_of("us")
            for size in values
        )
        drawn.append(Series(one["label"], times, one.get("kind", "reference"), one.get("colour")))
    return Study(
        x=tuple(value / scale_of("KiB") for value in values),
        x_label="buffer of the all-reduce (KiB)",
        y_label="time (µs)",
        series=tuple(drawn),
        log_x=True,
        log_y=True,
    )


def exchange(
    library: Library,
    *,
    model: str,
    accelerator: str,
    tokens_per_gpu: float,
    spreads: Sequence[float],
    series: Sequence[Mapping[str, Any]],
) -> Study:
    """Time of one dispatch or combine over the accelerators that experts are spread over.

    A series has `bytes_per_value` of what is sent, or `measured` by spread.
    """
    values = axis(spreads)
    card, experts = _card(library, accelerator), describe(library.find("models", model), library).moe
    width = library.find("models", model).config.d_model
    drawn = []
    for one in series:
        if "measured" in one:
            drawn.append(measured_points(library, one, values, scale_of("us")))
            continue
        volume = expert_exchange.exchange_bytes(
            tokens_per_gpu=tokens_per_gpu,
            top_k=experts.top_k,
            d_model=width,
            bytes_per_value=one["bytes_per_value"],
        )
        times = tuple(
            float(
                expert_exchange.exchange_s(
                    exchange_bytes=volume,
                    inside_share=expert_exchange.inside_share(ep=ep, domain_gpus=card.domain_gpus),
                    outside_share=expert_exchange.outside_share(ep=ep, domain_gpus=card.domain_gpus),
                    scale_up_bytes_per_s=card.scale_up_bytes_per_s,
                    scale_out_bytes_per_s=card.scale_out_bytes_per_s,
                    hop_latency_s=library.assume("hop-latency"),
                )
            )
            / scale_of("us")
            for ep in values
        )
        drawn.append(Series(one["label"], times, one.get("kind", "bound"), one.get("colour")))
    return Study(
        x=values,
        x_label="accelerators that the experts are spread over",
        y_label="time of one exchange (µs)",
        series=tuple(drawn),
        ticks=values,
        log_x=True,
        log_base=2,
    )


def spread(
    library: Library,
    *,
    spreads: Any,
    batch_per_gpu: float,
    y: Mapping[str, Any],
    series: Sequence[Mapping[str, Any]],
    base: Mapping[str, Any] | None = None,
) -> Study:
    """A field of the serving estimate when experts and requests are spread over more and more accelerators.

    Each accelerator keeps `batch_per_gpu` requests, so the whole batch grows with the spread.
    """
    values = axis(spreads)
    scale = scale_of(y.get("unit"))
    drawn = []
    for one in series:
        points: list[float | None] = []
        for ep in values:
            layout = {"gpus": ep, "ep": ep, "tp": 1, "batch": batch_per_gpu * ep}
            estimate = configuration(library, {**(base or {}), **one, **layout})
            number = field_of(estimate, one.get("field", y.get("field")))
            known = number is not None and number == number and estimate.feasible
            points.append(float(number) / scale if known else None)
        drawn.append(Series(one["label"], tuple(points), one.get("kind", "reference"), one.get("colour")))
    return Study(
        x=values,
        x_label="accelerators that the experts are spread over",
        y_label=y["label"],
        series=tuple(drawn),
        ticks=values,
        log_x=True,
        log_y=bool(y.get("log")),
        log_base=2,
    )


def bubbles(library: Library, *, stages: Sequence[int], micro_batches: Any) -> Study:
    """Idle share of a pipeline over the micro-batches in flight, a line for each number of stages."""
    values = axis(micro_batches)
    drawn = tuple(
        Series(
            f"{pp} stages",
            tuple(100 * float(parallelism.bubble_share(pp=pp, micro_batches=m)) for m in values),
            "exact",
        )
        for pp in stages
    )
    return Study(
        x=values,
        x_label="micro-batches in flight",
        y_label="idle share of the time (%)",
        series=drawn,
        ticks=values,
        log_x=True,
        log_base=2,
    )

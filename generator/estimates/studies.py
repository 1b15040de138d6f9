"""Sweeps that pages draw: a quantity over batch, context or degree for several configurations; memory; rooflines.

A study is asked for as data (`study: curve`, its axis, its series), so a new chart needs no code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from generator.estimates import cost_studies, link_studies, reference_studies
from generator.estimates.architecture import describe
from generator.estimates.devices import device
from generator.estimates.study_parts import StudyFault, axis, configuration, field_of, measured_points, scale_of
from generator.formulas import decode, prefill, roofline
from generator.specs.library import Library
from generator.study import Limit, Point, Series, Study


def curve(library: Library, *, x: Mapping[str, Any], y: Mapping[str, Any], series: Sequence[Mapping[str, Any]],
          base: Mapping[str, Any] | None = None, limits: Sequence[Mapping[str, Any]] = ()) -> Study:  # fmt: skip
    """A field of the serving estimate over one of its arguments, for each series.

    x: `{name, label, values, log}`; y: `{field, label, unit, log}`; a series overrides `base`, may name its own
    `field`, and `where: feasible` cuts it where the configuration does not fit.
    """
    values = axis(x["values"])
    scale = scale_of(y.get("unit"))
    drawn = []
    for one in series:
        if "measured" in one:
            drawn.append(measured_points(library, one, values, scale))
            continue
        points: list[float | None] = []
        for value in values:
            estimate = configuration(library, {**(base or {}), **one, x["name"]: value})
            number = field_of(estimate, one.get("field", y.get("field")))
            shown = number is not None and (one.get("where") != "feasible" or estimate.feasible)
            points.append(float(number) / scale if shown else None)
        kind = one.get("kind", "reference")
        drawn.append(Series(one["label"], tuple(points), kind, one.get("colour")))
    return Study(
        x=values,
        x_label=x["label"],
        y_label=y["label"],
        series=tuple(drawn),
        limits=tuple(_limit(library, limit, scale) for limit in limits),
        ticks=tuple(x.get("ticks", ())),
        log_x=bool(x.get("log")),
        log_y=bool(y.get("log")),
    )


def _limit(library: Library, given: Mapping[str, Any], scale: float) -> Limit:
    value = given["value"]
    number = library.datum(value) if isinstance(value, str) and "#" in value else float(value)
    return Limit(given["label"], float(number) / scale if isinstance(value, str) else number)


def memory_parts(
    library: Library, *, series: Sequence[Mapping[str, Any]], base: Mapping[str, Any] | None = None
) -> Study:
    """Memory of one accelerator by part for each configuration: weights, workspace, cache in use, room left."""
    names, parts = [], {"weights": [], "workspace": [], "kv": [], "free": []}
    limits: dict[str, float] = {}
    for one in series:
        estimate = configuration(library, {**(base or {}), **one})
        gpus = estimate.layout.gpus
        used = estimate.load.batch * estimate.kv_bytes_per_request * estimate.kv_replication / gpus
        weights = float(estimate.weights_bytes_per_gpu)
        names.append(one["label"])
        parts["weights"].append(weights / 1e9)
        parts["workspace"].append(float(estimate.workspace_bytes) / 1e9)
        parts["kv"].append(used / 1e9)
        room = float(estimate.usable_memory_bytes) - float(estimate.workspace_bytes) - weights - used
        parts["free"].append(max(room, 0.0) / 1e9)
        card = library.find("accelerators", estimate.accelerator)
        limits[f"usable of {card.name}"] = float(estimate.usable_memory_bytes) / 1e9
    labels = {"weights": "weights", "workspace": "workspace", "kv": "KV cache in use", "free": "free for more cache"}
    colours = {"free": "muted"}
    return Study(
        x=tuple(names),
        x_label="configuration",
        y_label="memory of one accelerator (GB)",
        series=tuple(
            Series(labels[part], tuple(values), "reference", colours.get(part, part)) for part, values in parts.items()
        ),
        limits=tuple(Limit(label, value) for label, value in limits.items()) if len(limits) == 1 else (),
    )


def frontier(library: Library, *, batches: Any, series: Sequence[Mapping[str, Any]],
             base: Mapping[str, Any] | None = None, label_at: Sequence[float] = ()) -> Study:  # fmt: skip
    """Throughput per accelerator over interactivity for each configuration, the batch growing along its line.

    A line ends where its configuration no longer fits; `label_at` are batches written beside the points of the first
    and the last series.
    """
    values = axis(batches)
    drawn, points = [], []
    for index, one in enumerate(series):
        pairs: list[tuple[float | None, float | None]] = []
        for batch in values:
            estimate = configuration(library, {**(base or {}), **one, "batch": batch})
            known = estimate.feasible and estimate.tokens_per_s is not None
            pair = (float(estimate.tokens_per_s_per_user), float(estimate.tokens_per_s_per_gpu)) if known else None
            pairs.append(pair or (None, None))
            if pair and batch in label_at and index in (0, len(series) - 1):
                points.append(Point(f"{batch:g}", *pair))
        xs, ys = zip(*pairs, strict=True)
        drawn.append(Series(one["label"], ys, one.get("kind", "reference"), one.get("colour"), xs))
    return Study(
        x=values,
        x_label="interactivity (tokens/s of one user)",
        y_label="output tokens/s per accelerator",
        series=tuple(drawn),
        points=tuple(points),
        log_x=True,
        log_y=True,
        parameter="batch",
    )


def rooflines(
    library: Library,
    *,
    accelerators: Sequence[str],
    number_format: str,
    operations: Sequence[Mapping[str, Any]] = (),
    intensities: Mapping[str, Any] | None = None,
    names: Mapping[str, str] | None = None,
) -> Study:
    """Attainable FLOP/s over intensity for each accelerator, and operations placed on the first of them.

    `names` are short names for the labels; the phase `ridge` of an operation is the ridge point itself.
    """
    form = library.find("number_formats", number_format)
    cards = [device(library.find("accelerators", name), library, form) for name in accelerators]
    ridges = [
        roofline.ridge_point(peak_flops_per_s=card.peak_flops_per_s, bandwidth_bytes_per_s=card.bandwidth_bytes_per_s)
        for card in cards
    ]
    swept = axis(intensities or {"from": 0.5, "to": 8192, "per_octave": 4, "whole": False})
    grid = tuple(sorted({*swept, *map(float, ridges)}))
    drawn = []
    for name, card in zip(accelerators, cards, strict=True):
        rate = tuple(
            float(
                roofline.attainable_flops_per_s(
                    peak_flops_per_s=card.peak_flops_per_s,
                    bandwidth_bytes_per_s=card.bandwidth_bytes_per_s,
                    intensity=intensity,
                )
            )
            / 1e12
            for intensity in grid
        )
        drawn.append(Series((names or {}).get(name, card.accelerator.name), rate, "bound"))
    points = []
    for one in operations:
        intensity = ridges[0] if one["phase"] == "ridge" else operation_intensity(library, one)
        rate = roofline.attainable_flops_per_s(
            peak_flops_per_s=cards[0].peak_flops_per_s,
            bandwidth_bytes_per_s=cards[0].bandwidth_bytes_per_s,
            intensity=intensity,
        )
        points.append(Point(one["label"], float(intensity), float(rate) / 1e12))
    return Study(
        x=grid,
        x_label="arithmetic intensity (FLOP/B)",
        y_label=f"attainable {number_format.upper()} TFLOP/s, dense",
        series=tuple(drawn),
        points=tuple(points),
        log_x=True,
        log_y=True,
    )


def operation_intensity(library: Library, given: Mapping[str, Any]) -> Any:
    """Intensity of a decode step, of a prefill, or of decode attention alone."""
    architecture = describe(library.find("models", given["model"]), library, weights=given.get("weights", "native"))
    phase = given["phase"]
    if phase == "decode":
        batch, context = given["batch"], given["context"]
        work = decode.decode_flops(
            batch=batch,
            active_params=architecture.active_params,
            attention_flops_per_token=architecture.decode_attention_flops(context),
        )
        traffic = decode.decode_bytes(
            weights_read_bytes=architecture.weights_read(batch),
            batch=batch,
            kv_read_bytes_per_request=architecture.read_bytes_per_request(context),
        )
    elif phase == "prefill":
        prompt = given["prompt"]
        work = prefill.prefill_flops(
            prompt_tokens=prompt,
            active_params=architecture.active_params,
            attention_flops_per_token=architecture.prefill_attention_flops(prompt),
        )
        traffic = architecture.weights_read(prompt)
    elif phase == "attention":
        context = given["context"]
        work = architecture.decode_attention_flops(context)
        traffic = architecture.read_bytes_per_request(context)
    else:
        raise StudyFault(f"no phase is called `{phase}`; valid: decode, prefill, attention, ridge")
    return roofline.arithmetic_intensity(work_flops=work, traffic_bytes=traffic)


def decode_intensity(library: Library, *, batches: Any, series: Sequence[Mapping[str, Any]], number_format: str,
                     accelerators: Mapping[str, str] | None = None) -> Study:  # fmt: skip
    """Intensity of a decode step over its batch for each model and context, and the ridge of accelerators as limits."""
    grid = axis(batches)
    drawn = []
    for one in series:
        values = tuple(
            float(operation_intensity(library, {**one, "phase": "decode", "batch": batch})) for batch in grid
        )
        drawn.append(Series(one["label"], values, one.get("kind", "exact"), one.get("colour")))
    form = library.find("number_formats", number_format)
    limits = []
    for name, label in (accelerators or {}).items():
        card = device(library.find("accelerators", name), library, form)
        ridge = roofline.ridge_point(
            peak_flops_per_s=card.peak_flops_per_s, bandwidth_bytes_per_s=card.bandwidth_bytes_per_s
        )
        limits.append(Limit(label, float(ridge)))
    return Study(
        x=grid,
        x_label="batch (requests decoded at once)",
        y_label="intensity of the whole step (FLOP/B)",
        series=tuple(drawn),
        limits=tuple(limits),
        log_x=True,
        log_y=True,
    )


def request_cache(library: Library, *, models: Sequence[str], contexts: Any) -> Study:
    """Cache of one request over its context, for several models."""
    grid = axis(contexts)
    block = library.assume("kv-block-tokens")
    drawn = []
    for name in models:
        architecture = describe(library.find("models", name), library)
        sizes = tuple(float(architecture.request_bytes(context, block)) / 1e9 for context in grid)
        drawn.append(Series(architecture.model.name, sizes, "exact"))
    return Study(
        x=grid,
        x_label="context of one request (tokens)",
        y_label="KV cache of one request (GB)",
        series=tuple(drawn),
        log_x=True,
        log_y=True,
    )


STUDIES: dict[str, Callable[..., Study]] = {
    "context_costs": cost_studies.context_costs,
    "cost_frontier": cost_studies.cost_frontier,
    "all_reduce": link_studies.all_reduce,
    "bubbles": link_studies.bubbles,
    "curve": curve,
    "decode_intensity": decode_intensity,
    "formula_curve": reference_studies.formula_curve,
    "exchange": link_studies.exchange,
    "frontier": frontier,
    "link_rates": reference_studies.link_rates,
    "memory_parts": memory_parts,
    "output_over_input": cost_studies.output_over_input,
    "parameter_parts": reference_studies.parameter_parts,
    "rooflines": rooflines,
    "request_cache": request_cache,
    "spread": link_studies.spread,
}

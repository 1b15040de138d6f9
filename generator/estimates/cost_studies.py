"""Studies of cost: price of a token over the speed of one user, and output against input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from generator.estimates.architecture import describe
from generator.estimates.devices import device
from generator.estimates.study_parts import axis, configuration
from generator.formulas import comparison, prices, roofline
from generator.specs.library import Library
from generator.study import Limit, Point, Series, Study


def cost_frontier(library: Library, *, batches: Any, series: Sequence[Mapping[str, Any]],
                  base: Mapping[str, Any] | None = None, field: str = "usd_per_million_tokens_mixed",
                  y_label: str = "USD per million output tokens",
                  label_at: Sequence[float] = ()) -> Study:  # fmt: skip
    """Price of a token over interactivity for each configuration, the batch growing along its line.

    A line ends where its configuration no longer fits; `label_at` are batches written beside the points of the first
    series.
    """
    values = axis(batches)
    drawn, points = [], []
    for index, one in enumerate(series):
        pairs: list[tuple[float | None, float | None]] = []
        for batch in values:
            estimate = configuration(library, {**(base or {}), **one, "batch": batch})
            price = getattr(estimate, field)
            known = estimate.feasible and price is not None
            pair = (float(estimate.tokens_per_s_per_user), float(price)) if known else None
            pairs.append(pair or (None, None))
            if pair and batch in label_at and index == 0:
                points.append(Point(f"{batch:g}", *pair))
        xs, ys = zip(*pairs, strict=True)
        drawn.append(Series(one["label"], ys, one.get("kind", "reference"), one.get("colour"), xs))
    return Study(
        x=values,
        x_label="interactivity (tokens/s of one user)",
        y_label=y_label,
        series=tuple(drawn),
        points=tuple(points),
        log_x=True,
        log_y=True,
        parameter="batch",
    )


def output_over_input(library: Library, *, x: Mapping[str, Any], series: Sequence[Mapping[str, Any]],
                      base: Mapping[str, Any] | None = None, limits: Mapping[str, Sequence[str]] | None = None,
                      ) -> Study:  # fmt: skip
    """Accelerator time of an output token over that of an input token, over one argument of the serving estimate.

    A line ends where its configuration does not fit; `limits` are ratios of two spec values drawn across, such as those
    of a price list.
    """
    values = axis(x["values"])
    drawn = []
    for one in series:
        ratios: list[float | None] = []
        for value in values:
            estimate = configuration(library, {**(base or {}), **one, x["name"]: value})
            if not estimate.feasible:
                ratios.append(None)
                continue
            ratio = prices.output_input_ratio(
                tpot_s=estimate.tpot_s,
                batch=estimate.load.batch,
                dp=estimate.layout.dp,
                prefill_s=estimate.prefill_s,
                prompt_tokens=estimate.load.prompt_tokens,
            )
            ratios.append(float(ratio))
        drawn.append(Series(one["label"], tuple(ratios), one.get("kind", "reference"), one.get("colour")))
    return Study(
        x=values,
        x_label=x["label"],
        y_label="output over input, accelerator time",
        series=tuple(drawn),
        limits=tuple(Limit(label, _ratio(library, *pair)) for label, pair in (limits or {}).items()),
        ticks=tuple(x.get("ticks", ())),
        log_x=bool(x.get("log")),
        log_y=True,
    )


def context_costs(library: Library, *, accelerator: str, number_format: str, kv: str, contexts: Any,
                  models: Mapping[str, str], attention_at: float) -> Study:  # fmt: skip
    """Cost of an output token over that of a short context, for models (id: label) on one accelerator at any batch.

    The intensity of attention is taken at `attention_at` tokens.
    """
    values = axis(contexts)
    card = device(library.find("accelerators", accelerator), library, library.find("number_formats", number_format))
    ridge = roofline.ridge_point(
        peak_flops_per_s=card.peak_flops_per_s, bandwidth_bytes_per_s=card.bandwidth_bytes_per_s
    )
    drawn = []
    for name, label in models.items():
        architecture = describe(library.find("models", name), library, kv=kv)
        crossover = roofline.compute_bound_context_tokens(
            active_params=architecture.active_params,
            kv_bytes_per_token=architecture.kv_bytes_per_token,
            ridge_point=ridge,
            attention_intensity=roofline.arithmetic_intensity(
                work_flops=architecture.decode_attention_flops(attention_at),
                traffic_bytes=architecture.read_bytes_per_request(attention_at),
            ),
        )
        ratios = tuple(
            float(prices.context_cost_ratio(context_tokens=value, crossover_tokens=crossover)) for value in values
        )
        drawn.append(Series(label, ratios, "bound"))
    return Study(
        x=values,
        x_label="context (tokens)",
        y_label="cost of an output token over a short context",
        series=tuple(drawn),
        ticks=(1e3, 1e4, 1e5),
        log_x=True,
        log_y=True,
    )


def _ratio(library: Library, value: str, reference: str) -> float:
    return float(comparison.ratio_of(value=library.datum(value), reference_value=library.datum(reference)))

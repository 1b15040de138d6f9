"""Many serving configurations at once: the numbers of `serving` as columns of arrays.

Each model, accelerator and pair of formats is one call of `measure` with arrays for everything else, so that a million
configurations take seconds. There are no words and no traces here; `serving` explains any row.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from generator.estimates.architecture import Architecture, NotSupported, describe
from generator.estimates.devices import device
from generator.estimates.layouts import Layout, Load, hourly_price, layout
from generator.estimates.steps import ServingNumbers, measure
from generator.specs.library import Library
from generator.specs.records import Accelerator, Model

BINDING = ("memory", "compute", "communication")
"""Codes of the column `binding`, from 0; -1 where a step time is not known."""

WHOLE = ("model", "accelerator", "weights", "kv", "gpus", "tp", "batch", "prompt", "output", "binding")
"""Columns of whole numbers; the first four are positions in the arguments."""

NUMBERS = {
    "ttft_s": "ttft_s",
    "tpot_s": "tpot_s",
    "tokens_per_s": "tokens_per_s",
    "tokens_per_s_per_gpu": "tokens_per_s_per_gpu",
    "tokens_per_s_per_user": "tokens_per_s_per_user",
    "usd_per_million_tokens": "usd_per_million_tokens",
    "usd_per_million_tokens_mixed": "usd_per_million_tokens_mixed",
    "shortfall_bytes": "shortfall_bytes",
    "kv_capacity_tokens": "kv_capacity_tokens",
    "max_concurrent_requests": "max_concurrent_requests",
}
"""Column -> field of the serving estimate; not a number where that is None."""


def layouts(gpus: Sequence[int] | None, tp: Sequence[int]) -> list[tuple[int, int]]:
    """Pairs of accelerators and tensor-parallel degree that divide; without `gpus`, one replica of each degree.

    Raises NotSupported if a number has no meaning or no pair divides.
    """
    for name, degrees in {"gpus": gpus or (), "tp": tp}.items():
        wrong = [degree for degree in degrees if degree < 1 or degree != int(degree)]
        if wrong:
            raise NotSupported(f"{name} must be whole numbers from 1, got {wrong[0]}")
    pairs = [(degree, degree) for degree in tp] if gpus is None else [(n, m) for n in gpus for m in tp if n % m == 0]
    if not pairs:
        raise NotSupported(f"no tensor-parallel degree of {list(tp)} divides any of {list(gpus or ())} accelerators")
    return pairs


def sweep(
    models: Sequence[Model],
    accelerators: Sequence[Accelerator],
    library: Library,
    *,
    weights: Sequence[str] = ("native",),
    kv: Sequence[str] = ("native",),
    gpus: Sequence[int] | None = None,
    tp: Sequence[int] = (1,),
    ep: int = 1,
    batches: Sequence[float] = (1,),
    prompts: Sequence[float] = (1024,),
    outputs: Sequence[float] = (256,),
    usd_per_gpu_hour: float | None = None,
) -> dict[str, Any]:
    """Every combination as flat columns (numpy arrays of equal length).

    Rows run over models, accelerators, weight formats, cache formats, layouts, batches, prompts and outputs, the last
    fastest; the experts of every layout are spread over `ep`. Raises NotSupported for what has no meaning, UnknownId
    for a format that does not exist.
    """
    import numpy

    for name, values, least in (("batch", batches, 1), ("input", prompts, 0), ("output", outputs, 1)):
        if not len(values) or min(values) < least:
            raise NotSupported(f"{name} must be at least {least}, got {list(values)}")
    pairs = layouts(gpus, tp)
    if ep != 1:
        for model in models:
            for whole, group in pairs:
                layout(model, gpus=whole, tp=group, ep=ep)
    axes = numpy.ix_(*(numpy.arange(len(axis)) for axis in (pairs, batches, prompts, outputs)))
    shape = tuple(axis.size for axis in axes)
    spread = numpy.array(pairs, dtype=float)
    chosen = Layout(gpus=spread[:, 0][axes[0]], tp=spread[:, 1][axes[0]], pp=1, ep=ep)
    asked = [
        numpy.array(values, dtype=float)[axis]
        for values, axis in zip((batches, prompts, outputs), axes[1:], strict=True)
    ]
    block = math.prod(shape)
    rows = len(models) * len(accelerators) * len(weights) * len(kv) * block
    columns = {name: numpy.empty(rows, dtype=numpy.int32) for name in WHOLE}
    columns["feasible"] = numpy.empty(rows, dtype=bool)
    columns |= {name: numpy.empty(rows) for name in NUMBERS}
    start = 0
    for model_index, model in enumerate(models):
        for formats in ((w, k) for w in range(len(weights)) for k in range(len(kv))):
            architecture = describe(model, library, weights=weights[formats[0]], kv=kv[formats[1]])
            for card_index, accelerator in enumerate(accelerators):
                load = Load(*asked, usd_per_gpu_hour=hourly_price(accelerator, library, usd_per_gpu_hour))
                place = ((model_index * len(accelerators) + card_index) * len(weights) + formats[0]) * len(kv)
                start = (place + formats[1]) * block
                target = {name: column[start : start + block].reshape(shape) for name, column in columns.items()}
                identity = (model_index, card_index, *formats, chosen.gpus, chosen.tp, *asked)
                for name, value in zip(WHOLE, identity, strict=False):
                    target[name][...] = value
                _fill(target, architecture, accelerator, library, chosen, load)
    return columns


def _fill(
    target: dict[str, Any],
    architecture: Architecture,
    accelerator: Accelerator,
    library: Library,
    chosen: Layout,
    load: Load,
) -> None:
    """Measure one block of configurations into its part of the columns."""
    import numpy

    card = device(accelerator, library, architecture.compute_format)
    # A term that does not apply (an empty prompt, a missing link) is masked or not a number, as it is for one call.
    with numpy.errstate(divide="ignore", invalid="ignore"):
        numbers = measure(architecture, card, library, chosen, load)
        binding = _binding(numbers)
    for name, field in NUMBERS.items():
        value = getattr(numbers, field)
        target[name][...] = numpy.nan if value is None else value
    target["binding"][...] = binding
    known = binding >= 0
    target["feasible"][...] = known & (numbers.shortfall_bytes < 0) & (numbers.max_concurrent_requests >= load.batch)


def _binding(numbers: ServingNumbers) -> Any:
    """Code of the term that takes most of a decode step; -1 where one of them is not known."""
    import numpy

    terms = (numbers.memory_time_s, numbers.compute_time_s, numbers.communication_time_s)
    if any(term is None for term in terms):
        return numpy.array(-1)
    stacked = numpy.stack(numpy.broadcast_arrays(*terms))
    return numpy.where(numpy.isnan(stacked).any(axis=0), -1, stacked.argmax(axis=0))

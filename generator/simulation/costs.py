"""What an iteration of one instance costs, from the formulas of the estimates: tables by tokens, lines by context.

An iteration takes the larger of its memory time and its compute time, and a fixed time. The simulations add up
numbers of this module and compute none of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from generator.estimates.architecture import Architecture, NotSupported, describe
from generator.estimates.devices import Device, device
from generator.estimates.layouts import Layout, Load, check_range, chosen_number, layout
from generator.estimates.serving import memory_reasons
from generator.estimates.steps import ServingNumbers, communication_time_s, measure, weights_read
from generator.formulas import decode, prefill
from generator.provenance import Traced
from generator.specs.library import Library
from generator.specs.records import Accelerator, Model

LONGEST_OVERHEAD_S = 3600.0


@dataclass(frozen=True)
class Line:
    """Cost of one decoding request in one step, up to a context: intercept and growth for each token of context."""

    upto_tokens: float
    memory_s: float
    memory_per_token_s: float
    compute_s: float
    compute_per_token_s: float


@dataclass(frozen=True)
class Costs:
    """Costs of one instance. Index of a table: tokens in the iteration, or tokens of a prompt.

    The last entry of weights_s and fixed_s stands for all numbers of tokens beyond.
    """

    weights_s: list[float]
    """Time to read the weights that this many tokens need."""
    fixed_s: list[float]
    """Communication of this many tokens, and the time of an iteration in which nothing is read or computed."""
    prompt_s: list[float]
    """Time to compute the first tokens of a prompt: a piece from s to e takes prompt_s[e] - prompt_s[s]."""
    lines: tuple[Line, ...]
    """Cost of a decoding request by context; one line if every layer sees the whole context."""
    pool_bytes: float
    """Cache that an instance has room for."""
    request_bytes: list[float]
    """Cache of a request of this many tokens as it counts against the pool: reserved in one piece, so not in blocks."""
    moved_bytes: list[float]
    """Cache of the first tokens of a prompt, as it is sent from one instance to another."""

    @property
    def straight(self) -> bool:
        """Every layer sees the whole context, so prompts cost a quadratic and caches a single line."""
        return len(self.lines) == 1

    def reading_s(self, context_tokens: float) -> float:
        """Time to read the cache of one request."""
        for line in self.lines:
            if context_tokens <= line.upto_tokens:
                return line.memory_s + line.memory_per_token_s * context_tokens
        raise AssertionError("the last line has no end")


def knots_tokens(architecture: Architecture) -> list[float]:
    """Contexts at which a layer stops to see more: windows, chunks, and what an index selects."""
    found = set()
    for group in architecture.model.config.attention:
        compress = float(getattr(group, "compress", 0) or 1)
        window = getattr(group, "window", None)
        index = getattr(group, "indexer", None)
        if window is not None:
            found.add(float(window))
        if index is not None:
            found.add(float(index.top_k) * compress)
    return sorted(found)


@dataclass(frozen=True)
class _Instance:
    """One tensor-parallel group that holds the whole model, in traced numbers."""

    architecture: Architecture
    card: Device
    spread: Layout
    numbers: ServingNumbers
    reading: dict[str, Any]
    computing: dict[str, Any]
    overhead_s: Any


def _instance(
    model: Model, accelerator: Accelerator, library: Library, tp: int, weights: str, kv: str,
    step_overhead_s: float | None, roomy: bool = False,
) -> _Instance:  # fmt: skip
    architecture = describe(model, library, weights=weights, kv=kv)
    card = device(accelerator, library, architecture.compute_format)
    spread = layout(model, gpus=tp, tp=tp)
    load = Load(
        batch=chosen_number(1, "batch"),
        prompt_tokens=chosen_number(1024, "prompt_tokens", "token"),
        output_tokens=chosen_number(1, "output_tokens", "token"),
    )
    numbers = measure(architecture, card, library, spread, load)
    if not roomy and numbers.shortfall_bytes >= 0:
        raise NotSupported("; ".join(memory_reasons(numbers, architecture, card, library, spread, load)))
    if numbers.tpot_s is None or numbers.communication_time_s != numbers.communication_time_s:
        raise NotSupported(f"bandwidth, peak or link of {accelerator.name} is not published")
    reading = {
        "tp": spread.tp,
        "bandwidth_bytes_per_s": card.bandwidth_bytes_per_s,
        "bandwidth_efficiency": library.assume("bandwidth-efficiency"),
    }
    computing = {
        "tp": spread.tp,
        "peak_flops_per_s": card.peak_flops_per_s,
        "compute_efficiency": library.assume("compute-efficiency"),
    }
    overhead = library.assume("engine-step-overhead")
    if step_overhead_s is not None:
        check_range("step_overhead_s", step_overhead_s, 0, LONGEST_OVERHEAD_S)
        overhead = chosen_number(step_overhead_s, "step_overhead_s", "s")
    return _Instance(architecture, card, spread, numbers, reading, computing, overhead)


def inputs_of(
    model: Model,
    accelerator: Accelerator,
    library: Library,
    *,
    tp: int = 1,
    weights: str = "native",
    kv: str = "native",
    step_overhead_s: float | None = None,
) -> dict[str, Traced]:
    """The traced numbers behind the costs of an instance, for the derivation of what a run comes to."""
    one = _instance(model, accelerator, library, tp, weights, kv, step_overhead_s)
    return {
        "weights_bytes": one.numbers.weights_bytes,
        "active_params": one.architecture.active_params,
        "kv_bytes_per_token": one.architecture.kv_bytes_per_token,
        "kv_capacity_bytes": one.numbers.kv_capacity_bytes,
        "communication_time_s": one.numbers.communication_time_s,
        "step_overhead_s": one.overhead_s,
        **one.reading,
        **one.computing,
    }


def costs(
    model: Model,
    accelerator: Accelerator,
    library: Library,
    *,
    tp: int = 1,
    weights: str = "native",
    kv: str = "native",
    step_overhead_s: float | None = None,
    longest_prompt_tokens: int = 16_384,
    longest_request_tokens: int = 20_480,
    most_tokens: int = 16_384,
    most_requests: int = 4_096,
    pool_tokens: float | None = None,
) -> Costs:
    """Costs of an instance: one tensor-parallel group that holds the whole model.

    most_tokens: most tokens of a mixed or prefill iteration; most_requests: most requests that decode at once.
    pool_tokens replaces the room for the cache, for an engine whose log tells it.
    Raises NotSupported if the model does not fit, or a number that is needed is not published.
    """
    one = _instance(model, accelerator, library, tp, weights, kv, step_overhead_s, roomy=pool_tokens is not None)
    architecture, card, spread, numbers = one.architecture, one.card, one.spread, one.numbers
    reading, computing, overhead = one.reading, one.computing, one.overhead_s

    def read_s(context_tokens: float) -> float:
        return decode.memory_time_s(
            weights_read_bytes=0,
            stage_batch=1,
            kv_read_bytes_per_request=architecture.read_bytes_per_request(context_tokens),
            kv_replication=numbers.kv_replication,
            **reading,
        )

    def compute_s(context_tokens: float) -> float:
        return decode.compute_time_s(
            stage_batch=1,
            active_params=architecture.active_params,
            attention_flops_per_token=architecture.decode_attention_flops(context_tokens),
            **computing,
        )

    import numpy

    tokens = numpy.arange(1, max(most_tokens, most_requests) + 1, dtype=float)
    read_bytes = weights_read(architecture, spread, tokens)[1]
    weights_time = numpy.broadcast_to(
        numpy.asarray(prefill.prefill_memory_time_s(weights_read_bytes=read_bytes, **reading), float), tokens.shape
    )
    fixed = numpy.broadcast_to(
        numpy.asarray(communication_time_s(architecture, card, library, spread, tokens, tokens), float) + overhead,
        tokens.shape,
    )
    prompts = numpy.arange(1, max(longest_prompt_tokens, 2) + 1, dtype=float)
    prompt_time = prefill.prefill_compute_time_s(
        prefill_flops=prefill.prefill_flops(
            prompt_tokens=prompts,
            active_params=architecture.active_params,
            attention_flops_per_token=architecture.prefill_attention_flops(prompts),
        ),
        **computing,
    )
    contexts = numpy.arange(0, longest_request_tokens + 1, dtype=float)
    replication = float(numbers.kv_replication)
    moved = numpy.asarray(architecture.request_bytes(contexts, 1), float)
    held = moved * replication
    pool = float(numbers.kv_capacity_bytes)
    if pool_tokens is not None:
        pool = pool_tokens * float(architecture.kv_bytes_per_token) * replication
    return Costs(
        weights_s=[0.0, *weights_time.tolist()],
        fixed_s=[float(overhead), *fixed.tolist()],
        prompt_s=[0.0, *prompt_time.tolist()],
        lines=_lines(knots_tokens(architecture), read_s, compute_s),
        pool_bytes=pool,
        request_bytes=held.tolist(),
        moved_bytes=moved.tolist(),
    )


def _lines(knots: list[float], read_s: Any, compute_s: Any) -> tuple[Line, ...]:
    """The straight pieces between the knots, each through two contexts inside it."""
    lines = []
    for start, end in zip([0.0, *knots], [*knots, float("inf")], strict=True):
        near, far = start + 1, min(end, start + 1025)
        reading, computing = [], []
        for value, into in ((read_s, reading), (compute_s, computing)):
            slope = (float(value(far)) - float(value(near))) / (far - near)
            into += [float(value(near)) - slope * near, slope]
        lines.append(Line(end, *reading, *computing))
    return tuple(lines)

"""A start-up log beside the engine estimate: every printed size predicted, and likely reasons for a gap."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from generator import engine_logs
from generator.engine_logs import GIB, EngineLog
from generator.estimates.engine_releases import (
    CHUNKED_BEYOND_TOKENS,
    GRAPHS_INSIDE_SINCE,
    SLIM_SAMPLER_SINCE,
    USUAL,
    Release,
)
from generator.estimates.memory import Memory, memory
from generator.formulas import comparison, engine, planning
from generator.specs.library import Library
from generator.specs.records import Accelerator, Model
from generator.specs.validate import suggestion
from generator.validation import names
from generator.validation.rows import Uncovered

NEAR_MEMORY = 0.015
"""How far the memory of a log may be from that of an accelerator that it is taken for."""
CLOSE = 0.02
"""A difference that needs no reason."""
EARLY = Release((0, 6), "V0")
"""What a log of the older wording without a version is taken for."""

_QUANTISED = {
    "nvfp4": "nvfp4", "modelopt_fp4": "nvfp4", "w4a16": "int4-g128", "awq": "int4-g128", "gptq": "int4-g128",
    "int4": "int4-g128", "w8a8": "int8", "int8": "int8", "fp8": "fp8", "mxfp4": "mxfp4", "modelopt": "nvfp4",
}  # fmt: skip
"""A word in the name or in `quantization=` -> number format, the more telling ones first."""
_PLAIN = {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32"}


class LogFault(ValueError):
    """A log that cannot be compared: what is missing, and which flag gives it."""


@dataclass(frozen=True)
class Row:
    """One quantity: predicted beside logged, in base units; None where the log or the estimate has none."""

    quantity: str
    formula: str
    unit: str
    predicted: Any
    logged: float | None
    line: int | None
    difference: float | None
    reason: str


@dataclass(frozen=True)
class Comparison:
    """The configuration as understood, the rows, and remarks."""

    model: str
    accelerator: str
    weights: str
    kv: str
    tp: int
    pp: int
    log: EngineLog
    estimate: Memory
    rows: tuple[Row, ...]
    notes: tuple[str, ...]


def find_model(library: Library, name: str) -> Model:
    """The model of a checkpoint name, or of its folder in a cache. Raises LogFault with the nearest ids."""
    plain = checkpoint(name)
    try:
        return names.model(library, plain).model
    except Uncovered:
        tried = names.spellings(plain)
        raise LogFault(
            f"no model of the specs is called like `{name}` (tried {', '.join(tried)})"
            f"{suggestion(tried[-1], list(library.models))}; say which with --model ID"
        ) from None


def checkpoint(name: str) -> str:
    """The name of a checkpoint, also out of the folder that a cache keeps it in."""
    hub = re.search(r"models--[^/]+?--([^/]+)", name)
    return hub[1] if hub else name


def find_accelerator(library: Library, log: EngineLog) -> tuple[Accelerator, str]:
    """The accelerator that a log names or whose memory it shows, and a remark where that leaves a choice."""
    named = log.get("gpu_name")
    visible = log.get("visible")
    if visible is None and log.get("budget") and log.get("utilisation"):
        visible = log.get("budget") / log.get("utilisation")
    if named:
        words = set(re.findall(r"[a-z]*\d+[a-z]*", named.lower()))
        fitting = [card for card in library.accelerators.values() if words & set(card.id.split("-"))]
        fitting.sort(
            key=lambda card: (0 if visible is None else abs(_visible(card) - visible), -_domain(card), card.id)
        )
        if fitting:
            return fitting[0], ""
    if visible is None:
        raise LogFault("the log names neither GPU nor memory size; say which with --accelerator ID")
    near = sorted(
        (card for card in library.accelerators.values() if abs(_visible(card) / visible - 1) <= NEAR_MEMORY),
        key=lambda card: (abs(_visible(card) - visible), -_domain(card), card.id),
    )
    if not near:
        raise LogFault(
            f"no accelerator of the specs shows {visible / GIB:.2f} GiB; say which is meant with --accelerator ID"
        )
    remark = ""
    if len(near) > 1:
        others = ", ".join(card.id for card in near[1:])
        remark = f"the log names no GPU; {visible / GIB:.2f} GiB is nearest to {near[0].id}, it may be {others}"
    return near[0], remark


def _visible(card: Accelerator) -> float:
    return float(card.memory.visible or card.memory.capacity)


def _domain(card: Accelerator) -> float:
    """Accelerators of a scale-up domain: of two that show the same memory the more usual one comes first."""
    return float(card.scale_up.domain_gpus) if card.scale_up else 0.0


def weight_format(log: EngineLog, model: Model) -> str:
    """Number format of the weights that a log tells: by its quantisation, else by its type."""
    quantisation = str(log.get("quantization", "")).lower()
    told = f"{log.get('model', '')} {quantisation}".lower()
    native = {getattr(model.formats, part, None) for part in ("attention", "ffn", "experts", "embedding", "head")}
    if quantisation:
        for word, name in _QUANTISED.items():
            if word in told:
                return "native" if any(one and one.startswith(name) for one in native) else name
        return "native"
    plain = _PLAIN.get(log.get("dtype", ""), "native")
    return "native" if plain in native else plain


def compare(
    log: EngineLog, library: Library, *, model: str | None = None, accelerator: str | None = None,
    tp: int | None = None, pp: int | None = None, weights: str | None = None, kv: str | None = None,
) -> Comparison:  # fmt: skip
    """Predict what a log prints. Arguments override what it says. Raises LogFault for what neither tells."""
    if not any(name in log.facts for name in ("weights", "kv_bytes_v1", "kv_bytes_v0", "tokens", "gpu_blocks")):
        raise LogFault("no line of a vLLM start-up log was found: no weights, no cache size")
    if model is None and "model" not in log.facts:
        raise LogFault("the log does not name its model; say which with --model ID")
    record = library.find("models", model) if model else find_model(library, log.get("model"))
    remark = ""
    if accelerator:
        card = library.find("accelerators", accelerator)
    else:
        card, remark = find_accelerator(library, log)
    stages, group = pp or log.get("pp", 1), tp or log.get("tp", 1)
    form = weights or weight_format(log, record)
    cache = kv or ("fp8" if str(log.get("kv_format", "")).startswith("fp8") else "native")
    longest = log.get("concurrency_tokens") or log.get("longest") or int(record.max_context)
    estimate = memory(
        record, card, library, gpus=group * stages, tp=group, pp=stages, weights=form, kv=cache,
        prompt_tokens=longest - 1, output_tokens=1, memory_utilization=log.get("utilisation"),
        visible_bytes=log.get("visible"), release=_release(log), **_steps(log, longest),
    )  # fmt: skip
    notes = [remark] if remark else []
    if not log.get("utilisation"):
        notes.append(f"the log does not say its memory share; {float(estimate.engine.memory_utilization):g} is assumed")
    if estimate.engine.engine_kv_bytes <= 0:
        notes.append("by the estimate the engine would not start: nothing is left for the cache")
    rows = tuple(_rows(log, estimate, record, library, longest, form))
    return Comparison(record.id, card.id, form, cache, group, stages, log, estimate, rows, tuple(notes))


def _release(log: EngineLog) -> Release:
    """The release whose habits the estimate takes: that of the log, else a usual one of its generation."""
    if log.version:
        return Release(log.version[:2], log.generation)
    return EARLY if log.generation == "V0" else USUAL


def _steps(log: EngineLog, longest: int) -> dict[str, Any]:
    """Step, sequences and blocks as logged; a V0 engine that does not chunk takes its longest request in one step."""
    found = {
        "step_tokens": log.get("step_tokens"),
        "sampled_sequences": log.get("sequences"),
        "block_tokens": log.get("block_tokens"),
    }
    if log.generation == "V0" and found["step_tokens"] is None and log.get("chunked") is False:
        found["step_tokens"] = longest if longest > CHUNKED_BEYOND_TOKENS else None
    return {name: value for name, value in found.items() if value is not None}


def _rows(log: EngineLog, estimate: Memory, model: Model, library: Library, longest: int, form: str) -> list[Row]:
    found = estimate.engine
    pool, tokens = engine_logs.cache_bytes(log), _tokens(log, library)
    activations = engine_logs.activation_bytes(log)
    hybrid = found.pool is not None and found.pool.hybrid
    budget = engine.engine_budget_bytes(
        memory_utilization=found.memory_utilization, device_visible_bytes=found.device_visible_bytes
    )
    shown = [
        _row(
            "memory the engine may use",
            budget,
            log.facts.get("budget"),
            lambda _: "the share is of another memory size",
        ),
        _row("weights on one GPU", found.weights_bytes_per_gpu, log.facts.get("weights"), _weights_reason(form, model)),
        _row("activation peak", found.activation_bytes, activations, _activation_reason(log)),
        _row("outside the allocator", found.non_torch_bytes, log.facts.get("non_torch"), _outside_reason),
        _row("KV cache on one GPU", found.engine_kv_bytes, pool, _pool_reason(log, estimate)),
        _row("KV cache, tokens", found.kv_capacity_tokens, tokens, _token_reason(hybrid, model)),
    ]
    concurrency = None
    if hybrid and float(found.engine_kv_bytes) > 0:
        concurrency = found.pool.requests(found.engine_kv_bytes)
    elif found.kv_capacity_tokens is not None:
        concurrency = engine.longest_requests(kv_capacity_tokens=found.kv_capacity_tokens, context_tokens=longest)
    shown.append(
        _row(f"requests of {longest:,} tokens", concurrency, log.facts.get("concurrency"), _line_reason(log, tokens))
    )
    graphs = log.facts.get("graphs")
    inside = log.version >= GRAPHS_INSIDE_SINCE or "graphs_inside" in log.facts
    if float(found.graph_bytes):
        shown.append(_row("graphs, as estimated", found.graph_bytes, log.facts.get("graphs_inside"), _graphs_reason))
    if graphs:
        where = "inside the share since 0.21" if inside else "on top of the share: leave it free beside the engine"
        shown.append(Row("captured graphs", "not predicted", "B", None, graphs.value, graphs.line, None, where))
    seconds = log.facts.get("load_s") or log.facts.get("loading_s")
    if seconds and seconds.value and "weights" in log.facts:
        rate = planning.load_bytes_per_s(loaded_bytes=log.get("weights"), load_s=seconds.value)
        reason = f"{rate / 1e9:.2f} GB/s a GPU; a start-up is more than its weights"
        shown.append(
            Row("loading of the weights", "not predicted", "s", None, seconds.value, seconds.line, None, reason)
        )
    return [row for row in shown if row.predicted is not None or row.logged is not None]


def _row(quantity: str, predicted: Any, fact: Any, reason: Callable[[float], str]) -> Row:
    formula = getattr(predicted, "name", "")
    unit = getattr(predicted, "unit", "B")
    if predicted is None or fact is None:
        logged, line = (None, None) if fact is None else (float(fact.value), fact.line)
        return Row(quantity, formula, unit, predicted, logged, line, None, "" if fact else "not in the log")
    if not fact.value:
        return Row(quantity, formula, unit, predicted, float(fact.value), fact.line, None, "")
    difference = float(comparison.relative_difference(value=float(predicted), reference_value=float(fact.value)))
    why = "" if abs(difference) <= CLOSE else reason(difference)
    return Row(quantity, formula, unit, predicted, float(fact.value), fact.line, difference, why)


def _tokens(log: EngineLog, library: Library) -> Any:
    """Tokens of the cache, from blocks where the log counts those."""
    if "tokens" in log.facts or "gpu_blocks" not in log.facts:
        return log.facts.get("tokens")
    blocks = log.facts["gpu_blocks"]
    size = log.get("block_tokens") or float(library.assume("kv-block-tokens"))
    return engine_logs.Fact(engine.pool_tokens_of_blocks(pool_blocks=blocks.value, block_tokens=size), blocks.line)


def _weights_reason(form: str, model: Model) -> Callable[[float], str]:
    def reason(difference: float) -> str:
        if difference > 0:
            return "fewer or smaller weights than predicted: a quantised checkpoint, or other TP or PP than assumed"
        if form != "native":
            return "the checkpoint keeps parts in 16 bits (embedding, head, some layers), scales come on top"
        return "parts outside the language model (an image encoder), padding, or weights copied over the group"

    return reason


def _activation_reason(log: EngineLog) -> Callable[[float], str]:
    def reason(difference: float) -> str:
        if log.generation == "V0" or (log.version and log.version < SLIM_SAMPLER_SINCE):
            return "an older engine profiles with another step, or samples with another library"
        return "another step size or number of sequences than assumed, or images in the profiling run"

    return reason


def _outside_reason(difference: float) -> str:
    if difference < 0:
        return "communication buffers, or another process on the GPU"
    return "another release reserves less for its libraries; a small part of the whole"


def _graphs_reason(difference: float) -> str:
    return "the engine captures more or fewer batch sizes; inside the share since 0.21"


def _pool_reason(log: EngineLog, estimate: Memory) -> Callable[[float], str]:
    def reason(difference: float) -> str:
        parts = {
            "weights": (estimate.engine.weights_bytes_per_gpu, log.facts.get("weights")),
            "captured graphs": (estimate.engine.graph_bytes, log.facts.get("graphs_inside")),
            "activations": (estimate.engine.activation_bytes, engine_logs.activation_bytes(log)),
            "memory outside the allocator": (estimate.engine.non_torch_bytes, log.facts.get("non_torch")),
        }
        gaps = {name: abs(float(value) - fact.value) for name, (value, fact) in parts.items() if fact}
        widest = max(gaps, key=lambda name: gaps[name], default=None)
        return f"follows from the {widest} above" if widest else "the log does not print the parts"

    return reason


def _token_reason(hybrid: bool, model: Model) -> Callable[[float], str]:
    def reason(difference: float) -> str:
        if hybrid:
            return "windows or states: the log divides by groups of layers, as its release forms them; see the memory"
        if any(group.kind == "latent" for group in model.config.attention) and difference > 0.5:
            return "the engine expands the latent before it caches"
        return "follows from the memory above"

    return reason


def _line_reason(log: EngineLog, tokens: Any) -> Callable[[float], str]:
    def reason(difference: float) -> str:
        length, told = log.get("concurrency_tokens"), log.get("concurrency")
        if tokens and length and told and abs(told * length / tokens.value - 1) > CLOSE:
            return "tokens and concurrency of this log disagree: a hybrid model; trust the memory"
        return "follows from the tokens above"

    return reason

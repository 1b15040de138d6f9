"""Cache that a serving engine leaves itself on one accelerator, as its start-up log prints it."""

from __future__ import annotations

import re
from typing import Any

from generator.estimates.architecture import Architecture, NotSupported, describe
from generator.estimates.devices import device
from generator.estimates.engine_memory import EngineParts, Settings, engine_parts
from generator.estimates.engine_releases import SLIM_SAMPLER_SINCE, V1_SINCE, Release
from generator.estimates.layouts import Load, layout
from generator.estimates.steps import measure
from generator.formulas import engine_memory, memory
from generator.specs.library import Library, UnknownId
from generator.specs.records import Accelerator, Model
from generator.validation import names
from generator.validation.family import Aim, Case, Family, Inputs, Number
from generator.validation.leaves import stated
from generator.validation.rows import Row, Uncovered

GIB = 2.0**30
LITTLE = 0.02
"""Share of the budget below which what is left is a difference of large numbers, and no test of the estimate."""
MONTHS = (
    ("2024-03", 4), ("2024-07", 5), ("2024-10", 6), ("2025-01", 7), ("2025-03", 8), ("2025-05", 9), ("2025-07", 10),
    ("2025-10", 11), ("2025-12", 13), ("2026-02", 16), ("2026-04", 19), ("2026-05", 21), ("2026-06", 22),
    ("2026-07", 24), ("2026-08", 26),
)  # fmt: skip
"""Month from which a release was current, for rows that state a date alone."""
FORMATS = (
    ("nvfp4", "nvfp4"), ("mxfp4", "mxfp4"), ("w4a16", "int4-g128"), ("gptq", "int4-g128"), ("awq", "int4-g128"),
    ("int4", "int4-g128"), ("autoround", "int4-g128"), ("w8a8", "int8"), ("int8", "int8"), ("fp8", "fp8"),
    ("float32", "fp32"), ("fp32", "fp32"),
)  # fmt: skip
PLAIN = ("bfloat16", "float16", "bf16", "fp16", "half", "auto", "")


def claims(row: Row) -> bool:
    return row.metric in ("kv_cache_tokens", "kv_cache_available")


def release_of(text: str) -> Release:
    """The release that a version names: the last of a range, by date where it gives no number, the latest where it
    gives neither. Raises Uncovered."""
    generation = re.search(r"\bV([01])\b", text)
    plain = re.sub(r"\(.*?\)", "", text)
    numbers = re.findall(r"\b0\.(\d+)", plain)
    if numbers:
        version = (0, int(numbers[-1]))
    else:
        month = re.search(r"20\d\d-\d\d", text)
        current = [minor for first, minor in MONTHS if month and first <= month[0]]
        if not current and re.search(r"\d", text):
            raise Uncovered("the release of the engine is not one of its own")
        version = (0, current[-1] if current else MONTHS[-1][1])
    since = "V1" if version >= V1_SINCE else "V0"
    return Release(version, f"V{generation[1]}" if generation else since)


def weights_of(row: Row, named: names.Named) -> str:
    """Number format of the weights: as the name implies, else as stated. Raises Uncovered."""
    stated_as = row.text("precision_weights").lower()
    told = named.weights or next((form for word, form in FORMATS if word in stated_as), None)
    native = {getattr(named.model.formats, part) for part in ("attention", "ffn", "experts")} - {None}
    if told is not None:
        return "native" if any(one == told or one.startswith(f"{told}-block") for one in native) else told
    first = stated_as.partition("/")[0].strip()
    if first not in PLAIN:
        raise Uncovered(f"weights in `{first}` name no number format")
    sixteen = native <= {"bf16", "fp16"}
    return "native" if sixteen or not first else "bf16"


def cache_of(row: Row) -> str:
    """Number format of the cache."""
    told = row.text("precision_kv").lower()
    if told.startswith("fp8"):
        return "fp8"
    return "fp32" if "32" in told else "bf16"


def accelerator_of(row: Row, library: Library) -> Accelerator:
    """The accelerator, also where a remark or the memory size follows its name. Raises Uncovered."""
    told = row.text("gpu")
    try:
        return names.accelerator(library, told)
    except Uncovered:
        plain = re.sub(r"\(.*?\)", "", told).strip()
        try:
            return names.accelerator(library, plain)
        except Uncovered:
            return names.accelerator(library, re.sub(r"\s+\d+\s*GB$", "", plain))


def model_of(row: Row, library: Library) -> names.Named:
    """The model, also where a remark follows its name. Raises Uncovered."""
    told = row.text("model")
    try:
        return names.model(library, told)
    except Uncovered:
        return names.model(library, re.sub(r"\s*\(.*?\)", "", told))


def leading(row: Row, name: str) -> float | None:
    """The number that a column begins with, whatever remark follows it."""
    found = re.match(r"[\d.]+", row.text(name).replace(",", ""))
    return float(found[0]) if found else None


def attention_kind(model: Model) -> str:
    """`latent`, `full`, or `hybrid` where windows or states stand beside full layers."""
    kinds = {group.kind for group in model.config.attention}
    if kinds <= {"full", "indexed"}:
        return "full"
    return "latent" if kinds == {"latent"} else "hybrid"


def express(row: Row, library: Library) -> Case:
    engine = row.text("engine")
    if not engine.lower().startswith("vllm"):
        raise Uncovered(f"engine {engine or 'not stated'}: the start-up of vLLM alone is worked out")
    release = release_of(row.text("engine_version"))
    named, card = model_of(row, library), accelerator_of(row, library)
    latent = any(group.kind == "latent" for group in named.model.config.attention)
    if latent and not release.since((0, 7)):
        raise Uncovered("that release expanded the latent of a cache")
    if release.generation == "V0" and any(extra.loaded for extra in named.model.extra_params):
        raise Uncovered("a V0 engine profiles with whole images, which is not worked out")
    try:
        architecture = describe(named.model, library, weights=weights_of(row, named), kv=cache_of(row))
        parts, reference = _estimate(row, library, architecture, card, release)
    except (NotSupported, UnknownId) as error:
        raise Uncovered(str(error)) from None
    pool = parts.pool
    if pool is None:
        raise Uncovered("how an engine allots a compressed cache to blocks is not known")
    left = parts.engine_kv_bytes
    if left <= 0:
        raise Uncovered("by the estimate nothing is left for the cache")
    inputs = {
        "engine_kv_bytes": left,
        "kv_block_bytes": pool.block_bytes,
        "layer_groups": pool.layer_groups,
        "block_tokens": pool.block_tokens,
        "request_blocks": pool.request_blocks,
        "context_tokens": pool.context_tokens,
        "counted_by_requests": pool.counted_by_requests,
    }
    bound = engine_memory.cache_bound_bytes(
        device_visible_bytes=parts.device_visible_bytes, weights_bytes_per_gpu=parts.weights_share_bytes
    )
    budget = float(parts.memory_utilization) * float(parts.device_visible_bytes)
    remark = "the GPU is not stated" if "not stated" in row.text("gpu") else ""
    if not re.search(r"\d", row.text("engine_version")):
        remark = "the release is not stated: read as the latest"
    if float(left) < LITTLE * budget:
        remark = "next to nothing is left: a difference of large numbers"
    return Case(
        row,
        inputs,
        keys={
            "model": named.model.id,
            "engine": "vllm",
            "version": f"{release.version[0]}.{release.version[1]}",
            "accelerator": card.id,
            "attention": attention_kind(named.model),
            "profile": "current" if release.since(SLIM_SAMPLER_SINCE) else "earlier",
            "moe": "yes" if architecture.moe else "no",
        },
        group=named.model.id,
        bound=pool.tokens(bound),
        reference=pool.tokens(reference) if reference > 0 else None,
        per_unit=_tokens_per_gib(inputs) if row.metric == "kv_cache_available" else 1.0,
        fitted=not remark,
        remark=remark,
    )


def _estimate(
    row: Row, library: Library, architecture: Architecture, card: Accelerator, release: Release
) -> tuple[EngineParts, Number]:
    """The engine's sum, and the cache of one accelerator by the reference model."""
    tp, pp = int(row.number("tp") or 1), int(row.number("pp") or 1)
    model = architecture.model
    chosen = layout(model, gpus=tp * pp, tp=tp, pp=pp)
    described = device(card, library, architecture.compute_format)
    longest = row.number("max_model_len") or float(model.max_context)
    context = stated(row, longest, "context_tokens", "token")
    visible = row.number("gpu_mem_total_gib")
    if visible is None and card.memory.visible is None:
        visible = _guessed(card, library) / GIB
    parts_of = {
        "memory_utilization": (row.number("gpu_memory_utilization"), "1"),
        "visible_bytes": (None if visible is None else visible * GIB, "B"),
        "step_tokens": (leading(row, "max_num_batched_tokens"), "token"),
        "sampled_sequences": (leading(row, "max_num_seqs"), "count"),
        "block_tokens": (leading(row, "block_size"), "token"),
    }
    told: dict[str, Any] = {
        name: None if value is None else stated(row, value, _QUANTITIES.get(name, name), unit)
        for name, (value, unit) in parts_of.items()
    }
    settings = Settings(
        release=release, eager="eager" in row.text("note").lower(), across_nodes=_across_nodes(row), **told
    )
    load = Load(batch=1.0, prompt_tokens=max(longest - 1, 1), output_tokens=1.0)
    numbers = measure(architecture, described, library, chosen, load)
    parts = engine_parts(architecture, described, library, chosen, numbers.weights_bytes_per_gpu, context, settings)
    reference = memory.kv_batch_bytes_per_gpu(kv_batch_bytes=numbers.kv_capacity_bytes, gpus=chosen.gpus)
    return parts, reference


def _guessed(card: Accelerator, library: Library) -> float:
    """Memory of a card whose visible size nobody published."""
    if card.vendor != "NVIDIA":
        raise Uncovered(f"the memory of {card.id} as software sees it is not known")
    # Server cards with GDDR keep their check bits in the memory itself.
    checked = "gddr" in card.memory.type.lower() and not card.id.startswith("rtx")
    return float(
        engine_memory.guessed_visible_bytes(
            device_memory_bytes=float(card.memory.capacity),
            board_bytes_per_nominal=GIB / 1e9,
            checked_share=15 / 16 if checked else 1.0,
            driver_bytes=float(library.assume("engine-driver-memory")),
        )
    )


def _across_nodes(row: Row) -> bool:
    """Whether the row says that its tensor-parallel group spans nodes."""
    told = f"{row.text('note')} {row.text('source_address')}".lower()
    return re.search(r"(diff|different|two|several|multi)[- ]?nodes?\b", told) is not None


_QUANTITIES = {"visible_bytes": "device_visible_bytes"}


def _tokens_per_gib(inputs: Inputs) -> float:
    """Tokens of one GiB of the cache on one accelerator, as the engine counts them."""
    found = {name: float(value) for name, value in inputs.items()}
    if found["counted_by_requests"]:
        return GIB / found["kv_block_bytes"] / found["request_blocks"] * found["context_tokens"]
    return GIB / found["kv_block_bytes"] / found["layer_groups"] * found["block_tokens"]


def predict(inputs: Inputs, constants: Inputs) -> Number:
    blocks = engine_memory.kv_pool_blocks(
        engine_kv_bytes=inputs["engine_kv_bytes"], kv_block_bytes=inputs["kv_block_bytes"]
    )
    return engine_memory.engine_pool_tokens(
        kv_pool_blocks=blocks,
        layer_groups=inputs["layer_groups"],
        block_tokens=inputs["block_tokens"],
        request_blocks=inputs["request_blocks"],
        context_tokens=inputs["context_tokens"],
        counted_by_requests=inputs["counted_by_requests"],
    )


_TOLD = {
    "gpu_memory_utilization": "the share of the memory",
    "gpu_mem_total_gib": "the memory of the card",
    "max_num_seqs": "the sequences of a step",
    "max_num_batched_tokens": "the tokens of a step",
}


def explain(row: Row, case: Case, error: float) -> str:
    """What the row leaves open, or which part of the estimate is weakest for it."""
    if case.keys["version"].startswith("0.7"):
        return "a preview of the V1 core, whose profiling run is not known"
    if re.search(r"\d-0\.", row.text("engine_version")):
        return "the row names a range of releases, which sample in different ways"
    missing = [words for name, words in _TOLD.items() if not row.text(name)]
    if missing:
        return f"not stated, so the engine's default is taken: {', '.join(missing)}"
    if case.keys["profile"] == "earlier":
        return "early releases differ in what their libraries take"
    return "the weights or the activation peak of this model"


FAMILY = Family(
    id="kv-capacity",
    name="KV cache capacity",
    what="Tokens that vLLM keeps a cache for: its share of the memory less weights, activation peak and libraries, in "
    "blocks as its layers share them.",
    unit="token",
    claims=claims,
    express=express,
    predict=predict,
    bound_is="most",
    alike_by=("version", "attention"),
    banded_by=("profile",),
    explain=explain,
    aims=(
        Aim(0.005, 0.015, {"attention": "full"}),
        Aim(0.005, 0.015, {"attention": "latent"}),
        Aim(0.05, None, {"attention": "hybrid"}),
    ),
)

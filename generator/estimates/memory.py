"""Memory of a serving configuration by part, twice: the reference model on nominal sizes, and an engine's own sum.

The engine is vLLM: what its start-up log prints as available for the cache follows from its defaults.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from generator.estimates.architecture import COMPONENTS, Architecture, describe
from generator.estimates.devices import Device, device
from generator.estimates.engine_memory import Settings, engine_parts
from generator.estimates.engine_pool import Pool
from generator.estimates.engine_releases import USUAL, Release
from generator.estimates.layouts import Layout, Load, check_load, chosen_number, layout
from generator.estimates.serving import memory_reasons
from generator.estimates.steps import ServingNumbers, measure
from generator.formulas import engine_memory as engine
from generator.formulas import memory as formulas
from generator.specs.library import Library
from generator.specs.records import Accelerator, Model

Number = Any


@dataclass(frozen=True)
class EngineMemory:
    """One accelerator as an engine sees it, and the cache of all of them."""

    memory_utilization: Number
    device_visible_bytes: Number
    step_tokens: Number
    sampled_sequences: Number
    weights_bytes_per_gpu: Number
    activation_bytes: Number
    non_torch_bytes: Number
    graph_bytes: Number
    """Captured graphs that the share covers; 0 where they come on top of it."""
    engine_kv_bytes: Number
    """Left for the cache on one accelerator; negative if the engine would not start."""
    kv_capacity_bytes: Number
    kv_capacity_tokens: Number | None
    max_concurrent_requests: Number
    pool: Pool | None = None
    """How the cache is cut into blocks; None where that is not known."""


@dataclass(frozen=True)
class Memory:
    """Memory by part: weights of one copy by component, then what each accelerator holds, then all of them."""

    model: str
    accelerator: str
    layout: Layout
    load: Load
    weights_bytes: Number
    weights_bytes_by_component: dict[str, Number]
    resident_weights_bytes: Number
    kv_bytes_per_request: Number
    kv_replication: Number
    kv_batch_bytes: Number
    weights_bytes_per_gpu: Number
    kv_batch_bytes_per_gpu: Number
    workspace_bytes: Number
    used_bytes_per_gpu: Number
    usable_memory_bytes: Number
    free_bytes_per_gpu: Number
    used_bytes: Number
    usable_bytes: Number
    free_bytes: Number
    kv_capacity_bytes: Number
    kv_capacity_tokens: Number | None
    max_concurrent_requests: Number
    engine: EngineMemory
    feasible: bool
    reasons: tuple[str, ...]
    notes: tuple[str, ...]


def weights_by_component(architecture: Architecture) -> dict[str, Number]:
    """Bytes of one copy of the weights by component; norms and small parameters are kept with attention.

    The components add up to `architecture.weights_bytes`.
    """
    config = architecture.model.config
    params: dict[str, tuple[Number, ...]] = {
        "attention": (architecture.attention_params, architecture.norm_params, config.other_params),
        "ffn": (architecture.ffn_params,),
        "experts": (architecture.routed_expert_params,),
        "embedding": (architecture.embedding_params,),
        "head": (architecture.head_params,),
    }
    result: dict[str, Number] = {}
    for part in COMPONENTS:
        present = tuple(number for number in params[part] if number)
        if present:
            bits = architecture.formats[part].bits
            result[part] = formulas.weights_bytes(params_by_component=present, bits_by_component=(bits,) * len(present))
    return result


def engine_memory(
    architecture: Architecture,
    card: Device,
    library: Library,
    chosen: Layout,
    numbers: ServingNumbers,
    context_tokens: Number,
    settings: Settings | None = None,
) -> EngineMemory:
    """What an engine leaves for the cache, and the tokens and requests that fit into it over all replicas."""
    parts = engine_parts(
        architecture, card, library, chosen, numbers.weights_bytes_per_gpu, context_tokens, settings or Settings()
    )
    left = parts.engine_kv_bytes
    pool = formulas.bytes_over_gpus(gpus=chosen.gpus, bytes_per_gpu=left)
    concurrent = tokens = None
    if left > 0:
        concurrent = formulas.max_concurrent_requests(
            kv_capacity_bytes=pool,
            dp=chosen.dp,
            kv_bytes_per_request=numbers.kv_bytes_per_request,
            kv_replication=numbers.kv_replication,
        )
        if parts.pool is not None and parts.pool.hybrid:
            tokens = parts.pool.tokens(left)
            concurrent = engine.engine_whole_requests(engine_pool_requests=parts.pool.requests(left), dp=chosen.dp)
            if chosen.dp > 1:
                tokens = engine.replicated_tokens(engine_pool_tokens=tokens, dp=chosen.dp)
        elif architecture.kv_bytes_per_token:
            tokens = formulas.kv_capacity_tokens(
                kv_capacity_bytes=pool,
                max_concurrent_requests=concurrent,
                kv_fixed_bytes_per_request=architecture.fixed_bytes(context_tokens),
                kv_bytes_per_token=architecture.kv_bytes_per_token,
                kv_replication=numbers.kv_replication,
            )
    return EngineMemory(
        memory_utilization=parts.memory_utilization,
        device_visible_bytes=parts.device_visible_bytes,
        step_tokens=parts.step_tokens,
        sampled_sequences=parts.sampled_sequences,
        weights_bytes_per_gpu=parts.engine_weights_bytes,
        activation_bytes=parts.activation_bytes,
        non_torch_bytes=parts.non_torch_bytes,
        graph_bytes=parts.graph_estimate_bytes,
        engine_kv_bytes=left,
        kv_capacity_bytes=pool,
        kv_capacity_tokens=tokens,
        max_concurrent_requests=0 if concurrent is None else concurrent,
        pool=parts.pool,
    )


def memory(
    model: Model,
    accelerator: Accelerator,
    library: Library,
    *,
    gpus: int | None = None,
    tp: int | None = None,
    pp: int = 1,
    ep: int = 1,
    weights: str = "native",
    kv: str = "native",
    batch: float = 1,
    prompt_tokens: float = 1024,
    output_tokens: float = 256,
    memory_utilization: float | None = None,
    visible_bytes: float | None = None,
    step_tokens: float | None = None,
    sampled_sequences: float | None = None,
    block_tokens: float | None = None,
    release: Release | None = None,
) -> Memory:
    """What a configuration holds and whether a batch fits. The last six arguments concern the engine's own sum only.

    Raises NotSupported for what has no meaning.
    """
    check_load(batch=batch, prompt_tokens=prompt_tokens, output_tokens=output_tokens)
    architecture = describe(model, library, weights=weights, kv=kv)
    card = device(accelerator, library, architecture.compute_format)
    chosen = layout(model, gpus=gpus, tp=tp, pp=pp, ep=ep)
    load = Load(
        batch=chosen_number(batch, "batch"),
        prompt_tokens=chosen_number(prompt_tokens, "prompt_tokens", "token"),
        output_tokens=chosen_number(output_tokens, "output_tokens", "token"),
    )
    numbers = measure(architecture, card, library, chosen, load)
    caches = formulas.kv_batch_bytes(
        batch=load.batch, kv_bytes_per_request=numbers.kv_bytes_per_request, kv_replication=numbers.kv_replication
    )
    caches_per_gpu = formulas.kv_batch_bytes_per_gpu(kv_batch_bytes=caches, gpus=chosen.gpus)
    used = formulas.used_bytes_per_gpu(
        weights_bytes_per_gpu=numbers.weights_bytes_per_gpu,
        kv_batch_bytes_per_gpu=caches_per_gpu,
        workspace_bytes=numbers.workspace_bytes,
    )
    free = formulas.free_bytes_per_gpu(usable_memory_bytes=numbers.usable_memory_bytes, used_bytes_per_gpu=used)
    context = formulas.context_of_request(prompt_tokens=load.prompt_tokens, output_tokens=load.output_tokens)
    settings = Settings(
        release=release or USUAL, memory_utilization=memory_utilization, visible_bytes=visible_bytes,
        step_tokens=step_tokens, sampled_sequences=sampled_sequences, block_tokens=block_tokens,
    )  # fmt: skip
    found = engine_memory(architecture, card, library, chosen, numbers, context, settings)
    reasons = memory_reasons(numbers, architecture, card, library, chosen, load)
    return Memory(
        model=model.id,
        accelerator=accelerator.id,
        layout=chosen,
        load=load,
        weights_bytes=architecture.weights_bytes,
        weights_bytes_by_component=weights_by_component(architecture),
        resident_weights_bytes=numbers.resident_weights_bytes,
        kv_bytes_per_request=numbers.kv_bytes_per_request,
        kv_replication=numbers.kv_replication,
        kv_batch_bytes=caches,
        weights_bytes_per_gpu=numbers.weights_bytes_per_gpu,
        kv_batch_bytes_per_gpu=caches_per_gpu,
        workspace_bytes=numbers.workspace_bytes,
        used_bytes_per_gpu=used,
        usable_memory_bytes=numbers.usable_memory_bytes,
        free_bytes_per_gpu=free,
        used_bytes=formulas.bytes_over_gpus(gpus=chosen.gpus, bytes_per_gpu=used),
        usable_bytes=formulas.bytes_over_gpus(gpus=chosen.gpus, bytes_per_gpu=numbers.usable_memory_bytes),
        free_bytes=formulas.bytes_over_gpus(gpus=chosen.gpus, bytes_per_gpu=free),
        kv_capacity_bytes=numbers.kv_capacity_bytes,
        kv_capacity_tokens=numbers.kv_capacity_tokens,
        max_concurrent_requests=numbers.max_concurrent_requests,
        engine=found,
        feasible=not reasons,
        reasons=tuple(reasons),
        notes=tuple(_notes(model, chosen, context, found)),
    )


def _notes(model: Model, chosen: Layout, context: Number, engine: EngineMemory) -> list[str]:
    notes: list[str] = []
    if context > model.max_context:
        notes.append(f"{context:g} tokens are beyond the model's context of {model.max_context:g}")
    if chosen.pp > 1:
        notes.append("an engine samples on the last pipeline stage alone; the others keep more memory for the cache")
    if engine.engine_kv_bytes <= 0:
        notes.append("the engine would not start: nothing is left for the cache")
    return notes

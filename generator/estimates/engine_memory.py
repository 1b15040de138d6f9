"""What an engine leaves for its cache on one accelerator: its share of the memory less weights, activations, libraries.

The engine is vLLM. Weights are counted as it holds them: matrices fused as its layers fuse them, in the pages of the
allocator, copies where a tensor-parallel group does not split, tables of rotary angles, and what stays in 16 bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from generator.estimates.architecture import Architecture
from generator.estimates.devices import Device
from generator.estimates.engine_pool import Pool, pool
from generator.estimates.engine_releases import (
    GRAPHS_INSIDE_SINCE,
    LATENT_CACHE_SINCE,
    SLIM_SAMPLER_SINCE,
    USUAL,
    Release,
    has_multicast,
    memory_share,
    non_torch_bytes,
    sampler_bytes,
    step_defaults,
)
from generator.estimates.engine_tensors import copied, fused
from generator.estimates.layouts import Layout, chosen_number
from generator.formulas import engine_memory, memory, parameters
from generator.provenance import choice
from generator.specs.library import Library
from generator.specs.records import LatentAttention

Number = Any
SIXTEEN_BITS = 16


@dataclass(frozen=True)
class Settings:
    """What an engine was started with; what is None it picks itself."""

    release: Release = USUAL
    memory_utilization: float | None = None
    visible_bytes: float | None = None
    step_tokens: float | None = None
    sampled_sequences: float | None = None
    block_tokens: float | None = None
    eager: bool = False
    """No captured graphs."""
    across_nodes: bool = False
    """Whether a tensor-parallel group spans nodes."""


@dataclass(frozen=True)
class EngineParts:
    """The terms of the sum on one accelerator, and the pool that the rest is cut into."""

    memory_utilization: Number
    device_visible_bytes: Number
    step_tokens: Number
    sampled_sequences: Number
    engine_weights_bytes: Number
    activation_bytes: Number
    non_torch_bytes: Number
    graph_estimate_bytes: Number
    """0 where captured graphs come on top of the share."""
    engine_kv_bytes: Number
    """Left for the cache; negative if the engine would not start."""
    weights_share_bytes: Number
    """The part of the decoder's weights that the layout gives this accelerator."""
    pool: Pool | None
    """None where it is not known how the engine allots such a cache."""


def _none(name: str, reason: str) -> Number:
    return choice(0.0, name=name, unit="B", reason=reason)


def _value_bytes(architecture: Architecture) -> Number:
    """Bytes of one activation: those of the attention weights, and never less than 16 bits."""
    bits = float(architecture.formats["attention"].bits)
    return choice(
        max(bits, SIXTEEN_BITS) / 8, name="activation_bytes_per_value", unit="B", reason="what the layers compute in"
    )


def _kept(architecture: Architecture) -> Number:
    """What embedding and head take beyond a quantised format: checkpoints keep them as they were."""
    chosen, native = architecture.formats["embedding"], architecture.model.formats.embedding
    if float(chosen.bits) >= SIXTEEN_BITS or native == chosen.id:
        return _none("kept_surplus_bytes", "nothing is kept in more bits")
    return engine_memory.kept_surplus_bytes(
        kept_params=memory_tables(architecture),
        kept_bits=choice(16.0, name="kept_bits", unit="bit", reason="embedding and head stay in 16 bits"),
        bits_per_param=chosen.bits,
    )


def memory_tables(architecture: Architecture) -> Number:
    """Parameters of embedding and head together."""
    if not architecture.head_params:
        return architecture.embedding_params
    return parameters.table_params(embedding_params=architecture.embedding_params, head_params=architecture.head_params)


def _padding(architecture: Architecture, card: Device, library: Library, chosen: Layout) -> Number:
    """MXFP4 experts are filled up to whole tiles of the kernels."""
    moe = architecture.moe
    if moe is None or architecture.formats["experts"].id != "mxfp4":
        return _none("expert_padding_bytes", "no kernel fills up these experts")
    wide = has_multicast(card.accelerator)
    tile, half = library.assume("engine-expert-tile"), library.assume("engine-expert-half-tile")
    one = choice(1.0, name="model_width_multiple", unit="count", reason="this kernel takes any width")
    return engine_memory.expert_padding_bytes(
        expert_bytes=architecture.expert_bytes,
        expert_intermediate=moe.expert_intermediate,
        d_model=architecture.model.config.d_model,
        tp=chosen.tp,
        width_multiple=tile if wide else half,
        model_width_multiple=one if wide else tile,
    )


def _absorbed(architecture: Architecture, chosen: Layout, release: Release, value_bytes: Number) -> Number:
    latent = [one for one in architecture.model.config.attention if isinstance(one, LatentAttention)]
    if not latent or not release.since(LATENT_CACHE_SINCE):
        return _none("absorbed_latent_bytes", "no latent cache")
    group = latent[0]
    return engine_memory.absorbed_latent_bytes(
        layers=group.layers,
        n_heads=group.n_heads,
        kv_lora_rank=group.kv_lora_rank,
        qk_nope_head_dim=group.qk_nope_head_dim,
        v_head_dim=group.v_head_dim,
        activation_bytes_per_value=value_bytes,
        tp=chosen.tp,
    )


def _rotary(architecture: Architecture, value_bytes: Number) -> Number:
    """Tables of rotary angles, one for all layers of one kind."""
    config = architecture.model.config
    dims = [getattr(one, "qk_rope_head_dim", None) or getattr(one, "head_dim", None) for one in config.attention]
    dims = [one for one in dims if one]
    if not dims:
        return _none("rotary_table_bytes", "no rotary positions")
    return engine_memory.rotary_table_bytes(
        rotary_positions=getattr(config, "rotary_positions", None) or architecture.model.max_context,
        rotary_dims=max(dims, key=float),
        activation_bytes_per_value=value_bytes,
    )


def weights(
    architecture: Architecture, card: Device, library: Library, chosen: Layout, share: Number, release: Release
) -> Number:
    """Weights on one accelerator as the engine holds them, of which `share` is its part of the decoder."""
    value_bytes = _value_bytes(architecture)
    if chosen.pp > 1:
        tables, head = memory_tables(architecture), architecture.head_params or architecture.embedding_params
        bits = architecture.formats["embedding"].bits
        share = engine_memory.last_stage_weights_bytes(
            weights_bytes_per_gpu=share,
            table_bytes=memory.uniform_weights_bytes(total_params=tables, bits_per_param=bits),
            head_bytes=memory.uniform_weights_bytes(total_params=head, bits_per_param=bits),
            tp=chosen.tp,
            pp=chosen.pp,
        )
    copies, copied_bits = copied(architecture, chosen)
    if chosen.tp > 1 and copies:
        copies_bytes = engine_memory.copied_bytes(
            copied_params=choice(copies, name="copied_params", unit="param", reason="matrices that are not split"),
            bits_per_param=copied_bits,
            tp=chosen.tp,
        )
    else:
        copies_bytes = _none("copied_bytes", "nothing is copied")
    extra = engine_memory.extra_weights_bytes_per_gpu(
        loaded_extra_bytes=architecture.loaded_extra_bytes
        or _none("loaded_extra_bytes", "nothing is loaded beside the decoder"),
        kept_surplus_bytes=_kept(architecture),
        tp=chosen.tp,
        pp=chosen.pp,
        copied_bytes=copies_bytes,
        absorbed_latent_bytes=_absorbed(architecture, chosen, release, value_bytes),
        expert_padding_bytes=_padding(architecture, card, library, chosen),
    )
    page = library.assume("engine-allocator-page")
    counts, sizes = fused(architecture, chosen, least_bytes=float(library.assume("engine-allocator-least")))
    waste = [engine_memory.allocator_waste_bytes(tensor_bytes=size, allocator_page_bytes=page) for size in sizes]
    return engine_memory.engine_weights_bytes(
        weights_bytes_per_gpu=share,
        extra_weights_bytes_per_gpu=extra,
        rotary_table_bytes=_rotary(architecture, value_bytes),
        weights_waste_bytes=engine_memory.weights_waste_bytes(
            tensors_by_component=tuple(counts), allocator_waste_bytes_by_component=tuple(waste)
        )
        if sizes
        else _none("weights_waste_bytes", "no matrix is large"),
    )


def activations(
    architecture: Architecture, library: Library, chosen: Layout, steps: Number, sequences: Number, release: Release
) -> Number:
    """Activation peak: the widest layer or the logits, the buffers of the experts, and inputs of images."""
    config = architecture.model.config
    widths = [group.intermediate if group.kind == "dense" else group.shared_intermediate for group in config.ffn]
    value_bytes = _value_bytes(architecture)
    quantised = architecture.compute_format.id.startswith(("int8", "fp8"))
    peak = memory.engine_activation_bytes(
        step_tokens=steps,
        intermediate=max(widths, key=float),
        tp=chosen.tp,
        d_model=config.d_model,
        sampled_sequences=sequences,
        vocab=config.vocab,
        logit_bytes_per_value=sampler_bytes(release, library),
        activation_bytes_per_value=value_bytes,
        quantised_bytes_per_value=choice(
            float(quantised), name="quantised_bytes_per_value", unit="B", reason="8-bit weights take 8-bit activations"
        ),
    )
    routed = architecture.moe
    buffers = _none("engine_expert_workspace_bytes", "no buffers of fused experts")
    if routed is not None and architecture.formats["experts"].id != "mxfp4":
        work = memory.engine_expert_workspace_bytes
        if not release.since(SLIM_SAMPLER_SINCE):
            work = engine_memory.early_expert_workspace_bytes
        buffers = work(
            step_tokens=steps,
            top_k=routed.top_k,
            expert_intermediate=routed.expert_intermediate,
            tp=chosen.tp,
            d_model=config.d_model,
        )
    images = _none("image_input_bytes", "text alone")
    if architecture.loaded_extra_bytes:
        images = engine_memory.image_input_bytes(
            step_tokens=steps, d_model=config.d_model, activation_bytes_per_value=value_bytes
        )
    return memory.activation_bytes(
        engine_activation_bytes=peak, engine_expert_workspace_bytes=buffers, image_input_bytes=images
    )


def engine_parts(
    architecture: Architecture,
    card: Device,
    library: Library,
    chosen: Layout,
    weights_share_bytes: Number,
    context_tokens: Number,
    settings: Settings,
) -> EngineParts:
    """The engine's sum on one accelerator."""
    release = settings.release
    share = memory_share(release, library)
    if settings.memory_utilization is not None:
        share = chosen_number(settings.memory_utilization, "memory_utilization", "1")
    visible = card.accelerator.memory.visible or card.memory_bytes
    if settings.visible_bytes is not None:
        visible = chosen_number(settings.visible_bytes, "device_visible_bytes", "B")
    steps, sequences = step_defaults(release, card.accelerator, visible, context_tokens, library)
    if settings.step_tokens is not None:
        steps = chosen_number(settings.step_tokens, "step_tokens", "token")
    if settings.sampled_sequences is not None:
        sequences = chosen_number(settings.sampled_sequences, "sampled_sequences")
    held = weights(architecture, card, library, chosen, weights_share_bytes, release)
    peak = activations(architecture, library, chosen, steps, sequences, release)
    graphs = _none("graph_estimate_bytes", "captured graphs come on top of the share")
    if release.since(GRAPHS_INSIDE_SINCE) and not settings.eager:
        graphs = engine_memory.graph_estimate_bytes(
            graph_base_bytes=library.assume("engine-graph-bytes"),
            graph_bytes_per_layer=library.assume("engine-graph-bytes-per-layer"),
            layers_per_stage=engine_memory.layers_per_stage(layers=architecture.model.config.layers, pp=chosen.pp),
        )
    outside = non_torch_bytes(release, card.accelerator, library, chosen.tp, settings.across_nodes)
    left = memory.engine_kv_bytes(
        memory_utilization=share,
        device_visible_bytes=visible,
        engine_weights_bytes=held,
        activation_bytes=peak,
        non_torch_bytes=outside,
        graph_estimate_bytes=graphs,
    )
    block = settings.block_tokens
    try:
        cut = pool(
            architecture, chosen, library, release, step_tokens=steps, context_tokens=context_tokens,
            block_tokens=None if block is None else chosen_number(block, "block_tokens", "token"),
        )  # fmt: skip
    except ValueError:
        cut = None
    return EngineParts(share, visible, steps, sequences, held, peak, outside, graphs, left, weights_share_bytes, cut)

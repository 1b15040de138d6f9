"""A model as numbers: parameters by component, weights, cache per token and per request, FLOPs of attention.

Every value is traced to the model's spec file. Total, active and read parameters are three different numbers and
stay three different fields.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from generator.estimates.attention_groups import AttentionGroup, attention_group
from generator.formulas import attention, memory, moe, parallelism, parameters
from generator.specs.library import Library
from generator.specs.records import Model, MoeFfn, NumberFormat

Number = Any
COMPONENTS = ("attention", "ffn", "experts", "embedding", "head")


class NotSupported(ValueError):
    """A combination that cannot be built, with the choices that can."""


@dataclass(frozen=True)
class FfnGroup:
    """Feed-forward numbers of one layer of a group."""

    layers: Number
    always_params: Number
    routed_params: Number | None
    routed_active_params: Number | None


@dataclass(frozen=True)
class Architecture:
    """A model in chosen number formats."""

    model: Model
    formats: dict[str, NumberFormat]
    kv_format: NumberFormat
    attention: tuple[AttentionGroup, ...]
    ffn: tuple[FfnGroup, ...]
    attention_params: Number
    ffn_params: Number
    routed_expert_params: Number
    routed_active_params: Number
    embedding_params: Number
    head_params: Number
    norm_params: Number
    total_params: Number
    active_params: Number
    active_params_no_input_embedding: Number
    active_params_no_embeddings: Number
    active_share: Number
    checkpoint_params: Number
    weights_bytes: Number
    always_read_bytes: Number
    expert_bytes: Number
    loaded_extra_bytes: Number
    """Weights that an engine loads beside the decoder, a vision tower: in the format of the embedding, as published."""
    kv_bytes_per_token: Number
    kv_fixed_bytes_per_request: Number
    compute_format: NumberFormat
    """Format of the matrices that do most of the work: the routed experts, or the feed-forward network."""

    @property
    def moe(self) -> MoeFfn | None:
        """The routed experts of the model, if it has them."""
        return next((group for group in self.model.config.ffn if group.kind == "moe"), None)

    @property
    def attention_kinds(self) -> str:
        """Kinds of attention with the layers of each: `latent`, or `10 full, 52 sliding`."""
        groups = self.model.config.attention
        layers: dict[str, int] = {}
        for group in groups:
            kind = f"{group.kind}, {group.n_kv_heads:g} of {group.n_heads:g}" if group.kind == "full" else group.kind
            layers[kind] = layers.get(kind, 0) + int(group.layers)
        if len(layers) == 1:
            return next(iter(layers))
        return "; ".join(f"{count} {kind}" for kind, count in layers.items())

    @property
    def paired_layers(self) -> Number:
        """Layers of attention and a feed-forward network; where each layer has one of them, two count as one."""
        config = self.model.config
        return parallelism.paired_layers(alternating_layers=config.layers) if config.alternating else config.layers

    @property
    def moe_layers(self) -> Number:
        """Layers with routed experts."""
        groups = tuple(group.layers for group in self.model.config.ffn if group.kind == "moe")
        return moe.moe_layers(layers_by_group=groups) if groups else 0

    @property
    def kv_replicas_limit(self) -> Number:
        """Key-value heads over which a tensor-parallel group can split the cache; the smallest of all groups."""
        return min((group.replicas_limit for group in self.attention), key=float)

    def fixed_bytes(self, context_tokens: Number) -> Number:
        """Cache of one request that does not grow beyond windows and states, at a context."""
        return _fixed_bytes(self.attention, context_tokens)

    def request_bytes(self, context_tokens: Number, block_tokens: Number) -> Number:
        """Cache of one request of a context, in whole blocks."""
        return memory.kv_bytes_per_request(
            kv_fixed_bytes_per_request=self.fixed_bytes(context_tokens),
            kv_bytes_per_token=self.kv_bytes_per_token,
            context_tokens=context_tokens,
            block_tokens=block_tokens,
        )

    def decode_attention_flops(self, context_tokens: Number) -> Number:
        """Attention FLOPs of one decoded token at a context."""
        return attention.attention_flops_per_token(
            layers_by_group=tuple(group.layers for group in self.attention),
            attention_flops_by_group=tuple(group.decode_flops(context_tokens) for group in self.attention),
        )

    def prefill_attention_flops(self, prompt_tokens: Number) -> Number:
        """Attention FLOPs of one prompt token, mean over the prompt."""
        return attention.attention_flops_per_token(
            layers_by_group=tuple(group.layers for group in self.attention),
            attention_flops_by_group=tuple(group.prefill_flops(prompt_tokens) for group in self.attention),
        )

    def read_bytes_per_request(self, context_tokens: Number) -> Number:
        """Cache that one request reads in one decode step at a context."""
        return attention.kv_read_bytes_per_request(
            layers_by_group=tuple(group.layers for group in self.attention),
            kv_read_bytes_by_group=tuple(group.read_bytes(context_tokens) for group in self.attention),
        )

    def share_read(self, batch: Number) -> Number:
        """Share of the routed experts that a batch reads; 0 for a dense model."""
        if self.moe is None:
            return 0
        return moe.expert_share_read(top_k=self.moe.top_k, experts=self.moe.experts, batch=batch)

    def weights_read(self, batch: Number) -> Number:
        """Weights that one decode step of a batch reads."""
        if self.moe is None:
            return self.always_read_bytes
        return moe.weights_read_bytes(
            always_read_bytes=self.always_read_bytes,
            expert_bytes=self.expert_bytes,
            expert_share_read=self.share_read(batch),
        )


def _fixed_bytes(groups: tuple[AttentionGroup, ...], context_tokens: Number) -> Number:
    windowed = [group for group in groups if group.window_tokens is not None]
    states = [group for group in groups if group.state_bytes is not None]
    parts: dict[str, Number] = {"window_bytes_per_request": 0, "state_bytes_per_request": 0}
    if windowed:
        parts["window_bytes_per_request"] = memory.window_bytes_per_request(
            context_tokens=context_tokens,
            layers_by_group=tuple(group.layers for group in windowed),
            window_bytes_per_token_by_group=tuple(group.window_bytes_per_token for group in windowed),
            window_tokens_by_group=tuple(group.window_tokens for group in windowed),
        )
    if states:
        parts["state_bytes_per_request"] = memory.state_bytes_per_request(
            layers_by_group=tuple(group.layers for group in states),
            state_bytes_by_group=tuple(group.state_bytes for group in states),
        )
    if not windowed and not states:
        return 0
    return memory.kv_fixed_bytes_per_request(**parts)


def _ffn_group(group: Any, model: Model) -> FfnGroup:
    d_model = model.config.d_model
    if group.kind == "dense":
        if group.gated:
            params = parameters.gated_ffn_params(d_model=d_model, intermediate=group.intermediate)
        else:
            params = parameters.plain_ffn_params(
                d_model=d_model, intermediate=group.intermediate, has_bias=int(group.bias)
            )
        return FfnGroup(group.layers, params, None, None)
    router = {
        "d_model": d_model,
        "experts": group.experts,
        "has_router_bias": int(group.router_bias),
        "shared_intermediate": group.shared_intermediate,
    }
    if group.gated:
        always = parameters.moe_always_active_params(has_shared_gate=int(group.shared_gate), **router)
        expert = parameters.expert_params(
            d_model=d_model, expert_intermediate=group.expert_intermediate, has_bias=int(group.expert_bias)
        )
    else:
        width = d_model if group.latent is None else group.latent
        always = parameters.plain_moe_always_active_params(
            has_latent=int(group.latent is not None), expert_input_width=width, **router
        )
        expert = parameters.plain_expert_params(expert_input_width=width, expert_intermediate=group.expert_intermediate)
    return FfnGroup(
        group.layers,
        always,
        parameters.routed_expert_params_per_layer(experts=group.experts, expert_params=expert),
        parameters.routed_active_params_per_layer(top_k=group.top_k, expert_params=expert),
    )


def _routed(groups: tuple[FfnGroup, ...]) -> tuple[Number, Number]:
    routed = [group for group in groups if group.routed_params is not None]
    if not routed:
        return 0, 0
    layers = tuple(group.layers for group in routed)
    return (
        parameters.routed_expert_params(
            layers_by_group=layers, routed_params_by_group=tuple(group.routed_params for group in routed)
        ),
        parameters.routed_active_params(
            layers_by_group=layers, routed_active_params_by_group=tuple(group.routed_active_params for group in routed)
        ),
    )


def _formats(model: Model, library: Library, weights: str) -> dict[str, NumberFormat]:
    """Number format of each component: that of the checkpoint, or one for all of them."""
    if weights != "native":
        return dict.fromkeys(COMPONENTS, library.find("number_formats", weights))
    return {
        part: library.find("number_formats", getattr(model.formats, part) or model.formats.ffn) for part in COMPONENTS
    }


def _kv_format(model: Model, library: Library, kv: str) -> NumberFormat:
    chosen = library.find("number_formats", model.kv_format if kv == "native" else kv)
    if not chosen.kv_cache:
        valid = ", ".join(sorted(name for name, one in library.number_formats.items() if one.kv_cache))
        raise NotSupported(f"a cache cannot be kept in `{chosen.id}`; valid: {valid}")
    compressed = any(group.kind == "compressed" for group in model.config.attention)
    layout = model.kv_layout.format if model.kv_layout else None
    if compressed and chosen.id not in ("bf16", layout):
        raise NotSupported(
            f"the cache of {model.id} is compressed and its precision cannot be chosen; valid: bf16, {layout}"
        )
    return chosen


def describe(model: Model, library: Library, *, weights: str = "native", kv: str = "native") -> Architecture:
    """A model in the formats of its checkpoint, or with all weights and the cache in chosen formats.

    Raises NotSupported for a cache format that cannot be, UnknownId for a format that does not exist.
    """
    key = (id(model), weights, kv)
    if key not in library.derived:
        library.derived[key] = _describe(model, library, weights=weights, kv=kv)
    return library.derived[key]


def _describe(model: Model, library: Library, *, weights: str, kv: str) -> Architecture:
    config = model.config
    formats = _formats(model, library, weights)
    kv_format = _kv_format(model, library, kv)
    layout = model.kv_layout if model.kv_layout and model.kv_layout.format == kv_format.id else None
    groups = tuple(attention_group(group, config, kv_format.bits, layout) for group in config.attention)
    ffn = tuple(_ffn_group(group, model) for group in config.ffn)
    attention_params = parameters.attention_params(
        layers_by_group=tuple(group.layers for group in groups),
        attention_params_by_group=tuple(group.params for group in groups),
    )
    ffn_params = parameters.ffn_params(
        layers_by_group=tuple(group.layers for group in ffn),
        ffn_params_by_group=tuple(group.always_params for group in ffn),
    )
    routed, routed_active = _routed(ffn)
    embedding = parameters.embedding_params(vocab=config.vocab, d_model=config.d_model)
    head = 0 if config.tied_embeddings else embedding
    norm = parameters.norm_params(
        layers=config.layers,
        norm_params_per_layer=_or(config.norm_params_per_layer, lambda: _doubled(config.d_model)),
        final_norm_params=_or(config.final_norm_params, lambda: config.d_model),
    )
    common = {
        "attention_params": attention_params,
        "ffn_params": ffn_params,
        "norm_params": norm,
        "other_params": config.other_params,
        "embedding_params": embedding,
        "head_params": head,
    }
    total = parameters.total_params(routed_expert_params=routed, **common)
    active = parameters.active_params(routed_active_params=routed_active, **common)
    tables = {"active_params": active, "embedding_params": embedding, "head_params": head}
    always_params = {
        "attention": attention_params,
        "norms": norm,
        "ffn": ffn_params,
        "other": config.other_params,
        "embedding": embedding,
        "head": head,
    }
    kept_in = {"norms": "attention", "other": "attention"}
    present = {part: params for part, params in always_params.items() if params}
    always_bytes = _weights({part: (params, formats[kept_in.get(part, part)]) for part, params in present.items()})
    expert_bytes = _weights({"experts": (routed, formats["experts"])}) if routed else 0
    every = {part: (params, formats[kept_in.get(part, part)]) for part, params in present.items()}
    if routed:
        every["experts"] = (routed, formats["experts"])
    counted = tuple(
        extra.params
        for extra in model.extra_params
        if (extra.in_checkpoint if model.published.exact is not None else extra.in_published_total)
    )
    tower_format = library.find("number_formats", model.formats.embedding)
    beside = {extra.name: (extra.params, tower_format) for extra in model.extra_params if extra.loaded}
    growing = [group for group in groups if group.kv_bytes_per_token is not None]
    return Architecture(
        model=model,
        formats=formats,
        kv_format=kv_format,
        attention=groups,
        ffn=ffn,
        attention_params=attention_params,
        ffn_params=ffn_params,
        routed_expert_params=routed,
        routed_active_params=routed_active,
        embedding_params=embedding,
        head_params=head,
        norm_params=norm,
        total_params=total,
        active_params=active,
        active_params_no_input_embedding=parameters.active_params_no_input_embedding(**tables),
        active_params_no_embeddings=parameters.active_params_no_embeddings(**tables),
        active_share=parameters.active_share(active_params=active, total_params=total),
        checkpoint_params=parameters.checkpoint_params(total_params=total, extra_params_by_component=counted)
        if counted
        else total,
        weights_bytes=_weights(every),
        always_read_bytes=always_bytes,
        expert_bytes=expert_bytes,
        loaded_extra_bytes=_weights(beside) if beside else 0,
        kv_bytes_per_token=memory.kv_bytes_per_token(
            layers_by_group=tuple(group.layers for group in growing),
            kv_bytes_per_token_by_group=tuple(group.kv_bytes_per_token for group in growing),
        )
        if growing
        else 0,
        kv_fixed_bytes_per_request=_fixed_bytes(groups, model.max_context),
        compute_format=formats["experts" if routed else "ffn"],
    )


def _or(given: Number | None, default: Any) -> Number:
    return given if given is not None else default()


def _doubled(d_model: Number) -> Number:
    """Two norms of width d in each layer, unless the config says otherwise."""
    return parameters.layer_norm_params(d_model=d_model)


def _weights(parts: dict[str, tuple[Number, NumberFormat]]) -> Number:
    return memory.weights_bytes(
        params_by_component=tuple(params for params, _ in parts.values()),
        bits_by_component=tuple(number_format.bits for _, number_format in parts.values()),
    )

"""Records of language models: shape by groups of layers, formats, published sizes, training."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from generator.specs.fields import (
    ByKind,
    Bytes,
    Count,
    CountOrZero,
    Date,
    Id,
    Quantity,
    Record,
    Share,
    Spec,
    Tokens,
)


@dataclass(frozen=True, kw_only=True)
class Indexer(Record):
    """The small attention that picks which tokens a sparse layer reads; its keys are cached too."""

    n_heads: Count
    head_dim: Count
    n_kv_heads: Count = 1
    top_k: Count
    kind: Literal["lora-query", "grouped-query", "compressed"] = "lora-query"


@dataclass(frozen=True, kw_only=True)
class GroupedQueryAttention(Record):
    """Softmax attention with `n_kv_heads` groups; full, over a sliding window, over chunks, or sparse with an index."""

    kind: Literal["full", "sliding", "chunked", "indexed"]
    layers: Count
    n_heads: Count
    n_kv_heads: Count
    head_dim: Count
    window: Count | None = None
    indexer: Indexer | None = None
    output_gate: bool = False
    qkv_bias: bool = False
    o_bias: bool = False
    qk_norm: Literal["head", "layer"] | None = None
    sinks: bool = False


@dataclass(frozen=True, kw_only=True)
class LatentAttention(Record):
    """Multi-head latent attention: one latent and one rotary key per token, shared by all heads."""

    kind: Literal["latent"]
    layers: Count
    n_heads: Count
    q_lora_rank: Count | None = None
    kv_lora_rank: Count
    qk_nope_head_dim: Count
    qk_rope_head_dim: Count
    v_head_dim: Count
    indexer: Indexer | None = None


@dataclass(frozen=True, kw_only=True)
class LinearAttention(Record):
    """A state of fixed size per request instead of a cache that grows: gated DeltaNet or Mamba-2.

    In Mamba-2 key heads are its groups, key size its state size, value heads its heads.
    """

    kind: Literal["linear"]
    layers: Count
    update: Literal["gated-delta", "mamba-2"] = "gated-delta"
    n_key_heads: Count
    key_head_dim: Count
    n_value_heads: Count
    value_head_dim: Count
    conv_kernel: Count
    state_bytes_per_value: Count


@dataclass(frozen=True, kw_only=True)
class CompressedAttention(Record):
    """DeepSeek-V4 attention: one cached entry per `compress` tokens (0: none) beside a raw window; keys are values."""

    kind: Literal["compressed"]
    layers: Count
    compress: CountOrZero
    window: Count
    n_heads: Count
    head_dim: Count
    qk_rope_head_dim: Count
    q_lora_rank: Count
    o_groups: Count
    o_lora_rank: Count
    indexer: Indexer | None = None


Attention = Annotated[GroupedQueryAttention | LatentAttention | LinearAttention | CompressedAttention, ByKind()]


@dataclass(frozen=True, kw_only=True)
class DenseFfn(Record):
    """A dense feed-forward network; gated ones have three matrices, plain ones two."""

    kind: Literal["dense"]
    layers: Count
    intermediate: Count
    gated: bool = True
    bias: bool = False


@dataclass(frozen=True, kw_only=True)
class MoeFfn(Record):
    """Routed experts, of which each token takes `top_k`, beside an optional shared expert.

    Gated experts have three matrices, plain ones two. With `latent`, the experts work on a projection of that width.
    """

    kind: Literal["moe"]
    layers: Count
    experts: Count
    top_k: Count
    expert_intermediate: Count
    shared_intermediate: CountOrZero = 0
    shared_gate: bool = False
    router_bias: bool = False
    expert_bias: bool = False
    gated: bool = True
    latent: Count | None = None


Ffn = Annotated[DenseFfn | MoeFfn, ByKind()]


@dataclass(frozen=True, kw_only=True)
class Config(Record):
    """The shape of a decoder, by groups of layers.

    `alternating`: a layer holds attention or a feed-forward network, not both.
    `parallel_blocks`: attention and feed-forward network of a layer read the same input, so that their sums add up.
    """

    layers: Count
    alternating: bool = False
    parallel_blocks: bool = False
    d_model: Count
    vocab: Count
    tied_embeddings: bool
    norm_params_per_layer: CountOrZero | None = None
    final_norm_params: CountOrZero | None = None
    other_params: CountOrZero = 0
    other_note: str = ""
    rotary_positions: Count | None = None
    """Rows of an engine's tables of rotary angles, where they are not the positions of `max_context`."""
    attention: list[Attention]
    ffn: list[Ffn]


@dataclass(frozen=True, kw_only=True)
class ComponentFormats(Record):
    """Number format of each part of the published checkpoint; ids of `specs/number_formats`."""

    attention: Id
    ffn: Id
    experts: Id | None = None
    embedding: Id
    head: Id


@dataclass(frozen=True, kw_only=True)
class Published(Record):
    """What the publisher prints. `exact` counts checkpoint parameters, with the extras marked `in_checkpoint`."""

    total: Annotated[int, Quantity("param")]
    exact: Annotated[int, Quantity("param", whole=True)] | None = None
    active: Annotated[int, Quantity("param")] | None = None
    active_convention: Literal["all", "no_input_embedding", "no_embeddings"] | None = None
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class ExtraParams(Record):
    """Weights outside the text decoder: vision tower, multi-token-prediction module, lookup tables.

    `loaded`: a serving engine keeps them in memory beside the decoder, speculation or not, as it does a vision tower.
    """

    name: str
    params: Annotated[int, Quantity("param", whole=True)]
    in_published_total: bool
    in_checkpoint: bool = False
    loaded: bool = False


@dataclass(frozen=True, kw_only=True)
class KvLayout(Record):
    """A cache layout whose bytes do not follow from a number format; it is used when the cache is in `format`."""

    name: str
    format: Id = "fp8"
    entry_bytes: Bytes
    index_key_bytes: Bytes | None = None


@dataclass(frozen=True, kw_only=True)
class PublishedKv(Record):
    """A cache size printed elsewhere, kept to compare with ours."""

    statement: str
    source: str
    verdict: str


@dataclass(frozen=True, kw_only=True)
class TrainingRun(Record):
    """What was published about the training of a model."""

    tokens: Tokens
    gpu_hours: Annotated[float, Quantity("GPU-h")] | None = None
    gpus: Count | None = None
    accelerator: Id | None = None
    reported_mfu: Share | None = None
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Model(Spec):
    """One language model: shape, formats, published sizes."""

    org: str
    released: Date
    fits: bool = True
    """Part of the fit matrix and of the playground; false for what is kept for its measurements."""
    max_context: Tokens
    formats: ComponentFormats
    kv_format: Id = "bf16"
    kv_layout: KvLayout | None = None
    published: Published
    config: Config
    extra_params: list[ExtraParams] = field(default_factory=list)
    published_kv: list[PublishedKv] = field(default_factory=list)
    training: TrainingRun | None = None

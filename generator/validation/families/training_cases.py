"""What the rows of training tables say: layout, number format, software; and a model as one training step sees it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from generator.estimates.architecture import Architecture, describe
from generator.specs.library import Library
from generator.specs.records import Accelerator, Model
from generator.validation import names
from generator.validation.families.cards import generation
from generator.validation.rows import Row, Uncovered

SYNC_FREE_SINCE = (26, 6)
"""Megatron-Bridge from which expert layers need no word from the host: read from the rates, not from its notes."""
FORMATS = (
    ("not stated", ""), ("rowwise", "fp8-rowwise"), ("nvfp4", "nvfp4"), ("mxfp8", "mxfp8"), ("fp8-mx", "mxfp8"),
    ("fp8", "fp8"), ("bf16", "bf16"), ("fp16", "bf16"), ("bfloat16", "bf16"),
)  # fmt: skip
PEAKS = {"fp8-rowwise": "fp8", "nvfp4": "fp4", "mxfp8": "fp8", "fp8": "fp8", "bf16": "bf16"}
ENGINES = (
    ("nanotron", "nanotron"), ("llm-foundry", "llm-foundry"), ("maxtext", "maxtext"), ("torchtitan", "torchtitan"),
    ("megatron", "megatron"), ("nemo", "megatron"),
)  # fmt: skip


@dataclass(frozen=True)
class Layout:
    """How a step is spread over accelerators."""

    gpus: float
    tp: float
    pp: float
    cp: float
    ep: float
    replicas: float
    sequences: float
    micro_batch: float
    micro_batches: float
    chunks: float
    sequence_tokens: float

    @property
    def tokens_per_gpu(self) -> float:
        return self.sequences * self.sequence_tokens / self.gpus

    @property
    def message_tokens(self) -> float:
        """Tokens of one micro-batch on one tensor-parallel group."""
        return self.micro_batch * self.sequence_tokens / self.cp


@dataclass(frozen=True)
class Work:
    """One trained token of a model: parameters that multiply it, activations, attention FLOPs."""

    matrix_params: float
    expert_params: float
    head_params: float
    attention_flops: float
    kept_bytes: float
    token_bytes: float
    layers: float
    expert_layers: float
    dense_total: float
    expert_total: float
    width: float
    top_k: float


def engine_of(row: Row) -> str:
    """The software, one word. Raises Uncovered."""
    text = row.text("engine").lower()
    found = next((name for word, name in ENGINES if word in text), None)
    if found is None:
        if not text:
            raise Uncovered("the engine is not stated")
        # Software that no constant is fitted to gets those that hold for all.
        return re.split(r"[\s/+,]", text)[0]
    eager = found == "torchtitan" and "eager" in row.text("note")
    return "torchtitan-eager" if eager else found


def format_of(row: Row) -> str:
    """Number format of the layer matrices. Raises Uncovered."""
    text = row.text("precision_weights").lower()
    found = next((form for word, form in FORMATS if word in text), "")
    if not found:
        raise Uncovered("the number format of the matrices is not stated")
    return found


def peaks_of(accelerator: Accelerator, form: str) -> tuple[float, float]:
    """Dense peaks of the layer matrices and of 16 bits. Raises Uncovered."""
    layers, wide = getattr(accelerator.dense_peak, PEAKS[form]), accelerator.dense_peak.bf16
    if layers is None or wide is None:
        raise Uncovered(f"{accelerator.id} has no peak in {form}")
    return layers, wide


def layout_of(row: Row, model: Model) -> tuple[Layout, str]:
    """The layout, and what had to be read into it. Raises Uncovered."""
    gpus, remark = row.needed("n_gpus"), ""
    spread = row.text("engine") == "MaxText" and "FSDP" in row.text("note")
    tp, pp = (1.0, 1.0) if spread else (row.needed("tp"), row.needed("pp"))
    cp, ep, chunks = (row.number(name) or 1.0 for name in ("cp", "ep", "vp"))
    if pp > model.config.layers:
        pp, remark = 1.0, f"{pp:g} stages for {model.config.layers:g} layers cannot be: read as one"
    sequence = row.needed("seq_len")
    micro_batch = row.number("mbs") or 1.0
    replicas = gpus / (tp * pp * cp)
    sequences = row.number("gbs_sequences")
    if sequences is None and pp == 1 and engine_of(row).startswith("torchtitan"):
        sequences = micro_batch * replicas
    if sequences is None:
        raise Uncovered("`gbs_sequences` is not stated")
    micro_batches = sequences / (micro_batch * replicas)
    if replicas < 1 or micro_batches < 1 or abs(micro_batches - round(micro_batches)) > 1e-6:
        raise Uncovered("the batch does not divide over the layout")
    return Layout(
        gpus, tp, pp, cp, ep, replicas, sequences, micro_batch, micro_batches, chunks, sequence
    ), remark  # fmt: skip


def work_of(architecture: Architecture, sequence_tokens: float, prediction_layers: float, value_bytes: float) -> Work:
    """What one trained token costs; layers that predict further tokens add their share. Raises Uncovered.

    Values kept for the backward pass: inputs of norms and matrices, outputs of those that are multiplied again; of a
    linear mixer five for each of its parameters over the width.
    """
    config = architecture.model.config
    width, layers = float(config.d_model), float(config.layers)
    more = 1 + prediction_layers / layers
    kept = sum(float(group.layers) * _attention_bytes(group, width, value_bytes) for group in config.attention)
    kept += sum(
        float(spec.layers) * 5 * value_bytes * float(numbers.params) / width
        for spec, numbers in zip(config.attention, architecture.attention, strict=True)
        if spec.kind == "linear"
    )
    token_bytes = expert_layers = top_k = 0.0
    for group in config.ffn:
        count, inner = float(group.layers), 3 if getattr(group, "gated", True) else 2
        kept += count * 2 * value_bytes * width
        if group.kind == "dense":
            kept += count * value_bytes * inner * float(group.intermediate)
            continue
        latent = float(group.latent or width)
        expert_layers += count
        top_k = float(group.top_k)
        token_bytes = value_bytes * latent
        kept += count * value_bytes * inner * float(group.shared_intermediate)
        kept += count * value_bytes * float(group.top_k) * (latent + inner * float(group.expert_intermediate))
    head = float(architecture.embedding_params)
    body = float(architecture.attention_params) + float(architecture.ffn_params)
    return Work(
        matrix_params=body * more,
        expert_params=float(architecture.routed_active_params) * more,
        head_params=head * (1 + prediction_layers),
        attention_flops=float(architecture.prefill_attention_flops(sequence_tokens)) * more,
        kept_bytes=kept * more,
        token_bytes=token_bytes,
        layers=layers * more,
        expert_layers=expert_layers * more,
        dense_total=float(architecture.total_params) - float(architecture.routed_expert_params),
        expert_total=float(architecture.routed_expert_params) * more,
        width=width,
        top_k=top_k,
    )


def _attention_bytes(group: Any, width: float, value_bytes: float) -> float:
    """Activations of one token that an attention layer keeps: inputs, queries, keys, values, output."""
    kind = group.kind
    if kind in ("full", "sliding", "chunked"):
        heads = float(group.n_heads) + float(group.n_kv_heads)
        return value_bytes * (2 * width + 2 * heads * float(group.head_dim))
    if kind == "latent":
        key = float(group.qk_nope_head_dim) + float(group.qk_rope_head_dim)
        value = float(group.v_head_dim)
        return value_bytes * (2 * width + 2 * float(group.n_heads) * (key + value))
    if kind == "linear":
        return 0.0
    raise Uncovered(f"what {kind} attention keeps for the backward pass is not published")


def packed(row: Row) -> bool:
    """Whether the sequences hold many short samples, as in fine-tuning runs."""
    text = f"{row.text('model')} {row.text('note')}".lower()
    return any(word in text for word in ("finetun", "fine-tun", "lora", "sft"))


def prediction_layers_of(row: Row, model: Model) -> float:
    """Layers that predict further tokens and are trained with the model."""
    if "w/o" in row.text("model") or engine_of(row) != "megatron":
        return 0.0
    return float(any("prediction" in extra.name for extra in model.extra_params))


def described(row: Row, library: Library) -> tuple[Architecture, Accelerator]:
    """Model and accelerator of a row. Raises Uncovered."""
    model, accelerator = names.model(library, row.text("model")).model, names.accelerator(library, row.text("gpu"))
    return describe(model, library), accelerator


def _sync_free(row: Row) -> bool:
    """Whether the release is one whose expert layers need no word from the host."""
    release = tuple(int(part) for part in re.findall(r"\d+", row.text("engine_version"))[:2])
    return "Bridge" in row.text("engine") and release >= SYNC_FREE_SINCE


def host_of(row: Row, architecture: Architecture) -> str:
    """Whether expert layers wait for the host: `waited for`, or `free` where token counts stay on the device."""
    states = any(group.kind == "linear" for group in architecture.model.config.attention)
    return "free" if states or architecture.moe is None or _sync_free(row) else "waited for"


def stage_of(layers: float, layout: Layout, moe: bool) -> tuple[float, float]:
    """Layers and head of the busiest stage, each over those of the mean stage.

    Layers that divide evenly leave the head on top of the last stage; else the recipe gives that stage fewer layers.
    """
    if layout.pp == 1:
        return 1.0, 1.0
    if layers % (layout.pp * layout.chunks) == 0 and not moe:
        return 1.0, layout.pp
    return math.ceil(layers / layout.pp) * layout.pp / layers, 0.0


def keys_of(row: Row, architecture: Architecture, accelerator: Accelerator) -> dict[str, str]:
    """Keys that constants and bands depend on."""
    sharing = row.text("zero_or_fsdp").upper()
    return {
        "model": architecture.model.id,
        "engine": engine_of(row),
        "version": row.text("engine_version"),
        "accelerator": accelerator.id,
        "generation": generation(accelerator),
        "format": format_of(row),
        "moe": "yes" if architecture.moe else "no",
        "host": host_of(row, architecture),
        "experts": "fused" if architecture.moe and _sync_free(row) else "usual",
        "sharing": "all" if "FSDP" in sharing or "SHARD" in sharing or engine_of(row) == "maxtext" else "optimiser",
        "tensor": "asynchronous" if "async" in row.text("note").lower() else "usual",
        "block": "scaled" if format_of(row) in ("mxfp8", "nvfp4") else "whole",
    }

"""Output rate of one request alone, as llama.cpp and others print it for one card or layers split over several."""

from __future__ import annotations

from typing import Any

from generator.estimates.architecture import Architecture, NotSupported, describe
from generator.formulas import decode, memory
from generator.formulas import single_stream as formulas
from generator.specs.library import Library, UnknownId
from generator.specs.records import Accelerator
from generator.validation import names
from generator.validation.families import reasons
from generator.validation.families.cards import keys_of
from generator.validation.family import Case, Family, Inputs, Number
from generator.validation.leaves import stated
from generator.validation.rows import Row, Uncovered

PLAIN = ("fp16", "bf16", "fp32")
"""Formats that are multiplied as they are."""
CONSTANTS = (
    "weights_bandwidth_share", "vector_share", "attention_vector_share", "attention_limit_flops_per_s",
    "launch_layer_s", "stage_handover_s",
)  # fmt: skip


def architecture_of(row: Row, library: Library) -> Architecture:
    """The model of a row in the formats it ran in. Raises Uncovered."""
    named = names.model(library, row.text("model"))
    given = names.format_spelt(row.text("precision_weights"))
    try:
        return describe(named.model, library, weights=given or named.weights or "native", kv=_cache(row))
    except (UnknownId, NotSupported):
        raise Uncovered(f"weights in `{row.text('precision_weights')}` have no number format") from None


def _cache(row: Row) -> str:
    return names.format_spelt(row.text("precision_kv")) or "native"


def cards_of(row: Row, library: Library) -> tuple[Accelerator, float]:
    """Accelerator and how many of them take the layers in turn. Raises Uncovered."""
    accelerator = names.accelerator(library, row.text("gpu"))
    if (row.number("tp") or 1) > 1:
        raise Uncovered("tensor parallelism of a lone request is not part of this family")
    return accelerator, row.number("n_gpus") or 1


def weights_word(architecture: Architecture) -> str:
    """`plain` for 16-bit weights, `packed` for quantised ones."""
    return "plain" if architecture.compute_format.id in PLAIN else "packed"


def streamed(architecture: Architecture, tokens: Any = 1) -> Any:
    """Bytes of the weights that a step of so many tokens reads."""
    tied = architecture.model.config.tied_embeddings
    lookup: Any = 0
    if not tied:
        lookup = memory.weights_bytes(
            params_by_component=(architecture.embedding_params,),
            bits_by_component=(architecture.formats["embedding"].bits,),
        )
    return formulas.streamed_weights_bytes(weights_read_bytes=architecture.weights_read(tokens), lookup_bytes=lookup)


def _express(row: Row, library: Library) -> Case:
    architecture = architecture_of(row, library)
    accelerator, gpus = cards_of(row, library)
    bandwidth, vector = accelerator.memory.bandwidth, accelerator.dense_peak.fp32
    if bandwidth is None or vector is None:
        raise Uncovered(f"bandwidth or FP32 peak of `{accelerator.id}` is not published")
    context = decode.mean_context_tokens(
        prompt_tokens=stated(row, row.number("isl") or 0.0, "prompt_tokens", "token"),
        output_tokens=stated(row, row.number("osl") or 0.0, "output_tokens", "token"),
    )
    reads = streamed(architecture)
    cache = architecture.read_bytes_per_request(context)
    keys = {
        "engine": row.text("engine").lower(),
        "weights": weights_word(architecture),
        "moe": "no" if architecture.moe is None else "yes",
        "model": architecture.model.id,
        **keys_of(accelerator),
    }
    floor = formulas.single_stream_floor_s(
        streamed_weights_bytes=reads, kv_read_bytes_per_request=cache, bandwidth_bytes_per_s=bandwidth
    )
    usual = decode.memory_time_s(
        weights_read_bytes=architecture.weights_read(1),
        stage_batch=1,
        kv_read_bytes_per_request=cache,
        kv_replication=1,
        tp=1,
        bandwidth_bytes_per_s=bandwidth,
        bandwidth_efficiency=library.assume("bandwidth-efficiency"),
    )
    return Case(
        row=row,
        inputs={
            "streamed_weights_bytes": reads,
            "matrix_flops": decode.decode_flops(
                batch=1,
                active_params=architecture.active_params_no_input_embedding,
                attention_flops_per_token=0,
            ),
            "attention_flops_per_token": architecture.decode_attention_flops(context),
            "layers": architecture.model.config.layers,
            "gpus": stated(row, gpus, "gpus", "count"),
            "bandwidth_bytes_per_s": bandwidth,
            "vector_flops_per_s": vector,
        },
        keys=keys,
        group=f"{architecture.model.id} | {accelerator.id} | {keys['engine']}",
        bound=decode.tokens_per_s_per_user(tpot_s=floor),
        reference=decode.tokens_per_s_per_user(tpot_s=usual),
    )


def predict(inputs: Inputs, constants: Inputs) -> Number:
    """Output tokens per second of a lone request."""
    step = formulas.single_stream_s(
        weights_stream_s=formulas.weights_stream_s(
            streamed_weights_bytes=inputs["streamed_weights_bytes"],
            bandwidth_bytes_per_s=inputs["bandwidth_bytes_per_s"],
            weights_bandwidth_share=constants["weights_bandwidth_share"],
        ),
        vector_products_s=formulas.vector_products_s(
            matrix_flops=inputs["matrix_flops"],
            vector_flops_per_s=inputs["vector_flops_per_s"],
            vector_share=constants["vector_share"],
        ),
        lone_attention_s=formulas.lone_attention_s(
            attention_flops_per_token=inputs["attention_flops_per_token"],
            vector_flops_per_s=inputs["vector_flops_per_s"],
            attention_vector_share=constants["attention_vector_share"],
            attention_limit_flops_per_s=constants["attention_limit_flops_per_s"],
        ),
        layer_launches_s=formulas.layer_launches_s(layers=inputs["layers"], launch_layer_s=constants["launch_layer_s"]),
        stage_handovers_s=formulas.stage_handovers_s(
            gpus=inputs["gpus"], stage_handover_s=constants["stage_handover_s"]
        ),
    )
    return formulas.single_stream_tokens_per_s(single_stream_s=step)


FAMILY = Family(
    id="single-stream-decode",
    name="Single-stream decode",
    what="Output tokens per second of one request without batching: reading the weights once a token, unpacking and"
    " multiplying them by one vector, attention, and fixed times of layers and of cards that take turns.",
    unit="token/s",
    claims=lambda row: row.metric == "decode_single_stream",
    express=_express,
    predict=predict,
    constants=CONSTANTS,
    bound_is="most",
    alike_by=("engine", "accelerator"),
    banded_by=("memory",),
    explain=reasons.of_single_stream,
)

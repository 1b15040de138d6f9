"""Prompt rate of one request alone, as llama.cpp prints it for one card or layers split over several."""

from __future__ import annotations

from typing import Any

from generator.estimates.architecture import Architecture
from generator.estimates.devices import peak
from generator.formulas import attention, memory, prefill
from generator.formulas import single_stream as formulas
from generator.specs.library import Library
from generator.validation.families import reasons
from generator.validation.families.cards import keys_of, widest_peak
from generator.validation.families.single_stream import architecture_of, cards_of, streamed, weights_word
from generator.validation.family import Case, Family, Inputs, Number
from generator.validation.leaves import stated
from generator.validation.rows import Row, Uncovered

SLOWEST_SHARE = 1 / 12
"""A prompt that computes at less than this share of one card's peak was limited by something else than the card."""
CONSTANTS = ("prompt_compute_share", "widening_passes", "score_bytes", "handover_bytes_per_s")


def _express(row: Row, library: Library) -> Case:
    architecture = architecture_of(row, library)
    accelerator, gpus = cards_of(row, library)
    prompt = stated(row, row.needed("isl"), "prompt_tokens", "token")
    usual, _ = peak(accelerator, library.find("number_formats", "fp16"))
    rate, bandwidth = widest_peak(accelerator, usual), accelerator.memory.bandwidth
    if rate is None or usual is None or bandwidth is None:
        raise Uncovered(f"peak or bandwidth of `{accelerator.id}` is not published")
    piece = library.assume("prompt-piece-tokens")
    pieces = formulas.prompt_pieces(prompt_tokens=prompt, piece_tokens=piece)
    body = architecture.active_params_no_embeddings
    products = prefill.prefill_flops(prompt_tokens=prompt, active_params=body, attention_flops_per_token=0)
    flops = prefill.prefill_flops(
        prompt_tokens=prompt,
        active_params=body,
        attention_flops_per_token=architecture.prefill_attention_flops(prompt),
    )
    ceiling = formulas.prompt_rate_ceiling_tokens_per_s(
        prompt_tokens=prompt, prefill_flops=flops, gpus=gpus, peak_flops_per_s=rate
    )
    weights = weights_word(architecture)
    slow = row.value * gpus < SLOWEST_SHARE * float(ceiling)
    return Case(
        row=row,
        inputs={
            "prompt_tokens": prompt,
            "prompt_matrix_flops": products,
            "prompt_scores": _scores(architecture, prompt, piece),
            "widened_bytes": _widened(architecture) if weights == "packed" else 0.0,
            "prompt_pieces": pieces,
            "pieces_in_flight": library.assume("prompt-pieces-in-flight"),
            "piece_bytes": formulas.piece_bytes(
                piece_tokens=piece,
                d_model=architecture.model.config.d_model,
                residual_bytes_per_value=library.assume("residual-bytes"),
            ),
            "gpus": stated(row, gpus, "gpus", "count"),
            "peak_flops_per_s": rate,
            "bandwidth_bytes_per_s": bandwidth,
        },
        keys={
            "engine": row.text("engine").lower(),
            "weights": weights,
            "moe": "no" if architecture.moe is None else "yes",
            "model": architecture.model.id,
            **keys_of(accelerator),
        },
        group=f"{architecture.model.id} | {accelerator.id} | {row.text('engine')}",
        bound=ceiling,
        reference=_reference(library, prompt, flops, usual),
        fitted=not slow,
        remark="computes at less than a twelfth of the peak of the cards" if slow else "",
    )


def _scores(architecture: Architecture, prompt: Any, piece: Any) -> Any:
    """Scores as computed: each piece against all tokens up to its end, masked ones too."""
    one = attention.grouped_query_attention_flops(
        n_heads=1, head_dim=getattr(architecture.model.config.attention[0], "head_dim", 128), seen_tokens=1
    )
    seen = formulas.masked_prompt_tokens(prompt_tokens=prompt, piece_tokens=piece)
    return formulas.prompt_scores(
        prompt_tokens=prompt,
        prompt_attention_flops_per_token=architecture.prefill_attention_flops(seen),
        score_flops=one,
    )


def _widened(architecture: Architecture) -> Any:
    wide = memory.uniform_weights_bytes(total_params=architecture.active_params_no_embeddings, bits_per_param=16)
    return formulas.widened_bytes(streamed_weights_bytes=streamed(architecture), wide_weights_bytes=wide)


def _reference(library: Library, prompt: Any, flops: Any, rate: Any) -> Any:
    """One card after another at the reference efficiency."""
    seconds = prefill.prefill_compute_time_s(
        prefill_flops=flops, tp=1, peak_flops_per_s=rate, compute_efficiency=library.assume("compute-efficiency")
    )
    return formulas.prompt_tokens_per_s(prompt_tokens=prompt, layered_prompt_s=seconds)


def predict(inputs: Inputs, constants: Inputs) -> Number:
    """Prompt tokens per second of a lone request."""
    bandwidth = inputs["bandwidth_bytes_per_s"]
    cards = {"prompt_pieces": inputs["prompt_pieces"], "gpus": inputs["gpus"]}
    seconds = formulas.layered_prompt_s(
        prompt_products_s=formulas.prompt_products_s(
            prompt_matrix_flops=inputs["prompt_matrix_flops"],
            peak_flops_per_s=inputs["peak_flops_per_s"],
            prompt_compute_share=constants["prompt_compute_share"],
        ),
        widening_s=formulas.widening_s(
            prompt_pieces=inputs["prompt_pieces"],
            widened_bytes=inputs["widened_bytes"],
            widening_passes=constants["widening_passes"],
            bandwidth_bytes_per_s=bandwidth,
        ),
        score_traffic_s=formulas.score_traffic_s(
            prompt_scores=inputs["prompt_scores"],
            score_bytes=constants["score_bytes"],
            bandwidth_bytes_per_s=bandwidth,
        ),
        pipeline_turns=formulas.pipeline_turns(pieces_in_flight=inputs["pieces_in_flight"], **cards),
        piece_handover_s=formulas.piece_handover_s(
            piece_bytes=inputs["piece_bytes"],
            gpus=inputs["gpus"],
            handover_bytes_per_s=constants["handover_bytes_per_s"],
        ),
        **cards,
    )
    return formulas.prompt_tokens_per_s(prompt_tokens=inputs["prompt_tokens"], layered_prompt_s=seconds)


FAMILY = Family(
    id="prompt-rate",
    name="Prompt rate",
    what="Prompt tokens per second of one request: matrix products at a share of the peak, widening quantised weights,"
    " moving attention scores through memory, and pieces of the prompt that pass the cards in turn.",
    unit="token/s",
    claims=lambda row: row.metric == "prefill_rate",
    express=_express,
    predict=predict,
    constants=CONSTANTS,
    bound_is="most",
    alike_by=("engine", "accelerator"),
    banded_by=("memory",),
    explain=reasons.of_prompts,
)

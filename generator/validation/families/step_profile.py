"""Time of one step of a tensor-parallel engine: a batch of prompts, or one token of each request of a batch."""

from __future__ import annotations

from typing import Any

from generator.estimates.architecture import Architecture
from generator.estimates.devices import device
from generator.formulas import decode, parallelism, prefill
from generator.formulas import single_stream as formulas
from generator.specs.library import Library
from generator.validation import names
from generator.validation.families import reasons
from generator.validation.families.cards import keys_of
from generator.validation.families.single_stream import architecture_of, streamed
from generator.validation.family import Case, Family, Inputs, Number
from generator.validation.leaves import stated
from generator.validation.rows import Row, Uncovered

PROMPT = ("prompt_time", "first_token_latency", "mean_ttft")
CAPPED = "-pcap"
"""End of the name of a card with a power cap."""
CONSTANTS = (
    "profile_compute_share", "profile_bandwidth_share", "reduction_link_share", "reduction_latency_s",
    "profile_layer_s", "profile_request_s", "profile_prompt_s",
)  # fmt: skip


def _claims(row: Row) -> bool:
    if row.metric == "mean_ttft":
        return row.number("batch_or_concurrency") == 1
    return row.metric in ("prompt_time", "token_time", "first_token_latency")


def _express(row: Row, library: Library) -> Case:
    name = row.text("gpu")
    architecture = architecture_of(row, library)
    accelerator = names.accelerator(library, name.removesuffix(CAPPED))
    card = device(accelerator, library, architecture.compute_format)
    if card.bandwidth_bytes_per_s is None or card.peak_flops_per_s is None:
        raise Uncovered(f"bandwidth or peak of `{accelerator.id}` is not published")
    tp = row.number("tp") or row.needed("n_gpus")
    if tp > 1 and card.scale_up_bytes_per_s is None:
        raise Uncovered(f"no link of `{accelerator.id}` is published")
    is_prompt = row.metric in PROMPT
    batch = stated(row, row.needed("batch_or_concurrency"), "batch", "count")
    prompt = stated(row, row.needed("isl"), "prompt_tokens", "token")
    sizes = _prompt(architecture, batch, prompt) if is_prompt else _token(row, architecture, batch, prompt)
    model, engine = architecture.model, row.text("engine").lower()
    rates = {"peak_flops_per_s": card.peak_flops_per_s, "bandwidth_bytes_per_s": card.bandwidth_bytes_per_s}
    tokens = sizes.pop("tokens")
    traced_tp = stated(row, tp, "tp", "count")
    common = {"tp": traced_tp, **sizes, **rates}
    floor = formulas.profile_floor_s(**common)
    impossible = row.value * 1e-3 < float(floor)
    keys = {
        "engine": engine,
        "version": row.text("engine_version") or "unstated",
        "phase": "prompt" if is_prompt else "token",
        "power": "capped" if name.endswith(CAPPED) else "full",
        "format": architecture.compute_format.id,
        "link": "scale-up" if accelerator.scale_up else "host",
        "moe": "no" if architecture.moe is None else "yes",
        "model": model.id,
        **keys_of(accelerator),
    }
    return Case(
        row=row,
        inputs={
            **common,
            "layers": model.config.layers,
            # Attention and feed-forward network that read the same input share one all-reduce.
            "reductions_per_layer": 1.0 if model.config.parallel_blocks else 2.0,
            "all_reduce_bytes": parallelism.all_reduce_bytes(
                degree=traced_tp,
                message_tokens=tokens,
                d_model=model.config.d_model,
                activation_bytes_per_value=library.assume("activation-bytes"),
            ),
            "link_bytes_per_s": card.scale_up_bytes_per_s if tp > 1 else 1e9,
            "batch": batch,
            "prompt_passes": float(is_prompt),
        },
        keys=keys,
        group=f"{model.id} | {accelerator.id} x {tp:g} {keys['power']} | {engine} | {keys['phase']}",
        bound=None if impossible else floor,
        reference=_reference(library, common),
        per_unit=1e-3,
        fitted=not impossible,
        remark="faster than the peak of all cards: not a run of this batch" if impossible else "",
        identity=_identity(row, model.id, accelerator.id, tp),
    )


def _identity(row: Row, model: str, accelerator: str, tp: float) -> tuple[Any, ...] | None:
    """First-token tables of old releases were printed again for the next one."""
    if row.metric != "first_token_latency":
        return None
    return (row.metric, model, accelerator, tp, row.text("isl"), row.text("batch_or_concurrency"), row.value)


def _prompt(architecture: Architecture, batch: Any, prompt: Any) -> dict[str, Any]:
    """FLOPs, bytes and tokens of a batch of prompts."""
    tokens = formulas.profile_tokens(batch=batch, prompt_tokens=prompt)
    flops = prefill.prefill_flops(
        prompt_tokens=tokens,
        active_params=architecture.active_params_no_embeddings,
        attention_flops_per_token=architecture.prefill_attention_flops(prompt),
    )
    return {"profile_flops": flops, "profile_bytes": streamed(architecture, tokens), "tokens": tokens}


def _token(row: Row, architecture: Architecture, batch: Any, prompt: Any) -> dict[str, Any]:
    """FLOPs, bytes and tokens of one token of each request."""
    output = stated(row, row.number("osl") or 0.0, "output_tokens", "token")
    context = decode.mean_context_tokens(prompt_tokens=prompt, output_tokens=output)
    flops = decode.decode_flops(
        batch=batch,
        active_params=architecture.active_params_no_input_embedding,
        attention_flops_per_token=architecture.decode_attention_flops(context),
    )
    read = decode.decode_bytes(
        weights_read_bytes=streamed(architecture, batch),
        batch=batch,
        kv_read_bytes_per_request=architecture.read_bytes_per_request(context),
    )
    return {"profile_flops": flops, "profile_bytes": read, "tokens": batch}


def _reference(library: Library, common: Inputs) -> Number:
    """The slower of computing and reading at the reference efficiencies."""
    compute = prefill.prefill_compute_time_s(
        prefill_flops=common["profile_flops"],
        tp=common["tp"],
        peak_flops_per_s=common["peak_flops_per_s"],
        compute_efficiency=library.assume("compute-efficiency"),
    )
    read = prefill.prefill_memory_time_s(
        weights_read_bytes=common["profile_bytes"],
        tp=common["tp"],
        bandwidth_bytes_per_s=common["bandwidth_bytes_per_s"],
        bandwidth_efficiency=library.assume("bandwidth-efficiency"),
    )
    return prefill.prefill_s(
        prefill_compute_time_s=compute, prefill_memory_time_s=read, prefill_communication_time_s=0.0
    )


def predict(inputs: Inputs, constants: Inputs) -> Number:
    """Seconds of one step."""
    blended = formulas.blended_s(
        profile_compute_s=formulas.profile_compute_s(
            profile_flops=inputs["profile_flops"],
            tp=inputs["tp"],
            peak_flops_per_s=inputs["peak_flops_per_s"],
            profile_compute_share=constants["profile_compute_share"],
        ),
        profile_read_s=formulas.profile_read_s(
            profile_bytes=inputs["profile_bytes"],
            tp=inputs["tp"],
            bandwidth_bytes_per_s=inputs["bandwidth_bytes_per_s"],
            profile_bandwidth_share=constants["profile_bandwidth_share"],
        ),
    )
    reductions = formulas.reductions_s(
        layers=inputs["layers"],
        reductions_per_layer=inputs["reductions_per_layer"],
        tp=inputs["tp"],
        all_reduce_bytes=inputs["all_reduce_bytes"],
        link_bytes_per_s=inputs["link_bytes_per_s"],
        reduction_link_share=constants["reduction_link_share"],
        reduction_latency_s=constants["reduction_latency_s"],
    )
    fixed = formulas.profile_fixed_s(
        layers=inputs["layers"],
        profile_layer_s=constants["profile_layer_s"],
        batch=inputs["batch"],
        profile_request_s=constants["profile_request_s"],
        prompt_passes=inputs["prompt_passes"],
        profile_prompt_s=constants["profile_prompt_s"],
    )
    return formulas.profile_step_s(blended_s=blended, reductions_s=reductions, profile_fixed_s=fixed)


FAMILY = Family(
    id="step-profile",
    name="Step profile",
    what="Seconds of a step that takes prompts in or makes one token of each request: computing and reading, which"
    " overlap in part, all-reduces, and fixed times of layers and requests.",
    unit="s",
    claims=_claims,
    express=_express,
    predict=predict,
    constants=CONSTANTS,
    bound_is="least",
    alike_by=("engine", "accelerator", "phase"),
    banded_by=("phase",),
    explain=reasons.of_step,
)

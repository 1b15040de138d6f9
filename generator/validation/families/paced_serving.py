"""Latencies of an engine to which requests come at a rate, or all at once: to the first token, and between tokens."""

from __future__ import annotations

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

PACED = "qps="
AT_ONCE_S = 1e-9
"""Time between arrivals of a run that sends all requests at once."""
CONSTANTS = (
    "profile_compute_share", "profile_bandwidth_share", "reduction_link_share", "reduction_latency_s",
    "profile_layer_s", "paced_request_s", "sequence_s", "front_s", "waited_steps", "idle_share",
    "sent_requests", "step_budget_tokens",
)  # fmt: skip


def _claims(row: Row) -> bool:
    paced = row.text("batch_or_concurrency").lower().startswith(PACED)
    return paced and row.metric in ("mean_ttft", "mean_itl")


def _gap(row: Row) -> float:
    """Seconds between arrivals. Raises Uncovered."""
    told = row.text("batch_or_concurrency").lower().removeprefix(PACED)
    if told == "inf":
        return AT_ONCE_S
    try:
        return 1 / float(told)
    except (ValueError, ZeroDivisionError):
        raise Uncovered("the rate of arrivals is not a number") from None


def _express(row: Row, library: Library) -> Case:
    architecture = architecture_of(row, library)
    accelerator = names.accelerator(library, row.text("gpu"))
    card = device(accelerator, library, architecture.compute_format)
    if card.bandwidth_bytes_per_s is None or card.peak_flops_per_s is None:
        raise Uncovered(f"bandwidth or peak of `{accelerator.id}` is not published")
    tp = row.number("tp") or row.needed("n_gpus")
    if tp > 1 and card.scale_up_bytes_per_s is None:
        raise Uncovered(f"no link of `{accelerator.id}` is published")
    prompt = stated(row, row.needed("isl"), "prompt_tokens", "token")
    output = stated(row, row.needed("osl"), "output_tokens", "token")
    degree = stated(row, tp, "tp", "count")
    model, config = architecture.model, architecture.model.config
    rates = {"peak_flops_per_s": card.peak_flops_per_s, "bandwidth_bytes_per_s": card.bandwidth_bytes_per_s}
    flops = prefill.prefill_flops(
        prompt_tokens=prompt,
        active_params=architecture.active_params_no_embeddings,
        attention_flops_per_token=architecture.prefill_attention_flops(prompt),
    )
    read = streamed(architecture)
    first = row.metric == "mean_ttft"
    floor = formulas.profile_floor_s(profile_flops=flops if first else 0.0, profile_bytes=read, tp=degree, **rates)
    message = {
        "degree": degree,
        "d_model": config.d_model,
        "activation_bytes_per_value": library.assume("activation-bytes"),
    }
    return Case(
        row=row,
        inputs={
            "prompt_flops": flops,
            "profile_bytes": read,
            "kv_read_bytes_per_request": architecture.read_bytes_per_request(
                decode.mean_context_tokens(prompt_tokens=prompt, output_tokens=output)
            ),
            "prompt_reduce_bytes": parallelism.all_reduce_bytes(message_tokens=prompt, **message),
            "token_reduce_bytes": parallelism.all_reduce_bytes(message_tokens=1, **message),
            "link_bytes_per_s": card.scale_up_bytes_per_s if tp > 1 else 1e9,
            "layers": config.layers,
            "tp": degree,
            "prompt_tokens": prompt,
            "output_tokens": output,
            "arrival_gap_s": stated(row, _gap(row), "arrival_gap_s", "s"),
            "is_first_token": float(first),
            **rates,
        },
        keys={
            "engine": row.text("engine").lower(),
            "version": row.text("engine_version") or "unstated",
            "latency": "first token" if first else "between tokens",
            "format": architecture.compute_format.id,
            "moe": "no" if architecture.moe is None else "yes",
            "model": model.id,
            **keys_of(accelerator),
        },
        group=f"{model.id} | {accelerator.id} x {tp:g} | {row.text('engine')}",
        bound=floor,
        reference=_reference(library, flops if first else None, read, degree, rates),
        per_unit=1e-3,
    )


def _reference(library: Library, flops: Number | None, read: Number, tp: Number, rates: Inputs) -> Number:
    """The prompt, or one reading of the weights, at the reference efficiencies and without any load."""
    if flops is None:
        return prefill.prefill_memory_time_s(
            weights_read_bytes=read,
            tp=tp,
            bandwidth_bytes_per_s=rates["bandwidth_bytes_per_s"],
            bandwidth_efficiency=library.assume("bandwidth-efficiency"),
        )
    return prefill.prefill_compute_time_s(
        prefill_flops=flops,
        tp=tp,
        peak_flops_per_s=rates["peak_flops_per_s"],
        compute_efficiency=library.assume("compute-efficiency"),
    )


def predict(inputs: Inputs, constants: Inputs) -> Number:
    """Seconds to the first token, or between tokens."""
    group = {"tp": inputs["tp"]}
    bandwidth = {
        "bandwidth_bytes_per_s": inputs["bandwidth_bytes_per_s"],
        "profile_bandwidth_share": constants["profile_bandwidth_share"],
    }
    collectives = {
        "layers": inputs["layers"],
        "reductions_per_layer": 2,
        "link_bytes_per_s": inputs["link_bytes_per_s"],
        "reduction_link_share": constants["reduction_link_share"],
        "reduction_latency_s": constants["reduction_latency_s"],
        **group,
    }
    prompt = formulas.paced_prompt_s(
        profile_compute_s=formulas.profile_compute_s(
            profile_flops=inputs["prompt_flops"],
            peak_flops_per_s=inputs["peak_flops_per_s"],
            profile_compute_share=constants["profile_compute_share"],
            **group,
        ),
        reductions_s=formulas.reductions_s(all_reduce_bytes=inputs["prompt_reduce_bytes"], **collectives),
        paced_request_s=constants["paced_request_s"],
    )
    step = formulas.profile_step_s(
        blended_s=formulas.profile_read_s(profile_bytes=inputs["profile_bytes"], **bandwidth, **group),
        reductions_s=formulas.reductions_s(all_reduce_bytes=inputs["token_reduce_bytes"], **collectives),
        profile_fixed_s=formulas.layer_launches_s(layers=inputs["layers"], launch_layer_s=constants["profile_layer_s"]),
    )
    sequence = formulas.paced_sequence_s(
        kv_read_bytes_per_request=inputs["kv_read_bytes_per_request"],
        sequence_s=constants["sequence_s"],
        **bandwidth,
        **group,
    )
    work = {"paced_prompt_s": prompt}
    arrivals = {"arrival_gap_s": inputs["arrival_gap_s"], "idle_share": constants["idle_share"]}
    sent = constants["sent_requests"]
    sizes = {
        "prompt_tokens": inputs["prompt_tokens"],
        "output_tokens": inputs["output_tokens"],
        "step_budget_tokens": constants["step_budget_tokens"],
        "sent_requests": sent,
    }
    itl = formulas.paced_itl_s(
        steady_itl_s=formulas.steady_itl_s(
            profile_step_s=step,
            paced_sequence_s=sequence,
            output_tokens=inputs["output_tokens"],
            **work,
            **arrivals,
        ),
        burst_itl_s=formulas.burst_itl_s(
            mixed_steps=formulas.mixed_steps(**sizes),
            profile_step_s=step,
            paced_sequence_s=sequence,
            **work,
            **sizes,
        ),
    )
    first = formulas.paced_ttft_s(
        front_s=constants["front_s"],
        paced_itl_s=itl,
        waited_steps=constants["waited_steps"],
        decoding_share=formulas.decoding_share(
            output_tokens=inputs["output_tokens"], paced_itl_s=itl, arrival_gap_s=inputs["arrival_gap_s"]
        ),
        prompt_queue_s=formulas.prompt_queue_s(**work, **arrivals),
        paced_backlog_s=formulas.paced_backlog_s(sent_requests=sent, arrival_gap_s=inputs["arrival_gap_s"], **work),
        **work,
    )
    return formulas.paced_latency_s(is_first_token=inputs["is_first_token"], paced_ttft_s=first, paced_itl_s=itl)


FAMILY = Family(
    id="paced-serving",
    name="Serving at a fixed rate",
    what="Time to first token and time between tokens of an engine to which requests come at a rate or all at once:"
    " a step that the prompts of others stretch, a queue for prompts, and a backlog where they come too fast.",
    unit="s",
    claims=_claims,
    express=_express,
    predict=predict,
    constants=CONSTANTS,
    bound_is="least",
    alike_by=("engine", "accelerator"),
    banded_by=("latency",),
    explain=reasons.of_paced,
)

"""Every number of a serving configuration: what fits, one decode step, one prefill, rates and prices.

Arguments may be arrays, so one call measures a whole grid.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from generator.estimates.architecture import Architecture
from generator.estimates.devices import Device
from generator.estimates.layouts import Layout, Load
from generator.formulas import cost, decode, memory, moe, parallelism, prefill
from generator.formulas.elementary import either
from generator.provenance import choice
from generator.specs.library import Library

Number = Any


@dataclass(frozen=True)
class ServingNumbers:
    """Every number of one configuration, or of many if arrays went in. What cannot be known is None."""

    weights_bytes: Number
    resident_weights_bytes: Number
    weights_bytes_per_gpu: Number
    workspace_bytes: Number
    usable_memory_bytes: Number
    shortfall_bytes: Number
    kv_bytes_per_token: Number
    kv_fixed_bytes_per_request: Number
    kv_bytes_per_request: Number
    kv_replication: Number
    kv_capacity_bytes: Number
    kv_capacity_tokens: Number | None
    max_concurrent_requests: Number
    mean_context_tokens: Number
    weights_read_bytes: Number
    expert_share_read: Number
    kv_read_bytes_per_request: Number
    attention_flops_per_token: Number
    memory_time_s: Number | None
    compute_time_s: Number | None
    communication_time_s: Number | None
    tpot_s: Number | None
    prefill_s: Number | None
    wait_s: Number | None
    ttft_s: Number | None
    request_s: Number | None
    tokens_per_s: Number | None
    tokens_per_s_per_user: Number | None
    tokens_per_s_per_gpu: Number | None
    mixed_tokens_per_s: Number | None
    usd_per_million_tokens: Number | None
    usd_per_million_tokens_mixed: Number | None
    usd_per_million_input_tokens: Number | None
    energy_j_per_token: Number | None


def communication_time_s(
    architecture: Architecture, device: Device, library: Library, layout: Layout, tokens: Number, meeting: Number
) -> Number:
    """Time of all collectives of one pass that carries `tokens` tokens through one replica.

    `meeting` tokens of all replicas meet at the same experts.
    """
    if all(map(_is_one, (layout.tp, layout.pp, layout.ep))):
        return choice(0.0, name="communication_time_s", unit="s", reason="one accelerator: nothing to communicate")
    config = architecture.model.config
    values = library.assume("activation-bytes")
    links = {"scale_up_bytes_per_s": device.scale_up_bytes_per_s, "scale_out_bytes_per_s": device.scale_out_bytes_per_s}
    latencies = {"scale_up_latency_s": device.scale_up_latency_s, "scale_out_latency_s": device.scale_out_latency_s}
    # A missing link is no link: its time is not a number, and the configuration is not feasible.
    links = {name: float("nan") if rate is None else rate for name, rate in links.items()}

    def link(degree: Number) -> dict[str, Number]:
        domain = {"degree": degree, "domain_gpus": device.domain_gpus}
        return {
            "link_bytes_per_s": parallelism.link_bytes_per_s(**domain, **links),
            "link_latency_s": parallelism.link_latency_s(**domain, **latencies),
        }

    volume = parallelism.all_reduce_bytes(
        degree=layout.tp, message_tokens=tokens, d_model=config.d_model, activation_bytes_per_value=values
    )
    tensor = parallelism.tensor_parallel_time_s(
        layers=architecture.paired_layers, degree=layout.tp, all_reduce_bytes=volume, **link(layout.tp)
    )
    expert: Number = 0
    if architecture.moe is not None and not _is_one(layout.ep):
        volume = parallelism.all_to_all_bytes(
            message_tokens=meeting,
            ep=layout.ep,
            top_k=architecture.moe.top_k,
            d_model=config.d_model,
            dispatch_bytes_per_value=values,
            combine_bytes_per_value=values,
        )
        expert = parallelism.expert_parallel_time_s(
            moe_layers=architecture.moe_layers, ep=layout.ep, all_to_all_bytes=volume, **link(layout.ep)
        )
    pipeline: Number = 0
    if not _is_one(layout.pp):
        pipeline = parallelism.pipeline_time_s(
            pp=layout.pp,
            message_tokens=tokens,
            d_model=config.d_model,
            activation_bytes_per_value=values,
            link_bytes_per_s=link(parallelism.replica_gpus(tp=layout.tp, pp=layout.pp))["link_bytes_per_s"],
            hop_latency_s=library.assume("hop-latency"),
        )
    return parallelism.communication_time_s(
        tensor_parallel_time_s=tensor, expert_parallel_time_s=expert, pipeline_time_s=pipeline
    )


def _is_one(degree: Number) -> bool:
    return isinstance(degree, (int, float)) and degree == 1


def measure(architecture: Architecture, device: Device, library: Library, layout: Layout, load: Load) -> ServingNumbers:
    """Every number of a configuration; arguments of `layout` and `load` may be arrays that broadcast."""
    tp, pp, dp = layout.tp, layout.pp, layout.dp
    usable = memory.usable_memory_bytes(
        memory_utilization=library.assume("memory-utilization"),
        gpu_memory_share=device.memory_share,
        device_memory_bytes=device.memory_bytes,
    )
    workspace = library.assume("workspace-per-gpu")
    resident = memory.resident_weights_bytes(
        always_read_bytes=architecture.always_read_bytes,
        expert_bytes=architecture.expert_bytes,
        gpus=layout.gpus,
        tp=tp,
        pp=pp,
        ep=layout.ep,
    )
    room = {
        "usable_memory_bytes": usable,
        "gpus": layout.gpus,
        "resident_weights_bytes": resident,
        "workspace_bytes": workspace,
    }
    capacity = memory.kv_capacity_bytes(**room)
    replication = memory.kv_replication(tp=tp, n_kv_heads=architecture.kv_replicas_limit)
    context = memory.context_of_request(prompt_tokens=load.prompt_tokens, output_tokens=load.output_tokens)
    request_bytes = architecture.request_bytes(context, library.assume("kv-block-tokens"))
    concurrent = memory.max_concurrent_requests(
        kv_capacity_bytes=capacity, dp=dp, kv_bytes_per_request=request_bytes, kv_replication=replication
    )
    capacity_tokens = None
    if architecture.kv_bytes_per_token:
        capacity_tokens = memory.kv_capacity_tokens(
            kv_capacity_bytes=capacity,
            max_concurrent_requests=concurrent,
            kv_fixed_bytes_per_request=architecture.fixed_bytes(context),
            kv_bytes_per_token=architecture.kv_bytes_per_token,
            kv_replication=replication,
        )
    mean_context = decode.mean_context_tokens(prompt_tokens=load.prompt_tokens, output_tokens=load.output_tokens)
    stage_batch = load.batch if _is_one(dp) else decode.replica_batch(batch=load.batch, dp=dp)
    if not _is_one(pp):
        stage_batch = decode.stage_batch(replica_batch=stage_batch, pp=pp)
    meeting = _meeting(architecture, layout, stage_batch, load.batch)
    share, read = weights_read(architecture, layout, meeting)
    common = {
        "weights_bytes": architecture.weights_bytes,
        "resident_weights_bytes": resident,
        "weights_bytes_per_gpu": memory.weights_bytes_per_gpu(resident_weights_bytes=resident, gpus=layout.gpus),
        "workspace_bytes": workspace,
        "usable_memory_bytes": usable,
        "shortfall_bytes": memory.shortfall_bytes(**room),
        "kv_bytes_per_token": architecture.kv_bytes_per_token,
        "kv_fixed_bytes_per_request": architecture.kv_fixed_bytes_per_request,
        "kv_bytes_per_request": request_bytes,
        "kv_replication": replication,
        "kv_capacity_bytes": capacity,
        "kv_capacity_tokens": capacity_tokens,
        "max_concurrent_requests": concurrent,
        "mean_context_tokens": mean_context,
        "weights_read_bytes": read,
        "expert_share_read": share,
        "kv_read_bytes_per_request": architecture.read_bytes_per_request(mean_context),
        "attention_flops_per_token": architecture.decode_attention_flops(mean_context),
    }
    if device.bandwidth_bytes_per_s is None or device.peak_flops_per_s is None:
        unknown = set(ServingNumbers.__dataclass_fields__) - set(common)
        return ServingNumbers(**common, **dict.fromkeys(unknown))
    return ServingNumbers(
        **common,
        **_times(architecture, device, library, layout, load, stage_batch, meeting, common),
    )


def _meeting(architecture: Architecture, layout: Layout, stage_batch: Number, batch: Number) -> Number:
    """Requests whose tokens meet at the same experts in one step."""
    if architecture.moe is None or _is_one(layout.ep):
        return stage_batch
    return moe.expert_batch(stage_batch=stage_batch, batch=batch, tp=layout.tp, ep=layout.ep)


def weights_read(architecture: Architecture, layout: Layout, meeting: Number) -> tuple[Number, Number]:
    """Share of the experts that a step reads, and the weights read by one tensor-parallel group."""
    if architecture.moe is None:
        return 0, architecture.always_read_bytes
    share = architecture.share_read(meeting)
    held = moe.expert_bytes_of_replica(expert_bytes=architecture.expert_bytes, tp=layout.tp, ep=layout.ep)
    return share, moe.weights_read_bytes(
        always_read_bytes=architecture.always_read_bytes, expert_bytes=held, expert_share_read=share
    )


def _times(
    architecture: Architecture,
    device: Device,
    library: Library,
    layout: Layout,
    load: Load,
    stage_batch: Number,
    meeting: Number,
    known: dict[str, Number],
) -> dict[str, Number]:
    reading = {
        "tp": layout.tp,
        "bandwidth_bytes_per_s": device.bandwidth_bytes_per_s,
        "bandwidth_efficiency": library.assume("bandwidth-efficiency"),
    }
    computing = {
        "tp": layout.tp,
        "peak_flops_per_s": device.peak_flops_per_s,
        "compute_efficiency": library.assume("compute-efficiency"),
    }
    memory_time = decode.memory_time_s(
        weights_read_bytes=known["weights_read_bytes"],
        stage_batch=stage_batch,
        kv_read_bytes_per_request=known["kv_read_bytes_per_request"],
        kv_replication=known["kv_replication"],
        **reading,
    )
    compute_time = decode.compute_time_s(
        stage_batch=stage_batch,
        active_params=architecture.active_params,
        attention_flops_per_token=known["attention_flops_per_token"],
        **computing,
    )
    communication = communication_time_s(architecture, device, library, layout, stage_batch, meeting)
    tpot = decode.tpot_s(memory_time_s=memory_time, compute_time_s=compute_time, communication_time_s=communication)
    prompt = load.prompt_tokens
    prompts = prompt
    if architecture.moe is not None and not _is_one(layout.ep):
        prompts = moe.expert_prompt_tokens(prompt_tokens=prompt, tp=layout.tp, ep=layout.ep)
    prefill_time: Number = 0
    if not (isinstance(prompt, (int, float)) and prompt == 0):
        prefill_time = prefill.prefill_s(
            prefill_compute_time_s=prefill.prefill_compute_time_s(
                prefill_flops=prefill.prefill_flops(
                    prompt_tokens=prompt,
                    active_params=architecture.active_params,
                    attention_flops_per_token=architecture.prefill_attention_flops(prompt),
                ),
                **computing,
            ),
            prefill_memory_time_s=prefill.prefill_memory_time_s(
                weights_read_bytes=weights_read(architecture, layout, prompts)[1], **reading
            ),
            prefill_communication_time_s=communication_time_s(architecture, device, library, layout, prompt, prompts),
        )
        if not isinstance(prompt, (int, float)):
            # An array may hold empty prompts; they need no prefill, as above.
            prefill_time = either(prompt > 0, prefill_time, 0)
    wait: Number = 0
    if load.users is not None:
        wait = prefill.wait_s(
            users=load.users, slots=load.batch, prefill_s=prefill_time, output_tokens=load.output_tokens, tpot_s=tpot
        )
    ttft = prefill.ttft_s(wait_s=wait, prefill_s=prefill_time, tpot_s=tpot)
    rate = decode.tokens_per_s(batch=load.batch, tpot_s=tpot)
    mixed = prefill.mixed_tokens_per_s(
        batch=load.batch, dp=layout.dp, output_tokens=load.output_tokens, prefill_s=prefill_time, tpot_s=tpot
    )
    tdp = device.accelerator.tdp
    return {
        "memory_time_s": memory_time,
        "compute_time_s": compute_time,
        "communication_time_s": communication,
        "tpot_s": tpot,
        "prefill_s": prefill_time,
        "wait_s": wait,
        "ttft_s": ttft,
        "request_s": prefill.request_s(ttft_s=ttft, output_tokens=load.output_tokens, tpot_s=tpot),
        "tokens_per_s": rate,
        "tokens_per_s_per_user": decode.tokens_per_s_per_user(tpot_s=tpot),
        "tokens_per_s_per_gpu": decode.tokens_per_s_per_gpu(tokens_per_s=rate, gpus=layout.gpus),
        "mixed_tokens_per_s": mixed,
        "energy_j_per_token": decode.request_energy_j_per_token(tdp_w=tdp, gpus=layout.gpus, tokens_per_s=rate)
        if tdp is not None
        else None,
        **_prices(layout, load, rate, mixed, prefill_time),
    }


def _prices(layout: Layout, load: Load, rate: Number, mixed: Number, prefill_time: Number) -> dict[str, Number | None]:
    price = load.usd_per_gpu_hour
    if price is None:
        return dict.fromkeys(("usd_per_million_tokens", "usd_per_million_tokens_mixed", "usd_per_million_input_tokens"))
    hourly = {"gpus": layout.gpus, "usd_per_gpu_hour": price}
    has_prompt = not (isinstance(load.prompt_tokens, (int, float)) and load.prompt_tokens == 0)
    return {
        "usd_per_million_tokens": cost.usd_per_million_tokens(tokens_per_s=rate, **hourly),
        "usd_per_million_tokens_mixed": cost.usd_per_million_tokens_mixed(mixed_tokens_per_s=mixed, **hourly),
        "usd_per_million_input_tokens": cost.usd_per_million_input_tokens(
            dp=layout.dp, prompt_tokens=load.prompt_tokens, prefill_s=prefill_time, **hourly
        )
        if has_prompt
        else None,
    }

"""What a run with all requests queued is made of: inputs of its formulas, bound, reference, and the prediction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from generator.estimates.architecture import Architecture, NotSupported, describe
from generator.estimates.devices import peak
from generator.formulas import decode, memory, moe
from generator.formulas import offline as formulas
from generator.specs.library import Library, UnknownId
from generator.specs.records import Accelerator, NumberFormat
from generator.validation import names
from generator.validation.families.cards import keys_of
from generator.validation.family import Inputs, Number
from generator.validation.leaves import stated
from generator.validation.rows import Row, Uncovered

AT_ONCE = 1e12
"""Requests per second when all are there from the start."""
ARRIVAL_STEPS = 4
"""Repetitions that settle the requests in flight at an arrival rate."""
CONSTANTS = (
    "offline_memory_share", "offline_reserve_bytes", "batch_limit", "offline_weights_efficiency",
    "offline_kv_efficiency", "row_bandwidth_efficiency", "offline_matmul_efficiency", "offline_expert_efficiency",
    "head_matmul_efficiency", "prompt_attention_efficiency", "scalar_attention_share", "offline_link_efficiency",
    "overlap_exponent", "offline_reduction_s", "offline_layer_s", "offline_expert_layer_s", "offline_step_s",
    "offline_sequence_s", "offline_request_s",
)  # fmt: skip
# How the tables spell formats that have another id here.
_WHOLE = {"mistral-7b-v0.1": "mistral-7b-v0.3"}
"""Models whose window the compiled engines do not use: the same shape without a window."""


@dataclass(frozen=True)
class Run:
    """One run: what is run on what, and how requests come.

    attention_ranks: groups that each hold attention whole and share the requests; 1 where attention is split.
    fixed_batch: requests of a fixed batch, 0 if the engine fills its batch from the queue.
    """

    architecture: Architecture
    number_format: NumberFormat
    accelerator: Accelerator
    prompt_tokens: float
    output_tokens: float
    requests: Number
    block_tokens: float
    tp: float = 1.0
    pp: float = 1.0
    attention_ranks: float = 1.0
    fixed_batch: float = 0.0
    arrival_rate_per_s: float = AT_ONCE
    scalar_attention: bool = False


def number_format(library: Library, spelt: str) -> NumberFormat:
    """Number format of a row's column. Raises Uncovered."""
    try:
        return library.find("number_formats", names.format_spelt(spelt))
    except UnknownId:
        raise Uncovered(
            f"weights in `{spelt}` have no number format" if spelt else "weight format not stated"
        ) from None


def architecture_of(library: Library, name: str, weights: NumberFormat, kv: str, windows: bool = True) -> Architecture:
    """A model with all of its matrices in one format. Raises Uncovered."""
    model = names.model(library, name).model
    if not windows:
        model = library.find("models", _WHOLE.get(model.id, model.id))
    try:
        return describe(model, library, weights=weights.id, kv=names.format_spelt(kv) or "native")
    except (UnknownId, NotSupported):
        raise Uncovered(f"a cache in `{kv}` is not known") from None


def formats_word(weights: NumberFormat) -> str:
    """Number format as constants name it: all 16-bit ones are one."""
    return "16-bit" if weights.id in ("fp16", "bf16") else weights.id


def card_keys(
    library: Library, accelerator: Accelerator, weights: NumberFormat, architecture: Architecture
) -> dict[str, str]:
    """Keys that tell the hardware, the format and the kind of model."""
    return {
        "model": architecture.model.id,
        **keys_of(accelerator),
        "format": formats_word(weights),
        "link": "nvlink" if switched(library, accelerator) else "pcie",
        "host": "grace" if accelerator.id.startswith(("gb", "gh")) else "other",
        "moe": "no" if architecture.moe is None else "yes",
    }


def switched(library: Library, accelerator: Accelerator) -> bool:
    """Whether a link joins a whole host; a bridge between neighbouring cards is an option that rows do not mention."""
    host = library.assume("gpus-per-host")
    return accelerator.scale_up is not None and float(accelerator.scale_up.domain_gpus) >= host


def inputs_of(row: Row, run: Run, library: Library) -> dict[str, Number]:
    """Every number that the formulas of a run take. Raises Uncovered."""
    model, card = run.architecture, run.accelerator
    config = model.model.config
    link = card.scale_up if switched(library, card) else card.host_link
    flops, _ = peak(card, _multiplied(run, library))
    plain = card.dense_peak.bf16 or card.dense_peak.fp16
    if flops is None or plain is None or card.memory.bandwidth is None or link is None:
        raise Uncovered(f"peak, bandwidth or link of `{card.id}` is not published")
    prompt = stated(row, run.prompt_tokens, "prompt_tokens", "token")
    output = stated(row, run.output_tokens, "output_tokens", "token")
    context = decode.mean_context_tokens(prompt_tokens=prompt, output_tokens=output)
    body = formulas.body_params(
        attention_params=model.attention_params,
        ffn_params=model.ffn_params,
        norm_params=model.norm_params,
        other_params=config.other_params,
    )
    head = model.head_params or model.embedding_params
    attention_tp = run.tp / run.attention_ranks
    copies = 1.0
    if model.moe is not None:
        copies = formulas.routed_copies(top_k=model.moe.top_k, moe_layers=model.moe_layers, layers=config.layers)
    decoding = model.decode_attention_flops(context)
    return {
        "layers": config.layers,
        "moe_layers": model.moe_layers,
        "d_model": config.d_model,
        "active_intermediate": formulas.active_intermediate(
            routed_active_params=model.routed_active_params,
            ffn_params=model.ffn_params,
            d_model=config.d_model,
            layers=config.layers,
        ),
        "routed_copies": copies,
        "top_k": model.moe.top_k if model.moe else 1.0,
        "experts": model.moe.experts if model.moe else 1.0,
        "body_params": body,
        "routed_active_params": model.routed_active_params,
        "head_params": head,
        "body_bytes": memory.uniform_weights_bytes(total_params=body, bits_per_param=run.number_format.bits),
        "expert_bytes": model.expert_bytes,
        "head_bytes": memory.uniform_weights_bytes(total_params=head, bits_per_param=16.0),
        "table_bytes": memory.weights_bytes(
            params_by_component=(model.embedding_params, model.head_params), bits_by_component=(16.0, 16.0)
        ),
        "kv_bytes_per_request": memory.kv_bytes_per_request(
            kv_fixed_bytes_per_request=_states(model),
            kv_bytes_per_token=_whole_cache(model),
            context_tokens=memory.context_of_request(prompt_tokens=prompt, output_tokens=output),
            block_tokens=run.block_tokens,
        ),
        "kv_read_bytes_per_request": model.read_bytes_per_request(context),
        "kv_replication": max(attention_tp / float(model.kv_replicas_limit), 1.0),
        "attention_flops_per_token": model.prefill_attention_flops(prompt),
        "scalar_attention_flops": decoding if run.scalar_attention else 0.0,
        "prompt_tokens": prompt,
        "output_tokens": output,
        "queued_requests": run.requests,
        "fixed_batch": stated(row, run.fixed_batch, "fixed_batch", "count"),
        "arrival_rate_per_s": stated(row, run.arrival_rate_per_s, "arrival_rate_per_s", "request/s"),
        "tp": stated(row, run.tp, "tp", "count"),
        "pp": stated(row, run.pp, "pp", "count"),
        "attention_tp": stated(row, attention_tp, "attention_tp", "count"),
        "attention_ranks": stated(row, run.attention_ranks, "attention_ranks", "count"),
        "expert_tp": stated(row, 1.0 if run.attention_ranks > 1 else run.tp, "expert_tp", "count"),
        "exchanged_copies": stated(row, max(run.attention_ranks, 1.0 if run.attention_ranks > 1 else 2.0),
                                   "exchanged_copies", "count"),
        "device_visible_bytes": card.memory.visible or card.memory.capacity,
        "bandwidth_bytes_per_s": card.memory.bandwidth,
        "peak_flops_per_s": flops,
        "plain_flops_per_s": plain,
        "link_bytes_per_s": link.bandwidth,
    }  # fmt: skip


def _multiplied(run: Run, library: Library) -> NumberFormat:
    """Format in which matrices are multiplied. TensorRT-LLM widens MXFP4 weights to 16 bits on Hopper, but has
    MXFP8 activations beside them on Blackwell (support matrix of its gpt-oss example)."""
    if run.number_format.id == "mxfp4" and run.accelerator.dense_peak.fp4 is not None:
        return library.find("number_formats", "mxfp8")
    return run.number_format


def _whole_cache(model: Architecture) -> Number:
    """Cache of one token in all layers: a queued engine keeps the whole context in windowed layers too."""
    groups = [
        (group.layers, group.kv_bytes_per_token or group.window_bytes_per_token)
        for group in model.attention
        if group.kv_bytes_per_token or group.window_bytes_per_token
    ]
    if not groups:
        return 0.0
    layers, sizes = zip(*groups, strict=True)
    return memory.kv_bytes_per_token(layers_by_group=layers, kv_bytes_per_token_by_group=sizes)


def _states(model: Architecture) -> Number:
    """Recurrent states of one request."""
    groups = [group for group in model.attention if group.state_bytes is not None]
    if not groups:
        return 0.0
    return memory.state_bytes_per_request(
        layers_by_group=tuple(group.layers for group in groups),
        state_bytes_by_group=tuple(group.state_bytes for group in groups),
    )


def taken(given: Mapping[str, Number], formula: Number, **more: Number) -> Number:
    """A formula of inputs that it names and of what is passed along."""
    return formula(**{name: more.get(name, given.get(name)) for name in formula.arguments})


def bound(inputs: Inputs) -> Number:
    """Output rate that data-sheet bandwidth, dense peak and memory allow."""
    replica = {"gpus": inputs["tp"] * inputs["pp"]}
    total = taken(inputs, formulas.total_weights_bytes)
    most = taken(inputs, formulas.offline_cache_limit_requests, total_weights_bytes=total, **replica)
    batch = min(most, inputs["fixed_batch"] or inputs["queued_requests"], key=float)
    share = taken(inputs, moe.expert_share_read, batch=batch)
    read = taken(inputs, moe.weights_read_bytes, always_read_bytes=inputs["body_bytes"], expert_share_read=share)
    floor = taken(inputs, formulas.offline_floor_s, batch=batch, weights_read_bytes=read, **replica)
    return formulas.offline_bound_tokens_per_s(batch=batch, offline_floor_s=floor)


def reference(inputs: Inputs, library: Library) -> Number:
    """Output rate by the reference assumptions: one efficiency each for reading and computing."""
    gpus = inputs["tp"] * inputs["pp"]
    usable = memory.usable_memory_bytes(
        memory_utilization=library.assume("memory-utilization"),
        gpu_memory_share=1.0,
        device_memory_bytes=inputs["device_visible_bytes"],
    )
    capacity = memory.kv_capacity_bytes(
        usable_memory_bytes=usable,
        gpus=gpus,
        resident_weights_bytes=taken(inputs, formulas.total_weights_bytes),
        workspace_bytes=library.assume("workspace-per-gpu"),
    )
    fits = max(float(capacity) / float(inputs["kv_bytes_per_request"]), 1.0)
    batch = min(fits, inputs["fixed_batch"] or inputs["queued_requests"], key=float)
    share = taken(inputs, moe.expert_share_read, batch=batch)
    read = taken(inputs, moe.weights_read_bytes, always_read_bytes=inputs["body_bytes"], expert_share_read=share)
    reading = taken(
        inputs, decode.memory_time_s, weights_read_bytes=read, stage_batch=batch, tp=gpus,
        bandwidth_efficiency=library.assume("bandwidth-efficiency"),
    )  # fmt: skip
    computing = decode.compute_time_s(
        stage_batch=taken(inputs, formulas.pass_tokens, stage_batch=batch),
        active_params=inputs["body_params"] + inputs["routed_active_params"],
        attention_flops_per_token=inputs["attention_flops_per_token"],
        tp=gpus,
        peak_flops_per_s=inputs["peak_flops_per_s"],
        compute_efficiency=library.assume("compute-efficiency"),
    )
    step = decode.tpot_s(memory_time_s=reading, compute_time_s=computing, communication_time_s=0.0)
    return decode.tokens_per_s(batch=batch, tpot_s=step)


def step(given: Mapping[str, Number], stage_batch: Number, tokens: Number, prompts: Number, rows: Number) -> Number:
    """Time of one step of one stage: `tokens` pass its layers, `prompts` of them are prompt tokens."""
    gathered = formulas.gathered_tokens(pass_tokens=tokens, attention_ranks=given["attention_ranks"])
    share = taken(given, moe.expert_share_read, batch=gathered)
    layers = {"pass_tokens": tokens, "gathered_tokens": gathered, "expert_share_read": share}
    return formulas.offline_step_total_s(
        body_s=taken(
            given, formulas.body_s,
            body_read_s=taken(given, formulas.body_read_s, **layers),
            body_matmul_s=taken(given, formulas.body_matmul_s, **layers),
        ),
        token_rows_s=taken(
            given, formulas.token_rows_s, token_row_bytes=taken(given, formulas.token_row_bytes), **layers
        ),
        head_s=taken(given, formulas.head_s, sampled_rows=rows),
        body_exchange_s=taken(
            given, formulas.body_exchange_s, rank_doublings=formulas.rank_doublings(tp=given["tp"]), **layers
        ),
        stage_handover_wire_s=taken(given, formulas.stage_handover_wire_s, **layers),
        batch_attention_s=formulas.batch_attention_s(
            batch_cache_s=taken(given, formulas.batch_cache_s, stage_batch=stage_batch),
            scalar_attention_s=taken(given, formulas.scalar_attention_s, stage_batch=stage_batch),
        ),
        prompt_attention_s=taken(given, formulas.prompt_attention_s, prompt_pass_tokens=prompts),
        pass_fixed_s=taken(given, formulas.pass_fixed_s),
        pass_requests_s=taken(given, formulas.pass_requests_s, stage_batch=stage_batch),
    )  # fmt: skip


def mixed_step(given: Mapping[str, Number], stage_batch: Number) -> Number:
    """Time of a step in which requests decode and new prompts enter."""
    return step(
        given,
        stage_batch,
        taken(given, formulas.pass_tokens, stage_batch=stage_batch),
        taken(given, formulas.prompt_pass_tokens, stage_batch=stage_batch),
        taken(given, formulas.sampled_rows, stage_batch=stage_batch),
    )


def batch_of(given: Mapping[str, Number]) -> Number:
    """Requests that decode at once on one attention rank."""
    fixed = {
        "offline_weights_bytes_per_gpu": taken(given, formulas.offline_weights_bytes_per_gpu),
        "offline_request_bytes": taken(given, formulas.offline_request_bytes),
    }
    first = taken(given, formulas.offline_pool_requests, offline_activation_bytes=0.0, **fixed)
    limit = taken(given, formulas.offline_step_limit_tokens, offline_pool_requests=first)
    pool = taken(
        given, formulas.offline_pool_requests,
        offline_activation_bytes=taken(given, formulas.offline_activation_bytes, offline_step_limit_tokens=limit),
        **fixed,
    )  # fmt: skip
    return taken(given, formulas.offline_batch, offline_pool_requests=pool)


def queue_s(given: Mapping[str, Number], batch: Number) -> Number:
    """Time of the whole queue with this batch."""
    waves = taken(given, formulas.full_waves, offline_batch=batch)
    rest = taken(given, formulas.rest_requests, full_waves=waves, offline_batch=batch)

    def wave(requests: Number) -> Number:
        part = decode.stage_batch(replica_batch=requests, pp=given["pp"])
        return taken(given, formulas.batch_wave_s, offline_step_total_s=mixed_step(given, part))

    return formulas.offline_run_s(
        full_waves=waves, batch_wave_s=wave(batch), rest_requests=rest, rest_wave_s=wave(rest)
    )


def fixed_s(given: Mapping[str, Number]) -> Number:
    """Time of a fixed batch."""
    part = decode.stage_batch(replica_batch=given["fixed_batch"], pp=given["pp"])
    prompts = taken(given, formulas.fixed_prompt_tokens, stage_batch=part)
    return taken(
        given, formulas.static_run_s,
        prompt_pass_s=step({**given, "kv_read_bytes_per_request": 0.0, "scalar_attention_flops": 0.0,
                            "offline_sequence_s": 0.0, "offline_request_s": 0.0}, part, prompts, prompts, part),
        decode_pass_s=step({**given, "offline_request_s": 0.0}, part, part, 0.0, part),
    )  # fmt: skip


def predict(inputs: Inputs, constants: Inputs) -> Number:
    """Output tokens per second of one copy of the model."""
    given = {**constants, **inputs}
    batch = batch_of(given)
    arrived: Number = 1.0
    for _ in range(ARRIVAL_STEPS):
        arrived = taken(
            given, formulas.arrived_batch, offline_step_total_s=mixed_step(given, arrived), offline_batch=batch
        )
    run = taken(
        given, formulas.run_s,
        static_run_s=fixed_s(given),
        offline_run_s=queue_s(given, batch),
        paced_run_s=taken(given, formulas.paced_run_s, offline_step_total_s=mixed_step(given, arrived)),
    )  # fmt: skip
    return taken(given, formulas.offline_tokens_per_s, run_s=run)

"""Time of one training step of a tuned recipe, from its layout; rates and utilisations are the same time inverted."""

from __future__ import annotations

from typing import Any

from generator.formulas import training_step as formulas
from generator.specs.library import Library
from generator.specs.records import Accelerator
from generator.validation.families import training_cases as cases
from generator.validation.family import Aim, Case, Family, Inputs, Number
from generator.validation.leaves import stated
from generator.validation.rows import Row, Uncovered

METRICS = ("step_time", "tokens_per_s_per_gpu", "mfu", "model_tflops_per_gpu", "total_gpu_hours")
UNSKIPPED = ("llm-foundry",)
"""Software whose attention kernel works on both halves of the causal square: read from its rates."""
CONSTANTS = (
    "matrix_efficiency", "head_efficiency", "expert_matrix_efficiency", "attention_kernel_efficiency",
    "activation_passes", "layer_launch_s", "rank_launch_s", "layer_host_s", "expert_layer_host_s", "expert_host_s",
    "tensor_exposure", "expert_exposure", "replica_exposure", "hiding_share",
    "least_exposed_share", "bandwidth_efficiency", "step_fixed_s",
)  # fmt: skip


def claims(row: Row) -> bool:
    return row.metric in METRICS and "seq_len" in row.fields and "nanotron" not in row.text("engine").lower()


def express(row: Row, library: Library) -> Case:
    if row.metric == "total_gpu_hours":
        raise Uncovered("hours of a whole run: the layout is not stated")
    cases.engine_of(row)
    form = cases.format_of(row)
    architecture, accelerator = cases.described(row, library)
    layout, remark = cases.layout_of(row, architecture.model)
    seen = layout.sequence_tokens
    if cases.packed(row):
        seen = min(seen, library.assume("packed-sample-tokens"))
    work = cases.work_of(
        architecture, seen, cases.prediction_layers_of(row, architecture.model), library.assume("activation-bytes")
    )
    stage = cases.stage_of(float(architecture.model.config.layers), layout, architecture.moe is not None)
    keys = cases.keys_of(row, architecture, accelerator)
    inputs, floor = step_inputs(
        row, layout, work, accelerator, form, stage, layout.chunks, held(architecture, layout), library
    )
    per_unit, inverted = _conversion(row, layout, work, accelerator, form)
    return Case(
        row,
        inputs,
        keys=keys,
        group=f"{architecture.model.id} | {accelerator.id} | {keys['engine']}",
        bound=floor,
        reference=formulas.step_at_mfu_s(step_floor_s=floor, mfu=library.assume("training-mfu")),
        per_unit=per_unit,
        inverted=inverted,
        remark=remark,
        identity=(architecture.model.id, accelerator.id, keys["version"], keys["engine"], form, layout, row.value,
                  row.text("note")),
    )  # fmt: skip


def held(architecture: cases.Architecture, layout: cases.Layout) -> float:
    """Routed experts of a layer that one accelerator holds."""
    if architecture.moe is None:
        return 0.0
    if layout.ep > float(architecture.moe.experts):
        raise Uncovered("more ranks than experts")
    return float(architecture.moe.experts) / layout.ep


def _conversion(
    row: Row, layout: cases.Layout, work: cases.Work, accelerator: Accelerator, form: str
) -> tuple[float, bool]:
    """Factor to the time of a step, and whether the row is its inverse. Raises Uncovered."""
    if row.metric == "step_time":
        return 1.0, False
    if row.metric == "tokens_per_s_per_gpu":
        return layout.tokens_per_gpu, True
    if row.metric == "mfu":
        active = work.matrix_params + work.expert_params + work.head_params
        stated_params = active if work.expert_params else row.number("num_params") or work.dense_total
        peak = cases.peaks_of(accelerator, form)[0]
        counted = 6 * stated_params + 6 * work.attention_flops
        return layout.tokens_per_gpu * counted / float(peak) / 0.01, True
    counted = 6 * (work.matrix_params + work.expert_params + work.head_params) + 3 * work.attention_flops
    return layout.tokens_per_gpu * counted / 1e12, True


def step_inputs(
    row: Row,
    layout: cases.Layout,
    work: cases.Work,
    accelerator: Accelerator,
    form: str,
    stage: tuple[float, float],
    chunks: float,
    held_experts: float,
    library: Library,
) -> tuple[dict[str, Number], Number]:
    """The inputs of a step, and its least time. Raises Uncovered."""
    link, out = accelerator.scale_up, accelerator.scale_out
    if link is None or link.bandwidth is None or out is None or accelerator.memory.bandwidth is None:
        raise Uncovered(f"links or bandwidth of {accelerator.id} are not known")
    again = 1.0 if row.text("recompute") == "full" or cases.engine_of(row) == "maxtext" else 0.0
    adapters = "lora" in row.text("note").lower()
    trained = 4.0 if adapters else 6.0
    done = trained + 2 * again
    domain = float(link.domain_gpus)
    peak, wide = cases.peaks_of(accelerator, form)
    passes = work.layers * stage[0] / layout.pp * layout.micro_batches
    expert_passes = work.expert_layers / layout.pp * layout.micro_batches
    sharing = row.text("zero_or_fsdp").upper()
    rounds = layout.micro_batches if "SHARD" in sharing or "FSDP" in sharing else 1.0
    gathers = {"SHARD_GRAD_OP": 1 + rounds}.get(sharing, 2 * rounds if rounds > 1 or "FSDP" in sharing else 1.0)
    if "FULL" in sharing:
        gathers = 2 * rounds
    halves = "SHARD" in sharing or "FSDP" in sharing or cases.packed(row)
    narrow, wide_sum = library.assume("training-gradient-bytes"), library.assume("fp32-gradient-bytes")
    sums = narrow * rounds if halves else wide_sum
    dense = work.dense_total / (layout.tp * layout.pp)
    experts = work.expert_total / (layout.ep * layout.pp)
    expert_replicas = max(layout.gpus / (layout.pp * layout.ep), 1.0)
    spread = layout.gpus > domain
    tensor_far = layout.tp > domain

    def given(value: float, name: str, unit: str = "1") -> Number:
        return stated(row, float(value), name, unit)

    def ring(members: float) -> Number:
        if not spread:
            return link.bandwidth
        return formulas.ring_bytes_per_s(
            members=given(max(members, 1.0), "members", "count"),
            scale_out_bytes_per_s=out.bandwidth,
            scale_up_bytes_per_s=link.bandwidth,
        )

    host = library.assume("gpus-per-host")
    node = min(domain, host)
    tokens = given(layout.tokens_per_gpu, "step_tokens_per_gpu", "token")
    adapters_only = 0.0 if adapters else 1.0
    least = trained * (work.matrix_params + work.expert_params + work.head_params) + 3 * work.attention_flops
    floor = formulas.step_floor_s(
        step_tokens_per_gpu=tokens,
        least_flops_per_token=given(least, "least_flops_per_token", "FLOP/token"),
        matrix_peak_flops_per_s=peak,
    )
    exchange = formulas.replica_exchange_s(
        dense_params_per_gpu=given(dense * adapters_only, "dense_params_per_gpu", "param"),
        expert_params_per_gpu=given(experts * adapters_only, "expert_params_per_gpu", "param"),
        exchanged_bytes_per_param=given(
            library.assume("training-weight-bytes") * gathers + sums, "exchanged_bytes_per_param", "B"
        ),
        dense_replicas=given(layout.replicas * layout.cp, "dense_replicas", "count"),
        expert_replicas=given(expert_replicas, "expert_replicas", "count"),
        dense_ring_bytes_per_s=ring(node / layout.tp),
        expert_ring_bytes_per_s=ring(node / min(layout.ep, host)),
    )
    message = given(layout.message_tokens, "message_tokens", "token")
    skipped = 2.0 if cases.engine_of(row) in UNSKIPPED else 1.0
    updated = (dense + experts) * adapters_only / max(layout.replicas * layout.cp, 1.0)
    return {
        "step_tokens_per_gpu": tokens,
        "matrix_flops_per_token": given(done * work.matrix_params, "matrix_flops_per_token", "FLOP/token"),
        "expert_flops_per_token": given(done * work.expert_params, "expert_flops_per_token", "FLOP/token"),
        "head_flops_per_token": given(trained * work.head_params, "head_flops_per_token", "FLOP/token"),
        "attention_work_per_token": given(
            (3.5 + again) * skipped * work.attention_flops, "attention_work_per_token", "FLOP/token"
        ),
        "touched_bytes_per_token": given(
            (trained / 6 + again / 3) * work.kept_bytes, "touched_bytes_per_token", "B/token"
        ),
        "matrix_peak_flops_per_s": peak,
        "wide_peak_flops_per_s": wide,
        "bandwidth_bytes_per_s": accelerator.memory.bandwidth,
        "stage_share": given(stage[0], "stage_share"),
        "head_share": given(stage[1], "head_share"),
        "layer_passes": given(passes, "layer_passes", "layer"),
        "expert_layer_passes": given(expert_passes, "expert_layer_passes", "layer"),
        "held_experts": given(held_experts, "held_experts", "count"),
        "spanning_ranks": given(layout.tp if tensor_far else 0.0, "spanning_ranks", "count"),
        "tensor_exchange_bytes": formulas.tensor_exchange_bytes(
            layer_passes=given(passes, "layer_passes", "layer"),
            message_tokens=message,
            d_model=given(work.width, "d_model", "count"),
            activation_bytes_per_value=library.assume("activation-bytes"),
            tp=given(layout.tp, "tp", "count"),
        ),
        "tensor_link_bytes_per_s": ring(node) if tensor_far else link.bandwidth,
        "message_tokens": message,
        "token_bytes": given(work.token_bytes, "token_bytes", "B"),
        "domains_reached": formulas.domains_reached(
            expert_domains=given(max(layout.ep / domain, 1.0), "expert_domains", "count"),
            top_k=given(work.top_k, "top_k", "count"),
        ),
        "scale_out_bytes_per_s": out.bandwidth,
        "stage_bubble": formulas.stage_bubble(
            pp=given(layout.pp, "pp", "count"),
            micro_batches=given(layout.micro_batches, "micro_batches", "count"),
            chunks=given(chunks, "chunks", "count"),
        ),
        "micro_batches": given(layout.micro_batches, "micro_batches", "count"),
        "replica_exchange_s": exchange,
        "updated_params_per_gpu": given(updated, "updated_params_per_gpu", "param"),
        "update_bytes_per_param": library.assume("optimiser-update-bytes"),
    }, floor  # fmt: skip


def predict(inputs: Inputs, constants: Inputs) -> Number:
    """One step: what the busiest stage does, the bubble, what shows of the exchanges, the update."""
    whole = {**inputs, **constants}

    def of(formula: Any, **more: Number) -> Number:
        return formula(**{name: whole[name] for name in formula.arguments if name not in more}, **more)

    busy = of(
        formulas.busy_step_s,
        matrix_step_s=of(formulas.matrix_step_s),
        head_step_s=of(formulas.head_step_s),
        attention_step_s=of(formulas.attention_step_s),
        traffic_step_s=of(formulas.traffic_step_s),
        tensor_step_s=of(formulas.tensor_step_s),
        expert_step_s=of(formulas.expert_step_s),
        launch_step_s=of(formulas.launch_step_s),
        host_step_s=of(formulas.host_step_s),
    )
    return of(
        formulas.training_step_s,
        busy_step_s=busy,
        replica_exposed_s=of(formulas.replica_exposed_s, busy_step_s=busy),
        optimiser_step_s=of(formulas.optimiser_step_s),
    )


def explain(row: Row, case: Case, error: float) -> str:
    """Why a row is far off."""
    if case.keys["moe"] == "yes":
        return "recipes of one layout measured up to 1.7 times apart; the table does not tell what changed"
    if case.keys["format"] == "bf16" and case.keys["engine"] == "llm-foundry":
        return "memory close to full: the allocator frees and asks again within a step"
    return "what overlaps is chosen by the recipe and is not stated"


FAMILY = Family(
    id="training-time",
    name="Training step time",
    what="Time of one training step from its layout: matrices by format, attention, memory traffic, exchanges that "
    "show, host, pipeline bubble, optimiser.",
    unit="s",
    claims=claims,
    express=express,
    predict=predict,
    constants=CONSTANTS,
    alike_by=("engine", "accelerator"),
    banded_by=("moe",),
    aims=(Aim(0.06, 0.2),),
    explain=explain,
)

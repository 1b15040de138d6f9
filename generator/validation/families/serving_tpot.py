"""Time per output token of serving runs: a decode step of the engine, and the prompts that interrupt it."""

from __future__ import annotations

from generator.formulas import engine_step as formulas
from generator.specs.library import Library
from generator.validation.families import reasons
from generator.validation.families.serving_cases import ServingCase, case_of, engine_of
from generator.validation.family import Aim, Case, Family, Inputs, Number
from generator.validation.rows import Row

METRICS = ("mean_tpot", "median_tpot", "median_itl")
BUSIEST = 0.9
"""No run keeps its accelerators at work for more of the time at data-sheet rates, reads and products one by one."""
CONSTANTS = (
    "dense_bandwidth_share", "dense_compute_share", "overlap_power", "expert_bandwidth_share", "expert_compute_share",
    "cache_bandwidth_share", "layer_s", "latent_layer_s", "index_layer_s", "linear_layer_s", "generation_pace",
    "expert_layer_s", "serving_step_s", "serving_request_s", "release_fixed_factor", "release_expert_factor",
    "one_shot_latency_s", "one_shot_link_share", "two_shot_latency_s", "two_shot_link_share", "exchange_latency_s",
    "exchange_link_share", "prompt_dense_share", "prompt_expert_share", "prompt_attention_share",
    "prompt_engine_share",
)  # fmt: skip


def _claims(row: Row) -> bool:
    return row.metric in METRICS and engine_of(row) is not None


def _express(row: Row, library: Library) -> Case:
    found = case_of(row, library)
    per_unit = 1e-3 if row.unit == "ms" else 1.0
    remark = _odd(found, row.value * per_unit)
    return Case(
        row=row,
        inputs=found.inputs,
        keys=found.keys,
        group=found.group,
        bound=None if remark else found.floor,
        reference=found.reference,
        per_unit=per_unit,
        fitted=not remark,
        remark=remark,
        identity=identity(row, found),
    )


def _odd(found: ServingCase, tpot: float) -> str:
    """Why a row is no run as it stands there; empty if it may be one."""
    if tpot < float(found.floor):
        return "faster than the bound: tokens are guessed ahead without being said, or the load is another one"
    inputs = found.inputs
    share = formulas.run_busy_share(
        admitted_requests=inputs["admitted_requests"] * inputs["colocated"],
        request_s=inputs["output_tokens"] * tpot,
        prompt_floor_s=found.busy,
        engine_floor_s=found.floor,
        tpot_s=tpot,
    )
    if float(share) > BUSIEST:
        return "needs more than 90 % of the time at data-sheet rates: not a run of so many requests at once"
    return ""


def identity(row: Row, found: ServingCase) -> tuple[object, ...]:
    """Lists of several dates repeat runs, some with the layout written otherwise."""
    load = tuple(row.text(name) for name in ("isl", "osl", "batch_or_concurrency"))
    return (found.architecture.model.id, found.card.accelerator.id, found.engine, *load, round(row.value, 1))


def prompt_s(inputs: Inputs, constants: Inputs) -> tuple[Number, Number]:
    """Seconds of kernels and of all-reduces of one prompt."""
    kernels = formulas.prompt_kernels_s(
        **{
            name: inputs[name]
            for name in (
                "prompt_dense_flops", "dense_peak_flops_per_s", "prompt_expert_flops", "expert_peak_flops_per_s",
                "prompt_attention_flops", "attention_peak_flops_per_s",
            )
        },
        **{
            name: constants[name]
            for name in (
                "prompt_dense_share", "prompt_expert_share", "prompt_attention_share", "prompt_engine_share",
            )
        },
    )  # fmt: skip
    reductions = formulas.prompt_reductions_s(
        reductions=inputs["prompt_reductions"],
        tp=inputs["prompt_tp"],
        prompt_reduction_bytes=inputs["prompt_reduction_bytes"],
        link_bytes_per_s=inputs["link_bytes_per_s"],
        two_shot_latency_s=constants["two_shot_latency_s"],
        two_shot_link_share=constants["two_shot_link_share"],
    )
    return kernels, reductions


def step_s(inputs: Inputs, constants: Inputs) -> Number:
    """Seconds of one decode step."""

    def take(*names: str) -> dict[str, Number]:
        return {name: constants[name] if name in constants else inputs[name] for name in names}

    dense = formulas.dense_products_s(
        **take(
            "dense_part_bytes", "bandwidth_bytes_per_s", "dense_bandwidth_share", "dense_flops",
            "dense_peak_flops_per_s", "dense_compute_share", "overlap_power",
        )
    )  # fmt: skip
    experts = formulas.expert_products_s(
        **take(
            "expert_read_bytes", "bandwidth_bytes_per_s", "expert_bandwidth_share", "expert_flops",
            "expert_peak_flops_per_s", "expert_compute_share", "expert_traffic_bytes",
        )
    )  # fmt: skip
    kernels = formulas.layer_kernels_s(
        **take(
            "layers", "layer_s", "latent_layers", "latent_layer_s", "index_layers", "index_layer_s", "linear_layers",
            "linear_layer_s", "generation_pace",
        )
    )  # fmt: skip
    cache = formulas.cache_walk_s(**take("cache_part_bytes", "bandwidth_bytes_per_s", "cache_bandwidth_share"))
    return formulas.engine_step_s(
        dense_products_s=dense,
        expert_products_s=experts,
        cache_walk_s=cache,
        engine_fixed_s=formulas.engine_fixed_s(
            layer_kernels_s=kernels,
            **take(
                "moe_layers", "expert_layer_s", "serving_step_s", "release_fixed_factor", "step_requests",
                "serving_request_s",
            ),
        ),
        step_reductions_s=formulas.step_reductions_s(
            **take(
                "reductions", "tp", "reduction_bytes", "link_bytes_per_s", "one_shot_latency_s", "one_shot_link_share",
                "two_shot_latency_s", "two_shot_link_share",
            )
        ),
        step_exchanges_s=formulas.step_exchanges_s(
            **take("exchanges", "exchange_latency_s", "exchanged_bytes", "link_bytes_per_s", "exchange_link_share")
        ),
        **take("release_expert_factor"),
    )  # fmt: skip


def predict(inputs: Inputs, constants: Inputs) -> Number:
    """Seconds per output token."""
    kernels, reductions = prompt_s(inputs, constants)
    return formulas.serving_tpot_s(
        engine_step_s=step_s(inputs, constants),
        interruptions_s=formulas.interruptions_s(
            colocated=inputs["colocated"],
            admitted_requests=inputs["admitted_requests"],
            prompt_kernels_s=kernels,
            prompt_reductions_s=reductions,
            output_tokens=inputs["output_tokens"],
        ),
    )


FAMILY = Family(
    id="serving-tpot",
    name="Serving TPOT",
    what="Seconds per output token of a run with a given number of requests at once: reading weights, experts and"
    " caches, products, kernels of layers, all-reduces and exchanges, the engine's own time, the prompts of others.",
    unit="s",
    claims=_claims,
    express=_express,
    predict=predict,
    constants=CONSTANTS,
    bound_is="least",
    pooling=0.7,
    alike_by=("engine", "accelerator", "weights"),
    banded_by=("moe",),
    aims=(Aim(0.05, 0.15, {"moe": "no"}), Aim(0.12, None, {"moe": "yes"})),
    explain=reasons.of_tpot,
)

"""Training: FLOPs, time, state and activations on each accelerator, whether that fits, and what it costs.

Attention FLOPs stand beside 6·P_a·D, never inside it: published utilisations mean one or the other, so both are shown.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from generator import formatting
from generator.estimates import training_parts as parts
from generator.estimates.architecture import NotSupported, describe
from generator.estimates.devices import Device, device
from generator.estimates.layouts import MOST_GPUS, check_range, chosen_number, hourly_price
from generator.formulas import memory, parallelism
from generator.formulas import training as formulas
from generator.specs.library import Library
from generator.specs.records import Accelerator, Model

Number = Any
ZERO_STAGES = (0, 1, 2, 3)
MOST_TRAINING_TOKENS = 10**18
"""ZeRO stages: what the data-parallel ranks share out is nothing, the optimiser, and the gradients, and the weights."""
RECOMPUTE = ("selective", "full")
"""Activations kept: all but the attention scores (fused attention does so by itself), or the input of each layer."""


@dataclass(frozen=True)
class PublishedRun:
    """What was published about the training of a model, and the utilisation its hours imply."""

    training_tokens: Number
    training_flops: Number
    gpu_hours: Number
    accelerator: str
    implied_mfu: Number | None
    """With the computed active parameters, both tables included."""
    implied_mfu_published: Number | None
    """With the active parameters as the publisher rounds them."""
    reported_mfu: Number | None


@dataclass(frozen=True)
class Training:
    """One training run. A part that is not known, or was not asked for, is None."""

    model: str
    accelerator: str
    number_format: str
    gpus: Number
    tp: Number
    pp: Number
    dp: Number
    zero: int
    recompute: str
    training_tokens: Number
    sequence_tokens: Number | None
    active_params: Number
    total_params: Number
    training_flops: Number
    attention_training_flops: Number | None
    """Each token attends to the whole sequence, or to its whole window: the PaLM convention."""
    causal_attention_training_flops: Number | None
    """Each token attends to what stands before it."""
    training_flops_with_attention: Number | None
    """With the PaLM convention."""
    training_flops_with_causal_attention: Number | None
    peak_flops_per_s: Number | None
    mfu: Number
    hfu: Number
    """As `mfu`, with the FLOPs of recomputation counted."""
    training_seconds: Number | None
    training_gpu_hours: Number | None
    usd_per_gpu_hour: Number | None
    training_usd: Number | None
    state_bytes_per_param: Number
    state_bytes_by_part: dict[str, Number]
    training_state_bytes: Number
    state_bytes_per_gpu: Number
    state_bytes_per_gpu_by_zero: dict[int, Number]
    activation_bytes_per_gpu: Number | None
    training_bytes_per_gpu: Number
    usable_memory_bytes: Number
    workspace_bytes: Number
    feasible: bool
    reasons: tuple[str, ...]
    notes: tuple[str, ...]


def _check(
    model: Model,
    *,
    gpus: int,
    tp: int,
    pp: int,
    zero: int,
    recompute: str,
    tokens: float,
    mfu: float | None,
    price: float | None,
) -> None:
    """Raise NotSupported for what has no meaning, with the valid choices."""
    for name, degree in {"gpus": gpus, "tp": tp, "pp": pp}.items():
        if degree < 1 or degree != int(degree):
            raise NotSupported(f"{name} must be a whole number from 1, got {degree}")
        check_range(name, degree, 1, MOST_GPUS)
    if gpus % (tp * pp):
        raise NotSupported(f"{gpus} accelerators do not divide into groups of tp {tp} x pp {pp} = {tp * pp}")
    if pp > model.config.layers:
        layers = f"{model.config.layers:g}"
        raise NotSupported(f"{pp} pipeline stages for {layers} layers; valid: 1 to {layers}")
    if zero not in ZERO_STAGES:
        raise NotSupported(f"ZeRO has no stage {zero}; valid: {', '.join(map(str, ZERO_STAGES))}")
    if recompute not in RECOMPUTE:
        raise NotSupported(f"recompute cannot be `{recompute}`; valid: {', '.join(RECOMPUTE)}")
    if not tokens > 0:
        raise NotSupported(f"tokens must be above 0, got {tokens}")
    check_range("tokens", tokens, 0, MOST_TRAINING_TOKENS)
    if mfu is not None and not 0 < mfu <= 1:
        raise NotSupported(f"mfu is a share above 0 and up to 1, as in 0.4, got {mfu:g}")
    if price is not None:
        check_range("the price of an accelerator hour", price, 0)


def training(
    model: Model,
    accelerator: Accelerator,
    library: Library,
    *,
    gpus: int,
    tokens: float,
    mfu: float | None = None,
    tp: int = 1,
    pp: int = 1,
    zero: int = 3,
    sequence_tokens: float | None = None,
    micro_batch: int = 1,
    recompute: str = "selective",
    number_format: str = "bf16",
    weight_bytes: float | None = None,
    gradient_bytes: float | None = None,
    master_bytes: float | None = None,
    moment_bytes: float | None = None,
    usd_per_gpu_hour: float | None = None,
) -> Training:
    """One training run, whole. Infeasible is an answer with reasons; only what has no meaning raises NotSupported.

    `number_format` picks the dense peak that utilisation refers to. Bytes of state per parameter and the utilisation
    are assumptions unless given; without `sequence_tokens` neither attention FLOPs nor activations are counted.
    """
    _check(
        model, gpus=gpus, tp=tp, pp=pp, zero=zero, recompute=recompute, tokens=tokens, mfu=mfu, price=usd_per_gpu_hour
    )
    architecture = describe(model, library)
    card = device(accelerator, library, library.find("number_formats", number_format))
    spread = {name: chosen_number(value, name) for name, value in {"gpus": gpus, "tp": tp, "pp": pp}.items()}
    training_tokens = chosen_number(tokens, "training_tokens", "token")
    sequence = None if sequence_tokens is None else chosen_number(sequence_tokens, "sequence_tokens", "token")
    sequences = chosen_number(micro_batch, "micro_batch")
    utilisation = library.assume("training-mfu") if mfu is None else chosen_number(mfu, "mfu", "1")
    active = architecture.active_params
    flops = formulas.training_flops(active_params=active, training_tokens=training_tokens)
    again = 0
    if recompute == "full":
        again = formulas.recomputed_flops(active_params=active, training_tokens=training_tokens)
    given = {"weight": weight_bytes, "gradient": gradient_bytes, "master": master_bytes, "moment": moment_bytes}
    state = parts.state_parts(library, given)
    dp = parallelism.replicas(**spread)
    by_stage = {
        stage: formulas.state_bytes_per_gpu(
            total_params=architecture.total_params,
            model_parallel_degree=formulas.model_parallel_degree(tp=spread["tp"], pp=spread["pp"]),
            shard_degree=dp,
            **parts.state_of_stage(state, stage),
        )
        for stage in ZERO_STAGES
    }
    kept = None if sequence is None else parts.activation_bytes_per_token(architecture, library, recompute)
    activations = None
    if kept is not None:
        activations = formulas.activation_bytes_per_gpu(
            sequence_tokens=sequence, micro_batch=sequences, activation_bytes_per_token=kept, tp=spread["tp"]
        )
    whole = formulas.state_bytes_per_param(**{f"{part}_state_bytes": state[part] for part in parts.STATE_PARTS})
    held = by_stage[zero]
    if activations is not None:
        held = formulas.training_bytes_per_gpu(state_bytes_per_gpu=held, activation_bytes_per_gpu=activations)
    usable = memory.usable_memory_bytes(
        memory_utilization=library.assume("memory-utilization"),
        gpu_memory_share=card.memory_share,
        device_memory_bytes=card.memory_bytes,
    )
    price = hourly_price(accelerator, library, usd_per_gpu_hour)
    result = Training(
        model=model.id,
        accelerator=accelerator.id,
        number_format=number_format,
        **spread,
        dp=dp,
        zero=zero,
        recompute=recompute,
        training_tokens=training_tokens,
        sequence_tokens=sequence,
        active_params=active,
        total_params=architecture.total_params,
        training_flops=flops,
        **parts.attention_flops(architecture, sequence, training_tokens, flops),
        mfu=utilisation,
        hfu=formulas.hfu(mfu=utilisation, training_flops=flops, recomputed_flops=again),
        **_time(card, flops, utilisation, spread["gpus"], price),
        state_bytes_per_param=whole,
        state_bytes_by_part={
            part: formulas.training_state_bytes(
                total_params=architecture.total_params, state_bytes_per_param=state[part]
            )
            for part in parts.STATE_PARTS
        },
        training_state_bytes=formulas.training_state_bytes(
            total_params=architecture.total_params, state_bytes_per_param=whole
        ),
        state_bytes_per_gpu=by_stage[zero],
        state_bytes_per_gpu_by_zero=by_stage,
        activation_bytes_per_gpu=activations,
        training_bytes_per_gpu=held,
        usable_memory_bytes=usable,
        workspace_bytes=library.assume("workspace-per-gpu"),
        feasible=True,
        reasons=(),
        notes=tuple(_notes(model, card, sequence_tokens, kept)),
    )
    reasons = _reasons(result, card, state)
    return replace(result, feasible=not reasons, reasons=tuple(reasons))


def _time(card: Device, flops: Number, mfu: Number, gpus: Number, price: Number | None) -> dict[str, Number | None]:
    """Time, accelerator hours and price; None where no peak or no price is known."""
    seconds = hours = usd = None
    if card.peak_flops_per_s is not None:
        seconds = formulas.training_seconds(
            training_flops=flops, gpus=gpus, peak_flops_per_s=card.peak_flops_per_s, mfu=mfu
        )
        hours = formulas.training_gpu_hours(gpus=gpus, training_seconds=seconds)
        if price is not None:
            usd = formulas.training_usd(training_gpu_hours=hours, usd_per_gpu_hour=price)
    return {
        "peak_flops_per_s": card.peak_flops_per_s,
        "training_seconds": seconds,
        "training_gpu_hours": hours,
        "usd_per_gpu_hour": price,
        "training_usd": usd,
    }


def _reasons(run: Training, card: Device, state: dict[str, Number]) -> list[str]:
    """Why a run does not work, and the fewest accelerators that do."""
    size = formatting.plain
    name = card.accelerator.name
    reasons: list[str] = []
    offered = float(run.usable_memory_bytes) - float(run.workspace_bytes)
    if run.training_bytes_per_gpu > offered:
        need = f"state needs {size(run.state_bytes_per_gpu, 'B')} per GPU"
        if run.activation_bytes_per_gpu is not None:
            need += f" and activations {size(run.activation_bytes_per_gpu, 'B')}"
        reasons.append(f"{need}, one {name} offers {size(offered, 'B')} after workspace")
        reasons.append(_fewest(run, state))
    if card.peak_flops_per_s is None:
        reasons.append(f"no dense peak of {name} is published for {run.number_format}")
    return reasons


def _fewest(run: Training, state: dict[str, Number]) -> str:
    """The fewest accelerators whose share of the state leaves room for the activations, or the stages that could."""
    group = int(run.tp * run.pp)
    offered = float(run.usable_memory_bytes) - float(run.workspace_bytes)

    def fits(replicas: int, zero: int) -> bool:
        held = formulas.state_bytes_per_gpu(
            total_params=float(run.total_params),
            model_parallel_degree=group,
            shard_degree=replicas,
            **{name: float(value) for name, value in parts.state_of_stage(state, zero).items()},
        )
        if run.activation_bytes_per_gpu is not None:
            held = formulas.training_bytes_per_gpu(
                state_bytes_per_gpu=held, activation_bytes_per_gpu=float(run.activation_bytes_per_gpu)
            )
        return held <= offered

    def fewest(zero: int) -> int | None:
        low, high = 0, 1
        while not fits(high, zero):
            low, high = high, high * 2
            if high > 2**24:
                return None
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if fits(middle, zero) else (middle, high)
        return high * group

    here = f"ZeRO {run.zero} with TP {run.tp:g} x PP {run.pp:g}"
    count = fewest(run.zero)
    if count is not None:
        return f"{count} GPUs are the fewest at {here}"
    others = {stage: fewest(stage) for stage in ZERO_STAGES if stage > run.zero}
    possible = [f"ZeRO {stage} from {found} GPUs" for stage, found in others.items() if found is not None]
    hint = f"; possible: {', '.join(possible)}" if possible else "; more tensor or pipeline parallelism is needed"
    return f"no number of GPUs fits at {here}{hint}"


def _notes(model: Model, card: Device, sequence_tokens: float | None, kept: Number | None) -> list[str]:
    notes: list[str] = []
    if sequence_tokens is None:
        notes.append("without a sequence length neither attention FLOPs nor activations are counted")
    elif kept is None:
        notes.append(f"activations are not counted: what the attention of {model.id} keeps is not published")
    if card.peak_format is not None and card.peak_format != "bf16":
        notes.append(f"utilisation refers to the {card.peak_format} peak of {card.accelerator.name}")
    return notes


def published_run(model: Model, library: Library) -> PublishedRun | None:
    """The published training of a model and its implied utilisation of the dense BF16 peak; None if hours are missing.

    The hours of a model card hold more than counted steps, so the utilisation is a floor.
    """
    run = model.training
    if run is None or run.gpu_hours is None or run.accelerator is None:
        return None
    architecture = describe(model, library)
    card = device(library.find("accelerators", run.accelerator), library, library.find("number_formats", "bf16"))

    def implied(params: Number | None) -> tuple[Number | None, Number | None]:
        if params is None or card.peak_flops_per_s is None:
            return None, None
        flops = formulas.training_flops(active_params=params, training_tokens=run.tokens)
        return flops, formulas.implied_mfu(
            training_flops=flops, gpu_hours=run.gpu_hours, peak_flops_per_s=card.peak_flops_per_s
        )

    flops, mfu = implied(architecture.active_params)
    routed = architecture.moe is not None
    return PublishedRun(
        training_tokens=run.tokens,
        training_flops=flops,
        gpu_hours=run.gpu_hours,
        accelerator=run.accelerator,
        implied_mfu=mfu,
        implied_mfu_published=implied(model.published.active if routed else model.published.total)[1],
        reported_mfu=run.reported_mfu,
    )

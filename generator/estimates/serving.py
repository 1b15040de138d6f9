"""One serving configuration with words: what binds a step, whether it fits, why not, and what would."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from generator import formatting
from generator.estimates.architecture import Architecture, describe
from generator.estimates.devices import Device, device
from generator.estimates.layouts import Layout, Load, check_load, chosen_number, hourly_price, layout
from generator.estimates.steps import ServingNumbers, measure
from generator.specs.library import Library
from generator.specs.records import Accelerator, Model

Number = Any


@dataclass(frozen=True)
class Serving(ServingNumbers):
    """One configuration with words: what binds the step, whether it fits, and why not."""

    model: str = ""
    accelerator: str = ""
    layout: Layout | None = None
    load: Load | None = None
    architecture: Architecture | None = None
    compute_format: str | None = None
    binding: str | None = None
    feasible: bool = True
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())


def serving(
    model: Model,
    accelerator: Accelerator,
    library: Library,
    *,
    gpus: int | None = None,
    tp: int | None = None,
    pp: int = 1,
    ep: int = 1,
    weights: str = "native",
    kv: str = "native",
    batch: float = 1,
    prompt_tokens: float = 1024,
    output_tokens: float = 256,
    users: float | None = None,
    usd_per_gpu_hour: float | None = None,
) -> Serving:
    """One serving configuration, whole. Infeasible is an answer with reasons; only what has no meaning raises."""
    architecture = describe(model, library, weights=weights, kv=kv)
    card = device(accelerator, library, architecture.compute_format)
    chosen = layout(model, gpus=gpus, tp=tp, pp=pp, ep=ep)
    check_load(
        batch=batch, prompt_tokens=prompt_tokens, output_tokens=output_tokens, users=users,
        usd_per_gpu_hour=usd_per_gpu_hour,
    )  # fmt: skip
    load = Load(
        batch=chosen_number(batch, "batch"),
        prompt_tokens=chosen_number(prompt_tokens, "prompt_tokens", "token"),
        output_tokens=chosen_number(output_tokens, "output_tokens", "token"),
        users=None if users is None else chosen_number(users, "users"),
        usd_per_gpu_hour=hourly_price(accelerator, library, usd_per_gpu_hour),
    )
    numbers = measure(architecture, card, library, chosen, load)
    reasons, notes = _words(numbers, architecture, card, library, chosen, load)
    return Serving(
        **{name: getattr(numbers, name) for name in ServingNumbers.__dataclass_fields__},
        model=model.id,
        accelerator=accelerator.id,
        layout=chosen,
        load=load,
        architecture=architecture,
        compute_format=card.peak_format,
        binding=binding(numbers),
        feasible=not reasons,
        reasons=tuple(reasons),
        notes=tuple(notes),
    )


def binding(numbers: ServingNumbers) -> str | None:
    """The term that takes most of a decode step."""
    terms = {
        "memory": numbers.memory_time_s,
        "compute": numbers.compute_time_s,
        "communication": numbers.communication_time_s,
    }
    if any(term is None or term != term for term in terms.values()):
        return None
    return max(terms, key=lambda name: float(terms[name]))


def _words(
    numbers: ServingNumbers, architecture: Architecture, card: Device, library: Library, layout: Layout, load: Load
) -> tuple[list[str], list[str]]:
    """Why a configuration does not work, and what to know about one that does."""
    name = card.accelerator.name
    reasons = memory_reasons(numbers, architecture, card, library, layout, load)
    if card.bandwidth_bytes_per_s is None:
        reasons.append(f"the memory bandwidth of {name} is not published")
    if card.peak_flops_per_s is None:
        reasons.append(f"no dense peak of {name} is published for {architecture.compute_format.id}")
    if numbers.communication_time_s is not None and numbers.communication_time_s != numbers.communication_time_s:
        reasons.append(f"no link that joins {layout.gpus:g} x {name} is known")
    notes: list[str] = []
    heads = (getattr(group, "n_heads", None) for group in architecture.model.config.attention)
    notes += [
        f"TP {layout.tp:g} does not divide {count:g} query heads: engines refuse that, the numbers here do not"
        for count in dict.fromkeys(int(count) for count in heads if count is not None)
        if count % int(layout.tp)
    ]
    context = load.prompt_tokens + load.output_tokens
    if context > architecture.model.max_context:
        notes.append(f"{context:g} tokens are beyond the model's context of {architecture.model.max_context:g}")
    if card.peak_format not in (None, architecture.compute_format.computes_as[0]):
        notes.append(f"{architecture.compute_format.id} weights compute at the {card.peak_format} peak of {name}")
    return reasons, notes


def memory_reasons(
    numbers: ServingNumbers, architecture: Architecture, card: Device, library: Library, layout: Layout, load: Load
) -> list[str]:
    """Why weights and caches do not fit, and the smallest tensor-parallel groups that hold them; empty if they fit."""
    size = formatting.plain
    name = card.accelerator.name
    reasons: list[str] = []
    if numbers.shortfall_bytes >= 0:
        offered = float(numbers.usable_memory_bytes - numbers.workspace_bytes)
        need = f"weights need {size(numbers.resident_weights_bytes, 'B')}"
        reasons.append(
            f"{need}, {layout.gpus:g} x {name} offer {size(layout.gpus * offered, 'B')} "
            f"({size(offered, 'B')} each after workspace): {size(numbers.shortfall_bytes, 'B')} short"
        )
    elif numbers.max_concurrent_requests < load.batch:
        reasons.append(
            f"the cache holds {numbers.max_concurrent_requests:g} requests of "
            f"{load.prompt_tokens + load.output_tokens:g} tokens, {load.batch:g} were asked for"
        )
    if reasons:
        reasons += _smallest(architecture, card, library, load)
    return reasons


def _smallest(architecture: Architecture, card: Device, library: Library, load: Load) -> list[str]:
    """The smallest tensor-parallel degree whose cache holds one request, and the asked batch."""
    found: dict[str, int] = {}
    degree = 1
    one = Load(batch=1, prompt_tokens=load.prompt_tokens, output_tokens=load.output_tokens)
    while degree <= max(64, card.domain_gpus):
        numbers = measure(architecture, card, library, Layout(degree, degree, 1, 1), one)
        if numbers.max_concurrent_requests >= 1:
            found.setdefault("one request", degree)
        if numbers.max_concurrent_requests >= load.batch:
            if load.batch > 1:
                found.setdefault(f"{load.batch:g} requests", degree)
            break
        degree *= 2
    if not found:
        return [f"no tensor-parallel group of up to {degree // 2} holds one request"]
    return [f"TP {degree} is the smallest that holds {what}" for what, degree in found.items()]

"""What fits where: the smallest tensor-parallel group that holds one request of a model, and how it serves it.

Worked out once for a library, so that the pages of a model, an accelerator and a system show the same traced numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from generator import formatting
from generator.estimates.architecture import Architecture, describe
from generator.estimates.devices import Device, device
from generator.estimates.entities import once
from generator.estimates.serving import Layout, Load, Serving, chosen_number, measure, serving
from generator.formulas import decode, memory
from generator.provenance import choice
from generator.specs.library import Library
from generator.specs.records import Accelerator, Model, System

Number = Any

REQUEST = "chat-8k"
"""Workload of the one request that every fit is about."""
LARGEST_GROUP = 64
"""Tensor-parallel groups beyond this are not looked at."""


@dataclass(frozen=True)
class Fit:
    """The smallest tensor-parallel group of an accelerator that holds one request of a model."""

    model: Model
    accelerator: Accelerator
    served: Serving | None
    """The estimate for that group with a batch of 1; None where no group holds a request."""
    floor_s: Number | None
    """Reading the weights of one token once, at the whole bandwidth of the group."""
    why: str
    """Why nothing fits, or what is odd about what does."""

    @property
    def tp(self) -> Number | None:
        """Accelerators in the group."""
        return None if self.served is None else self.served.layout.tp

    def by_id(self) -> dict[str, Number]:
        """The numbers by the last part of their permanent ids."""
        if self.served is None:
            return {}
        found = {
            "max_concurrent_requests": self.served.max_concurrent_requests,
            "batch_one_floor_s": self.floor_s,
            "tpot_s": self.served.tpot_s,
            "tokens_per_s_per_user": self.served.tokens_per_s_per_user,
        }
        return {name: value for name, value in found.items() if value is not None and value == value}


def request_shape(model: Model, library: Library) -> tuple[Number, Number]:
    """Prompt and output of the one request: the workload, or a prompt as long as the model allows."""
    shape = library.find("workloads", REQUEST)
    if shape.prompt + shape.output <= model.max_context:
        return shape.prompt, shape.output
    room = model.max_context - shape.output
    reason = f"{shape.output:g} tokens less than the context of {model.name}"
    return choice(room, name="prompt_tokens", unit="token", reason=reason), shape.output


def groups(card: Device) -> list[int]:
    """Sizes of tensor-parallel groups that can be built of an accelerator: powers of two that its links reach."""
    most = LARGEST_GROUP
    if card.accelerator.scale_up is None and card.scale_up_bytes_per_s is None:
        most = 1
    elif card.scale_out_bytes_per_s is None:
        most = min(most, int(card.domain_gpus))
    return [1 << exponent for exponent in range(most.bit_length())]


def smallest_group(architecture: Architecture, card: Device, library: Library, tokens: float) -> int | None:
    """The smallest group whose cache holds one request of so many tokens."""
    request = float(architecture.request_bytes(tokens, float(library.assume("kv-block-tokens"))))
    usable = memory.usable_memory_bytes(
        memory_utilization=float(library.assume("memory-utilization")),
        gpu_memory_share=float(card.memory_share),
        device_memory_bytes=float(card.memory_bytes),
    )
    for size in groups(card):
        room = memory.kv_capacity_bytes(
            usable_memory_bytes=usable,
            gpus=size,
            resident_weights_bytes=float(architecture.weights_bytes),
            workspace_bytes=float(library.assume("workspace-per-gpu")),
        )
        copies = memory.kv_replication(tp=size, n_kv_heads=float(architecture.kv_replicas_limit))
        if room >= request * copies:
            return size
    return None


def fit(model: Model, accelerator: Accelerator, library: Library) -> Fit:
    """How the smallest group of an accelerator serves one request of a model, or why none can."""
    return once(library, ("fit", id(model), id(accelerator)), lambda: _fit(model, accelerator, library))


def _fit(model: Model, accelerator: Accelerator, library: Library) -> Fit:
    architecture = describe(model, library)
    card = device(accelerator, library, architecture.compute_format)
    prompt, output = request_shape(model, library)
    size = smallest_group(architecture, card, library, float(prompt + output))
    if size is None:
        return Fit(model, accelerator, None, None, _too_small(architecture, card, library, prompt, output))
    served = serving(model, accelerator, library, tp=size, prompt_tokens=prompt, output_tokens=output)
    why = list(served.reasons)
    if size > card.domain_gpus:
        why.append(f"the group leaves the scale-up domain of {card.domain_gpus:g}")
    elif accelerator.scale_up is None and size > 1:
        why.append("no scale-up link: the group talks over the host link")
    why += served.notes
    floor = None
    if card.bandwidth_bytes_per_s is not None:
        floor = decode.memory_time_s(
            weights_read_bytes=served.weights_read_bytes,
            stage_batch=served.load.batch,
            kv_read_bytes_per_request=0,
            kv_replication=1,
            tp=served.layout.tp,
            bandwidth_bytes_per_s=card.bandwidth_bytes_per_s,
            bandwidth_efficiency=choice(1, name="bandwidth_efficiency", unit="1", reason="a bound: nothing is lost"),
        )
    return Fit(model, accelerator, served, floor, "; ".join(why))


def _too_small(architecture: Architecture, card: Device, library: Library, prompt: Number, output: Number) -> str:
    size = groups(card)[-1]
    layout = Layout(chosen_number(size, "gpus"), chosen_number(size, "tp"), 1, 1)
    numbers = measure(architecture, card, library, layout, Load(1, prompt, output))
    group = f"{size} of them are" if size > 1 else "one, which no link joins with others, is"
    if numbers.shortfall_bytes >= 0:
        need = formatting.plain(numbers.weights_bytes, "B")
        return f"weights need {need}: {group} {formatting.plain(numbers.shortfall_bytes, 'B')} short"
    room = formatting.plain(numbers.kv_capacity_bytes, "B")
    request = formatting.plain(numbers.kv_bytes_per_request * numbers.kv_replication, "B")
    return f"beside the weights {room} are left, one request needs {request}"


def largest_model(system: System, library: Library) -> Model | None:
    """The model with the most parameters of which the accelerators of a system hold the weights and one request."""
    card = library.find("accelerators", system.accelerator)
    offered = [model for model in library.models.values() if model.fits]
    fitting = [model for model in offered if group_in_system(model, card, system, library) is not None]
    return max(fitting, key=lambda model: float(describe(model, library).total_params), default=None)


def group_in_system(model: Model, card: Accelerator, system: System, library: Library) -> int | None:
    """The smallest group of a system that holds one request of a model."""
    architecture = describe(model, library)
    prompt, output = request_shape(model, library)
    seen = device(card, library, architecture.compute_format)
    size = smallest_group(architecture, seen, library, float(prompt + output))
    return size if size is not None and size <= system.gpus else None


@dataclass(frozen=True)
class SystemFit:
    """A model on all accelerators of a system, in replicas of the smallest group that holds a request."""

    model: Model
    served: Serving | None
    why: str

    def by_id(self) -> dict[str, Number]:
        """The numbers by the last part of their permanent ids."""
        if self.served is None:
            return {}
        names = ("max_concurrent_requests", "tokens_per_s_per_user")
        found = {name: getattr(self.served, name) for name in names}
        return {name: value for name, value in found.items() if value is not None and value == value}


def system_fit(model: Model, system: System, library: Library) -> SystemFit:
    """As many replicas of the smallest group as a system has accelerators for."""

    def make() -> SystemFit:
        card = library.find("accelerators", system.accelerator)
        size = group_in_system(model, card, system, library)
        if size is None:
            return SystemFit(model, None, fit(model, card, library).why or "more accelerators than the system has")
        prompt, output = request_shape(model, library)
        gpus = int(system.gpus) // size * size
        served = serving(
            model, card, library, gpus=gpus, tp=size, batch=gpus // size, prompt_tokens=prompt, output_tokens=output
        )
        return SystemFit(model, served, "; ".join([*served.reasons, *served.notes]))

    return once(library, ("system fit", id(model), id(system)), make)


def fits(models: Sequence[Model], accelerators: Sequence[Accelerator], library: Library) -> list[Fit]:
    """Every model on every accelerator."""
    return [fit(model, accelerator, library) for model in models for accelerator in accelerators]

"""What the page of one accelerator, system or model says beside its spec: its derived numbers.

Everything is worked out once for a library and kept there, so that all pages show the same traced numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from generator.estimates.architecture import Architecture, describe
from generator.estimates.training import PublishedRun, published_run
from generator.formulas import comparison, memory, parallelism, parameters, roofline
from generator.provenance import choice
from generator.specs.library import Library
from generator.specs.records import FORMATS, Accelerator, Model, System

Number = Any

WEIGHT_FORMATS = ("bf16", "fp8", "int4-g128", "nvfp4", "mxfp4")
CONTEXTS = (1024, 8192, 32768, 131072)
COMPONENTS = (
    "attention_params", "ffn_params", "routed_expert_params", "embedding_params", "head_params", "norm_params",
)  # fmt: skip
CONVENTIONS = {
    "all": "active_params",
    "no_input_embedding": "active_params_no_input_embedding",
    "no_embeddings": "active_params_no_embeddings",
}
"""How a publisher counts active parameters -> the field that counts so."""


def once(library: Library, key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
    """What was worked out under this key, now or before."""
    if key not in library.derived:
        library.derived[key] = make()
    return library.derived[key]


# --- accelerators and systems ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AcceleratorNumbers:
    """Derived numbers of one accelerator; what its data sheet does not allow is missing or None."""

    ridge_points: dict[str, Number]
    drain_seconds: Number | None

    def by_id(self) -> dict[str, Number]:
        """The numbers by the last part of their permanent ids."""
        found = {f"ridge_point_{name}": value for name, value in self.ridge_points.items()}
        return found | ({"drain_seconds": self.drain_seconds} if self.drain_seconds is not None else {})


def accelerator_numbers(accelerator: Accelerator, library: Library) -> AcceleratorNumbers:
    """Ridge point for each format with a dense peak, and the time to read the whole memory."""

    def make() -> AcceleratorNumbers:
        rate = accelerator.memory.bandwidth
        if rate is None:
            return AcceleratorNumbers({}, None)
        peaks = {name: getattr(accelerator.dense_peak, name) for name in FORMATS}
        return AcceleratorNumbers(
            {
                name: roofline.ridge_point(peak_flops_per_s=peak, bandwidth_bytes_per_s=rate)
                for name, peak in peaks.items()
                if peak is not None
            },
            roofline.drain_seconds(memory_bytes=accelerator.memory.capacity, bandwidth_bytes_per_s=rate),
        )

    return once(library, ("accelerator page", id(accelerator)), make)


@dataclass(frozen=True)
class SystemNumbers:
    """Derived numbers of one system, beside those of its accelerator."""

    domain_memory_bytes: Number
    memory_difference: Number
    """Published memory against accelerators times their memory."""
    drain_seconds: Number | None
    ridge_points: dict[str, Number]

    def by_id(self) -> dict[str, Number]:
        """The numbers by the last part of their permanent ids."""
        found = {"domain_memory_bytes": self.domain_memory_bytes, "memory_difference": self.memory_difference}
        found |= {f"ridge_point_{name}": value for name, value in self.ridge_points.items()}
        return found | ({"drain_seconds": self.drain_seconds} if self.drain_seconds is not None else {})


def system_numbers(system: System, library: Library) -> SystemNumbers:
    """Memory from the accelerators, and ridge point and drain time from what is published for the whole system."""

    def make() -> SystemNumbers:
        card = library.find("accelerators", system.accelerator)
        held = parallelism.domain_memory_bytes(gpus=system.gpus, device_memory_bytes=card.memory.capacity)
        rate, peaks = system.bandwidth, system.dense_peak
        found = {name: getattr(peaks, name) for name in FORMATS if getattr(peaks, name, None) is not None}
        return SystemNumbers(
            held,
            comparison.relative_difference(value=system.memory, reference_value=held),
            roofline.drain_seconds(memory_bytes=system.memory, bandwidth_bytes_per_s=rate) if rate else None,
            {
                name: roofline.ridge_point(peak_flops_per_s=peak, bandwidth_bytes_per_s=rate)
                for name, peak in found.items()
                if rate
            },
        )

    return once(library, ("system page", id(system)), make)


# --- models ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ModelNumbers:
    """Derived numbers of one model in the formats of its checkpoint."""

    architecture: Architecture
    counted_params: Number
    """What the publisher counts in the total: the decoder, and the extras that belong to it."""
    total_difference: Number
    """Published total, the exact one where it is known, against the computed one."""
    active_difference: Number | None
    weights_by_format: dict[str, Number]
    other_cache: Architecture | None
    """The same model with its cache in the other usual format."""
    requests: dict[int, Number]
    """Context -> cache of one request."""
    run: PublishedRun | None

    def by_id(self) -> dict[str, Number]:
        """The numbers by the last part of their permanent ids; what is plainly zero has none."""
        names = (
            "total_params", *CONVENTIONS.values(), *COMPONENTS, "routed_active_params", "active_share",
            "checkpoint_params", "weights_bytes", "always_read_bytes", "expert_bytes", "kv_bytes_per_token",
            "kv_fixed_bytes_per_request",
        )  # fmt: skip
        found = {name: getattr(self.architecture, name) for name in names}
        found["count_difference"] = self.total_difference
        if self.active_difference is not None:
            found["active_count_difference"] = self.active_difference
        found |= {f"weights_bytes/{name}": value for name, value in self.weights_by_format.items()}
        found |= {f"kv_bytes_per_request/{context}": value for context, value in self.requests.items()}
        if self.other_cache is not None:
            name = f"kv_bytes_per_token/{self.other_cache.kv_format.id}"
            found[name] = self.other_cache.kv_bytes_per_token
        if self.run is not None:
            found |= {"training_flops": self.run.training_flops, "implied_mfu": self.run.implied_mfu}
        return {name: value for name, value in found.items() if hasattr(value, "origin")}


def context(tokens: float) -> Number:
    """A context length that a page picks."""
    return choice(tokens, name="context_tokens", unit="token", reason="a context length to compare at")


def model_numbers(model: Model, library: Library) -> ModelNumbers:
    """Parameters against the published ones, weights in other formats, the cache of requests of several lengths."""

    def make() -> ModelNumbers:
        own = describe(model, library)
        extras = tuple(extra.params for extra in model.extra_params if extra.in_published_total)
        counted = own.total_params
        if extras:
            counted = parameters.checkpoint_params(total_params=counted, extra_params_by_component=extras)
        published = model.published
        if published.exact is not None:
            total = comparison.relative_difference(value=published.exact, reference_value=own.checkpoint_params)
        else:
            total = comparison.relative_difference(value=published.total, reference_value=counted)
        active = None
        if published.active is not None:
            reference = getattr(own, CONVENTIONS[published.active_convention or "all"])
            active = comparison.relative_difference(value=published.active, reference_value=reference)
        block = library.assume("kv-block-tokens")
        lengths = [length for length in CONTEXTS if length < model.max_context] + [int(model.max_context)]
        return ModelNumbers(
            architecture=own,
            counted_params=counted,
            total_difference=total,
            active_difference=active,
            weights_by_format={
                name: memory.uniform_weights_bytes(
                    total_params=own.total_params, bits_per_param=library.find("number_formats", name).bits
                )
                for name in WEIGHT_FORMATS
            },
            other_cache=_other_cache(model, library, own),
            requests={length: _request_bytes(own, length, block) for length in lengths},
            run=published_run(model, library),
        )

    return once(library, ("model page", id(model)), make)


def _request_bytes(own: Architecture, tokens: int, block: Number) -> Number:
    """As `Architecture.request_bytes`; where all windows are full, the fixed part is the one that every page shows."""
    windows = [float(group.window_tokens) for group in own.attention if group.window_tokens is not None]
    if any(window > tokens for window in windows):
        return own.request_bytes(context(tokens), block)
    return memory.kv_bytes_per_request(
        kv_fixed_bytes_per_request=own.kv_fixed_bytes_per_request,
        kv_bytes_per_token=own.kv_bytes_per_token,
        context_tokens=context(tokens),
        block_tokens=block,
    )


def _other_cache(model: Model, library: Library, own: Architecture) -> Architecture | None:
    """With the cache in FP8 if the checkpoint keeps it in 16 bits, and the other way round; None where it cannot be."""
    if own.kv_format.id in ("bf16", "fp16"):
        compressed = any(group.kind == "compressed" for group in model.config.attention)
        return None if compressed else describe(model, library, kv="fp8")
    return describe(model, library, kv="bf16")

"""An accelerator as the estimates see it: memory, bandwidth, a peak that exists for a format, and its links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from generator.provenance import choice
from generator.specs.library import Library
from generator.specs.records import Accelerator, NumberFormat

Number = Any


@dataclass(frozen=True)
class Device:
    """Numbers of one accelerator; what is not published is None."""

    accelerator: Accelerator
    memory_bytes: Number
    memory_share: Number
    bandwidth_bytes_per_s: Number | None
    peak_flops_per_s: Number | None
    peak_format: str | None
    domain_gpus: Number
    scale_up_bytes_per_s: Number | None
    scale_out_bytes_per_s: Number | None
    scale_up_latency_s: Number
    scale_out_latency_s: Number


def peak(accelerator: Accelerator, number_format: NumberFormat) -> tuple[Number | None, str | None]:
    """The dense peak for a format, or that of the next format it can compute in, and which one it is."""
    for name in number_format.computes_as:
        found = getattr(accelerator.dense_peak, name)
        if found is not None:
            return found, name
    return None, None


def device(accelerator: Accelerator, library: Library, number_format: NumberFormat) -> Device:
    """An accelerator that computes in a number format.

    Cards without a scale-up link use the host link among the cards of one host.
    """
    flops, name = peak(accelerator, number_format)
    link, host, out = accelerator.scale_up, accelerator.host_link, accelerator.scale_out
    if link is not None:
        inside, domain, latency = link.bandwidth, link.domain_gpus, library.assume("all-reduce-latency-scale-up")
    else:
        inside = host.bandwidth if host else None
        domain = library.assume("gpus-per-host")
        latency = library.assume("all-reduce-latency-pcie")
    whole = choice(1.0, name="gpu_memory_share", unit="1", reason="dedicated memory: the GPU owns all of it")
    return Device(
        accelerator=accelerator,
        memory_bytes=accelerator.memory.capacity,
        memory_share=accelerator.memory.gpu_share or whole,
        bandwidth_bytes_per_s=accelerator.memory.bandwidth,
        peak_flops_per_s=flops,
        peak_format=name,
        domain_gpus=domain,
        scale_up_bytes_per_s=inside,
        scale_out_bytes_per_s=out.bandwidth if out else None,
        scale_up_latency_s=latency,
        scale_out_latency_s=library.assume("all-reduce-latency-scale-out"),
    )

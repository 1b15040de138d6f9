"""Records of accelerators, systems and links."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from generator.specs.fields import (
    Bytes,
    BytesPerSecond,
    Count,
    Date,
    FlopsPerSecond,
    Id,
    OrWord,
    Record,
    Share,
    Spec,
    Watts,
)


@dataclass(frozen=True, kw_only=True)
class Memory(Record):
    """Device memory: nominal `capacity`, what software sees as `visible`, `gpu_share` as a cap set by the system."""

    type: str
    capacity: Bytes
    visible: Bytes | None = None
    bandwidth: BytesPerSecond | None = None
    gpu_share: Share | None = None


@dataclass(frozen=True, kw_only=True)
class Peaks(Record):
    """Peak rates by number format; tensor cores with FP32 accumulation, `fp32` plain vector units."""

    fp32: FlopsPerSecond | None = None
    tf32: FlopsPerSecond | None = None
    bf16: FlopsPerSecond | None = None
    fp16: FlopsPerSecond | None = None
    fp8: FlopsPerSecond | None = None
    fp6: FlopsPerSecond | None = None
    int8: FlopsPerSecond | None = None
    fp4: FlopsPerSecond | None = None


@dataclass(frozen=True, kw_only=True)
class Efficiency(Record):
    """Measured share of the dense peak that the best matrix multiplication reaches."""

    bf16: Share | None = None
    fp8: Share | None = None


@dataclass(frozen=True, kw_only=True)
class ScaleUp(Record):
    """The link inside the scale-up domain, per GPU and per direction; `bidirectional` is what data sheets print."""

    link: str
    bandwidth: BytesPerSecond | None = None
    bidirectional: BytesPerSecond | None = None
    domain_gpus: Count


@dataclass(frozen=True, kw_only=True)
class OutsideLink(Record):
    """A link to the host or to other domains, per GPU and per direction."""

    link: str
    bandwidth: BytesPerSecond
    nominal: BytesPerSecond | None = None


@dataclass(frozen=True, kw_only=True)
class Accelerator(Spec):
    """One accelerator variant: SXM, PCIe, NVL, B200 and GB200 are separate files."""

    vendor: str
    released: Date
    availability: Literal["shipping", "announced"]
    fits: bool = True
    """Part of the fit matrix and of the playground; false for what is kept for its measurements."""
    memory: Memory
    dense_peak: Peaks
    sparse_peak: Annotated[Peaks | str, OrWord("none")]
    peak_exceptions: dict[str, str] = field(default_factory=dict)
    matmul_efficiency: Efficiency | None = None
    scale_up: ScaleUp | None = None
    host_link: OutsideLink | None = None
    scale_out: OutsideLink | None = None
    tdp: Watts | None = None


@dataclass(frozen=True, kw_only=True)
class System(Spec):
    """A scale-up domain as sold: HGX board, NVL72 rack, TPU pod."""

    accelerator: Id
    gpus: Count
    availability: Literal["shipping", "announced"] = "shipping"
    cpus: str | None = None
    memory: Bytes
    bandwidth: BytesPerSecond | None = None
    scale_up_total: BytesPerSecond | None = None
    scale_out: str | None = None
    host_memory: Bytes | None = None
    dense_peak: Peaks | None = None
    power: Watts | None = None


@dataclass(frozen=True, kw_only=True)
class Link(Spec):
    """One kind of link, per direction; `measured` is what a test reached."""

    reach: Literal["scale-up", "host", "scale-out"]
    bandwidth: BytesPerSecond
    nominal: BytesPerSecond | None = None
    bidirectional: BytesPerSecond | None = None
    measured: BytesPerSecond | None = None

"""What calibrations depend on besides the id of an accelerator: kind of memory, generation, vendor."""

from __future__ import annotations

from generator.formulas.single_stream import half_accumulating_flops_per_s
from generator.specs.records import Accelerator

_GENERATIONS = {
    "ampere": ("a100", "a10", "a30", "a40", "rtx-30", "rtx-a", "jetson-agx-orin"),
    "ada": ("l4", "l40", "rtx-40", "rtx-4000-ada", "rtx-5000-ada", "rtx-6000-ada"),
    "hopper": ("h100", "h200", "h20", "h800", "gh200"),
    "blackwell": ("b200", "b300", "gb", "rtx-50", "rtx-pro-6000"),
    "volta": ("v100",),
}
"""Beginnings of ids."""


def memory_kind(accelerator: Accelerator) -> str:
    """`hbm`, `gddr`, or `unified` with the host."""
    kind = accelerator.memory.type.lower()
    if "hbm" in kind:
        return "hbm"
    return "gddr" if "gddr" in kind else "unified"


def generation(accelerator: Accelerator) -> str:
    """Generation of an NVIDIA card, else the vendor."""
    found = [
        (len(start), name)
        for name, starts in _GENERATIONS.items()
        for start in starts
        if accelerator.id.startswith(start)
    ]
    return max(found)[1] if found else vendor(accelerator)


def vendor(accelerator: Accelerator) -> str:
    """Vendor in lower case."""
    return accelerator.vendor.lower()


def keys_of(accelerator: Accelerator) -> dict[str, str]:
    """Keys on which constants may depend."""
    return {
        "accelerator": accelerator.id,
        "memory": memory_kind(accelerator),
        "generation": generation(accelerator),
        "vendor": vendor(accelerator),
    }


def widest_peak(accelerator: Accelerator, peak: float | None) -> float | None:
    """The FP16 peak, or that of adding in FP16 too if it is higher, as on consumer cards of NVIDIA."""
    integers = accelerator.dense_peak.int8
    if peak is None or integers is None or vendor(accelerator) != "nvidia":
        return peak
    adding = half_accumulating_flops_per_s(integer_ops_per_s=integers)
    return max(peak, adding, key=float)

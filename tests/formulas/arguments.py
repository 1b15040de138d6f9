"""Plausible arguments for any formula, made from the nomenclature: equal on every machine, different for each name."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

from generator.formulas import NOMENCLATURE

VARIANTS = (0, 1, 2)
TUPLES = ("_by_group", "_by_component")

_SCALE = {
    "B": 1e6, "B/token": 1e3, "B/s": 1e11, "FLOP": 1e12, "FLOP/s": 1e14, "FLOP/B": 1.0, "FLOP/token": 1e9,
    "s": 1e-3, "Hz": 1e8, "W": 100.0, "J/token": 0.1, "bit": 4.0, "token": 100.0, "token/s": 50.0,
    "param": 1e6, "layer": 4.0,
    "count": 2.0, "request/s": 3.0, "1/s": 0.001, "USD/h": 0.5, "USD/Mtok": 0.1, "USD/kWh": 0.02, "USD": 1e3,
    "GPU-h": 1e4,
}  # fmt: skip
_CHOSEN = {
    # What has to stand in a relation to another argument: memory is larger than what is kept in it, and so on.
    "experts": (64, 128, 256),
    "top_k": (2, 4, 8),
    "usable_memory_bytes": (72e9, 126e9, 160e9),
    "kv_capacity_bytes": (5e10, 1e11, 3e11),
    "device_visible_bytes": (80e9, 141e9, 180e9),
    "ridge_point": (150.0, 295.0, 590.0),
    "attention_intensity": (1.0, 8.0, 16.0),
    "head_params": (0.0, 2e6, 3e6),
    "kv_replication": (1.0, 2.0, 4.0),
    "tp": (1, 2, 8),
    "ep": (1, 8, 4),
    "degree": (1, 2, 16),
    "domain_gpus": (8, 8, 8),
    "groups": (3, 8, 16),
    "lost_groups": (1, 1, 2),
    "capacity_after_requests_per_s": (300.0, 400.0, 500.0),
    "startup_limit_s": (60.0, 120.0, 300.0),
    "lowest_requests_per_s": (1.0, 2.0, 4.0),
    "peak_requests_per_s": (5.0, 8.0, 16.0),
}


def number(name: str, variant: int, index: int = 0) -> float:
    """A value of the argument `name`; `index` counts the elements of a tuple."""
    if name in _CHOSEN:
        return _CHOSEN[name][variant]
    spread = 1 + (zlib.crc32(f"{name} {index}".encode()) % 9) + 4 * variant
    unit = NOMENCLATURE[name].unit
    return spread / 20 + 0.05 if unit == "1" else spread * _SCALE[unit]


def arguments(formula: Callable[..., Any], variant: int) -> dict[str, Any]:
    """One number for each argument, two for each argument that runs over groups or components."""
    return {
        name: tuple(number(name, variant, index) for index in (0, 1))
        if name.endswith(TUPLES)
        else number(name, variant)
        for name in formula.arguments
    }


def mapped(inputs: dict[str, Any], change: Callable[[str, float], Any]) -> dict[str, Any]:
    """The same arguments with every number changed."""
    return {
        name: tuple(change(name, one) for one in value) if isinstance(value, tuple) else change(name, value)
        for name, value in inputs.items()
    }

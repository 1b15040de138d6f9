"""Calibrated predictions for a configuration that nobody measured: asked as a row without a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from generator.specs.library import Library
from generator.specs.records import Model
from generator.validation.calibration import ALIKE, band_of, constants_of, is_alike
from generator.validation.registry import families
from generator.validation.rows import Row

ENGINES = ("vllm", "sglang", "trtllm")


@dataclass(frozen=True)
class Banded:
    """A calibrated value in base units with the ends of its 80 % band."""

    value: Any
    low: float
    high: float
    alike: bool
    """Whether engine, accelerator and format were measured together."""


def banded(library: Library, family: str, fields: dict[str, str]) -> Banded:
    """The prediction of a family for a row with these columns. Raises Uncovered."""
    chosen, calibration = families()[family], library.find("calibrations", family)
    case = chosen.express(Row("asked", 1.0, fields, "asked"), library)
    value = chosen.predict(case.inputs, constants_of(chosen, calibration, case))
    alike = is_alike(chosen, calibration, case)
    band = band_of(calibration, {**case.keys, ALIKE: "yes" if alike else "no"})
    low, high = (1.0, 1.0) if band is None else (float(band.low), float(band.high))
    return Banded(value, float(value) * low, float(value) * high, alike)


def serving(
    library: Library, model: Model, accelerator: str, *, engine: str, version: str = "", tp: int | None = None,
    gpus: int | None = None, ep: int | None = None, weights: str = "native", kv: str = "native", batch: float = 1,
    prompt_tokens: float = 1024, output_tokens: float = 256,
) -> dict[str, Banded]:  # fmt: skip
    """Time per output token and to the first token of an engine that keeps `batch` requests. Raises Uncovered."""
    group = tp or gpus or 1
    fields = {
        "model": model.id, "gpu": accelerator, "engine": engine, "engine_version": version, "tp": str(group), "pp": "1",
        "ep": str(ep or 1), "n_gpus": str(group), "precision_weights": "" if weights == "native" else weights,
        "precision_kv": "" if kv == "native" else kv, "isl": str(prompt_tokens), "osl": str(output_tokens),
        "batch_or_concurrency": str(batch), "unit": "s",
    }  # fmt: skip
    wanted = {"tpot_s": ("serving-tpot", "mean_tpot"), "ttft_s": ("serving-ttft", "mean_ttft")}
    return {name: banded(library, family, {**fields, "metric": metric}) for name, (family, metric) in wanted.items()}

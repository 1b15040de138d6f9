"""Calibrated predictions for a configuration that nobody measured: asked as a row without a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from generator.estimates.layouts import layout
from generator.specs.library import Library
from generator.specs.records import Model
from generator.validation.calibration import ALIKE, band_of, constants_of, is_alike
from generator.validation.measures import express
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
    case = express(chosen, Row("asked", 1.0, fields, "asked"), library)
    value = chosen.predict(case.inputs, constants_of(chosen, calibration, case))
    alike = is_alike(chosen, calibration, case)
    band = band_of(calibration, {**case.keys, ALIKE: "yes" if alike else "no"})
    low, high = (1.0, 1.0) if band is None else (float(band.low), float(band.high))
    return Banded(value, float(value) * low, float(value) * high, alike)


def serving(
    library: Library, model: Model, accelerator: str, *, engine: str, version: str = "", tp: int | None = None,
    pp: int | None = None, gpus: int | None = None, ep: int | None = None, weights: str = "native",
    kv: str = "native", batch: float = 1, prompt_tokens: float = 1024, output_tokens: float = 256,
) -> dict[str, Banded]:  # fmt: skip
    """Time per output token and to the first token of an engine that keeps `batch` requests. Raises Uncovered.

    Accelerators beyond one tensor-parallel group, or one group that experts are spread over, are further replicas.
    """
    chosen = layout(model, gpus=gpus, tp=tp, pp=pp or 1, ep=ep or 1)
    group, stages, spread = int(chosen.tp), int(chosen.pp), int(chosen.ep)
    worker = max(group, spread)
    replicas = float(chosen.gpus) / (worker * stages)
    fields = {
        "model": model.id, "gpu": accelerator, "engine": engine, "engine_version": version, "tp": str(group),
        "pp": str(stages), "ep": str(spread), "n_gpus": str(worker),
        "precision_weights": "" if weights == "native" else weights, "precision_kv": "" if kv == "native" else kv,
        "isl": str(prompt_tokens), "osl": str(output_tokens), "unit": "s",
        "batch_or_concurrency": str(max(batch / replicas, 1)),
    }  # fmt: skip
    wanted = {"tpot_s": ("serving-tpot", "mean_tpot"), "ttft_s": ("serving-ttft", "mean_ttft")}
    return {name: banded(library, family, {**fields, "metric": metric}) for name, (family, metric) in wanted.items()}


SOFTWARE = ("megatron", "llm-foundry", "torchtitan", "maxtext", "nanotron")


def training(
    library: Library, model: Model, accelerator: str, *, software: str, gpus: int, sequence_tokens: float,
    global_batch: float, micro_batch: float = 1, tp: int = 1, pp: int = 1, ep: int = 1, cp: int = 1,
    virtual_stages: int = 1, recompute: str = "selective", number_format: str = "bf16", zero: int = 1,
) -> dict[str, Banded]:  # fmt: skip
    """Time of one step of this layout with tuned settings of that software. Raises Uncovered."""
    fields = {
        "model": model.id, "gpu": accelerator, "engine": software, "precision_weights": number_format,
        "n_gpus": str(gpus), "tp": str(tp), "pp": str(pp), "ep": str(ep), "cp": str(cp), "vp": str(virtual_stages),
        "seq_len": str(sequence_tokens), "gbs_sequences": str(global_batch), "mbs": str(micro_batch),
        "recompute": "full" if recompute == "full" else "", "zero_or_fsdp": "FULL_SHARD" if zero == 3 else "",
        "metric": "step_time", "unit": "s",
    }  # fmt: skip
    family = "training-layouts" if software == "nanotron" else "training-time"
    return {"step_s": banded(library, family, fields)}

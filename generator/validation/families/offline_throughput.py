"""Output rate of an engine that finds all requests queued, or that is given a fixed batch."""

from __future__ import annotations

import re

from generator.specs.library import Library
from generator.validation import names
from generator.validation.calibration import constant_of
from generator.validation.families import offline_cases as cases
from generator.validation.family import Aim, Case, Family, Number
from generator.validation.leaves import stated
from generator.validation.rows import Row, Uncovered

ID = "offline-throughput"
ENGINES = ("TensorRT-LLM", "LMDeploy TurboMind")
METRICS = ("max_output_throughput", "output_throughput", "output_throughput_per_gpu")
TOTALS = ("0.5",)
"""Releases whose rates are those of all accelerators, though the table says of each: read so, four beat the bound."""
GROUPED = 8.0
"""Query heads per key-value head for which 0.8 and 0.9 had decode attention on tensor cores; before, none had.

Read from the rates by release, not from its notes.
"""
SCALAR_BEFORE = "0.8"


def backend(engine: str, version: str, paced: bool) -> str:
    """`static`: fixed batch, compiled; `compiled`: batching in flight; `served`: behind a server; `pytorch`.

    Another engine than TensorRT-LLM is a backend of its own name. Raises Uncovered.
    """
    if engine != ENGINES[0]:
        return engine.split(" ")[-1].lower()
    found = re.match(r"v?(\d+)\.(\d+)", version)
    if found is None:
        raise Uncovered("the engine's version is not stated")
    release = (int(found[1]), int(found[2]))
    if paced:
        return "served"
    if release < (0, 10):
        return "static"
    return "compiled" if release < (0, 20) else "pytorch"


def _requests(row: Row, library: Library) -> tuple[Number, float, float]:
    """Requests, fixed batch (0 for none) and arrival rate. Raises Uncovered."""
    told = row.text("batch_or_concurrency").lower()
    if told.startswith("qps="):
        rate = told.removeprefix("qps=")
        sent = constant_of(library.find("calibrations", "paced-serving"), "sent_requests", {})
        return sent, 0.0, cases.AT_ONCE if rate == "inf" else float(rate)
    if row.metric == "max_output_throughput" or told == "inf":
        queued = constant_of(library.find("calibrations", ID), "queued_requests", {"lengths": _lengths(row)})
        return queued, 0.0, cases.AT_ONCE
    batch = row.needed("batch_or_concurrency")
    return stated(row, batch, "queued_requests", "count"), batch, cases.AT_ONCE


def _lengths(row: Row) -> str:
    """Prompt and output tokens as a key: the published runs of one pair have one number of requests."""
    return f"{row.needed('isl'):g} to {row.needed('osl'):g}"


def _express(row: Row, library: Library) -> Case:
    version = row.text("engine_version").removesuffix(".0") if row.text("engine_version").count(".") > 1 else (
        row.text("engine_version"))  # fmt: skip
    requests, fixed, rate = _requests(row, library)
    paced = row.text("batch_or_concurrency").lower().startswith("qps=")
    kind = backend(row.text("engine"), version, paced)
    accelerator = names.accelerator(library, row.text("gpu"))
    told = names.format_spelt(row.text("precision_weights")) or names.model(library, row.text("model")).weights
    weights = cases.number_format(library, told or "")
    model = cases.architecture_of(
        library, row.text("model"), weights, row.text("precision_kv"), windows=kind == "pytorch"
    )
    gpus = row.number("n_gpus") or 1.0
    tp, pp = row.number("tp") or gpus, row.number("pp") or 1.0
    if tp * pp != gpus:
        raise Uncovered("several copies of the model in one rate")
    heads = max(float(getattr(group, "n_heads", 1)) for group in model.model.config.attention)
    ranks = tp if kind == "pytorch" and model.moe is not None else 1.0
    run = cases.Run(
        architecture=model,
        number_format=weights,
        accelerator=accelerator,
        prompt_tokens=row.needed("isl"),
        output_tokens=row.needed("osl"),
        requests=requests,
        tp=tp,
        pp=pp,
        attention_ranks=ranks,
        fixed_batch=fixed,
        arrival_rate_per_s=rate,
        scalar_attention=kind == "static"
        and (version < SCALAR_BEFORE or heads / float(model.kv_replicas_limit) != GROUPED),
        block_tokens=float(library.assume("kv-block-tokens")),
    )
    inputs = cases.inputs_of(row, run, library)
    keys = {
        "engine": row.text("engine").lower(),
        "version": version,
        "backend": kind,
        "lengths": _lengths(row),
        **cases.card_keys(library, accelerator, weights, model),
    }
    each = row.metric == "output_throughput_per_gpu" and version not in TOTALS
    return Case(
        row=row,
        inputs=inputs,
        keys=keys,
        group=f"{model.model.id} | {accelerator.id} | {version}",
        bound=cases.bound(inputs),
        reference=cases.reference(inputs, library),
        per_unit=gpus if each else 1.0,
        remark="the rate is that of all accelerators" if version in TOTALS and gpus > 1 else "",
    )


def _explain(row: Row, case: Case, error: float) -> str:
    """What the model leaves out that this row is likely to show."""
    keys = case.keys
    if keys["backend"] == "served":
        return "outputs differ in length, and the run ends with the longest"
    if keys["backend"] == "static" and keys["version"] < SCALAR_BEFORE:
        return "the first kernels changed from one release to the next"
    if keys["moe"] == "yes" and float(case.inputs["prompt_tokens"]) > float(case.inputs["output_tokens"]):
        return "ranks that share requests wait for the one with the most prompt tokens"
    if keys["host"] == "grace":
        return "the rates of this host do not follow the lengths of prompt and output"
    if keys["link"] == "pcie" and float(case.inputs["tp"]) > 1:
        return "exchanges over PCIe depend on which cards share a switch"
    return ""


FAMILY = Family(
    id=ID,
    name="Offline throughput",
    what="Output tokens per second of an engine whose queue never runs dry, or of a fixed batch: the batch is what"
    " memory holds; a step reads weights and caches, computes tokens and prompts, exchanges, and spends fixed times.",
    unit="token/s",
    claims=lambda row: row.text("engine") in ENGINES and row.metric in METRICS,
    express=_express,
    predict=cases.predict,
    constants=(*cases.CONSTANTS, "queued_requests"),
    bound_is="most",
    alike_by=("version", "accelerator"),
    banded_by=("moe",),
    explain=_explain,
    aims=(Aim(0.08, 0.20, {"moe": "no"}), Aim(0.12, None, {"moe": "yes"})),
)

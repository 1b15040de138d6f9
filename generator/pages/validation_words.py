"""Keys, settings and units of measurements in the words that people use for them."""

from __future__ import annotations

from collections.abc import Mapping

from generator import formatting
from generator.formulas.nomenclature import NOMENCLATURE
from generator.specs.library import Library
from generator.validation.rows import Row

ENGINES = {
    "cuda": "CUDA",
    "llm-foundry": "LLM Foundry",
    "lmdeploy": "LMDeploy",
    "lmdeploy turbomind": "LMDeploy",
    "mango": "MangoBoost",
    "maxtext": "MaxText",
    "megatron": "Megatron",
    "nccl": "NCCL",
    "nccl-tests": "NCCL",
    "sglang": "SGLang",
    "sglang 1p1d + mooncake": "SGLang with Mooncake",
    "tensorrt": "TensorRT-LLM",
    "tensorrt-llm": "TensorRT-LLM",
    "torchtitan-eager": "torchtitan, not compiled",
    "trtllm": "TensorRT-LLM",
    "vllm": "vLLM",
    "vllm (splitwise profile)": "vLLM of 2023",
    "vllm 1p1d + mooncake": "vLLM with Mooncake",
}
"""Engine of a key -> its name; others stand for themselves."""

WORDS = {
    ("alike", "yes"): "like measured ones",
    ("alike", "no"): "unlike any measured",
    ("apart", "yes"): "prompts on other accelerators",
    ("apart", "no"): "prompts on the same accelerators",
    ("attention", "full"): "full attention",
    ("attention", "heads"): "attention by heads",
    ("attention", "hybrid"): "hybrid attention",
    ("attention", "latent"): "latent attention",
    ("backend", "compiled"): "compiled engine",
    ("backend", "pytorch"): "PyTorch backend",
    ("backend", "served"): "behind a server",
    ("backend", "static"): "fixed batch",
    ("backend", "turbomind"): "TurboMind backend",
    ("benchmark", "gpt-j"): "GPT-J",
    ("benchmark", "llama2-70b"): "Llama 2 70B",
    ("benchmark", "llama3.1-405b"): "Llama 3.1 405B",
    ("benchmark", "llama3.1-8b"): "Llama 3.1 8B",
    ("benchmark", "mixtral-8x7b"): "Mixtral 8x7B",
    ("block", "scaled"): "scaled in blocks",
    ("caller", "torch"): "called from PyTorch",
    ("experts", "fused"): "fused experts",
    ("generation", "amd"): "AMD",
    ("host", "grace"): "Grace host",
    ("host", "waited for"): "host waited for",
    ("latency", "between tokens"): "time between tokens",
    ("latency", "first token"): "time to first token",
    ("link", "host"): "through the host",
    ("link", "pcie"): "PCIe",
    ("medium", "nvlink"): "NVLink",
    ("medium", "pcie"): "PCIe",
    ("memory", "gddr"): "GDDR memory",
    ("memory", "hbm"): "HBM",
    ("memory", "unified"): "unified memory",
    ("moe", "no"): "dense models",
    ("moe", "yes"): "mixture of experts",
    ("phase", "prompt"): "prompt phase",
    ("phase", "token"): "token phase",
    ("power", "capped"): "capped power",
    ("profile", "current"): "current releases",
    ("profile", "earlier"): "earlier releases",
    ("protocol", "closed-loop"): "closed loop",
    ("protocol", "sweep"): "sweep over loads",
    ("sharing", "all"): "all states shared out",
    ("tensor", "asynchronous"): "asynchronous tensor parallelism",
    ("vendor", "amd"): "AMD",
    ("vendor", "apple"): "Apple",
    ("vendor", "intel"): "Intel",
    ("vendor", "nvidia"): "NVIDIA",
    ("version", "unstated"): "release not stated",
    ("weights", "packed"): "quantised weights",
    ("weights", "plain"): "16-bit weights",
}
"""Key and value -> what they mean."""

PATTERNS = {
    "beams": "{} beams",
    "caller": "called by {}",
    "dense_format": "{} outside the experts",
    "expert_format": "experts in {}",
    "gpus": "{} accelerators",
    "lengths": "{} tokens",
    "scenario": "{} scenario",
    "version": "release {}",
}
"""Key -> words around its value; others show the value alone."""

UPPER = ("bf16", "fp16", "fp8", "fp32", "mxfp4", "mxfp8", "nvfp4", "int4", "int8")

UNITS = {
    "GiB/GPU": "GiB",
    "Queries/s total": "queries/s",
    "Tokens/s total": "token/s",
    "tok/s": "token/s",
    "tok/s total": "token/s",
    "tok/s/GPU": "token/s/GPU",
    "us": "µs",
}
"""Unit of a row -> as the pages write it."""

METRICS = {
    "busbw": "bus bandwidth",
    "algbw": "algorithm bandwidth",
    "kv_cache_tokens": "KV cache",
    "mean_itl": "time between tokens",
    "mean_tpot": "TPOT",
    "mean_ttft": "TTFT",
    "mfu": "MFU",
    "hfu": "HFU",
}
"""Metric -> its name, where the unit alone does not tell."""


SAID = ("serving-tpot", "serving-ttft", "kv-capacity", "step-profile")
"""Families whose name tells the metric."""

COLLECTIVES = {"alltoall": "all-to-all", "allreduce": "all-reduce", "allgather": "all-gather"}
"""Collective of a row -> its name, where the hyphens are missing."""


def where(library: Library, keys: Mapping[str, str]) -> str:
    """What a constant, band or error holds for, in words; `all` if for everything."""
    told = (_word(library, name, value) for name, value in keys.items() if not (name == "medium" and "link" in keys))
    return ", ".join(filter(None, told)) or "all"


def _word(library: Library, name: str, value: str) -> str:
    if (name, value) in WORDS:
        return WORDS[name, value]
    if name == "engine":
        return engine(value)
    if name == "accelerator":
        return card(library, value)
    if name == "link" and value.startswith(("nvlink-", "pcie-")):
        kind, _, generation = value.partition("-")
        return f"{'NVLink' if kind == 'nvlink' else 'PCIe'} {generation}"
    if name == "generation":
        return value.capitalize()
    shown = value.upper() if value.startswith(UPPER) else value
    return PATTERNS.get(name, "{}").format(shown)


def engine(key: str) -> str:
    """The name of an engine as its makers write it."""
    return ENGINES.get(key.lower(), key)


def card(library: Library, identifier: str) -> str:
    """The short name of an accelerator; empty if it is not one of the specs."""
    found = library.find("accelerators", identifier).name if identifier else ""
    return found.removeprefix("NVIDIA ").partition(" (")[0]


def unit(row_unit: str) -> str:
    """A unit as the pages write it."""
    return UNITS.get(row_unit, row_unit)


def held_out(what: str) -> str:
    """What was held out: keys as words."""
    return what.replace(" and each ", ", each ").replace("each weights", "each weight format")


def meaning(name: str) -> str:
    """What a constant is, by the nomenclature."""
    found = NOMENCLATURE.get(name)
    return found.meaning if found else name.replace("_", " ")


def in_a_sentence(name: str) -> str:
    """The name of a family within a sentence: a first word that is no abbreviation starts small."""
    first = name.split()[0]
    return name if sum(letter.isupper() for letter in first) > 1 else name[0].lower() + name[1:]


def setting(row: Row, family: str = "", scenario: str = "") -> str:
    """Under what a row was measured: metric or operation, accelerators, layout, load, lengths."""
    gpus, tp, pp = row.text("n_gpus"), row.text("tp"), row.text("pp")
    metric = "" if family in SAID else METRICS.get(row.metric, "")
    collective = row.text("collective").replace("_", "-")
    parts = [metric, COLLECTIVES.get(collective, collective), scenario]
    if gpus and (gpus != tp or gpus == "1"):
        parts.append("1 GPU" if gpus == "1" else f"{gpus} GPUs")
    parts += [f"{name} {value}" for name, value in (("TP", tp), ("PP", pp)) if value not in ("", "1")]
    return ", ".join(filter(None, [*parts, *_load(row)]))


def _load(row: Row) -> list[str]:
    """Batch and lengths of a row."""
    prompt, output, batch = row.text("isl"), row.text("osl"), row.text("batch_or_concurrency")
    message = row.number("message_bytes")
    parts = [formatting.text(message, "B")] if message else []
    if row.text("seq_len"):
        parts.append(f"sequences of {row.text('seq_len')}")
        parts += [f"micro-batch {row.text('mbs')}"] if row.text("mbs") else []
    elif batch.startswith("qps="):
        rate = batch.removeprefix("qps=")
        parts.append("all requests at once" if rate.lower() == "inf" else f"{rate} requests/s")
    elif batch and batch != "inf":
        parts.append("1 request" if batch == "1" else f"{batch} requests" if batch.isdigit() else batch)
    return [
        *parts,
        *(f"{tokens} {way}" for tokens, way in ((prompt, "in"), (output, "out")) if tokens not in ("", "0")),
    ]

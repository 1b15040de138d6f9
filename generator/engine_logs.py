"""Reads the start-up log of a vLLM engine: what it was asked for, and the sizes that it prints.

Wordings of V0 (0.4 to 0.8) and V1 (0.7 and later). Every fact keeps the number of its line. Sizes are bytes; what the
log calls GB while loading weights is GiB.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

GIB = 2.0**30


@dataclass(frozen=True)
class Fact:
    """One value of a log and the line it stands on, from 1."""

    value: Any
    line: int


@dataclass
class EngineLog:
    """Everything found, by name; see `PATTERNS`."""

    facts: dict[str, Fact] = field(default_factory=dict)

    def get(self, name: str, otherwise: Any = None) -> Any:
        """The value of a fact."""
        return self.facts[name].value if name in self.facts else otherwise

    def line(self, name: str) -> int | None:
        """The line of a fact."""
        return self.facts[name].line if name in self.facts else None

    @property
    def generation(self) -> str:
        """`V0` or `V1`: by the line that says so, else by the wording."""
        said = self.get("generation")
        return said or ("V0" if "gpu_blocks" in self.facts and "kv_bytes_v1" not in self.facts else "V1")

    @property
    def version(self) -> tuple[int, ...]:
        """Numbers of the version, empty if the log does not say."""
        return tuple(int(part) for part in re.findall(r"\d+", self.get("version", ""))[:3])


def _gib(text: str) -> float:
    return float(text) * GIB


def _whole(text: str) -> int:
    return int(text.replace(",", ""))


def _yes(text: str) -> bool:
    return text.strip("'\"").lower() == "true"


_SIZE = r"(-?[\d.]+)\s*GiB"
PATTERNS: tuple[tuple[str, str, Callable[[str], Any]], ...] = (
    # What was asked for.
    ("version", r"LLM engine \(v([^)\s]+)\)", str),
    ("version", r"version\s+(\d+\.\d+[\w.+]*)\s*$", str),
    ("generation", r"Initializing an? (V[01]) LLM engine", str),
    ("model", r"with config: model='([^']+)'", str),
    ("model", r"Starting to load model (\S+?)\.\.\.", str),
    ("dtype", r"\bdtype=(?:torch\.)?(\w+)", str),
    ("quantization", r"\bquantization='?([\w-]+)'?", str),
    ("kv_format", r"\bkv_cache_dtype=['\"]?([\w.]+)", str),
    ("longest", r"\bmax_seq_len=(\d+)", _whole),
    ("longest", r"Using max model len (\d+)", _whole),
    ("tp", r"\btensor_parallel_size=(\d+)", _whole),
    ("pp", r"\bpipeline_parallel_size=(\d+)", _whole),
    ("dp", r"\bdata_parallel_size=(\d+)", _whole),
    ("chunked", r"chunked_prefill(?:_enabled)?=(\w+)", _yes),
    ("step_tokens", r"max_num_batched_tokens(?:=| to |': )(\d+)", _whole),
    ("sequences", r"max_num_seqs(?:=| to |': )(\d+)", _whole),
    ("utilisation", r"gpu_memory_utilization(?:'?: | \(|=|\s+)(0?\.\d+|1\.0+)", float),
    ("utilisation", r"GPU memory utilization is \((0?\.\d+|1\.0+),", float),
    ("gpu_name", r"(?:NVIDIA|AMD) ((?:GeForce )?(?:RTX|H\d|A\d|B\d|L\d|GB\d|MI\d|Instinct)[\w ]*)", str),
    # Sizes.
    ("visible", rf"total_gpu_memory\s*[=(]?\s*{_SIZE}", _gib),
    ("visible", rf"total_memory={_SIZE}", _gib),
    ("visible", rf"Free memory on device\s+(?:\S+\s+)?\([\d.]+/{_SIZE}\)", _gib),
    ("budget", rf"gpu_memory_utilization \([\d.]+\) = {_SIZE}", _gib),
    ("budget", rf"requested memory: {_SIZE}", _gib),
    ("budget", rf"GPU memory utilization is \([\d.]+, {_SIZE}\)", _gib),
    ("weights", rf"Model loading took {_SIZE}", _gib),
    ("weights", r"Loading model weights took ([\d.]+) G", _gib),
    ("weights", rf"model weights take\s+{_SIZE}", _gib),
    ("activations", rf"PyTorch activation peak memory(?: takes)?\s+{_SIZE}", _gib),
    ("activations", rf"{_SIZE} for peak activation", _gib),
    ("peak_torch", rf"peak_torch_memory={_SIZE}", _gib),
    ("non_torch", rf"non_torch_memory(?: takes)?\s+{_SIZE}", _gib),
    ("non_torch", rf"non_torch_memory={_SIZE} kv", _gib),
    ("non_torch", rf"{_SIZE} for non-torch memory", _gib),
    ("graphs", rf"Graph capturing finished in .*took {_SIZE}", _gib),
    ("graphs", rf"{_SIZE} for CUDAGraph memory", _gib),
    ("graphs_inside", rf"Estimated CUDA graph memory: {_SIZE}", _gib),
    ("kv_bytes_v1", rf"Available KV cache memory: {_SIZE}", _gib),
    ("kv_bytes_v0", rf"reserved for KV Cache is {_SIZE}", _gib),
    ("kv_bytes_v0", rf"kv_cache_size={_SIZE}", _gib),
    ("kv_bytes_v0", rf"available_kv_cache_memory\s+{_SIZE}", _gib),
    ("tokens", r"GPU KV cache size: ([\d,]+) tokens", _whole),
    ("gpu_blocks", r"(?:#\s*)?(?:GPU|CUDA|cuda) blocks: (\d+)", _whole),
    ("block_tokens", r"\bblock_size=(\d+)", _whole),
    ("concurrency", r"Maximum concurrency for [\d,]+ tokens per request: ([\d.]+)x", float),
    ("concurrency_tokens", r"Maximum concurrency for ([\d,]+) tokens per request", _whole),
    # Times.
    ("load_s", r"Loading weights took ([\d.]+) seconds", float),
    ("loading_s", r"Model loading took .*and ([\d.]+) seconds", float),
    ("compile_s", r"torch\.compile takes ([\d.]+) s in total", float),
    ("graphs_s", r"Graph capturing finished in ([\d.]+) secs", float),
    ("engine_s", r"init engine .*took ([\d.]+) s", float),
)
"""Name, pattern and reader of each fact. The first pattern that matches in the log wins."""

_SMALLEST = ("kv_bytes_v1", "kv_bytes_v0", "tokens", "gpu_blocks")
"""Every worker prints these, and the engine goes by the smallest."""
_LARGEST = ("weights", "activations", "non_torch", "graphs")
"""Every worker prints these; the fullest one sets the limit."""


def parse(text: str) -> EngineLog:
    """Facts of a log. Lines of several workers are merged: the fullest accelerator counts."""
    log = EngineLog()
    lines = text.splitlines()
    for name, pattern, read in PATTERNS:
        if name in log.facts:
            continue
        found = [
            Fact(read(match[1]), number)
            for number, line in enumerate(lines, 1)
            for match in [re.search(pattern, line)]
            if match and match[1] not in ("None", "auto")
        ]
        if found:
            log.facts[name] = _chosen(name, found)
    return log


def _chosen(name: str, found: list[Fact]) -> Fact:
    if name in _SMALLEST:
        return min(found, key=lambda fact: fact.value)
    if name in _LARGEST:
        return max(found, key=lambda fact: fact.value)
    return found[0]


def cache_bytes(log: EngineLog) -> Fact | None:
    """Memory of the cache on one accelerator, in either wording."""
    return log.facts.get("kv_bytes_v1") or log.facts.get("kv_bytes_v0")


def activation_bytes(log: EngineLog) -> Fact | None:
    """Activation peak; an early wording prints the peak with the weights in it."""
    if "activations" in log.facts:
        return log.facts["activations"]
    if "peak_torch" in log.facts and "weights" in log.facts:
        peak = log.facts["peak_torch"]
        return Fact(peak.value - log.facts["weights"].value, peak.line)
    return None

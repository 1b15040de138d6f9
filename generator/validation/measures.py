"""What the columns of a row may hold, and units: the factor from the one that a row states to that of its family."""

from __future__ import annotations

import re
from dataclasses import replace

from generator.specs.library import Library
from generator.validation.family import Case, Family
from generator.validation.rows import Row, Uncovered

_TIMES = {
    "s": 1.0, "sec": 1.0, "second": 1.0, "seconds": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ns": 1e-9,
    "min": 60.0, "h": 3600.0,
}  # fmt: skip
_PREFIXES = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
_BINARY = {"K": 2.0**10, "M": 2.0**20, "G": 2.0**30, "T": 2.0**40}
_SCOPE = re.compile(r"\s*(?:(?:/|\bper\b)\s*(GPU|gpu|user|node|chip)|\b(total))$")

EXPECTED: dict[str, tuple[str, str]] = {
    "latency": ("us", "total"),
    "busbw": ("GB/s", "GPU"),
    "kv_cache_tokens": ("tokens", "total"),
    "kv_cache_available": ("GiB", "GPU"),
    "kv_transfer_bandwidth": ("GB/s", "total"),
    "achievable_matmul": ("TFLOP/s", "GPU"),
    "mlperf_interactive": ("tok/s", "total"),
    "mlperf_offline": ("tok/s", "total"),
    "mlperf_server": ("tok/s", "total"),
    "max_output_throughput": ("tok/s", "total"),
    "output_throughput": ("tok/s", "total"),
    "output_throughput_per_gpu": ("tok/s", "GPU"),
    "prefill_rate": ("tok/s", "total"),
    "decode_single_stream": ("tok/s", "total"),
    "mfu": ("%", "total"),
    "model_tflops_per_gpu": ("TFLOP/s", "GPU"),
    "step_time": ("s", "total"),
    "tokens_per_s_per_gpu": ("tok/s", "GPU"),
    "total_gpu_hours": ("GPU-h", "total"),
    **dict.fromkeys(("memory_per_gpu", "mem_gb_per_gpu", "mem_gib_per_gpu"), ("GB", "GPU")),
    **dict.fromkeys(
        (
            "mean_tpot", "median_tpot", "mean_itl", "median_itl", "mean_ttft", "median_ttft", "first_token_latency",
            "prompt_time", "token_time",
        ),
        ("ms", "total"),
    ),
}  # fmt: skip
"""Metric -> unit in which its families read the value, and whether it is that of one accelerator or of all."""
NATIVE = {
    "kv_transfer_bandwidth": ("GiB/s",),
    **dict.fromkeys(
        ("mlperf_offline", "mlperf_server", "mlperf_interactive"),
        ("Queries/s total", "Samples/s total", "Queries/s", "Samples/s"),
    ),
}
"""Units that the families of a metric tell apart themselves."""
ALONE = ("decode_single_stream", "prefill_rate")
"""Rates of one request, which are those of one user."""

DEGREES = ("n_gpus", "tp", "pp", "ep", "cp", "dp", "vp", "nodes")
SIZES = (
    "isl", "osl", "batch_or_concurrency", "seq_len", "mbs", "gbs_sequences", "grad_accum", "message_bytes", "kv_bytes",
    "max_model_len", "max_num_seqs", "max_num_batched_tokens", "block_size", "gpu_memory_utilization",
    "gpu_mem_total_gib", "num_params",
)  # fmt: skip
ENDLESS = ("batch_or_concurrency",)
"""Columns in which `inf` has a meaning: all requests at once."""


def measure(text: str) -> tuple[str, float, str]:
    """Kind of a unit, its size in base units, and `GPU`, `total`, ... where it says so. Raises Uncovered."""
    scope = _SCOPE.search(text)
    plain = text[: scope.start()].strip() if scope else text.strip()
    told = (scope[1] or scope[2]).replace("gpu", "GPU").replace("chip", "GPU") if scope else ""
    if plain in _TIMES:
        return "time", _TIMES[plain], told
    if found := re.fullmatch(r"(k?)(?:tok|tokens?)(/s|/sec|ps)?", plain, re.IGNORECASE):
        return ("token/s" if found[2] else "token"), _PREFIXES[found[1].lower()], told
    if found := re.fullmatch(r"([kKMGT]?)(i?)(B|b|bit)(/s|ps)?", plain):
        size = _BINARY.get(found[1], 0.0) if found[2] else _PREFIXES[found[1]]
        if size:
            return ("B/s" if found[4] else "B"), size * (1.0 if found[3] == "B" else 0.125), told
    if found := re.fullmatch(r"([kMGTPE]?)FLOP(?:s?/s|S)", plain):
        return "FLOP/s", _PREFIXES[found[1]], told
    if plain in ("%", "1"):
        return "share", 0.01 if plain == "%" else 1.0, told
    if plain == "GPU-h":
        return plain, 1.0, told
    raise Uncovered(f"unit `{text}` is not known" if text else "the unit is not stated")


def factor(row: Row) -> float:
    """The value of a row times this is in the unit that its metric has in the families. Raises Uncovered."""
    if row.metric not in EXPECTED or row.unit in NATIVE.get(row.metric, ()):
        return 1.0
    unit, scope = EXPECTED[row.metric]
    kind, size, _ = measure(unit)
    given, its_size, told = measure(row.unit)
    if given != kind:
        raise Uncovered(f"`{row.metric}` in `{row.unit}` is not in a unit of what it measures, such as `{unit}`")
    found = 1.0 if its_size == size else its_size / size
    if told in ("", scope) or (told == "user" and row.metric in ALONE):
        return found
    if kind == "time" or (told, scope) not in (("GPU", "total"), ("total", "GPU")):
        raise Uncovered(f"`{row.metric}` in `{row.unit}`: a value of another part of the system")
    gpus = row.needed("n_gpus")
    return found * gpus if told == "GPU" else found / gpus


def checked(row: Row) -> None:
    """Refuse columns that hold a number which they cannot. 0 stands for what is not stated. Raises Uncovered."""
    for name in (*DEGREES, *SIZES):
        found = row.number(name)
        if found is None:
            continue
        if found < 0 or (found == float("inf") and name not in ENDLESS):
            raise Uncovered(f"`{name}` must be a finite number, not below 0")
        if name in DEGREES and found % 1:
            raise Uncovered(f"`{name}` must be a whole number")


def express(family: Family, row: Row, library: Library) -> Case:
    """The case of a row whatever its unit. Raises Uncovered, and what a family raises."""
    checked(row)
    times = factor(row)
    if times == 1.0:
        return family.express(row, library)
    value = row.value * times
    unit = EXPECTED[row.metric][0]
    case = family.express(Row(row.id, value, {**row.fields, "unit": unit, "value": f"{value}"}, row.place), library)
    return replace(case, row=row, per_unit=case.per_unit / times if case.inverted else case.per_unit * times)

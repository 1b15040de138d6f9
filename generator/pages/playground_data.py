"""The configurations of the playground as files: all of them as CSV, and compact columns as a script for the page.

A page read from a disk may fetch nothing, so the columns are a script that sets one global. They hold what the page
shows, rounded once to the digits it shows, and only for configurations that fit; a group of batches says why the next
one does not.
"""

from __future__ import annotations

import json
from typing import Any

from generator.estimates.architecture import describe
from generator.estimates.configurations import IDENTITY, Grid
from generator.estimates.sweep import BINDING
from generator.pages.entities import short_name
from generator.specs.library import Library

GLOBAL = "handbookConfigurations"
SHOWN = {
    "ttft": ("ttft_s", 1e-3),
    "tpot": ("tpot_s", 1e-3),
    "user": ("tokens_per_s_per_user", 1.0),
    "gpu": ("tokens_per_s_per_gpu", 1.0),
    "usd": ("usd_per_million_tokens_mixed", 1.0),
    "usd_decode": ("usd_per_million_tokens", 1.0),
}
"""Column of the script -> column of the sweep, and the size of its unit in base units."""

CSV = (
    "ttft_s", "tpot_s", "tokens_per_s_per_user", "tokens_per_s_per_gpu", "usd_per_million_tokens_mixed",
    "usd_per_million_tokens",
)  # fmt: skip
HEADER = (
    "model", "accelerator", "gpus", "tp", "ep", "weights", "workload", "prompt_tokens", "output_tokens", "batch",
    "fits", "max_concurrent_requests", "binding", *CSV, "why",
)  # fmt: skip


def to_csv(table: dict[str, Any], grid: Grid, library: Library) -> str:
    """Every configuration with its numbers in base units; one that does not fit says why instead."""
    spreads = [f"{one.gpus},{one.tp},{one.ep}" for one in grid.spreads]
    shapes = [library.find("workloads", name) for name in grid.workloads]
    workloads = [f"{one.id},{one.prompt:g},{one.output:g}" for one in shapes]
    names = (grid.models, grid.accelerators, spreads, grid.weights, workloads)
    identity = [
        list(map(labels.__getitem__, table[name].tolist())) for name, labels in zip(IDENTITY, names, strict=True)
    ]
    batches, fits = map(str, table["batch"].tolist()), table["feasible"].tolist()
    held = [f"{value:.0f}" for value in table["max_concurrent_requests"].tolist()]
    binding = [*BINDING, ""]
    words = map(binding.__getitem__, table["binding"].tolist())
    numbers = list(zip(*(_digits(table[name], 6) for name in CSV), strict=True))
    reasons = _reasons(table)
    lines = [",".join(HEADER)]
    empty = "," * len(CSV)
    for *place, batch, fit, holds, bound, values, why in zip(
        *identity, batches, fits, held, words, numbers, reasons, strict=True
    ):
        if fit:
            lines.append(f"{','.join(place)},{batch},1,{holds},{bound},{','.join(values)},")
        else:
            lines.append(f"{','.join(place)},{batch},0,{holds},{empty},{why}")
    return "\n".join(lines) + "\n"


def _reasons(table: dict[str, Any]) -> list[str]:
    """Why a configuration does not fit; empty for one that does."""
    short = table["shortfall_bytes"].tolist()
    held, batch = table["max_concurrent_requests"].tolist(), table["batch"].tolist()
    return [
        ""
        if fits
        else f"weights are {lacking / 1e9:.3g} GB short"
        if lacking >= 0
        else f"holds {holds:.0f} requests"
        if holds < asked
        else "a rate or link is not published"
        for fits, lacking, holds, asked in zip(table["feasible"].tolist(), short, held, batch, strict=True)
    ]


def _digits(column: Any, digits: int, missing: str = "") -> list[str]:
    """Numbers as text, to so many significant digits."""
    pattern = f"%.{digits}g"
    return [pattern % value if value == value else missing for value in column.tolist()]


def to_script(table: dict[str, Any], grid: Grid, library: Library, start: dict[str, str]) -> str:
    """The columns as a script: names, then what each group of batches shares, then the numbers of those that fit."""
    first = _group_starts(table)
    fits = table["feasible"]
    groups: dict[str, Any] = {name: table[name][first].tolist() for name in IDENTITY}
    groups["holds"] = [int(held) for held in table["max_concurrent_requests"][first].tolist()]
    groups["short"] = [float(f"{max(lacking, 0) / 1e9:.3g}") for lacking in table["shortfall_bytes"][first].tolist()]
    groups["fits"] = _add_up(fits, first)
    values = {name: _shown(table[column][fits] / scale) for name, (column, scale) in SHOWN.items()}
    named = {
        "start": start,
        "models": [[name, *_model(name, library)] for name in grid.models],
        "accelerators": [[name, short_name(library.find("accelerators", name))] for name in grid.accelerators],
        "spreads": [[one.id, label_of(one), one.gpus, one.tp, one.ep, one.batches] for one in grid.spreads],
        "weights": grid.weights,
        "workloads": [_workload(name, library) for name in grid.workloads],
        "binding": BINDING,
        "groups": groups,
        "bound": "".join(map(str, table["binding"][fits].tolist())),
    }
    text = json.dumps(named, ensure_ascii=False, separators=(",", ":"))
    columns = ",".join(f'"{name}":[{column}]' for name, column in values.items())
    return f'globalThis.{GLOBAL}={text[:-1]},"values":{{{columns}}}}};\n'


def label_of(spread: Any) -> str:
    """A spread in words."""
    return f"TP {spread.tp}" if spread.ep == 1 else f"{spread.gpus} with EP {spread.ep}"


def _model(name: str, library: Library) -> tuple[str, str]:
    """Name of a model and the format that its checkpoint computes in."""
    record = library.find("models", name)
    return record.name, describe(record, library).compute_format.id


def _workload(name: str, library: Library) -> list[Any]:
    shape = library.find("workloads", name)
    return [name, shape.name, int(shape.prompt), int(shape.output)]


def _group_starts(table: dict[str, Any]) -> Any:
    """Rows at which anything but the batch changes."""
    import numpy

    changes = numpy.zeros(len(table["batch"]), dtype=bool)
    changes[0] = True
    for name in IDENTITY:
        changes[1:] |= table[name][1:] != table[name][:-1]
    return numpy.flatnonzero(changes)


def _add_up(fits: Any, first: Any) -> list[int]:
    """How many batches of each group fit. The smaller ones fit if a larger one does, so the number says which."""
    import numpy

    counts = numpy.add.reduceat(fits.astype(int), first)
    place = numpy.arange(len(fits)) - numpy.repeat(first, numpy.diff([*first, len(fits)]))
    if (fits != (place < numpy.repeat(counts, numpy.diff([*first, len(fits)])))).any():
        raise ValueError("a batch fits although a smaller one does not")
    return counts.tolist()


def _shown(column: Any) -> str:
    """Numbers to three digits as a list of JSON, short: `1.23e4`."""
    text = ",".join(_digits(column, 3, "null"))
    return text.replace("e+0", "e").replace("e-0", "e-")

"""Every serving configuration of a grid in one table of columns, and any one of them by its id.

An id such as `playground/llama-3.1-70b/h200/tp4/fp8/b64/chat` names model, accelerator, layout, weight format, requests
at once and workload. The columns come from `sweep`; `configuration` works one row out again with words and traces.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from generator.estimates.architecture import NotSupported
from generator.estimates.layouts import layout
from generator.estimates.serving import Serving, serving
from generator.estimates.sweep import NUMBERS, sweep
from generator.specs.library import Library, UnknownId
from generator.specs.records import Accelerator, Model

PREFIX = "playground"
IDENTITY = ("model", "accelerator", "spread", "weights", "workload")
"""Columns that are positions in the fields of the grid; with `batch` they name a row."""

_SPREAD = re.compile(r"(tp|ep)([1-9]\d*)")
_BATCH = re.compile(r"b([1-9]\d*)")


@dataclass(frozen=True)
class Spread:
    """How a model is laid out: one tensor-parallel group, or a scale-up domain with the experts spread over it."""

    id: str
    gpus: int
    tp: int
    ep: int
    batches: tuple[int, ...] = (1,)
    """Requests at once that are looked at, on all its accelerators."""
    accelerator: str = ""
    """The only accelerator it is looked at on; every one if empty."""


@dataclass(frozen=True)
class Grid:
    """Ids of what is combined with what."""

    models: tuple[str, ...]
    accelerators: tuple[str, ...]
    spreads: tuple[Spread, ...]
    weights: tuple[str, ...]
    workloads: tuple[str, ...]


def tensor_spread(degree: int, batches: Sequence[int] = (1,)) -> Spread:
    """One tensor-parallel group."""
    return Spread(f"tp{degree}", degree, degree, 1, tuple(batches))


def expert_spread(gpus: int, batches: Sequence[int] = (1,), accelerator: str = "") -> Spread:
    """A domain in which every accelerator holds a share of the experts and a batch of its own; `batches` of each."""
    return Spread(f"ep{gpus}", gpus, 1, gpus, tuple(gpus * batch for batch in batches), accelerator)


def columns(grid: Grid, library: Library) -> dict[str, Any]:
    """Every row as flat columns: `IDENTITY`, `batch`, `feasible`, `binding` and the numbers of a sweep.

    Rows run over models, accelerators, spreads, weights, workloads and batches, the last fastest; expert-parallel
    spreads follow the tensor-parallel ones. A model with too few experts to spread over a domain has no row there.
    """
    import numpy

    tensor = [spread for spread in grid.spreads if spread.ep == 1]
    parts = [_part(grid, library, grid.models, grid.accelerators, tensor)] if tensor else []
    for spread in grid.spreads:
        if spread.ep > 1:
            models = [name for name in grid.models if _spreads(library.find("models", name), spread)]
            cards = (spread.accelerator,) if spread.accelerator else grid.accelerators
            parts += [_part(grid, library, models, cards, [spread])] if models else []
    return {name: numpy.concatenate([part[name] for part in parts]) for name in parts[0]}


def _spreads(model: Model, spread: Spread) -> bool:
    try:
        layout(model, gpus=spread.gpus, tp=spread.tp, ep=spread.ep)
    except NotSupported:
        return False
    return True


def _part(
    grid: Grid, library: Library, models: Sequence[str], accelerators: Sequence[str], spreads: Sequence[Spread]
) -> dict[str, Any]:
    """Rows of spreads that share their batches and their expert spread, from one sweep."""
    import numpy

    shapes = [library.find("workloads", name) for name in grid.workloads]
    prompts = sorted({float(shape.prompt) for shape in shapes})
    outputs = sorted({float(shape.output) for shape in shapes})
    swept = sweep(
        [library.find("models", name) for name in models],
        [library.find("accelerators", name) for name in accelerators],
        library,
        weights=grid.weights,
        gpus=None if spreads[0].ep == 1 else [spreads[0].gpus],
        tp=[spread.tp for spread in spreads],
        ep=spreads[0].ep,
        batches=spreads[0].batches,
        prompts=prompts,
        outputs=outputs,
    )
    sizes = (len(models), len(accelerators), len(grid.weights), len(spreads), len(spreads[0].batches))
    # Of every prompt with every output, only the pairs that are workloads.
    pairs = [prompts.index(float(shape.prompt)) * len(outputs) + outputs.index(float(shape.output)) for shape in shapes]

    def arranged(column: Any) -> Any:
        every = column.reshape(*sizes, len(prompts) * len(outputs))[..., pairs]
        return every.transpose(0, 1, 3, 2, 5, 4).ravel()

    found = {name: arranged(swept[name]) for name in ("batch", "feasible", "binding", *NUMBERS)}
    order = (sizes[0], sizes[1], sizes[3], sizes[2], len(shapes), sizes[4])
    places = (
        [grid.models.index(name) for name in models],
        [grid.accelerators.index(name) for name in accelerators],
        [grid.spreads.index(spread) for spread in spreads],
        range(len(grid.weights)),
        range(len(shapes)),
    )
    for axis, (name, values) in enumerate(zip(IDENTITY, places, strict=True)):
        shape = [1] * len(order)
        shape[axis] = -1
        found[name] = numpy.broadcast_to(numpy.array(values, dtype=numpy.int32).reshape(shape), order).ravel()
    return found


def best(table: dict[str, Any], among: Any, quantity: str) -> int | None:
    """Row with the least of a quantity among some rows that fit; None where no row has it."""
    import numpy

    allowed = table["feasible"] & among & ~numpy.isnan(table[quantity])
    if not allowed.any():
        return None
    return int(numpy.where(allowed, table[quantity], numpy.inf).argmin())


# --- one configuration by its id -------------------------------------------------------------------------------------


def identify(model: str, accelerator: str, spread: Spread, weights: str, batch: int, workload: str) -> str:
    """The id of a configuration."""
    return f"{PREFIX}/{model}/{accelerator}/{spread.id}/{weights}/b{batch:g}/{workload}"


@dataclass(frozen=True)
class Configuration:
    """What an id names."""

    model: Model
    accelerator: Accelerator
    spread: Spread
    weights: str
    batch: int
    workload: Any
    field: str = ""
    """A number of the estimate, if the id goes on with one."""

    def estimate(self, library: Library) -> Serving:
        """The configuration worked out, with words and traces."""
        return serving(
            self.model,
            self.accelerator,
            library,
            gpus=self.spread.gpus,
            tp=self.spread.tp,
            ep=self.spread.ep,
            weights=self.weights,
            batch=self.batch,
            prompt_tokens=self.workload.prompt,
            output_tokens=self.workload.output,
        )

    def command(self) -> str:
        """The command that repeats the estimate."""
        spread, shape = self.spread, self.workload
        degrees = f"--tp {spread.tp}" if spread.ep == 1 else f"--gpus {spread.gpus} --tp {spread.tp} --ep {spread.ep}"
        return (
            f"handbook estimate serving --model {self.model.id} --accelerator {self.accelerator.id} {degrees} "
            f"--weights {self.weights} --batch {self.batch} --input {shape.prompt:g} --output {shape.output:g}"
        )


def configuration(identifier: str, library: Library) -> Configuration:
    """The configuration that an id names, of any model and accelerator of the specs; raises UnknownId."""
    parts = identifier.split("/")
    spread = _SPREAD.fullmatch(parts[3]) if len(parts) in (7, 8) else None
    batch = _BATCH.fullmatch(parts[5]) if len(parts) in (7, 8) else None
    if parts[0] != PREFIX or spread is None or batch is None:
        raise UnknownId(
            f"`{identifier}` names no configuration; such an id reads "
            f"{PREFIX}/<model>/<accelerator>/tp<N> or ep<N>/<weights>/b<batch>/<workload>"
        )
    make = tensor_spread if spread[1] == "tp" else expert_spread
    if parts[4] != "native":
        library.find("number_formats", parts[4])
    found = Configuration(
        library.find("models", parts[1]),
        library.find("accelerators", parts[2]),
        make(int(spread[2])),
        parts[4],
        int(batch[1]),
        library.find("workloads", parts[6]),
    )
    return replace(found, field=parts[7]) if len(parts) == 8 else found

"""simulate atlas: a goodput atlas of any grid, on local processes or a cluster; goes on where it was interrupted."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from generator import formatting
from generator.cache import Cache
from generator.estimates.architecture import NotSupported
from generator.estimates.layouts import check_range
from generator.pages import atlas_data
from generator.publish import write_file
from generator.simulation import atlas_run
from generator.simulation.atlas_grid import Cell, cells
from generator.simulation.atlas_run import Sweep
from generator.simulation.atlas_verdict import Question, questions
from generator.simulation.requests import MOST_SEED
from generator.specs.grid_file import read_grid
from generator.specs.load import load

PUBLISHED = "goodput-atlas"
AHEAD = 4
"""Cells on the way for each worker: none of them waits, and an interrupt loses little."""


def add_atlas(kinds: Any) -> None:
    """Add the command to those of `simulate`."""
    command = kinds.add_parser("atlas", help="highest rates within limits over models, accelerators and loads")
    command.add_argument("--grid", type=Path, metavar="FILE.yaml", help="the grid (default: the published one)")
    command.add_argument(
        "--out", type=Path, metavar="DIR", help="keep finished cells here, go on from them; atlas.json, cells.csv"
    )
    command.add_argument("--workers", type=int, metavar="N", help="local processes (default: one for each core)")
    command.add_argument("--scheduler", metavar="ADDRESS", help="a Dask scheduler, for example tcp://10.0.0.1:8786")
    command.add_argument("--seed", type=int, default=1, metavar="N", help="first seed (default: 1)")
    command.add_argument("--progress", action="store_true", help="progress on standard error even if it is no terminal")
    command.add_argument("--json", action="store_true", help="one JSON object in base units")
    command.set_defaults(run=run_atlas)


def run_atlas(given: argparse.Namespace, root: Path) -> int:
    """Search the cells and print what they come to. Interrupted, it keeps what is finished."""
    if given.workers is not None and given.workers < 1:
        raise NotSupported(f"--workers must be at least 1, got {given.workers}")
    check_range("--seed", given.seed, 0, MOST_SEED)
    library = load(root)
    grid = library.find("grids", PUBLISHED) if given.grid is None else read_grid(given.grid, library)
    if given.out:
        given.out.mkdir(parents=True, exist_ok=True)
    folder = given.out / "cells" if given.out else root / ".cache" / "handbook"
    runs = int(grid.seeds)
    sweep = Sweep(list(cells(grid, library)), given.seed, runs, Cache(folder))
    shown = given.progress or sys.stderr.isatty()
    if sweep.todo:
        with executor(given.scheduler, given.workers) as (pool, workers):
            sweep.collect(pool, ahead=AHEAD * workers, report=progress() if shown else None)
        if shown:
            print(file=sys.stderr)
    found = questions(sweep.cells, sweep.outcomes(), sweep.found)
    content = atlas_data.as_json(grid, found, seed=given.seed, runs=runs)
    if given.out:
        write_file(given.out / "atlas.json", (json.dumps(content, indent=1, allow_nan=False) + "\n").encode())
        write_file(given.out / "cells.csv", atlas_data.to_csv(found))
    print(json.dumps(content, indent=1, allow_nan=False) if given.json else as_text(found))
    return 0


@contextmanager
def executor(scheduler: str | None, workers: int | None) -> Iterator[tuple[Executor, int]]:
    """Where cells are searched, and how many of them at once. Raises NotSupported without the extra `cluster`."""
    if scheduler is None:
        pool = atlas_run.local_pool(workers)
        try:
            yield pool, pool._max_workers
        finally:
            # What runs is left to end by itself: an interrupt must not wait for it.
            pool.shutdown(wait=False, cancel_futures=True)
        return
    try:
        from distributed import Client
    except ImportError:
        raise NotSupported("--scheduler needs Dask: pip install 'llm-capacity-handbook[cluster]'") from None
    with Client(scheduler, timeout="30s", set_as_default=False) as client:
        threads = sum(client.nthreads().values())
        if not threads:
            raise NotSupported(f"the scheduler {scheduler} has no worker yet")
        pool = client.get_executor(pure=False)
        try:
            yield pool, threads
        finally:
            pool.shutdown(wait=False)


def progress() -> Callable[[Cell, int, int], None]:
    """A line on standard error that is written anew after each cell."""
    started = time.monotonic()
    before: list[int] = []

    def report(cell: Cell, done: int, total: int) -> None:
        if not before:
            before.append(done - 1)
        rate = (done - before[0]) / max(time.monotonic() - started, 1e-9)
        left = formatting.plain((total - done) / rate, "s")
        print(f"\r{done} of {total} cells, {left} left: {cell.id:<80.80}", end="", file=sys.stderr, flush=True)

    return report


def as_text(found: list[Question]) -> str:
    """A table for people: the highest rate of each policy, the best one, and the best split."""
    policies = list(dict.fromkeys(policy for question in found for policy in question.cells))
    lines = [("requests/s per GPU", *policies, "best", "P:D")]
    for question in found:
        rates = []
        for policy in policies:
            outcome = question.outcomes.get(policy)
            if outcome is None or question.missed(policy):
                rates.append("-")
                continue
            rate = outcome.attained_rate_per_gpu
            half = (rate.origin.high - rate.origin.low) / 2
            rates.append(f"{formatting.significant(float(rate))} ± {formatting.significant(half, 2)}")
        split = question.outcomes.get("disaggregated")
        prefill = round(float(split.prefill_gpus)) if split and not question.missed("disaggregated") else None
        best = question.best + ("" if question.clear else " (close)") if question.best else question.why
        ratio = "" if prefill is None else f"{prefill}:{question.any.gpus - prefill}"
        lines.append((question.id, *rates, best, ratio))
    widths = [max(len(line[place]) for line in lines) for place in range(len(policies) + 1)]
    return "\n".join(
        "  ".join(
            [
                line[0].ljust(widths[0]),
                *(line[place].rjust(widths[place]) for place in range(1, len(widths))),
                *line[-2:],
            ]
        ).rstrip()
        for line in lines
    )

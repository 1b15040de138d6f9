"""Searches the cells of an atlas on any executor; each finished cell is kept at once, found again by its content."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from generator.cache import Cache
from generator.simulation.atlas import Case, Search
from generator.simulation.atlas_grid import Cell
from generator.simulation.outcomes import Outcome, by_name, key_of, outcome_of
from generator.workers import end_with_parent

KIND = "simulation"
"""What the cache calls the metrics of runs; the same as for every simulation of a page."""


def search(case: Case, seed: int, runs: int) -> dict[str, list[float]]:
    """Metrics of one cell over its seeds. Runs in another process: it takes and gives plain numbers."""
    found = Search(case)
    return by_name([found.metrics(one) for one in range(seed, seed + runs)])


def local_pool(workers: int | None = None) -> ProcessPoolExecutor:
    """Processes of this machine, as many as it has cores. They leave an interrupt to their parent and end with it."""
    import multiprocessing

    if workers is None:
        workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    # Started afresh, not forked: a site is built by a process that may have threads.
    return ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), initializer=_begin)


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()


@dataclass
class Sweep:
    """Cells on the way: those that the cache has are done, the others are sent to an executor.

    `ahead` is how many cells are sent at once; None sends all, for an executor in which they cost nothing.
    """

    cells: list[Cell]
    seed: int
    runs: int
    cache: Cache
    found: dict[str, Mapping[str, list[float]]] = field(default_factory=dict)
    todo: list[Cell] = field(default_factory=list)
    _sent: dict[Future, Cell] = field(default_factory=dict)
    _waiting: Iterator[Cell] = field(default_factory=lambda: iter(()))

    def __post_init__(self) -> None:
        for cell in self.cells:
            if cell.prepared is None:
                continue
            known = self.cache.known(KIND, self._key(cell))
            if known is None:
                self.todo.append(cell)
            else:
                self.found[cell.id] = known
        self._waiting = iter(self.todo)

    def _key(self, cell: Cell) -> list[Any]:
        assert cell.prepared is not None
        return key_of(cell.prepared.experiment, seed=self.seed, runs=self.runs)

    def send(self, executor: Executor, count: int | None = None) -> None:
        """Send the next cells, or all of them."""
        for cell in islice(self._waiting, count):
            assert cell.prepared is not None
            self._sent[executor.submit(search, cell.prepared.case(), self.seed, self.runs)] = cell

    def collect(
        self,
        executor: Executor | None = None,
        *,
        ahead: int | None = None,
        report: Callable[[Cell, int, int], None] | None = None,
    ) -> None:
        """Take what is finished, keep it, send more, until all cells are done; what nobody was sent is searched here.

        Raises what a cell raised, and BrokenExecutor if a worker of this machine died; finished cells are kept.
        """
        if executor is not None:
            self.send(executor, ahead)
        total = len(self.found) + len(self.todo)
        while self._sent:
            done, _ = wait(self._sent, return_when=FIRST_COMPLETED)
            for future in done:
                cell = self._sent.pop(future)
                self.keep(cell, future.result())
                if report is not None:
                    report(cell, len(self.found), total)
            if executor is not None:
                self.send(executor, len(done))
        for cell in self._waiting:
            assert cell.prepared is not None
            self.keep(cell, search(cell.prepared.case(), self.seed, self.runs))
            if report is not None:
                report(cell, len(self.found), total)

    def keep(self, cell: Cell, metrics: Mapping[str, list[float]]) -> None:
        """Put the metrics of a cell into the cache, and remember them."""
        self.found[cell.id] = self.cache.get(KIND, self._key(cell), lambda: metrics)

    def outcomes(self) -> dict[str, Outcome]:
        """What each cell came to, in the order of the grid, whatever the order in which they were finished."""
        return {
            cell.id: outcome_of(cell.prepared.experiment, self.found[cell.id], seed=self.seed, runs=self.runs)
            for cell in self.cells
            if cell.prepared is not None
        }

"""An atlas on a Dask cluster: a real scheduler and two worker processes on this machine, one of which dies."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import signal

import pytest

from generator.cache import Cache
from generator.cli.atlas import executor
from generator.simulation.atlas_grid import cells
from generator.simulation.atlas_run import Sweep
from tests.simulation.test_atlas import grid  # noqa: F401

distributed = pytest.importorskip("distributed")


@pytest.fixture
def cluster():
    with contextlib.ExitStack() as stack:
        one = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None,
            worker_dashboard_address=None, silence_logs=50,
        )  # fmt: skip
        yield stack.enter_context(one)


def test_a_worker_that_dies_in_the_middle_loses_nothing(cluster, grid, library):  # noqa: F811
    wide = dataclasses.replace(grid, gpus=[2, 3, 4], seeds=6)
    alone = Sweep(list(cells(wide, library)), 1, 6, Cache(None))
    alone.collect()
    sweep = Sweep(list(cells(wide, library)), 1, 6, Cache(None))
    pids = [worker.pid for worker in cluster.workers.values()]
    killed: list[int] = []

    def kill_one(*_):
        if not killed:
            killed.append(pids[0])
            os.kill(pids[0], signal.SIGKILL)

    with executor(cluster.scheduler_address, None) as (pool, workers):
        assert workers == 2
        sweep.collect(pool, ahead=4, report=kill_one)
    assert killed
    assert {name: dict(one.numbers) for name, one in sweep.outcomes().items()} == {
        name: dict(one.numbers) for name, one in alone.outcomes().items()
    }

"""Rajbhandari et al. 2020, ZeRO, arXiv 1910.02054, table 1: model state on one device, 16 bytes a parameter."""

from __future__ import annotations

import pytest

from generator.formulas import training

# Parameters, ranks, GB with the optimiser shared out, the gradients too, the weights too.
TABLE_1 = [
    (7.5e9, 1, 120, 120, 120), (7.5e9, 4, 52.5, 41.3, 30), (7.5e9, 16, 35.6, 21.6, 7.5), (7.5e9, 64, 31.4, 16.6, 1.88),
    (7.5e9, 256, 30.4, 15.4, 0.47), (7.5e9, 1024, 30.1, 15.1, 0.12), (128e9, 64, 536, 284, 32),
    (1e12, 1024, 4011, 2013, 15.6),
]  # fmt: skip
STAGES = ((4, 12), (2, 14), (0, 16))


@pytest.mark.parametrize(("params", "ranks", "optimiser", "gradients", "weights"), TABLE_1)
def test_state_on_one_device(params, ranks, optimiser, gradients, weights):
    found = [
        training.state_bytes_per_gpu(
            total_params=params, model_parallel_degree=1, replicated_state_bytes_per_param=kept,
            sharded_state_bytes_per_param=shared, shard_degree=ranks,
        ) / 1e9
        for kept, shared in STAGES
    ]  # fmt: skip
    assert found == [pytest.approx(value, rel=0.01, abs=0.006) for value in (optimiser, gradients, weights)]

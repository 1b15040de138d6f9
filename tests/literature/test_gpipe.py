"""Huang et al. 2019, GPipe, arXiv 1811.06965: bubble (K - 1) / (M + K - 1)."""

from __future__ import annotations

import pytest

from generator.formulas import parallelism


@pytest.mark.parametrize(("stages", "micro", "share"), [(4, 8, 3 / 11), (4, 16, 3 / 19), (8, 32, 7 / 39)])
def test_idle_share_of_a_pipeline(stages, micro, share):
    assert parallelism.bubble_share(pp=stages, micro_batches=micro) == pytest.approx(share)


def test_the_bubble_is_small_when_micro_batches_are_four_times_the_stages():
    """Section 2.3: negligible for M >= 4 K; at the limit it is still below a fifth."""
    assert all(parallelism.bubble_share(pp=k, micro_batches=4 * k) < 0.2 for k in range(1, 129))

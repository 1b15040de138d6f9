"""Peaks from clocks: the data sheets' numbers, and a share that cannot pass one."""

from __future__ import annotations

import pytest

from generator.formulas import silicon


@pytest.mark.parametrize(
    ("card", "clock", "units", "fma"),
    [("a100-80gb-sxm", 1410e6, 432, 256), ("h100-sxm", 1830e6, 528, 512), ("mi300x", 2100e6, 1216, 256)],
)
def test_the_clock_of_a_data_sheet_gives_its_dense_bf16_peak(library, card, clock, units, fma):
    peak = silicon.tensor_flops_per_s(clock_hz=clock, tensor_units=units, fma_per_cycle=fma)
    assert peak == pytest.approx(library.accelerators[card].dense_peak.bf16, rel=1e-3)


def test_an_h100_has_16896_cuda_cores():
    assert silicon.vector_lanes(multiprocessors=132, partitions=4, lanes_per_partition=32) == 16896


def test_multiply_adds_at_the_boost_clock_give_the_fp32_peak_of_an_h100(library):
    rate = silicon.vector_flops_per_s(clock_hz=1.98e9, vector_lanes=16896, flops_per_lane=2)
    assert rate == pytest.approx(library.accelerators["h100-sxm"].dense_peak.fp32, rel=0.002)


def test_the_best_product_found_on_an_mi300x_reaches_half_of_its_peak():
    share = silicon.peak_share(reached_flops_per_s=668.4e12, nominal_flops_per_s=1300e12)
    assert share == pytest.approx(0.514, abs=5e-4)


def test_the_same_rate_is_no_speedup():
    assert silicon.generation_speedup(reached_flops_per_s=420e12, earlier_flops_per_s=420e12) == 1

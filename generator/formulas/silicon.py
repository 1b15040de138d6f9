"""Peaks of a chip from its clock and its units: where a data-sheet number comes from, and how much was reached."""

from __future__ import annotations

from generator.formulas.formula import formula


@formula(reference="austin-2025-scaling-book")
def vector_lanes(*, multiprocessors, partitions, lanes_per_partition):
    """Scalar lanes of a chip: what a data sheet calls cores."""
    return multiprocessors * partitions * lanes_per_partition


@formula(reference="austin-2025-scaling-book", kind="bound")
def vector_flops_per_s(*, clock_hz, vector_lanes, flops_per_lane):
    """Every lane does so many FLOPs in each cycle: one, or two where a multiply-add is counted as two."""
    return clock_hz * vector_lanes * flops_per_lane


@formula(reference="bekman-ml-engineering", kind="bound")
def tensor_flops_per_s(*, clock_hz, tensor_units, fma_per_cycle):
    """Every unit does so many multiply-adds in each cycle, and each of them is 2 FLOPs."""
    return 2 * clock_hz * tensor_units * fma_per_cycle


@formula(reference="definition")
def peak_share(*, reached_flops_per_s, nominal_flops_per_s):
    """Share of the nominal peak that a run reached."""
    return reached_flops_per_s / nominal_flops_per_s


@formula(reference="definition")
def generation_speedup(*, reached_flops_per_s, earlier_flops_per_s):
    """How many times as fast the same step runs on the newer device."""
    return reached_flops_per_s / earlier_flops_per_s

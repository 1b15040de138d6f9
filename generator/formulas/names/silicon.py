"""Names of the section "Peaks from clocks": name, symbol, unit, meaning."""

SECTION = "Peaks from clocks"
ROWS = r"""
clock_hz                        | f_\mathrm{clk}             | Hz        | clock of a chip
multiprocessors                 | n_\mathrm{sm}              | count     | multiprocessors of a chip
partitions                      | n_\mathrm{part}            | count     | partitions of one multiprocessor
lanes_per_partition             | n_\mathrm{simd}            | count     | scalar lanes of one partition
vector_lanes                    | n_\mathrm{lane}            | count     | scalar lanes of a chip
flops_per_lane                  | C_\mathrm{lane}            | FLOP      | FLOPs of one lane in one cycle
vector_flops_per_s              | \pi_\mathrm{vec}           | FLOP/s    | peak of the vector units
tensor_units                    | n_\mathrm{tc}              | count     | matrix units of a chip
fma_per_cycle                   | n_\mathrm{fma}             | count     | multiply-adds of one matrix unit in one cycle
tensor_flops_per_s              | \pi_\mathrm{tc}            | FLOP/s    | peak of the matrix units
reached_flops_per_s             | \hat\pi                    | FLOP/s    | FLOP/s that a run reached
nominal_flops_per_s             | \pi_0                      | FLOP/s    | peak that the run is compared with
earlier_flops_per_s             | \hat\pi_0                  | FLOP/s    | FLOP/s that the same run reached on an earlier device
peak_share                      | \eta_\pi                   | 1         | share of the nominal peak that a run reached
generation_speedup              | \psi_\mathrm{gen}          | 1         | FLOP/s of a run over those on an earlier device
"""

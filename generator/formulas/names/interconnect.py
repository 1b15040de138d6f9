"""Names of the section "Where links bind": name, symbol, unit, meaning."""

SECTION = "Where links bind"
ROWS = r"""
gathered_bytes                  | Q_g                        | B         | bytes that each accelerator holds after an all-gather
ring_gather_s                   | t_g                        | s         | time of an all-gather on a ring
split_matmul_width              | k^\star                    | count     | inner width at which computing a split product and exchanging it take equally long
data_parallel_ridge_tokens      | b^\star_\mathrm{dp}        | token     | tokens per accelerator at which data parallelism computes as long as it communicates
mesh_axes                       | n_\mathrm{axes}            | count     | axes of a torus that a collective uses at once
tensor_parallel_limit           | \mathrm{TP}^\star          | count     | tensor-parallel degree at which computing and communicating take equally long
reached_bytes_per_s             | \hat\beta_l                | B/s       | bandwidth that a collective reached
link_share                      | \eta_l                     | 1         | share of the link that a collective reached
batch_tokens                    | b_t                        | token     | tokens of one training batch
batch_tokens_per_gpu            | b_{t,1}                    | token     | tokens of one training batch on each accelerator
"""

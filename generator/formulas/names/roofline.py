"""Names of the section "Roofline": name, symbol, unit, meaning."""

SECTION = "Roofline"
ROWS = r"""
peak_flops_per_s                | \pi                        | FLOP/s    | dense peak rate of one accelerator in the format that computes
bandwidth_bytes_per_s           | \beta                      | B/s       | memory bandwidth of one accelerator
bandwidth_efficiency            | \eta_m                     | 1         | share of the bandwidth that is reached
compute_efficiency              | \eta_c                     | 1         | share of the peak that is reached
intensity                       | I                          | FLOP/B    | FLOPs done for each byte moved
work_flops                      | C                          | FLOP      | FLOPs of an operation
traffic_bytes                   | Q                          | B         | bytes an operation moves
arithmetic_intensity            | I                          | FLOP/B    | FLOPs done for each byte moved
ridge_point                     | I^\star                    | FLOP/B    | intensity at which memory and compute take equally long
attainable_flops_per_s          | \pi_I                      | FLOP/s    | most FLOP/s at an intensity
roofline_seconds                | t                          | s         | least time of an operation
achieved_bandwidth_bytes_per_s  | \beta_\eta                 | B/s       | memory bandwidth that is reached
achieved_flops_per_s            | \pi_\eta                   | FLOP/s    | FLOP/s that are reached
matrix_rows                     | m                          | count     | rows of the first factor of a matrix product
matrix_inner                    | k                          | count     | columns of the first and rows of the second factor
matrix_columns                  | n                          | count     | columns of the second factor
bytes_per_value                 | s                          | B         | bytes of one matrix element
matmul_flops                    | C                          | FLOP      | FLOPs of a matrix product
matmul_bytes                    | Q                          | B         | bytes of a matrix product
weight_intensity                | I_w                        | FLOP/B    | intensity of reading the weights once for a batch
attention_intensity             | I_a                        | FLOP/B    | intensity of decode attention over the cache
latent_attention_intensity      | I_a                        | FLOP/B    | intensity of decode attention over a latent cache
achieved_ridge_point            | I^\star_\eta                | FLOP/B    | ridge point of the rates that are reached
decode_intensity_limit          | I_\infty                   | FLOP/B    | intensity of a decode step of a very large batch
compute_bound_context_tokens    | c^\star                    | token     | context beyond which decode is memory bound at any batch
implied_bandwidth_bytes_per_s   | \beta_\mathrm{implied}     | B/s       | bandwidth at which the bytes of a step move in its time
batch_at_ridge                  | b^\star                    | count     | batch at which reading the weights and computing take equally long
batch_one_floor_s               | t_1                        | s         | least time of a decode step: the weights are read once
batch_one_tokens_per_s          | v_1                        | token/s   | most tokens per second of one user
drain_seconds                   | t_\mathrm{drain}           | s         | time to read a whole memory once
memory_bytes                    | M                          | B         | size of a memory
"""

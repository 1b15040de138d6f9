"""Names of the section "Number formats": name, symbol, unit, meaning."""

SECTION = "Number formats"
ROWS = r"""
value_bits                      | s_v                        | bit       | bits of one value without its scale
scale_bits                      | s_s                        | bit       | bits of one scale
group_values                    | n_g                        | count     | values that share one scale
bytes_per_param                 | s_B                        | B         | bytes of one value with its share of the scale
mean_bytes_per_param            | \bar s_B                   | B         | bytes of a checkpoint for each parameter
format_crossover_batch          | b_\times                   | count     | batch beyond which the wider format with the higher peak is faster
narrow_bytes                    | Q_n                        | B         | bytes that a step reads in the narrower format
wide_bytes                      | Q_w                        | B         | bytes that a step reads in the wider format
read_step_ratio                 | \phi_t                     | 1         | memory-bound step in a narrower format over that in a wider one
"""

"""Names of the section "Parts of a pass": name, symbol, unit, meaning."""

SECTION = "Parts of a pass"
ROWS = r"""
computing_s                     | t_C                        | s         | least time to do some FLOPs
moving_s                        | t_Q                        | s         | least time to move some bytes
elements                        | n                          | count     | elements of an array
arrays_touched                  | n_\mathrm{arr}             | count     | arrays that an operation reads or writes
elementwise_bytes               | Q                          | B         | bytes of an operation that works element by element
matrix_bytes                    | Q                          | B         | bytes of one matrix
cache_read_s                    | t_\mathrm{KV}              | s         | time to read the caches of a batch
weights_read_s                  | t_w                        | s         | time to read the weights once
matrices_compute_s              | t_\mathrm{mm}              | s         | time to compute the matrix products of a step
attention_then_matrices_s       | t_\mathrm{step}            | s         | time of a step whose attention and matrix products do not overlap
pass_s                          | t_\mathrm{pass}            | s         | time of one pass without launches
launches                        | n_\mathrm{launch}          | count     | launches that are counted in one pass
launch_s                        | \tau_\mathrm{launch}       | s         | fixed time of one launch
launched_pass_s                 | t_\mathrm{pass+}           | s         | time of one pass, launches included
synchronisations_per_layer      | n_\mathrm{sync}            | count     | collectives of one layer
base_latency_s                  | \tau_1                     | s         | fixed time of one collective on a grid of one
latency_growth_s                | \Delta\tau                 | s         | fixed time that each further row of the grid adds
grid_latency_s                  | t_\mathrm{grid}            | s         | fixed time of all collectives of one pass on a square grid
predicted_tokens_per_s          | v_\mathrm{pred}            | token/s   | tokens per second that a tool predicted
measured_tokens_per_s           | \hat v                     | token/s   | tokens per second that were measured
overprediction                  | \psi_\mathrm{pred}         | 1         | predicted rate over measured rate
words_per_s                     | v_\mathrm{read}            | 1/s       | words that a person reads in a second
tokens_per_word                 | n_\mathrm{word}            | token     | tokens of one word
reading_tpot_s                  | t_\mathrm{read}            | s         | time per token that keeps up with a reader
"""

"""Names of the section "Rate of training": name, symbol, unit, meaning."""

SECTION = "Rate of training"
ROWS = r"""
parameter_flops_per_token       | C_P                        | FLOP/token | FLOPs of one trained token by the parameters
attention_flops_per_trained_token | C_A                      | FLOP/token | attention FLOPs of one trained token, PaLM convention
causal_attention_flops_per_trained_token | C_{A,\mathrm{c}}  | FLOP/token | attention FLOPs of one trained token, causal half
trained_token_flops             | C_1                        | FLOP/token | FLOPs of one trained token
attention_flops_share           | \phi_A                     | 1         | share of attention in the FLOPs of training
parity_sequence_tokens          | s^\star                    | token     | sequence at which attention costs as much as the parameters
trained_tokens_per_s_per_gpu    | v_C                        | token/s   | tokens that one accelerator trains on in a second, predicted
training_tokens_per_s_per_gpu   | v_1                        | token/s   | tokens that one accelerator trains on in a second
training_tokens_per_s           | v_N                        | token/s   | tokens that all accelerators train on in a second
measured_mfu                    | \mathrm{MFU}               | 1         | model FLOPs utilisation behind a measured rate
hfu_of_full_recompute           | \mathrm{HFU}               | 1         | hardware FLOPs utilisation with full recomputation
effective_time_share            | \eta_t                     | 1         | share of the time on the clock that trains
training_wall_seconds           | t_\mathrm{wall}            | s         | time of training on the clock
deadline_s                      | t_\mathrm{max}             | s         | time within which training must end
gpus_for_deadline               | N                          | count     | fewest accelerators that finish in time
tokens_per_param                | D/P                        | 1         | tokens trained on for each parameter
sequences_per_step              | b_s                        | count     | sequences of one optimiser step
update_tokens                   | B                          | token     | tokens of one optimiser step
low_precision_share             | f                          | 1         | share of the FLOPs that runs in the lower precision
peak_ratio                      | \rho                       | 1         | peak of the lower precision over that of the higher
low_precision_speedup           | \psi_f                     | 1         | speed-up of training by a lower precision
measured_speedup                | \hat\psi                   | 1         | speed-up of training that was measured
implied_low_precision_share     | \hat f                     | 1         | share of the time that became faster by the ratio of the peaks
flops_ratio                     | \psi_C                     | 1         | FLOPs of one run over those of another
scaled_gpu_hours                | H_2                        | GPU-h     | accelerator hours of a run with more FLOPs
updates                         | n_u                        | count     | optimiser steps
run_tokens                      | D                          | token     | tokens of several optimiser steps
"""

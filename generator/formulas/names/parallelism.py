"""Names of the section "Parallelism": name, symbol, unit, meaning."""

SECTION = "Parallelism"
ROWS = r"""
tp                              | \mathrm{TP}                | count     | tensor-parallel degree
pp                              | \mathrm{PP}                | count     | pipeline stages
ep                              | \mathrm{EP}                | count     | accelerators the experts are spread over
dp                              | \mathrm{DP}                | count     | replicas
domain_gpus                     | N_d                        | count     | accelerators of one scale-up domain
degree                          | n                          | count     | accelerators that take part in a collective
link_bytes_per_s                | \beta_l                    | B/s       | bandwidth of the link, per accelerator and direction
scale_up_bytes_per_s            | \beta_\mathrm{up}          | B/s       | scale-up bandwidth, per accelerator and direction
scale_out_bytes_per_s           | \beta_\mathrm{out}         | B/s       | scale-out bandwidth, per accelerator and direction
link_latency_s                  | \tau                       | s         | fixed time of one collective
scale_up_latency_s              | \tau_\mathrm{up}           | s         | fixed time of one collective inside the scale-up domain
scale_out_latency_s             | \tau_\mathrm{out}          | s         | fixed time of one collective beyond it
hop_latency_s                   | \tau_\mathrm{hop}          | s         | fixed time of one point-to-point transfer
activation_bytes_per_value      | s_a                        | B         | bytes of one activation
message_tokens                  | n_t                        | token     | tokens whose activations a message carries
all_reduce_bytes                | Q_\mathrm{ar}              | B         | bytes each accelerator sends in one ring all-reduce
all_reduces_per_token           | n_\mathrm{ar}              | count     | all-reduces of one token's pass
alternating_layers              | L                          | layer     | layers that hold attention or a feed-forward network, not both
paired_layers                   | L                          | layer     | layers, counted in pairs of attention and feed-forward network
tensor_parallel_time_s          | t_\mathrm{tp}              | s         | all-reduce time of one pass through all layers
remote_share                    | \sigma                     | 1         | share of the expert traffic that leaves an accelerator or a rack
racks                           | R                          | count     | scale-up domains the experts are spread over
dispatch_bytes_per_value        | s_d                        | B         | bytes of one dispatched activation
combine_bytes_per_value         | s_c                        | B         | bytes of one combined activation
all_to_all_bytes                | Q_\mathrm{a2a}             | B         | bytes one accelerator sends for the experts of one layer
expert_parallel_time_s          | t_\mathrm{ep}              | s         | all-to-all time of one pass through all expert layers
pipeline_time_s                 | t_\mathrm{pp}              | s         | transfers between the stages of one pass
micro_batches                   | m                          | count     | micro-batches in flight
bubble_share                    | \phi_\mathrm{bubble}       | 1         | idle share of the time of a pipeline
bubble_overhead                 | \psi_\mathrm{bubble}       | 1         | idle time of a pipeline over its useful time
expert_bytes_of_replica         | M_{w,E,r}                  | B         | expert weights held by one tensor-parallel group
expert_prompt_tokens            | p_x                        | token     | prompt tokens that meet at the same experts
replica_gpus                    | N_r                        | count     | accelerators of one replica
expert_batch                    | b_x                        | count     | requests whose tokens meet at the same experts
experts_per_gpu                 | E_1                        | count     | routed experts of one layer on one accelerator
tokens_per_expert               | b_E                        | token     | tokens that one routed expert gets in a step, on average
tokens_per_step                 | T_\mathrm{step}            | token     | tokens in one step
wanted_tokens_per_expert        | b_E^\star                  | token     | tokens that each expert shall get
domain_memory_bytes             | M_d                        | B         | memory of one scale-up domain
step_slowdown                   | \psi_\mathrm{hop}          | 1         | step time with hops over step time without
step_s                          | t_\mathrm{step}            | s         | time of one step
hops_s                          | t_\mathrm{hops}            | s         | time of the hops in one step

replicas                        | \mathrm{DP}                | count     | replicas behind a balancer
"""

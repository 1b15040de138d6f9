"""Names of the section "Steps of a serving engine": name, symbol, unit, meaning."""

SECTION = "Steps of a serving engine"
ROWS = r"""
rank_batch                      | b_r                        | count     | requests that are given to one attention rank
admitted_requests               | b_a                        | count     | requests that one attention rank decodes at once
cache_room_bytes                | M_r                        | B         | memory of one accelerator for caches
rank_cache_bytes_per_request    | \kappa_r                   | B         | cache of one request on one accelerator
rank_part_bytes                 | Q_1                        | B         | part of one accelerator of what a tensor-parallel group splits
whole_bytes                     | Q                          | B         | what a tensor-parallel group splits
held_weights_bytes              | M_{w,1}                    | B         | weights on one accelerator
dense_part_bytes                | Q_d                        | B         | weights outside the experts on one accelerator
rank_cache_bytes                | Q_\kappa                   | B         | cache that one accelerator reads in one step
cache_part_bytes                | Q_\kappa                   | B         | cache that one accelerator reads in one step
rank_tokens                     | n_r                        | token     | tokens of one attention rank in one step
dense_params                    | P_d                        | count     | parameters outside the experts and the input table
rank_product_flops              | C_d                        | FLOP      | FLOPs of the products outside the experts on one accelerator
dense_flops                     | C_d                        | FLOP      | FLOPs of the products outside the experts on one accelerator
expert_product_flops            | C_E                        | FLOP      | FLOPs of the routed experts on one accelerator
expert_flops                    | C_E                        | FLOP      | FLOPs of the routed experts on one accelerator
expert_peak_load                | \phi_x                     | 1         | experts that the busiest accelerator reads, over the mean
expert_part_bytes               | Q_E                        | B         | expert weights that the busiest accelerator reads in one step
expert_read_bytes               | Q_E                        | B         | expert weights that one accelerator reads in one step
expert_activation_bytes         | Q_x                        | B         | inputs and outputs of the experts on one accelerator
expert_traffic_bytes            | Q_x                        | B         | inputs and outputs of the experts on one accelerator
dispatch_bytes                  | Q_a                        | B         | bytes that one rank sends for one exchange
exchanged_bytes                 | Q_a                        | B         | bytes that one rank sends for one exchange
dense_peak_flops_per_s          | \pi_d                      | FLOP/s    | dense peak for the products outside the experts
expert_peak_flops_per_s         | \pi_E                      | FLOP/s    | dense peak for the products of the experts
engine_floor_s                  | t_{s,0}                    | s         | least time of a step
engine_reference_s              | t_{s,1}                    | s         | time of a step at the reference efficiencies
dense_bandwidth_share           | \eta_{d,m}                 | 1         | share of the bandwidth that reading weights outside the experts reaches
dense_compute_share             | \eta_{d,c}                 | 1         | share of the peak that products outside the experts reach
overlap_power                   | q                          | 1         | how far reading and computing overlap: 1 not at all
dense_products_s                | t_d                        | s         | time of the products outside the experts
expert_bandwidth_share          | \eta_{E,m}                 | 1         | share of the bandwidth that reading experts reaches
expert_compute_share            | \eta_{E,c}                 | 1         | share of the peak that products of experts reach
expert_products_s               | t_E                        | s         | time of the products of the experts
cache_bandwidth_share           | \eta_\kappa                | 1         | share of the bandwidth that reading caches reaches
cache_walk_s                    | t_\kappa                   | s         | time to read the caches
layer_s                         | \tau_L                     | s         | time of the small kernels of one layer
latent_layers                   | L_\ell                     | count     | layers with latent attention
latent_layer_s                  | \tau_\ell                  | s         | further time of one layer with latent attention
index_layers                    | L_i                        | count     | layers that choose by an index what they read
index_layer_s                   | \tau_i                     | s         | further time of one layer with an index
linear_layers                   | L_s                        | count     | layers with a fixed state
linear_layer_s                  | \tau_s                     | s         | further time of one layer with a fixed state
generation_pace                 | g                          | 1         | time of small kernels over that on the first generation measured
layer_kernels_s                 | t_L                        | s         | time of the small kernels of all layers
expert_layer_s                  | \tau_x                     | s         | time of routing and small kernels of one layer with experts
serving_step_s                  | \tau_0                     | s         | time of the engine's loop for one step
serving_request_s               | \tau_b                     | s         | time of the engine for one request in one step
release_fixed_factor            | f_\tau                     | 1         | fixed times of a release over those of its engine
release_expert_factor           | f_E                        | 1         | time of the experts in a release over that of its engine
step_requests                   | b_s                        | count     | requests in one step, of all ranks
engine_fixed_s                  | t_\tau                     | s         | time of a step that no byte explains
reductions                      | n_r                        | count     | all-reduces of one step
reduction_bytes                 | Q_r                        | B         | message of one all-reduce
one_shot_latency_s              | \tau_1                     | s         | fixed time of an all-reduce that sends all to all
one_shot_link_share             | \eta_1                     | 1         | share of the link that an all-reduce of one shot reaches
two_shot_latency_s              | \tau_2                     | s         | fixed time of an all-reduce that scatters and gathers
two_shot_link_share             | \eta_2                     | 1         | share of the link that an all-reduce of two shots reaches
step_reductions_s               | t_r                        | s         | time of all all-reduces of one step
exchanges                       | n_a                        | count     | exchanges between ranks of attention and experts in one step
exchange_latency_s              | \tau_a                     | s         | fixed time of one exchange
exchange_link_share             | \eta_a                     | 1         | share of the link that an exchange reaches
step_exchanges_s                | t_a                        | s         | time of all exchanges of one step
engine_step_s                   | t_s                        | s         | time of one decode step of an engine
prompt_dense_flops              | C_{p,d}                    | FLOP      | FLOPs of one prompt outside the experts on one accelerator
prompt_dense_share              | \eta_{p,d}                 | 1         | share of the peak that prompts reach outside the experts
prompt_expert_flops             | C_{p,E}                    | FLOP      | FLOPs of one prompt of each rank in the experts on one accelerator
prompt_expert_share             | \eta_{p,E}                 | 1         | share of the peak that prompts reach in the experts
prompt_attention_flops          | C_{p,a}                    | FLOP      | FLOPs of attention for one prompt on one accelerator
attention_peak_flops_per_s      | \pi_a                      | FLOP/s    | 16-bit peak
prompt_attention_share          | \eta_{p,a}                 | 1         | share of the 16-bit peak that attention of prompts reaches
prompt_engine_share             | \eta_e                     | 1         | speed of an engine on prompts over the mean of the engines
prompt_kernels_s                | t_{p,k}                    | s         | time of the products and attention of one prompt
prompt_reduction_bytes          | Q_{p,r}                    | B         | message of one all-reduce of a prompt
prompt_reductions_s             | t_{p,r}                    | s         | time of the all-reduces of one prompt
colocated                       | z                          | 1         | 1 where the same cards take prompts in and decode, else 0
interruptions_s                 | t_z                        | s         | time per token that prompts of others take
serving_tpot_s                  | t_o                        | s         | time per output token that a user sees
run_busy_share                  | \rho_0                     | 1         | share of the time that a run needs at the data-sheet rates
prompt_floor_s                  | t_{p,0}                    | s         | least time of one prompt
lone_prompt_s                   | t_{p,1}                    | s         | time of one prompt alone at the reference efficiency
requests_in_all                 | U                          | count     | requests in flight
prompt_ranks                    | N_p                        | count     | groups of cards that each take one prompt in at a time
prompt_work_s                   | t_p                        | s         | time of one prompt
prompt_stage_wait_s                | t_w                        | s         | wait where cards for prompts are the bottleneck
prompts_together                | n_t                        | count     | prompts that are taken in together, its own among them
memory_wait_s                   | t_m                        | s         | wait of requests that memory does not hold
prompts_ahead_share             | \omega                     | 1         | share of the requests of a rank whose prompts are ahead of a new one
requests_per_prompt_rank        | b_p                        | count     | requests in flight for each group that takes prompts in
steps_in_progress               | n_w                        | count     | steps that a new request waits for
request_entry_s                 | \tau_q                     | s         | fixed time of a request outside the accelerators
handover_entry_s                | \tau_h                     | s         | fixed time of handing a request to other cards
serving_ttft_s                  | t_1                        | s         | time to first token that a user sees
"""

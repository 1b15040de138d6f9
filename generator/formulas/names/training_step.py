"""Names of the section "Time of a training step": name, symbol, unit, meaning."""

SECTION = "Time of a training step"
ROWS = r"""
step_tokens_per_gpu             | D_1                        | token     | tokens of one step over all accelerators
least_flops_per_token           | C_\mathrm{min}             | FLOP/token | FLOPs of one trained token that no recipe can leave out
matrix_peak_flops_per_s         | \pi                        | FLOP/s    | dense peak in the number format of the layers
step_floor_s                    | t_\mathrm{min}             | s         | least time of a training step
step_at_mfu_s                   | t_\mathrm{ref}             | s         | time of a training step at a reference utilisation
matrix_flops_per_token          | C_W                        | FLOP/token | FLOPs of the layer matrices for one trained token, routed experts aside
expert_flops_per_token          | C_E                        | FLOP/token | FLOPs of the routed experts for one trained token
matrix_efficiency               | \eta_W                     | 1         | share of the dense peak that the layer matrices reach
expert_matrix_efficiency        | \eta_E                     | 1         | what matrices of experts reach over what others reach
matrix_step_s                   | t_W                        | s         | time of the layer matrices in a step
head_flops_per_token            | C_V                        | FLOP/token | FLOPs of the output head for one trained token
wide_peak_flops_per_s           | \pi_{16}                   | FLOP/s    | dense peak in 16 bits
head_efficiency                 | \eta_V                     | 1         | share of the 16-bit peak that the output head reaches
head_step_s                     | t_V                        | s         | time of the output head in a step
attention_work_per_token        | C_A                        | FLOP/token | attention FLOPs that the kernel does for one trained token
attention_kernel_efficiency     | \eta_A                     | 1         | share of the 16-bit peak that the attention kernel reaches
attention_step_s                | t_A                        | s         | time of attention in a step
touched_bytes_per_token         | a_t                        | B/token   | activations of one token that a step makes, recomputed ones counted again
activation_passes               | n_a                        | 1         | times that each byte of them goes through memory
traffic_step_s                  | t_a                        | s         | time of memory traffic in a step
layer_passes                    | n_L                        | layer     | layers of one stage times micro-batches of a step
expert_layer_passes             | n_E                        | layer     | expert layers of one stage times micro-batches of a step
tensor_exchange_bytes           | Q_\mathrm{TP}              | B         | bytes that a tensor-parallel rank sends in a step
tensor_link_bytes_per_s         | \beta_\mathrm{TP}          | B/s       | bandwidth between tensor-parallel ranks
tensor_exposure                 | \epsilon_\mathrm{TP}       | 1         | exchange time inside layers that shows, over that at full bandwidth
tensor_step_s                   | t_\mathrm{TP}              | s         | exchanges inside layers that show in a step
expert_domains                  | n_d                        | count     | scale-up domains that the experts of a layer are spread over
domains_reached                 | n_x                        | 1         | other domains that a token is sent to
token_bytes                     | q                          | B         | bytes of one token as it is sent to experts
expert_exposure                 | \epsilon_\mathrm{EP}       | 1         | all-to-all time over the network that shows, over that at full bandwidth
expert_step_s                   | t_\mathrm{EP}              | s         | all-to-all over the network that shows in a step
held_experts                    | E_1                        | count     | routed experts of a layer on one accelerator
layer_host_s                    | \tau_L                     | s         | time in which the host holds a layer up
expert_layer_host_s             | \tau_E                     | s         | time in which the host holds an expert layer up
expert_host_s                   | \tau_e                     | s         | the same for each expert on the accelerator
host_step_s                     | t_h                        | s         | time in which the host holds a step up
layer_launch_s                  | \tau_l                     | s         | time to launch one layer, forward and backward
spanning_ranks                  | n_s                        | count     | ranks of a tensor-parallel group across nodes, else 0
rank_launch_s                   | \tau_r                     | s         | time to launch one layer, for each rank of a group across nodes
launch_step_s                   | t_l                        | s         | time to launch the layers of a step
stage_share                     | \phi_s                     | 1         | layers of the busiest stage over those of the mean stage
head_share                      | \phi_V                     | 1         | head on the busiest stage over the head's share of the mean stage
busy_step_s                     | t_b                        | s         | time that the busiest stage works in a step
chunks                          | v                          | count     | chunks of layers on one stage
stage_bubble                    | \gamma                     | 1         | idle over useful time of a stage
dense_params_per_gpu            | P_{d,1}                    | param     | parameters outside the routed experts on one accelerator
expert_params_per_gpu           | P_{e,1}                    | param     | parameters of routed experts on one accelerator
exchanged_bytes_per_param       | s_x                        | B         | bytes that replicas exchange for each parameter in a step
dense_replicas                  | R_d                        | count     | replicas of the parameters outside the experts
expert_replicas                 | R_e                        | count     | replicas of an expert
dense_ring_bytes_per_s          | \beta_d                    | B/s       | bandwidth of the ring of those replicas
expert_ring_bytes_per_s         | \beta_e                    | B/s       | bandwidth of the ring of an expert's replicas
replica_exchange_s              | t_x                        | s         | exchange of replicas in a step if nothing of it hid
members                         | n_m                        | count     | members of a ring in one node
ring_bytes_per_s                | \beta_r                    | B/s       | bandwidth of a ring across nodes
replica_exposure                | \epsilon_\mathrm{DP}       | 1         | exchange time of replicas over that at full bandwidth
hiding_share                    | \phi_h                     | 1         | work of one micro-batch that can hide the exchange of replicas
least_exposed_share             | \phi_0                     | 1         | share of the exchange of replicas that nothing hides
replica_exposed_s                  | t_\mathrm{DP}              | s         | exchange of replicas that shows in a step
updated_params_per_gpu          | P_u                        | param     | parameters that one accelerator updates
update_bytes_per_param          | s_u                        | B         | bytes that an update moves for each parameter
optimiser_step_s                | t_o                        | s         | time of the optimiser in a step
step_fixed_s                    | \tau_s                     | s         | time of a step beside all that
training_step_s                 | t_\mathrm{step}            | s         | time of one training step
stage_params                    | P_s                        | param     | parameters of one stage on one accelerator
stage_state_bytes               | M_{\Sigma,s}               | B         | weights, gradients and optimiser state of a stage on one accelerator
kept_layer_tokens               | n_k                        | token     | tokens in flight on a stage, counted once for each of its layers
layer_kept_bytes_per_token      | a_1                        | B/token   | activations of one token that one layer keeps
activation_growth               | \kappa_a                   | 1         | activations that software keeps over those that the backward pass needs
stage_activation_bytes          | M_{a,s}                    | B         | activations of a stage on one accelerator
logit_values                    | n_V                        | count     | logits of one micro-batch on a stage with the head
logit_copy_bytes                | s_c                        | B         | bytes of all copies of one logit and of its gradient
stage_logit_bytes               | M_{V,s}                    | B         | logits of a stage on one accelerator
process_bytes                   | M_p                        | B         | memory that every process takes
fill_share                      | u_f                        | 1         | share of the memory that a run can fill
peak_training_bytes             | M_\mathrm{peak}            | B         | most memory that a run allocates on one accelerator
"""

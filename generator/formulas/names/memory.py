"""Names of the section "Memory": name, symbol, unit, meaning."""

SECTION = "Memory"
ROWS = r"""
params_by_component             | P                          | param     | parameters of each component
bits_by_component               | s                          | bit       | bits that one value of each component takes, scales included
bits_per_param                  | s_w                        | bit       | bits of one weight, scales included
bits_per_value                  | s_\mathrm{kv}              | bit       | bits of one cached value, scales included
weights_bytes                   | M_w                        | B         | all weights, in the number formats of the checkpoint
uniform_weights_bytes           | M_w                        | B         | all weights in one number format
grouped_query_kv_bytes          | \kappa_L                   | B/token   | keys and values that one token adds to one grouped-query layer
latent_kv_bytes                 | \kappa_L                   | B/token   | latent and rotary key that one token adds to one latent layer
index_key_bytes                 | \kappa_i                   | B/token   | index key that one token adds to one sparse layer
compressed_kv_bytes             | \kappa_L                   | B/token   | what one token adds to one compressed layer, on average
compressed_entry_bytes          | \kappa_e                   | B         | one entry of a compressed cache: keys are values
entry_bytes                     | \kappa_e                   | B         | one cache entry
index_entry_bytes               | \kappa_i                   | B         | one index key, 0 without an index
linear_state_bytes              | S_L                        | B         | recurrent state and convolution state of one linear-attention layer
kv_bytes_per_token_by_group     | \kappa                     | B/token   | what one token adds to one layer of each group, without limit
window_bytes_per_token_by_group | \omega                     | B/token   | what one token adds to one windowed layer of each group
window_tokens_by_group          | W                          | token     | window of each group
state_bytes_by_group            | S                          | B         | fixed state of one layer of each group
kv_bytes_per_token              | M_\mathrm{KV}              | B/token   | what one token adds to the cache of all layers that grow without limit
window_bytes_per_request        | M_W                        | B         | windowed layers of one request: at most the window
state_bytes_per_request         | M_S                        | B         | fixed states of one request
kv_fixed_bytes_per_request      | M_0                        | B         | cache of one request that does not grow: full windows and states
block_tokens                    | B                          | token     | tokens of one cache block
context_tokens                  | c                          | token     | tokens in the context of one request
kv_bytes_per_request            | M_r                        | B         | cache of one request, rounded up to whole blocks
context_of_request              | c                          | token     | prompt and output tokens of one request
kv_replication                  | \rho                       | 1         | copies of the cache over a tensor-parallel group
device_memory_bytes             | M                          | B         | nominal memory of one accelerator
memory_utilization              | u                          | 1         | share of the memory that the engine may use
gpu_memory_share                | u_\mathrm{os}              | 1         | share of unified memory that the system gives to the GPU
usable_memory_bytes             | M_u                        | B         | memory of one accelerator that the engine may use
workspace_bytes                 | M_x                        | B         | workspace of one accelerator
gpus                            | N                          | count     | accelerators
resident_weights_bytes          | M_{w,N}                    | B         | weights over all accelerators, replicas included
kv_capacity_bytes               | M_\mathrm{pool}            | B         | memory left for the cache over all accelerators
max_concurrent_requests         | b_\mathrm{max}                  | count     | requests of this size that the cache holds at once
kv_capacity_tokens              | c_\mathrm{pool}            | token     | tokens that the cache holds
weights_bytes_per_gpu           | M_{w,1}                    | B         | weights on one accelerator
shortfall_bytes                 | M_\mathrm{short}           | B         | memory missing for the weights and workspace, negative if there is room
step_tokens                     | T                          | token     | most tokens of one engine step
sampled_sequences               | S                          | count     | most sequences of one engine step
logit_bytes_per_value           | s_\ell                     | B         | bytes kept for one logit while sampling, beside the logit itself
engine_activation_bytes         | M_\mathrm{peak}            | B         | activation peak of an engine on one accelerator
activation_bytes                | M_\mathrm{act}             | B         | activation peak of an engine on one accelerator, expert buffers included
device_visible_bytes            | M_v                        | B         | memory of one accelerator as software sees it
non_torch_bytes                 | M_\mathrm{nt}              | B         | context, communication buffers and graphs of an engine on one accelerator
engine_expert_workspace_bytes   | M_\mathrm{exp}             | B         | buffers of the fused expert kernels of an engine on one accelerator
engine_kv_bytes                 | M_\mathrm{pool,1}          | B         | cache of an engine on one accelerator
kv_batch_bytes                  | M_b                        | B         | caches of a batch over all accelerators
kv_batch_bytes_per_gpu          | M_{b,1}                    | B         | caches of a batch on one accelerator
used_bytes_per_gpu              | M_1                        | B         | weights, caches and workspace on one accelerator
free_bytes_per_gpu              | M_\mathrm{free}            | B         | memory left on one accelerator, negative if it does not fit
bytes_per_gpu                   | M_1                        | B         | bytes on one accelerator
bytes_over_gpus                 | M_N                        | B         | bytes over all accelerators
pool_one_bytes                  | M_\mathrm{pool}^{(1)}      | B         | memory left for the cache on one accelerator, all weights beside it
pool_two_bytes                  | M_\mathrm{pool}^{(2)}      | B         | memory left for the cache on two accelerators that share the weights
pool_growth_bytes               | \Delta_\mathrm{pool}       | B         | what one more accelerator adds to the cache
implied_weights_bytes           | \hat M_w                   | B         | weights that two logged caches imply
extrapolated_pool_bytes         | \hat M_\mathrm{pool}       | B         | memory left for the cache on more accelerators, from two logged caches
logged_concurrency              | \hat b                     | 1         | requests of the longest length that a start-up log says fit
logged_pool_tokens              | \hat c_\mathrm{pool}       | token     | tokens that the cache of a start-up log holds
expanded_latent_kv_bytes        | \kappa_L                   | B/token   | keys and values of all heads that one token adds when latents are expanded before caching
logged_bytes_per_token          | \hat\kappa                 | B/token   | memory of a logged cache over its tokens

sparse_kv_bytes                 | \kappa_L                   | B/token   | what one token adds to one sparse layer, index key included
"""

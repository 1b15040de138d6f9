"""Names of the section "Decode and prefill": name, symbol, unit, meaning."""

SECTION = "Decode and prefill"
ROWS = r"""
batch                           | b                          | count     | requests decoded at once
replica_batch                   | b_r                        | count     | requests decoded at once by one replica
stage_batch                     | b_m                        | count     | requests in one pipeline micro-batch
prompt_tokens                   | p                          | token     | prompt tokens of one request
output_tokens                   | o                          | token     | output tokens of one request
mean_context_tokens             | \bar c                     | token     | mean context while a request decodes
visible_tokens                  | c_v                        | token     | tokens a windowed layer sees at a context
chunk_tokens                    | c_v                        | token     | tokens a chunked layer sees at a context, on average over the chunk
mean_chunk_tokens               | \bar c_v                   | token     | tokens a chunked layer sees on average during prefill
mean_visible_tokens             | \bar c_v                   | token     | tokens a windowed layer sees on average during prefill
mean_full_tokens                | \bar c_p                      | token     | tokens a causal layer sees on average during prefill
grouped_query_attention_flops   | a_L                        | FLOP/token | attention FLOPs of one token in one layer, scores and values
latent_decode_flops             | a_L                        | FLOP/token | attention FLOPs of one decoded token in one latent layer
latent_prefill_flops            | a_L                        | FLOP/token | attention FLOPs of one prompt token in one latent layer
index_flops                     | a_i                        | FLOP/token | FLOPs to score the index keys for one token in one layer
linear_attention_flops          | a_L                        | FLOP/token | FLOPs of the recurrent update of one token in one layer
mamba_flops                     | a_L                        | FLOP/token | FLOPs of the recurrent update of one token in one layer
seen_tokens                     | c_v                        | token     | tokens or entries that a layer attends to
attention_flops_by_group        | a                          | FLOP/token | attention FLOPs of one token in one layer of each group
attention_flops_per_token       | A                          | FLOP/token | attention FLOPs of one token in all layers
kv_read_bytes_by_group          | \rho                       | B         | cache that one request reads in one layer of each group
kv_read_bytes_per_request       | R                          | B         | cache that one request reads in one step
cache_read_bytes                | \rho_L                     | B         | cache that one request reads in one layer
per_token_bytes                 | \kappa                     | B/token   | bytes of one cached token
selected_bytes                  | \rho_k                     | B         | cache entries that an index selects, in one layer
scanned_bytes                   | \rho_i                     | B         | index keys that are scanned, in one layer
sparse_read_bytes               | \rho_L                     | B         | cache that one request reads in one sparse layer
expert_share_read               | x                          | 1         | share of the routed experts that a batch reads
always_read_bytes               | M_{w,0}                    | B         | weights outside the routed experts
expert_bytes                    | M_{w,E}                    | B         | weights of the routed experts
weights_read_bytes              | M_{w,\mathrm{read}}        | B         | weights that one decode step reads
decode_flops                    | C_\mathrm{dec}             | FLOP      | FLOPs of one decode step
decode_bytes                    | Q_\mathrm{dec}             | B         | bytes that one decode step reads
memory_time_s                   | t_\mathrm{mem}             | s         | time of a decode step to read weights and cache
compute_time_s                  | t_\mathrm{comp}            | s         | time of a decode step to compute
communication_time_s            | t_\mathrm{comm}            | s         | time of a decode step to communicate
tpot_s                          | \mathrm{TPOT}              | s         | time per output token
tokens_per_s                    | v                          | token/s   | output tokens per second of all requests
tokens_per_s_per_user           | v_u                        | token/s   | output tokens per second of one request
tokens_per_s_per_gpu            | v_g                        | token/s   | output tokens per second and accelerator
batch_cache_equals_weights      | b_{=}                      | count     | batch whose caches are as many bytes as the weights
cache_limit_tokens_per_s        | v_\infty                   | token/s   | output rate that no batch passes because of the cache it reads
step_residual_s                 | \Delta t                   | s         | measured time of a step beyond the predicted one
power_w                         | \mathcal{P}_\mathrm{m}     | W         | power drawn by all accelerators
power_share                     | \phi_\mathcal{P}           | 1         | drawn power over design power
measured_j_per_token            | e_\mathrm{m}               | J/token   | measured energy per token
tokens_per_s_from_energy        | v                          | token/s   | tokens per second that power and energy per token imply
mean_wait_s                     | \bar t_\mathrm{wait}       | s         | mean wait for a slot
static_batch_s                  | t_\mathrm{batch}           | s         | time of a batch prefilled one by one and decoded together
budget_s                        | T_b                        | s         | time within which an answer shall arrive
output_tokens_in_budget         | o_b                        | token     | output tokens that arrive within a time
prefill_memory_time_s           | t_\mathrm{pf,mem}          | s         | time of a prefill to read the weights once
prefill_compute_time_s          | t_\mathrm{pf,comp}         | s         | time of a prefill to compute
prefill_communication_time_s    | t_\mathrm{pf,comm}         | s         | time of a prefill to communicate
prefill_s                       | t_\mathrm{pf}              | s         | time to process one prompt
users                           | U                          | count     | users who ask at once
slots                           | b                          | count     | requests served at once
wait_s                          | t_\mathrm{wait}            | s         | time a request waits for a slot
ttft_s                          | \mathrm{TTFT}              | s         | time to first token
request_s                       | t_\mathrm{req}             | s         | time of one request from arrival to last token
mixed_tokens_per_s              | v_\mathrm{mix}             | token/s   | output tokens per second when the same accelerators also prefill
prefill_flops                   | C_\mathrm{pf}              | FLOP      | FLOPs to process one prompt
request_energy_j_per_token      | e_\mathrm{tok}             | J/token   | most energy per output token: all accelerators at their design power
tdp_w                           | \mathcal{P}                | W         | design power of one accelerator

compressed_tokens               | c_m                        | token     | entries that a compressed cache holds
layer_attention_flops           | a_L                        | FLOP/token | attention FLOPs of one token in one layer of several parts
main_flops                      | a_\mathrm{main}            | FLOP/token | attention FLOPs over the entries that are read
window_flops                    | a_W                        | FLOP/token | attention FLOPs over the raw window
"""

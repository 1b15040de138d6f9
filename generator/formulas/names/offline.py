"""Names of the section "All requests at once": name, symbol, unit, meaning."""

SECTION = "All requests at once"
ROWS = r"""
body_params                     | P_b                        | param     | parameters of the layers outside the routed experts
body_bytes                      | M_b                        | B         | weights of the layers outside the routed experts
total_weights_bytes             | M_{w,\Sigma}               | B         | weights of one copy of the model, tables included
attention_tp                    | \mathrm{TP}_a              | count     | accelerators over which attention is split
expert_tp                       | \mathrm{TP}_e              | count     | accelerators over which the width of the feed-forward network is split
attention_ranks                 | n_a                        | count     | groups that hold attention whole and share the requests
rank_doublings                  | \log_2 n                   | 1         | doublings from one accelerator to the tensor-parallel group
exchanged_copies                | n_\mathrm{ex}              | count     | copies of each token that an exchange moves
active_intermediate             | \bar f_a                   | count     | mean width of the feed-forward network that one token passes
routed_copies                   | \bar k                     | 1         | copies of a token that go to experts, mean over the layers
queued_requests                 | R_q                        | count     | requests of a run
batch_limit                     | b_\mathrm{lim}             | count     | requests that an engine decodes at once at most
fixed_batch                     | b_\mathrm{fix}             | count     | requests of a fixed batch; 0 if the engine fills it by itself
offline_request_bytes           | M_{r,1}                    | B         | cache of one whole request on one accelerator
offline_weights_bytes_per_gpu   | M_{w,1}                    | B         | weights on one accelerator
offline_memory_share            | u_f                        | 1         | share of the free memory that the cache takes
offline_reserve_bytes           | M_\mathrm{res}             | B         | memory of an engine beside weights, cache and activations
offline_activation_bytes        | M_\mathrm{act}             | B         | activations of the largest step
offline_step_limit_tokens       | T_\mathrm{lim}             | token     | tokens of the largest step
offline_pool_requests           | b_\mathrm{pool}            | count     | requests whose caches fit whole
offline_batch                   | b_q                        | count     | requests that decode at once on one attention rank
pass_tokens                     | T_s                        | token     | tokens of a step, decoded ones and prompts
prompt_pass_tokens              | T_p                        | token     | prompt tokens of a step
fixed_prompt_tokens             | T_{p,0}                    | token     | prompt tokens of a fixed batch
gathered_tokens                 | T_E                        | token     | tokens that meet at the experts
sampled_rows                    | n_s                        | count     | tokens sampled in a step
offline_weights_efficiency      | \eta_w                     | 1         | share of the bandwidth that reading weights reaches
offline_kv_efficiency           | \eta_\mathrm{KV}           | 1         | share of the bandwidth that reading caches reaches
row_bandwidth_efficiency        | \eta_r                     | 1         | share of the bandwidth that reading and writing activations reaches
offline_matmul_efficiency       | \eta_C                     | 1         | share of the dense peak that large matrix products reach
offline_expert_efficiency       | \eta_E                     | 1         | share of the dense peak that the products of the experts reach
head_matmul_efficiency          | \eta_h                     | 1         | share of the 16-bit peak that the output head reaches
prompt_attention_efficiency     | \eta_a                     | 1         | share of the 16-bit peak that attention over prompts reaches
scalar_attention_share          | \eta_\mathrm{sc}           | 1         | share of the 16-bit peak that decode attention without tensor cores reaches
offline_link_efficiency         | \eta_l                     | 1         | share of the link that exchanges reach
overlap_exponent                | p_\circ                    | 1         | how reading and computing overlap: 1 not at all
offline_reduction_s             | \tau_r                     | s         | latency of an exchange for each doubling of the group
offline_layer_s                 | \tau_L                     | s         | fixed time of a layer
offline_expert_layer_s          | \tau_E                     | s         | fixed time that a layer of experts adds
offline_step_s                  | \tau_s                     | s         | fixed time of a step
offline_sequence_s              | \tau_b                     | s         | time of a step for each request in it
offline_request_s               | \tau_q                     | s         | time for each request that enters
body_read_s                     | t_w                        | s         | time to read the layers of one stage
body_matmul_s                   | t_C                        | s         | time of the matrix products of one stage
body_s                          | t_{wC}                     | s         | time of reading and computing together
token_row_bytes                 | Q_r                        | B         | activations that kernels hand each other for one token
token_rows_s                    | t_r                        | s         | time of the activations of a step
head_s                          | t_h                        | s         | time of the output head
plain_flops_per_s               | \pi_{16}                   | FLOP/s    | dense 16-bit peak of one accelerator
body_exchange_s                 | t_l                        | s         | time of the exchanges of a step
stage_handover_wire_s           | t_p                        | s         | time to hand tokens to the next stage
batch_cache_s                   | t_\mathrm{KV}              | s         | time to read the caches of a micro-batch
scalar_attention_flops          | A_\mathrm{sc}              | FLOP/token | attention FLOPs of one decoded token that tensor cores do not do
scalar_attention_s              | t_\mathrm{sc}              | s         | time of decode attention without tensor cores
batch_attention_s               | t_\mathrm{att}             | s         | decode attention of a step
prompt_attention_s              | t_{\mathrm{att},p}         | s         | attention over the prompts of a step
pass_fixed_s                    | t_\tau                     | s         | fixed time of a step
pass_requests_s                 | t_b                        | s         | time of a step for its requests
offline_step_total_s            | t_s                        | s         | time of a step of one stage
batch_wave_s                          | t_\mathrm{wave}            | s         | time in which a batch makes all of its tokens
full_waves                      | n_\mathrm{wave}            | count     | times that the queue fills the batch
rest_requests                   | b_\mathrm{rest}            | count     | requests left for the last, smaller batch
rest_wave_s                     | t_\mathrm{rest}            | s         | time of the last, smaller batch
offline_run_s                   | t_\mathrm{run}             | s         | time of the whole queue
run_s                           | t_\mathrm{run}             | s         | time of a run
prompt_pass_s                   | t_{s,p}                    | s         | step that takes the prompts of a fixed batch
decode_pass_s                   | t_{s,d}                    | s         | step that decodes a fixed batch
static_run_s                    | t_\mathrm{fix}             | s         | time of a fixed batch
arrived_batch                   | b_\lambda                  | count     | requests in flight at an arrival rate
paced_run_s                     | t_\lambda                  | s         | time until the last of the requests that arrive at a rate is done
offline_tokens_per_s            | v_q                        | token/s   | output tokens per second of a run
token_limit_s                    | L_\mathrm{TPOT}            | s         | longest time per output token that a scenario allows
deadline_share                  | \phi_L                     | 1         | share of the limit that the mean time per token takes
lone_step_s                   | t_{s,1}                    | s         | time of a step with one request
full_step_s                     | t_{s,b}                    | s         | time of a step with a full batch
timely_batch                    | b_L                        | count     | largest batch that keeps the limit
copies                          | n_\mathrm{copy}            | count     | copies of the model that share the requests
rate_per_sequence               | 1/n_\mathrm{beam}          | 1         | one over the beams of a request
request_host_s                  | \tau_{q,h}                 | s         | time of the host for a request of the benchmark
sequence_request_s              | \tau_{q,n}                 | s         | time of the host for a request, over its beams
release_speedup                 | \psi_\mathrm{rel}          | 1         | gain of a release over the first one
steady_tokens_per_s             | v_\infty^\ast              | token/s   | output tokens per second of all copies in steady state
offline_cache_limit_requests    | b_\infty                   | count     | requests beyond which the mean cache would not fit
offline_floor_s                 | t_{s,0}                    | s         | least time of a step of all requests
offline_bound_tokens_per_s      | v_{q,\infty}               | token/s   | output rate of a batch at the least time of its step
all_copies_tokens_per_s         | v_{N,\infty}               | token/s   | output rate of several copies of the model
"""

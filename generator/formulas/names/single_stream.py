"""Names of the section "A lone request": name, symbol, unit, meaning."""

SECTION = "A lone request"
ROWS = r"""
streamed_weights_bytes          | Q_w^\ast                   | B         | weights that a step reads, without the rows of the input table
lookup_bytes                    | Q_\mathrm{in}              | B         | input table of which a step reads single rows; 0 if it is the output head too
integer_ops_per_s               | \pi_\mathrm{int8}          | FLOP/s    | dense INT8 peak of one accelerator
half_accumulating_flops_per_s   | \pi_\mathrm{16+16}         | FLOP/s    | peak of FP16 tensor cores that add in FP16
single_stream_floor_s           | t_{1,\beta}                | s         | least time of a token of a lone request
weights_bandwidth_share         | \eta_w                     | 1         | share of the bandwidth that reading weights reaches
weights_stream_s                | t_{1,w}                    | s         | time to read the weights for one token
matrix_flops                    | C_w                        | FLOP      | FLOPs of the weights for one token
vector_share                    | \eta_v                     | 1         | share of the vector peak that unhidden work on weights reaches
vector_products_s               | t_{1,v}                    | s         | unhidden time of unpacking and multiplying the weights by one vector
attention_vector_share          | \eta_{v,a}                 | 1         | share of the vector peak that attention of one token reaches
attention_limit_flops_per_s     | \pi_a                      | FLOP/s    | rate that attention of one token stays below on any card
lone_attention_s                | t_{1,a}                    | s         | time of attention for one token of a lone request
launch_layer_s                  | \tau_L                     | s         | fixed time of one layer
layer_launches_s                | t_{1,L}                    | s         | fixed time of all layers
stage_handover_s                | \tau_N                     | s         | fixed time of handing one token to the next card
stage_handovers_s               | t_{1,N}                    | s         | fixed time of handing one token from card to card
single_stream_s                 | t_1^\ast                   | s         | time of one token of a lone request
single_stream_tokens_per_s      | v_1^\ast                   | token/s   | output tokens per second of a lone request
prompt_pieces                   | n_p                        | count     | pieces that an engine cuts a prompt into
pieces_in_flight                | k_p                        | count     | pieces that enter the pipeline before it drains
pipeline_turns                  | n_\circlearrowright        | count     | turns until all pieces have passed all cards
prompt_matrix_flops             | C_p                        | FLOP      | FLOPs of the weights for one prompt
prompt_compute_share            | \eta_p                     | 1         | share of the peak that the matrix products of a prompt reach
prompt_products_s               | t_{p,C}                    | s         | time of the matrix products of one prompt on one card
wide_weights_bytes              | Q_{16}                     | B         | weights in 16 bits
widened_bytes                   | Q_{\to 16}                 | B         | bytes of widening all weights once
widening_passes                 | n_{\to 16}                 | 1         | times that widening moves its bytes
widening_s                      | t_{p,\to 16}               | s         | time to widen quantised weights for one prompt
masked_prompt_tokens            | p^+                        | token     | prompt with the mean context of whole pieces
score_flops                     | C_1                        | FLOP      | attention FLOPs of one score
prompt_scores                   | n_s                        | count     | attention scores of one prompt over all heads and layers
score_bytes                     | s_s                        | B         | bytes moved for one attention score
score_traffic_s                 | t_{p,s}                    | s         | time to write and read the attention scores of one prompt
residual_bytes_per_value        | s_r                        | B         | bytes of one value of the residual stream between cards
piece_bytes                     | Q_m                        | B         | residual stream of one piece of a prompt
handover_bytes_per_s            | \beta_N                    | B/s       | rate at which pieces go from card to card
piece_handover_s                | t_{p,N}                    | s         | time to hand one piece to the next card
layered_prompt_s                | t_p^\ast                   | s         | time of one prompt whose pieces pass the layers card after card
prompt_tokens_per_s             | v_p^\ast                   | token/s   | prompt tokens per second of a lone request
prompt_rate_ceiling_tokens_per_s | v_{p,\pi}                  | token/s   | most prompt tokens per second
profile_tokens                  | n_s                        | token     | tokens of a step that takes prompts in
profile_flops                   | C_s                        | FLOP      | FLOPs of one step
profile_bytes                   | Q_s                        | B         | weights and caches that one step reads
profile_compute_share           | \eta_{s,c}                 | 1         | share of the peak that the matrix products of a step reach
profile_bandwidth_share         | \eta_{s,m}                 | 1         | share of the bandwidth that a step reaches
profile_compute_s               | t_{s,C}                    | s         | time of the matrix products of one step
profile_read_s                  | t_{s,Q}                    | s         | time to read weights and caches in one step
blended_s                       | t_{s,CQ}                   | s         | time of computing and reading that overlap in part
reductions_per_layer            | n_r                        | count     | all-reduces of one layer: 2, or 1 where attention and feed-forward network are parallel
reduction_link_share            | \eta_l                     | 1         | share of the link that an all-reduce reaches
reduction_latency_s             | \tau_r                     | s         | fixed time of one all-reduce
reductions_s                    | t_{s,r}                    | s         | time of the all-reduces of one step
profile_layer_s                 | \tau_{s,L}                 | s         | fixed time of one layer of a step
profile_request_s               | \tau_{s,b}                 | s         | fixed time that one request adds to a step
prompt_passes                   | \delta_p                   | count     | 1 if the step takes prompts in, else 0
profile_prompt_s                | \tau_{s,p}                 | s         | fixed time that taking prompts in adds to a step
profile_fixed_s                 | t_{s,\tau}                 | s         | time of one step that does not depend on its tokens
profile_step_s                  | t_s^\ast                   | s         | time of one step of a tensor-parallel group
profile_floor_s                 | t_{s,0}                    | s         | least time of one step
paced_request_s                 | \tau_p                     | s         | fixed time that the prompt of one request takes
paced_prompt_s                  | t_{r,p}                    | s         | time that the prompt of one request keeps the engine busy
sequence_s                      | \tau_b                     | s         | fixed time that one running request adds to a step
paced_sequence_s                | t_{r,b}                    | s         | time that one running request adds to a step
arrival_gap_s                   | 1/\lambda                  | s         | mean time between two arrivals
idle_share                      | \epsilon                   | 1         | least share of the time that counts as left over
steady_itl_s                    | t_{r,\lambda}              | s         | time between tokens when requests keep coming
sent_requests                   | N_r                        | count     | requests of one run
step_budget_tokens              | B_s                        | token     | most tokens of one step
mixed_steps                     | n_{r,p}                    | count     | steps with prompts of others that a request of a burst lives through
burst_itl_s                     | t_{r,N}                    | s         | time between tokens when all requests were sent at once
paced_itl_s                     | t_{r,1}                    | s         | time between tokens at a rate of arrivals
paced_backlog_s                 | w_N                        | s         | mean wait of requests that come faster than their prompts are done
prompt_queue_s                  | w_\lambda                  | s         | mean wait for the prompts of others at random arrivals
decoding_share                  | u_d                        | 1         | share of the time in which some request decodes
front_s                         | \tau_f                     | s         | time of a request outside the engine
paced_ttft_s                    | t_{r,0}                    | s         | time to first token at a rate of arrivals
is_first_token                  | \delta_0                   | count     | 1 for the time to first token, 0 for the time between tokens
paced_latency_s                 | t_r                        | s         | latency at a rate of arrivals
"""

"""Names of the section "Costs of splitting": name, symbol, unit, meaning."""

SECTION = "Costs of splitting"
ROWS = r"""
buffer_bytes                    | Q_b                        | B         | bytes of the buffer that an all-reduce sums
all_reduce_s                    | t_\mathrm{ar}              | s         | time of one all-reduce
tensor_parallel_bytes           | Q_\mathrm{tp}              | B         | bytes each accelerator sends for all all-reduces of one pass
single_step_s                   | t_{(1)}                    | s         | time of a step on one accelerator
break_even_latency_s            | \tau^\star                 | s         | fixed time of an all-reduce beyond which splitting makes a step longer
communication_bound_degree      | n^\star                    | count     | degree at which all-reduces take as long as computing
domain_scale_out_bytes_per_s    | \beta_{d}                  | B/s       | network bandwidth of one scale-up domain, per direction
token_time_s                    | t_\mathrm{tok}             | s         | time of one token
transfer_s                      | t_Q                        | s         | time to send bytes over a link
stage_bytes                     | Q_\mathrm{pp}              | B         | activations handed from one pipeline stage to the next
context_parallel_kv_bytes       | K_\mathrm{cp}              | B         | cache of one request on one accelerator under context parallelism
ring_attention_bytes            | Q_\mathrm{ring}            | B         | keys and values each accelerator passes on in one prefill
hidden_prompt_tokens            | p^\star                    | token     | prompt from which the ring hides behind attention
group_step_s                    | t_g                        | s         | step of one large group
replica_step_s                  | t_r                        | s         | step of one small replica with the same batch
fixed_step_s                    | t_0                        | s         | time of a step that does not shrink with the group
replica_gain                    | \psi_r                     | 1         | output of several replicas over that of one group
ring_bytes                      | Q_\mathrm{ar}              | B         | bytes each accelerator sends to sum a buffer
"""

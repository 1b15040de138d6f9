"""Names of the section "Capacity planning": name, symbol, unit, meaning."""

SECTION = "Capacity planning"
ROWS = r"""
capacity_requests_per_s         | \mu                        | request/s | requests that one group finishes per second at most
mixed_tokens_per_s_per_gpu      | v_{\mathrm{mix},g}         | token/s   | output tokens per second and accelerator, prefills included
mean_token_s                    | t_\mathrm{tok}             | s         | mean time between two tokens of a request, prefills of others included
group_requests                  | b_g                        | count     | requests that one group decodes at once
group_gpus                      | N_g                        | count     | accelerators of one group
target_utilisation              | \rho_t                     | 1         | planned share of the capacity in use
groups_by_memory                | G_M                        | count     | groups that hold the requests in flight
groups_by_compute               | G_C                        | count     | groups that do the work in time
spare_groups                    | G_s                        | count     | groups that may fail without loss
planned_groups                  | G                          | count     | groups to plan
planned_gpus                    | N_G                        | count     | accelerators to plan
groups                          | G                          | count     | groups that serve
lost_groups                     | G_\ell                     | count     | groups that have failed
highest_utilisation             | \rho_\mathrm{max}          | 1         | utilisation up to which the service level holds
utilisation_after_loss          | \rho'                      | 1         | utilisation of the groups that are left
utilisation_that_survives       | \rho_\mathrm{safe}         | 1         | utilisation that leaves room for a loss
loaded_bytes                    | M_\ell                     | B         | weights to load
stage_bytes_per_s_by_group      | r                          | B/s       | rate of each stage of loading
load_s                          | t_\ell                     | s         | time to load the weights
serial_load_s                   | t_\ell                     | s         | time to load the weights, one stage after the other
overlapped_load_s               | t_\ell                     | s         | time to load the weights, all stages at once
start_stage_s_by_component      | t                          | s         | time of each stage of a start-up that is not loading
fixed_start_s                   | t_0                        | s         | time of a start-up that does not depend on the weights
start_rest_s                    | t_\mathrm{rest}            | s         | time of a start-up beyond the stages that are timed
startup_s                       | t_\mathrm{start}           | s         | time until a new replica answers
startup_limit_s                 | t_\mathrm{lim}             | s         | time within which a replica shall answer
load_bytes_per_s                | r_\ell                     | B/s       | rate at which weights were loaded
needed_load_bytes_per_s         | r_\mathrm{need}            | B/s       | rate at which weights must come
load_growth_per_s               | g                          | 1/s       | growth of the load per second, over the load
detection_s                     | t_d                        | s         | time until growth is noticed and a replica ordered
load_during_startup_ratio       | x_\lambda                  | 1         | load when a replica answers over the load when it was needed
scale_out_utilisation           | \rho_\mathrm{out}          | 1         | utilisation at which a replica must be ordered
serving_requests_per_s          | \mu_G                      | request/s | requests per second that the present groups finish at most
fleet_load_ratio                | \rho_G                     | 1         | load over what all groups finish at most
requests_at_scale_out           | n_\mathrm{out}             | count     | requests in flight in each group at which another one must be ordered
backlog_requests                | q                          | count     | requests that queue up during a start-up
capacity_after_requests_per_s   | \mu_{G+1}                  | request/s | requests per second that all groups finish at most, the new one included
backlog_drain_s                 | t_q                        | s         | time until a queue is gone
period_tokens                   | D_T                        | token     | tokens of a period
period_s                        | T_p                        | s         | length of a period
node_tokens_per_s               | v_n                        | token/s   | tokens per second of one node
load_tokens_per_s               | \bar v                     | token/s   | mean rate of the tokens of a period
nodes_for_tokens                | n                          | count     | nodes that are busy on average
prefill_nodes                   | n_p                        | count     | nodes busy with prompts
decode_nodes                    | n_d                        | count     | nodes busy with output
nodes_of_both                   | n                          | count     | nodes of both phases
fleet_usd                       | \Gamma_T                   | USD       | price of accelerators over a period
peak_nodes                      | n_\mathrm{max}             | count     | largest number of nodes in a period
mean_nodes                      | \bar n                     | count     | mean number of nodes in a period
peak_over_mean                  | \pi_n                      | 1         | largest over mean number of nodes
pool_blocks                     | n_B                        | count     | blocks of the cache of an engine
pool_tokens_of_blocks           | c_\mathrm{pool}            | token     | tokens that the blocks of a cache hold
longest_requests                | b_\mathrm{log}             | 1         | requests of the longest admitted length that the cache holds
engine_budget_bytes             | M_B                        | B         | memory that an engine allows itself on one accelerator
graph_bytes                     | M_\mathrm{graph}           | B         | captured graphs of an engine on one accelerator
engine_taken_bytes              | M_\mathrm{taken}           | B         | memory that an engine takes on one accelerator, captured graphs included
"""

"""Names of the section "Experts over many accelerators": name, symbol, unit, meaning."""

SECTION = "Experts over many accelerators"
ROWS = r"""
expert_token_bytes              | Q_x                        | B         | bytes that one token sends to its experts and back in one layer
remote_accelerator_share        | \sigma                     | 1         | share of the expert traffic that leaves its accelerator
inside_share                    | \sigma_\mathrm{in}         | 1         | share of the expert traffic to others in the same domain
outside_share                   | \sigma_\mathrm{out}        | 1         | share of the expert traffic that leaves the domain
tokens_per_gpu                  | n_g                        | token     | tokens that one accelerator sends to experts in one step
exchange_bytes                  | Q_\mathrm{ex}              | B         | bytes of the tokens of one accelerator in one direction
exchange_s                      | t_\mathrm{ex}              | s         | time of one dispatch or combine
expert_hops_s                   | t_\mathrm{hops}            | s         | fixed time of all exchanges of one step
latency_per_exchange_s          | \tau_\mathrm{hop}          | s         | fixed time of one exchange that adds up to a given time
redundant_experts               | E_r                        | count     | copies of routed experts of one layer
expert_slots_per_gpu            | E_1                        | count     | routed experts of one layer on one accelerator, copies included
memory_per_gpu_bytes            | M_1                        | B         | weights and caches on one accelerator when spread evenly
cache_share                     | \phi_K                     | 1         | share of the room that is kept for caches
largest_model_params            | P_\mathrm{max}             | param     | parameters that a domain holds beside its caches
requests_decoding               | b                          | count     | requests that decode at once
domain_tokens_per_s             | v_d                        | token/s   | output tokens per second of all accelerators of one domain
expert_pass_bytes               | Q_\mathrm{ep}              | B         | bytes that one token sends for its experts in all layers
dispatch_s                      | t_\mathrm{out}             | s         | time of one dispatch
combine_s                       | t_\mathrm{back}            | s         | time of one combine
expert_pass_s                   | t_\mathrm{ep}              | s         | time of all exchanges of one pass
"""

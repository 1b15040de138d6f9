"""Names of the section "Operating a service": name, symbol, unit, meaning."""

SECTION = "Operating a service"
ROWS = r"""
nodes                           | n_\mathrm{node}            | count     | nodes of a service
gpus_per_node                   | N_\mathrm{node}            | count     | accelerators of one node
node_gpus                       | N                          | count     | accelerators of all nodes
requests_at_rate                | b_v                        | count     | requests that decode at once
expert_copies_per_gpu           | E_1                        | count     | routed experts of one layer on one accelerator, copies included
expert_slots                    | E_\mathrm{slot}            | count     | places for routed experts of one layer over all accelerators
answers_per_s_per_gpu           | \lambda_1                  | request/s | requests finished per second and accelerator
prefill_servers_per_decode_server | \psi_\mathrm{pd}         | 1         | prefill servers for each decode server
missed_tokens                   | p_\mathrm{miss}            | token     | prompt tokens that no cache holds
prompt_tokens_in_all            | p_\Sigma                   | token     | prompt tokens, cached ones included
missed_share                    | x_\mathrm{miss}            | 1         | share of the prompt tokens that no cache holds
prefill_tokens_per_s_per_gpu    | v_{\mathrm{pf},1}          | token/s   | prompt tokens per second and accelerator, cached ones included
prefill_mfu                     | \mathrm{MFU}_\mathrm{pf}   | 1         | FLOPs of computed prompt tokens over peak FLOPs
cache_tokens                    | c_\mathrm{pool}            | token     | tokens that a cache has room for
billed_output_tokens            | D_\mathrm{out}             | token     | output tokens sold
income_usd                      | \Gamma_\mathrm{in}         | USD       | income of a service
cost_usd                        | \Gamma_T                   | USD       | cost of a service
cost_profit_margin              | \mu_c                      | 1         | profit over cost
gross_margin                    | \mu_g                      | 1         | profit over income
usd_per_million_billed          | \gamma_\mathrm{tok}        | USD/Mtok  | price of a million output tokens that carry all of the cost
usd_per_million_prefilled       | \gamma_\mathrm{pf}         | USD/Mtok  | price of a million prompt tokens by the time of the nodes that prefill
"""

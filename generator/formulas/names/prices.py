"""Names of the section "API prices": name, symbol, unit, meaning."""

SECTION = "API prices"
ROWS = r"""
implied_kv_bytes_per_token      | \hat\kappa                 | B/token   | cache of a token that a step in the price list implies
crossover_tokens                | c^\star                    | token     | context at which reading the cache overtakes computing
context_cost_ratio              | \phi_c                     | 1         | cost of an output token over that of a short context
attention_equals_weights_tokens | p_{=}                      | token     | prompt whose attention takes as many FLOPs as its matrix products
prompt_cost_ratio               | \phi_p                     | 1         | FLOPs of an input token over those of a short prompt
output_input_ratio              | \phi_\mathrm{out/in}       | 1         | accelerator time of an output token over that of an input token
recompute_s_per_token           | \theta_\mathrm{miss}       | s         | time of the prefill for each prompt token
write_price_ratio               | w                          | 1         | price of writing a cache over the input price
hit_price_ratio                 | h_\gamma                   | 1         | price of a cache hit over the input price
cache_write_break_even_uses     | n_w                        | 1         | uses of a prompt from which writing its cache pays
holding_break_even_s            | T_{=}                      | s         | time after which holding the cache costs more than computing it again
"""

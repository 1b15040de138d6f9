"""Names of the section "Cost": name, symbol, unit, meaning."""

SECTION = "Cost"
ROWS = r"""
usd_per_gpu_hour                | \gamma                     | USD/h     | price of one accelerator for one hour
usd_per_million_tokens          | \gamma_\mathrm{tok}        | USD/Mtok  | price of a million output tokens
usd_per_million_tokens_mixed    | \gamma_\mathrm{mix}        | USD/Mtok  | price of a million output tokens when the same accelerators also prefill
usd_per_million_input_tokens    | \gamma_\mathrm{in}         | USD/Mtok  | price of a million prompt tokens by accelerator time
busy_share                      | \phi_b                     | 1         | share of the paid time in which the accelerators work
busy_usd_per_million_tokens     | \gamma_\mathrm{busy}      | USD/Mtok  | price of a million tokens with idle time paid
usd_per_million_cached_tokens   | \gamma_\mathrm{hit}       | USD/Mtok  | price of a million input tokens found in the cache
hit_share                       | \phi_h                     | 1         | share of the input tokens found in the cache
blended_usd_per_million_input_tokens | \bar\gamma_\mathrm{in}  | USD/Mtok  | price of a million input tokens, hits and misses
request_usd                     | \gamma_\mathrm{req}       | USD       | price of one request
tokens_per_usd                  | n_\$                       | token/USD | tokens that a dollar makes
flops_per_usd                   | C_\$                       | FLOP/USD  | FLOPs at the dense peak that a dollar buys
bytes_per_usd                   | Q_\$                       | B/USD     | bytes read from memory that a dollar buys
sold_tokens_by_component        | n                          | token     | tokens sold of each kind
usd_per_million_by_component    | \gamma                     | USD/Mtok  | price of a million tokens of each kind
sales_usd                       | S                          | USD       | price of the tokens sold
part_load_j_per_token           | e_\phi                     | J/token   | energy of a token at a share of the design power
j_per_token                     | e                          | J/token   | energy of a token
power_usage_effectiveness       | \mathrm{PUE}               | 1         | power of the building over that of its computers
usd_per_kwh                     | \gamma_\mathrm{kWh}       | USD/kWh   | price of electricity
energy_usd_per_million_tokens   | \gamma_e                   | USD/Mtok  | electricity of a million tokens
energy_usd_per_gpu_hour         | \gamma_{e,1}               | USD/h     | electricity of one accelerator for one hour
system_usd_per_hour             | \Gamma                     | USD/h     | price of all accelerators for one hour
"""

"""Names of the section "Cost": name, symbol, unit, meaning."""

SECTION = "Cost"
ROWS = r"""
usd_per_gpu_hour                | \gamma                     | USD/h     | price of one accelerator for one hour
usd_per_million_tokens          | \gamma_\mathrm{tok}        | USD/Mtok  | price of a million output tokens
usd_per_million_tokens_mixed    | \gamma_\mathrm{mix}        | USD/Mtok  | price of a million output tokens when the same accelerators also prefill
usd_per_million_input_tokens    | \gamma_\mathrm{in}         | USD/Mtok  | price of a million prompt tokens by accelerator time
system_usd_per_hour             | \Gamma                     | USD/h     | price of all accelerators for one hour
"""

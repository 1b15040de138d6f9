"""Names of the section "Self-hosting": name, symbol, unit, meaning."""

SECTION = "Self-hosting"
ROWS = r"""
cached_share                    | h_c                        | 1         | share of the prompt tokens that hit a cache
input_usd_per_mtok              | \gamma_i                   | USD/Mtok  | price of a million prompt tokens on an API
cached_usd_per_mtok             | \gamma_h                   | USD/Mtok  | price of a million cached prompt tokens on an API
output_usd_per_mtok             | \gamma_o                   | USD/Mtok  | price of a million output tokens on an API
api_request_usd                 | a                          | USD       | price of one request on an API
own_request_usd                 | a_\mathrm{own}             | USD       | price of one request on own accelerators
break_even_requests_per_s       | \lambda_{=}                | request/s | load at which own accelerators cost as much as an API
break_even_utilisation          | \rho_{=}                   | 1         | utilisation at which own accelerators cost as much as an API
tokens_over_period              | D_\lambda                  | token     | prompt and output tokens of a load over a period
lowest_requests_per_s           | \lambda_\mathrm{min}       | request/s | lowest load of a day
peak_requests_per_s             | \lambda_\mathrm{max}       | request/s | peak load of a day
mean_requests_per_s             | \bar\lambda                | request/s | mean load of a day
own_requests_per_s              | \kappa                     | request/s | own capacity
cheapest_own_requests_per_s     | \kappa^{*}                 | request/s | own capacity of the cheapest mix
overflow_requests_per_s         | \lambda_\mathrm{over}      | request/s | mean load beyond the own capacity
own_usd_per_hour                | \Gamma_\mathrm{own}        | USD/h     | price of the own capacity for an hour
api_usd_per_hour                | \Gamma_\mathrm{api}        | USD/h     | price of the requests on an API in an hour
mixed_usd_per_hour              | \Gamma_\mathrm{mix}        | USD/h     | price of own capacity and API together for an hour
"""

"""Names of the section "Simulated runs": name, symbol, unit, meaning."""

SECTION = "Simulated runs"
ROWS = r"""
arrival_rate_per_s              | \lambda                    | request/s | requests that arrive per second on average
prompt_median_tokens            | \tilde p                   | token     | median prompt of a run
output_median_tokens            | \tilde o                   | token     | median output of a run
ttft_limit_s                    | L_\mathrm{TTFT}            | s         | longest time to first token that meets the service level
tpot_limit_s                    | L_\mathrm{TPOT}            | s         | longest mean time per output token that meets the service level
ttft_mean_s                     | \overline{\mathrm{TTFT}}   | s         | mean time to first token
ttft_p50_s                      | \mathrm{TTFT}_{50}         | s         | median time to first token
ttft_p90_s                      | \mathrm{TTFT}_{90}         | s         | time to first token that 90 % of the requests stay within
ttft_p95_s                      | \mathrm{TTFT}_{95}         | s         | time to first token that 95 % of the requests stay within
ttft_p99_s                      | \mathrm{TTFT}_{99}         | s         | time to first token that 99 % of the requests stay within
tpot_mean_s                     | \overline{\mathrm{TPOT}}   | s         | mean over the requests of their time per output token
tpot_p50_s                      | \mathrm{TPOT}_{50}         | s         | median of the requests' times per output token
tpot_p90_s                      | \mathrm{TPOT}_{90}         | s         | time per output token that 90 % of the requests stay within
tpot_p95_s                      | \mathrm{TPOT}_{95}         | s         | time per output token that 95 % of the requests stay within
tpot_p99_s                      | \mathrm{TPOT}_{99}         | s         | time per output token that 99 % of the requests stay within
e2e_mean_s                      | \overline{\mathrm{E2E}}    | s         | mean time from arrival to last token
e2e_p50_s                       | \mathrm{E2E}_{50}          | s         | median time from arrival to last token
e2e_p90_s                       | \mathrm{E2E}_{90}          | s         | time from arrival to last token that 90 % of the requests stay within
e2e_p95_s                       | \mathrm{E2E}_{95}          | s         | time from arrival to last token that 95 % of the requests stay within
e2e_p99_s                       | \mathrm{E2E}_{99}          | s         | time from arrival to last token that 99 % of the requests stay within
wait_mean_s                     | \bar t_q                   | s         | mean time from arrival to the first work on a request
wait_p50_s                      | t_{q,50}                   | s         | median time from arrival to the first work on a request
wait_p90_s                      | t_{q,90}                   | s         | wait that 90 % of the requests stay within
wait_p95_s                      | t_{q,95}                   | s         | wait that 95 % of the requests stay within
wait_p99_s                      | t_{q,99}                   | s         | wait that 99 % of the requests stay within
itl_p50_s                       | \mathrm{ITL}_{50}          | s         | median time between two tokens of a request
itl_p90_s                       | \mathrm{ITL}_{90}          | s         | time between two tokens that 90 % of the gaps stay within
itl_p95_s                       | \mathrm{ITL}_{95}          | s         | time between two tokens that 95 % of the gaps stay within
itl_p99_s                       | \mathrm{ITL}_{99}          | s         | time between two tokens that 99 % of the gaps stay within
itl_max_s                       | \mathrm{ITL}_\mathrm{max}  | s         | longest time between two tokens of a request
instance_busy_share                    | \rho                       | 1         | share of the time in which the instances work, mean over them
mean_decode_batch               | \bar b                     | count     | mean number of requests in a decode step
prompt_mean_tokens              | \bar p                     | token     | mean prompt of a trace
output_mean_tokens              | \bar o                     | token     | mean output of a trace
prompt_p99_tokens               | p_{99}                     | token     | prompt that 99 % of the requests stay within
peak_minute_over_mean           | \pi_\lambda               | 1         | requests of the busiest minute over those of the mean minute
trace_hit_ratio                 | r_\infty                   | 1         | prompt tokens of a trace that an endless prefix cache would hold
"""

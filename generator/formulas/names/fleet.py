"""Names of the section "A fleet in operation": name, symbol, unit, meaning."""

SECTION = "A fleet in operation"
ROWS = r"""
most_replicas                   | R_\mathrm{max}             | count     | most replicas that may be rented
replica_slots                   | b_R                        | count     | requests that one replica serves at once
replica_requests_per_s          | \mu_R                      | request/s | requests that one replica finishes per second with all slots in use
trough_share                    | x_\mathrm{low}             | 1         | lowest load of a day over its peak
rate_variation                  | c_\lambda                  | 1         | standard deviation over mean of the rate from one five minutes to the next
burst_factor                    | x_\mathrm{burst}           | 1         | rate in a burst over the rate without it
bursts_per_day                  | n_\mathrm{burst}           | count     | bursts of a day on average
burst_s                         | t_\mathrm{burst}           | s         | length of a burst
signal_target                   | u^{*}                      | 1         | value at which a scaling rule tries to hold its signal
decision_s                      | t_\Delta                   | s         | time between two decisions of a scaling rule
cooldown_s                      | t_\mathrm{cool}            | s         | time for which fewer replicas must do before one is given back
failure_pause_s                 | t_\mathrm{pause}           | s         | time in which a group stands still to place its experts anew
overflow_at                     | u_\mathrm{over}            | 1         | share of the slots in use at which further requests go to an API
mean_replicas                   | \bar R                     | count     | replicas that are paid for, mean over the time
peak_replicas                   | R_\mathrm{peak}            | count     | most replicas that are paid for at one time
scale_events                    | n_\mathrm{scale}           | count     | times that replicas are ordered or given back
slots_used_share                | u                          | 1         | share of the slots of the serving replicas in use, mean over the time
queue_mean_requests             | \bar q                     | count     | requests that wait, mean over the time
queue_peak_requests             | q_\mathrm{max}             | count     | most requests that wait at one time
retried_requests                | n_\mathrm{retry}           | count     | requests that a failure interrupts and that start again
missed_requests                 | n_\mathrm{miss}            | count     | requests that miss the service level
recovery_s                      | t_\mathrm{rec}             | s         | time from a failure to the last arrival that waits beyond the limit
overflow_share                  | x_\mathrm{over}            | 1         | share of the requests that go to an API
operation_usd                   | \Gamma_\mathrm{op}         | USD       | price of accelerators and API over a run
usd_per_1000_requests           | \gamma_{1000}              | USD       | price of a thousand requests
"""

"""Names of the section "Slots and batches": name, symbol, unit, meaning. The clock of a step counts steps."""

SECTION = "Slots and batches"
ROWS = r"""
slot_load                       | \rho_b                     | 1         | output tokens asked for per step, over the slots
output_sigma                    | \sigma_o                   | 1         | standard deviation of the logarithm of an output length
mean_output_tokens              | \bar o                     | token     | mean output
output_variation                | c_o                        | 1         | standard deviation over mean of the output lengths
longest_request_tokens          | c_\mathrm{max}             | token     | most tokens that a request may have, prompt and output
cache_pool_tokens               | c_\mathrm{pool}            | token     | tokens that the cache has room for
fill_wait_steps                 | w                          | count     | longest wait of a request for its batch to fill, in steps
burst_ratio                     | k                          | 1         | arrival rate in a burst over the rate before it
burst_start_steps               | t_k                        | count     | begin of the burst, in steps
burst_steps                     | T_k                        | count     | length of the burst, in steps
observed_steps                  | t                          | count     | moment of an observation, in steps
arrivals_per_step               | \lambda_1                  | count     | requests that arrive per step on average
made_tokens_per_step                 | v_1                        | token     | output tokens per step, until the last request is admitted
requests_per_step               | \mu_1                      | count     | answers per step, until the last request is admitted
wait_mean_steps                 | \bar w                     | count     | mean wait for a slot, in steps
wait_p50_steps                  | w_{50}                     | count     | median wait for a slot, in steps
wait_p95_steps                  | w_{95}                     | count     | wait for a slot that 95 % of the requests stay within, in steps
wait_p99_steps                  | w_{99}                     | count     | wait for a slot that 99 % of the requests stay within, in steps
latency_mean_steps              | \bar\ell_1                 | count     | mean time from arrival to answer, in steps
latency_p50_steps               | \ell_{50}                  | count     | median time from arrival to answer, in steps
latency_p95_steps               | \ell_{95}                  | count     | time from arrival to answer that 95 % of the requests stay within, in steps
latency_p99_steps               | \ell_{99}                  | count     | time from arrival to answer that 99 % of the requests stay within, in steps
idle_slot_share                 | \phi_b                     | 1         | share of the slots that make no token, over the steps until the last request is admitted
cache_used_share                | \eta_c                     | 1         | share of the reserved cache that holds tokens
cache_waste_share               | \phi_c                     | 1         | share of the reserved cache that holds no token
peak_requests                   | b_\mathrm{max}             | count     | most requests that ran at once
preemptions_per_request         | n_\mathrm{pre}             | count     | how often a request was sent back to the queue
batch_longest_tokens            | o_b                        | token     | longest output of a static batch, mean over the batches
peak_queue                      | q_\mathrm{max}             | count     | most requests that waited at once
drain_steps                     | t_\mathrm{drain}           | count     | steps from the end of a burst until nobody waits
queue_length                    | q                          | count     | requests that wait at one moment
waited_steps                    | n                          | count     | steps that pass
waited_s                        | t_n                        | s         | time in which so many steps pass
static_gain                     | G                          | 1         | throughput of continuous over static batching while requests wait
static_gain_limit               | G_\mathrm{max}             | 1         | bound of the gain of continuous batching for lognormal outputs
mean_held_tokens                | \bar c_h                   | token     | tokens in the cache of a running request, mean over its steps
reserved_waste_share            | \phi_\mathrm{max}          | 1         | share that holds no token if every request reserves the most it may have
block_waste_share               | \phi_B                     | 1         | share that holds no token if only the last block is not full
slot_wait_steps                 | w_b                        | count     | mean wait for one of several slots, in steps
"""

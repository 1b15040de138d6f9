"""Names of the section "Service levels and waiting": name, symbol, unit, meaning."""

SECTION = "Service levels and waiting"
ROWS = r"""
requests                        | n                          | count     | requests of a run
makespan_s                      | t_\Sigma                   | s         | time from the first arrival to the last token
requests_per_s                  | \lambda                    | request/s | requests served per second
requests_in_system              | \ell                       | count     | requests in the system on average, waiting or served
clients                         | n_c                        | count     | clients that send a new request when the last one is answered
think_s                         | t_z                        | s         | time between an answer and the next request of a client
closed_loop_requests_per_s      | \lambda_c                  | request/s | requests per second that waiting clients send
input_tokens_per_s              | v_\mathrm{in}              | token/s   | prompt tokens per second
output_tokens_per_s             | v_\mathrm{out}             | token/s   | output tokens per second
total_tokens_per_s              | v_\mathrm{all}             | token/s   | prompt and output tokens per second
measured_tpot_s                 | \mathrm{TPOT}              | s         | time per output token after the first, mean over a request
tpot_budget_s                   | t_o                        | s         | most time per output token within a time for the whole answer
batch_in_tpot                   | b_o                        | count     | largest batch whose decode step stays within a time
requests_by_group               | n                          | count     | requests of each kind
prompt_tokens_by_group          | p                          | token     | prompt tokens of one request of each kind
backlog_tokens                  | p_\Sigma                   | token     | prompt tokens that wait
prefill_tokens_per_s            | v_\mathrm{pf}              | token/s   | prompt tokens that are processed per second
backlog_s                       | t_\Sigma                   | s         | time to work off the waiting prompt tokens
prefill_steps                   | n_\mathrm{step}            | count     | engine steps that one prompt takes under a token budget
step_overhead_s                 | t_0                        | s         | time of a step in which nothing is computed or read
budget_step_s                   | t_T                        | s         | mean time of a step that is filled up with the tokens of a long prompt
stall_s                         | t_\mathrm{stall}           | s         | time in which a request is held up
stalled_tpot_s                  | \mathrm{TPOT}_\mathrm{stall} | s         | time per output token of a request that is held up once
chunked_prefill_s               | t_\mathrm{chunked}         | s         | time of a prefill that is cut into steps
load_ratio                      | \rho                       | 1         | share of the time in which the server is busy
service_s                       | S                          | s         | time that one request occupies the server
arrival_variation               | c_a                        | 1         | standard deviation over mean of the time between arrivals
service_variation               | c_s                        | 1         | standard deviation over mean of the service time
single_server_wait_s            | t_q                        | s         | mean wait before a single server
attainment                      | \alpha                     | 1         | share of the requests that meet every limit
goodput_requests_per_s          | \lambda_g                  | request/s | requests per second that meet every limit
"""

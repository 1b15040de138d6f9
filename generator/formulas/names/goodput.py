"""Names of the section "Goodput": name, symbol, unit, meaning."""

SECTION = "Goodput"
ROWS = r"""
length_sigma                    | \sigma_\ell                | 1         | standard deviation of the logarithm of prompt and output lengths
attainment_target               | \alpha^\star               | 1         | share of the requests that has to meet the limits
slower_rate_per_s               | \lambda_1                  | request/s | rate at which the target is still met
faster_rate_per_s               | \lambda_2                  | request/s | rate at which it is no longer met
slower_attainment               | \alpha_1                   | 1         | attainment at the slower rate
faster_attainment               | \alpha_2                   | 1         | attainment at the faster rate
attained_rate_per_s             | \lambda^\star              | request/s | highest rate at which the target is met
attained_rate_per_gpu           | \lambda^\star/N            | request/s | highest rate for each accelerator
slower_gap_s                    | g_1                        | s         | gap between two tokens at the slower rate
faster_gap_s                    | g_2                        | s         | gap between two tokens at the faster rate
gap_limit_s                     | L_\mathrm{ITL}             | s         | longest time between two tokens that meets the service level
kv_stream_bytes_per_s           | Q_\lambda                  | B/s       | cache that goes from prefill to decode each second
rate_within_gap_per_s           | \lambda_g^\star            | request/s | highest rate that keeps the gaps between tokens within a limit
"""

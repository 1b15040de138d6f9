"""Names of the section "Goodput atlas": name, symbol, unit, meaning."""

SECTION = "Goodput atlas"
ROWS = r"""
capacity_per_gpu                | \lambda_c/N                | request/s | requests per second and accelerator that the work leaves room for, without limits
capacity_share                  | \lambda^\star/\lambda_c    | 1         | highest rate over the capacity without limits
goodput_per_gpu                 | \lambda_g/N                | request/s | requests per second and accelerator within the limits, just below the highest rate
counted_requests                | n_\alpha                   | count     | requests of a run that count
"""

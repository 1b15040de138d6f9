"""Names of the section "Failures": name, symbol, unit, meaning."""

SECTION = "Failures"
ROWS = r"""
observed_s                      | t_\mathrm{obs}             | s         | time in which interruptions were counted
interruptions                   | n_f                        | count     | interruptions
job_mtbf_s                      | \Theta                     | s         | mean time between interruptions of a job
device_mtbf_s                   | \Theta_1                   | s         | mean time between interruptions for one accelerator
scaled_mtbf_s                   | \Theta_N                   | s         | mean time between interruptions on this many accelerators
job_seconds                     | t_\mathrm{job}             | s         | time of a job
expected_interruptions          | n_f                        | 1         | interruptions to expect
checkpoint_bytes_per_param      | s_\mathrm{ck}              | B         | bytes of a checkpoint for each parameter
checkpoint_bytes                | M_\mathrm{ck}              | B         | size of a checkpoint
storage_bytes_per_s             | \beta_\mathrm{st}          | B/s       | rate at which a checkpoint is written
checkpoint_write_s              | t_\mathrm{ck}              | s         | time to write a checkpoint
checkpoint_stall_s              | \delta                     | s         | time that training waits for a checkpoint
checkpoint_interval_s           | \tau^\star                 | s         | best time between checkpoints
daly_interval_s                 | \tau^\star                 | s         | best time between checkpoints, higher order
interval_s                      | \tau                       | s         | time between checkpoints
restart_s                       | t_R                        | s         | time from an interruption to the next training step
lost_time_share                 | \phi_\mathrm{lost}         | 1         | share of the time on the clock that does not train
kept_time_share                 | \eta_t                     | 1         | share of the time on the clock that trains
lost_s_per_interruption         | t_\mathrm{lost}            | s         | time that one interruption cost
job_goodput                     | \mathrm{MFU}_\mathrm{job}  | 1         | useful FLOPs over the peak of all the time on the clock
reported_mfu                    | \mathrm{MFU}_\mathrm{run}  | 1         | model FLOPs utilisation as reported for running steps
implied_effective_time          | \eta_t                     | 1         | share of the accelerator hours at the reported utilisation
wasted_gpu_hours                | H_\mathrm{lost}            | GPU-h     | accelerator hours that do not train
"""

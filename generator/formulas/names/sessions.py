"""Names of the section "Agent sessions": name, symbol, unit, meaning."""

SECTION = "Agent sessions"
ROWS = r"""
sessions                        | n_s                        | count     | sessions that are open at once
session_rate_per_s              | \lambda_s                  | request/s | sessions that begin per second
turn_input_tokens               | \Delta_\mathrm{in}         | token     | tokens that come in with a turn, mean: a question or the results of tools
measured_turns                  | n_m                        | count     | turns that are measured in a run
tier_cache_bytes                | M_t                        | B         | room for caches in a tier
turn_prompt_tokens              | \bar p_T                   | token     | prompt of a turn, mean
turns_per_s                     | \lambda_T                  | request/s | turns that arrive per second
prefix_hit_share                | r_p                        | 1         | share of the prompt tokens whose cache is used from any tier
hbm_hit_share                   | r_\mathrm{HBM}             | 1         | share of the prompt tokens whose cache is in the memory of the accelerator
dram_hit_share                  | r_\mathrm{DRAM}            | 1         | share of the prompt tokens whose cache comes from host memory
nvme_hit_share                  | r_\mathrm{NVMe}            | 1         | share of the prompt tokens whose cache comes from flash
remote_hit_share                | r_\mathrm{far}             | 1         | share of the prompt tokens whose cache comes from another host or a store
computed_share                  | 1 - r_p                    | 1         | share of the prompt tokens that are computed
passed_over_share               | r_-                        | 1         | share of the prompt tokens that a tier held and that were computed again because that was sooner
prefill_saved_share             | s_\mathrm{pf}              | 1         | share of the prefill time without any cache that hits save
prefill_busy_share              | \rho_\mathrm{pf}           | 1         | share of the time in which an instance processes prompts
working_set_share               | u_s                        | 1         | caches of turns at work over the room for caches of the accelerator, mean over time
room_wait_mean_s                | \bar t_M                 | s         | mean time from the arrival of a turn until the accelerator takes it in
dram_read_bytes_per_s           | \beta_\mathrm{DRAM}^\uparrow | B/s     | bytes that come from host memory per second
nvme_read_bytes_per_s           | \beta_\mathrm{NVMe}^\uparrow | B/s     | bytes that come from flash per second
remote_read_bytes_per_s         | \beta_\mathrm{far}^\uparrow | B/s      | bytes that come from another host or a store per second
dram_written_bytes_per_s        | \beta_\mathrm{DRAM}^\downarrow | B/s   | bytes that are written to host memory per second
nvme_written_bytes_per_s        | \beta_\mathrm{NVMe}^\downarrow | B/s   | bytes that are written to flash per second
remote_written_bytes_per_s      | \beta_\mathrm{far}^\downarrow | B/s    | bytes that are written to another host or a store per second
dram_link_share                 | \rho_\mathrm{DRAM}         | 1         | share of the bandwidth from host memory that reloads take
nvme_link_share                 | \rho_\mathrm{NVMe}         | 1         | share of the bandwidth from flash that reloads take
remote_link_share               | \rho_\mathrm{far}          | 1         | share of the bandwidth from another host or a store that reloads take
cache_blocks                    | n_B                        | count     | blocks of a trace that a cache holds
distinct_blocks                 | n_{B,1}                    | count     | different blocks among the prompts of a trace
block_hit_share                 | r_B                        | 1         | share of the blocks of all prompts that are hits
request_hit_share               | \bar r                     | 1         | share of a prompt that hits, mean over the requests
"""

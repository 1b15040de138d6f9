"""Names of the section "Rollouts": name, symbol, unit, meaning."""

SECTION = "Rollouts"
ROWS = r"""
prompts_per_step                | n_q                        | count     | prompts of one update
rollouts_per_prompt             | G                          | count     | answers sampled for each prompt
rollouts_per_step               | n_G                        | count     | answers of one update
rollout_s                       | t_\mathrm{roll}            | s         | time to sample the answers of one update
longest_output_tokens           | o_\mathrm{max}             | token     | tokens of the longest answer
longest_rollout_s               | t_\mathrm{long}            | s         | time of the longest answer
rollout_training_tokens         | D_G                        | token     | tokens of one update
rollout_time_share              | \phi_\mathrm{roll}         | 1         | share of a step that goes into sampling
weight_sync_s                   | t_\mathrm{sync}            | s         | time to hand over new weights
rate_ratio                      | \psi_v                     | 1         | rate of one layout over that of another
scaled_rate                     | v_N'                       | token/s   | rate of another layout
"""

"""Names of the section "Speculative decoding": name, symbol, unit, meaning."""

SECTION = "Speculative decoding"
ROWS = r"""
acceptance                      | a                          | 1         | probability that a draft is accepted, given that the one before it was
draft_tokens                    | k                          | count     | drafts of one round
tokens_per_round                | \ell                       | 1         | tokens that one round yields on average
verified_tokens                 | n_v                        | token     | tokens that the target model processes in one round
verify_compute_time_s           | t_\mathrm{comp}            | s         | time of a verification to compute
verify_step_s                   | t_v                        | s         | time of one verification
draft_layers                    | L_d                        | layer     | layers of the draft model or prediction module
draft_cost_ratio                | \delta                     | 1         | time of one draft step over that of one step of the target model
draft_step_s                    | t_d                        | s         | time of one draft step
round_s                         | t_\mathrm{round}           | s         | time of one round of drafting and verifying
speculative_tpot_s              | \mathrm{TPOT}_s            | s         | mean time per output token with speculation
speculative_speedup             | S                          | 1         | plain time per token over that with speculation
break_even_tokens_per_round     | \ell^\star                 | 1         | tokens that a round must yield to be no slower than plain decoding
implied_round_s                 | \hat t_\mathrm{round}      | s         | time of one round that measurements imply
implied_draft_step_s            | \hat t_d                   | s         | time of one draft step that measurements imply
target_only_tokens              | n_1                        | token     | tokens of a run that the target model made alone
target_tokens_per_s             | v_1                        | token/s   | rate of the target model alone
drafted_tokens                  | n_d                        | token     | drafts of a run
drafted_tokens_per_s            | v_d                        | token/s   | drafts per second, verification included
generated_tokens                | n                          | token     | output tokens of a run
accepted_tokens                 | n_a                        | token     | drafts of a run that were accepted
rejected_tokens                 | n_r                        | token     | drafts of a run that were rejected
speculative_run_s               | t_\mathrm{run}             | s         | time of a run
run_tokens_per_s                | v                          | token/s   | output rate of a run
spare_compute                   | \chi                       | 1         | reading time over computing time of a step
"""

"""Names of the section "Expert balance": name, symbol, unit, meaning."""

SECTION = "Expert balance"
ROWS = r"""
single_expert_bytes             | m_x                        | B         | weights of one routed expert of one layer
single_expert_params            | P_x                        | param     | parameters of one routed expert of one layer
unrouted_active_params          | P_{a,0}                    | param     | parameters that every token uses, whichever experts it takes
expert_load_ratio               | \lambda                    | 1         | tokens of the busiest accelerator over the mean, mean over layers and steps
expert_load_ratio_p99           | \lambda_{99}               | 1         | load ratio that 99 % of the layers of all steps stay within
expert_load_variation           | c_v                        | 1         | standard deviation over mean of the tokens of an accelerator
hottest_expert_ratio            | h                          | 1         | tokens of the hottest expert of a layer over the mean of its experts
expert_copies                   | n_c                        | count     | copies of the hottest expert, itself included
copies_to_balance               | n_c                        | count     | copies of the hottest expert that a load ratio asks for
uniform_load_ratio              | \lambda_0                  | 1         | load ratio that chance alone makes
least_load_ratio                | \lambda_\mathrm{min}       | 1         | load ratio that no placement gets below
popularity_sigma                | \sigma_p                   | 1         | standard deviation of the logarithm of an expert's popularity
popularity_exponent             | s_z                        | 1         | exponent of Zipf popularity: share of an expert by its rank
foreign_share                   | \phi_f                     | 1         | share of the tokens that come from traffic the placement was not made for
foreign_concentration           | \nu                        | 1         | how alike the steps mix their traffic; small: a step is mostly of one kind
domain_limit                    | M                          | count     | scale-up domains that a token may be sent to
simulated_steps                 | n_t                        | count     | steps of one run
redundant_bytes_per_gpu         | M_{w,r}                    | B         | weights of redundant experts on one accelerator
lost_expert_bytes               | M_{w,l}                    | B         | experts that only a failed accelerator held
replacement_s                   | t_l                        | s         | time to bring lost experts back
copies_leaving                  | k_R                        | 1         | copies of a token that leave its domain in one layer
experts_leaving                 | k_x                        | 1         | experts of a token in other domains
step_mean_s                     | \bar t_\mathrm{step}       | s         | mean time of a step
step_p50_s                      | t_{\mathrm{step},50}       | s         | median time of a step
step_p90_s                      | t_{\mathrm{step},90}       | s         | time that 90 % of the steps stay within
step_p99_s                      | t_{\mathrm{step},99}       | s         | time that 99 % of the steps stay within
balanced_step_s                 | t_\mathrm{step,0}          | s         | mean time of the same steps if all accelerators shared the load evenly
imbalance_slowdown              | \psi_\lambda               | 1         | mean step over the step of an even load
step_tail_ratio                 | \psi_{99}                  | 1         | 99th percentile over median of the step times
busiest_experts_s               | t_x                        | s         | time of a step that the busiest accelerator of each layer spends on experts
"""

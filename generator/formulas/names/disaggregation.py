"""Names of the section "Prefill beside decode": name, symbol, unit, meaning."""

SECTION = "Prefill beside decode"
ROWS = r"""
transfer_links                  | n_l                        | count     | links over which one instance sends its cache
transfer_efficiency             | \eta_l                     | 1         | share of the link bandwidth that a KV transfer reaches
kv_transfer_s                   | t_\mathrm{kv}              | s         | time to send the cache of one prompt
handover_overhead_s             | \tau_\mathrm{ho}           | s         | fixed time of a handover from prefill to decode
handover_s                      | t_\mathrm{ho}              | s         | time of a handover from prefill to decode
transfer_overhead_s             | \tau_\mathrm{ho}           | s         | part of a handover that moves no bytes
moved_bytes                     | Q_\mathrm{kv}              | B         | bytes of one KV transfer
transfer_bytes_per_s            | \hat\beta_l                | B/s       | rate that a transfer reached
large_bytes                     | Q_2                        | B         | bytes of a large transfer
small_bytes                     | Q_1                        | B         | bytes of a small transfer
large_transfer_s                | t_2                        | s         | time of a large transfer
small_transfer_s                | t_1                        | s         | time of a small transfer
transfer_slope_bytes_per_s      | \hat\beta_l                | B/s       | rate of a transfer without its fixed time
transfer_fixed_s                | \hat\tau                   | s         | time of a transfer before its first byte
fitted_transfer_s               | \hat t_\mathrm{kv}         | s         | time of a transfer by a fitted fixed time and rate
transfer_share                  | \psi_\mathrm{ho}           | 1         | handover over prefill
prefill_stall_steps             | n_\mathrm{stall}           | 1         | decode steps that one prefill takes the place of
longest_gap_s                   | t_\mathrm{gap}             | s         | longest gap between two tokens with one prefill between them
interfered_tpot_s               | \mathrm{TPOT}_\mathrm{co}  | s         | mean time per output token with the prefills of the other requests
token_budget                    | T_b                        | token     | most tokens of one step, decodes and prompt together
piece_tokens                    | q                          | token     | prompt tokens of one step
piece_steps                     | n_q                        | count     | steps of a prompt that is processed in pieces
prompt_attention_flops_per_token | A_p                       | FLOP/token | attention FLOPs of one prompt token in all layers, mean over the prompt
piece_read_bytes                | R_q                        | B         | cache of a prompt that one of its pieces reads, mean over the prompt
chunked_compute_time_s          | t_\mathrm{comp}            | s         | time of a mixed step to compute
chunked_memory_time_s           | t_\mathrm{mem}             | s         | time of a mixed step to read weights and cache
chunked_step_s                  | t_\mathrm{mix}             | s         | time of a step that mixes decodes and a piece of a prompt
pieced_prefill_s               | t_\mathrm{chunked}         | s         | time to process a prompt in pieces
prefill_gpu_s                   | \theta_p                   | s         | accelerator time of the prefill of one request
decode_gpu_s                    | \theta_d                   | s         | accelerator time of the decode of one request
prefill_share                   | \phi_p                     | 1         | share of the accelerators that prefill needs
prefill_to_decode               | P{:}D                      | 1         | prefill accelerators for each decode accelerator
balanced_prefill_gpus           | N_p^\star                  | count     | accelerators that prefill needs out of all
prefill_gpus                    | N_p                        | count     | accelerators for prefill
decode_gpus                     | N_d                        | count     | accelerators for decode
remaining_gpus                  | N_d                        | count     | accelerators left for decode
split_tokens_per_s              | v_\mathrm{split}           | token/s   | output rate of prefill and decode accelerators apart
shared_tokens_per_s             | v_\mathrm{shared}          | token/s   | output rate when all accelerators do both
"""

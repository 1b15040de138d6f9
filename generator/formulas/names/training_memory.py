"""Names of the section "Memory of training": name, symbol, unit, meaning."""

SECTION = "Memory of training"
ROWS = r"""
state_memory_bytes              | M_s                        | B         | memory of one accelerator that the state may fill
largest_trainable_params        | P_\mathrm{max}             | param     | most parameters whose state fits
saved_state_bytes_per_gpu       | \Delta M_{\Sigma,1}        | B         | state that one accelerator no longer holds
fewest_gpus_for_state           | N_\mathrm{min}             | count     | fewest accelerators that hold the state
cp                              | \mathrm{CP}                | count     | ranks of context parallelism
context_parallel_activation_bytes | M_{a,1}                  | B         | activations on one accelerator with context parallelism
recompute_peak_bytes_per_token  | a_\mathrm{re}              | B/token   | activations of one token at the peak of full recomputation
loss_bytes_per_value           | s_V                        | B         | bytes of one logit and its gradient
logit_activation_bytes          | M_V                        | B         | logits and their gradient
score_bytes_per_pair            | s_q                        | B         | bytes kept for each attention score
attention_score_bytes           | a_q                        | B/token   | attention scores of one token in one layer
newton_schulz_steps             | n_\mathrm{NS}              | count     | Newton-Schulz steps of one update
muon_flops_overhead             | \psi_\mathrm{Muon}         | 1         | FLOPs that Muon adds, over those of the step
lora_rank                       | r                          | count     | rank of an adapter
lora_params                     | P_r                        | param     | parameters of one adapter
lora_training_flops             | C_r                        | FLOP      | FLOPs of training adapters
adapted_state_bytes             | M_r                        | B         | frozen weights and the state of the adapters
adapter_bytes_per_value         | s_r                        | B         | bytes of one adapter weight
adapter_bytes                   | M_{r,1}                    | B         | one adapter
adapters                        | n_r                        | count     | adapters
adapters_bytes                  | M_{r,n}                    | B         | several adapters
before_bytes                    | M_\mathrm{before}          | B         | memory before a change
after_bytes                     | M_\mathrm{after}           | B         | memory after it
freed_bytes                     | \Delta M                   | B         | memory that a change makes free
unfused_activation_bytes_per_token | a_\mathrm{uf}          | B/token   | activations of one token when attention scores are kept
layer_working_bytes             | M_{a,\mathrm{layer}}      | B         | activations of the layers that are worked on
working_memory_bytes            | M_{1}                      | B         | state and the layers that are worked on
"""

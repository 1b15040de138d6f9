"""Names of the section "Training": name, symbol, unit, meaning."""

SECTION = "Training"
ROWS = r"""
training_tokens                 | D                          | token     | tokens trained on
training_flops                  | C                          | FLOP      | FLOPs of training by the parameters
sequence_tokens                 | s                          | token     | sequence length
attention_training_flops        | C_\mathrm{attn}            | FLOP      | attention FLOPs of training, PaLM convention
causal_attention_training_flops | C_\mathrm{causal}          | FLOP      | attention FLOPs of training when only the causal half is counted
layer_attention_training_flops  | C_\mathrm{attn}            | FLOP      | attention FLOPs of training over layers of any kind
recomputed_flops                | C_\mathrm{re}              | FLOP      | FLOPs of training that are done a second time to save memory
hfu                             | \mathrm{HFU}               | 1         | model and recomputed FLOPs over peak FLOPs
training_flops_with_attention   | C_+                        | FLOP      | FLOPs of training, attention included
mfu                             | \mathrm{MFU}               | 1         | model FLOPs over peak FLOPs
training_seconds                | t                          | s         | time of training
gpu_hours                       | H                          | GPU-h     | accelerator hours
training_gpu_hours              | H                          | GPU-h     | accelerator hours of training
implied_mfu                     | \mathrm{MFU}               | 1         | model FLOPs over the peak FLOPs of the accelerator hours
training_usd                    | \Gamma_C                   | USD       | price of the training run
weight_state_bytes              | s_w                        | B         | bytes of the working weight, per parameter
gradient_state_bytes            | s_g                        | B         | bytes of the gradient, per parameter
master_state_bytes              | s_m                        | B         | bytes of the FP32 master weight, per parameter
moment_state_bytes              | s_o                        | B         | bytes of the optimiser moments, per parameter
state_bytes_per_param           | s_\Sigma                   | B         | bytes of weights, gradients and optimiser state, per parameter
training_state_bytes            | M_\Sigma                   | B         | weights, gradients and optimiser state
model_parallel_degree           | n_\mathrm{mp}              | count     | tensor-parallel degree times pipeline stages
shard_degree                    | n_\mathrm{dp}              | count     | data-parallel ranks that share the state
sharded_state_bytes_per_param   | s_\mathrm{shared}          | B         | bytes per parameter that the data-parallel ranks share out
replicated_state_bytes_per_param | s_\mathrm{own}            | B         | bytes per parameter that each data-parallel rank keeps
state_bytes_per_gpu             | M_{\Sigma,1}               | B         | weights, gradients and optimiser state on one accelerator
micro_batch                     | b_\mu                      | count     | sequences of one micro-batch
kept_intermediates              | n_f                        | count     | inner values that a feed-forward layer keeps for the backward pass: 3 if gated, else 2
transformer_activation_bytes    | A_L                        | B         | activations of one layer of the original transformer
attention_activation_bytes      | a_L                        | B/token   | activations of one token in one attention layer
ffn_activation_bytes            | a_f                        | B/token   | activations of one token in one feed-forward layer
moe_activation_bytes            | a_f                        | B/token   | activations of one token in one expert layer
activation_bytes_by_group       | a_L                        | B/token   | activations of one token in one attention layer of each group
ffn_layers_by_group             | L_f                        | layer     | layers of each group that has one kind of feed-forward network
ffn_activation_bytes_by_group   | a_f                        | B/token   | activations of one token in one feed-forward layer of each group
layer_activation_bytes_per_token | a                         | B/token   | activations of one token in all layers
checkpoint_activation_bytes_per_token | a_\mathrm{ck}       | B/token   | layer inputs of one token, all that full recomputation keeps
activation_bytes_per_token      | a                          | B/token   | activations of one token that are kept for the backward pass
activation_bytes_per_gpu        | M_{a,1}                    | B         | activations of training on one accelerator
training_bytes_per_gpu          | M_{1}                      | B         | state and activations of training on one accelerator
"""

"""Names of the section "Training on other machines": name, symbol, unit, meaning."""

SECTION = "Training on other machines"
ROWS = r"""
all_layers_activation_bytes     | A                          | B         | activations of all layers of the original transformer
parallel_activation_bytes       | A_\mathrm{TP}              | B         | activations on one accelerator under tensor parallelism, attention scores recomputed
kept_copies                     | n_\mathrm{kept}            | count     | hidden states of one layer that are kept for the backward pass
kept_copies_bytes               | A_L                        | B         | hidden states of one layer that are kept for the backward pass
hardware_training_flops         | C_\mathrm{hw}              | FLOP      | FLOPs of training, recomputation included
other_gpus                      | N'                         | count     | another number of accelerators
scaled_training_s               | t'                         | s         | time of training on another number of accelerators
held_bytes                      | M_h                        | B         | bytes that have to be held somewhere
gpus_to_hold                    | N_h                        | count     | accelerators that hold some bytes between them
"""

"""Training on other machines and with other recipes: activations of the papers, kept copies, time on fewer chips."""

from __future__ import annotations

from generator.formulas.elementary import ceiling
from generator.formulas.formula import formula


@formula(reference="korthikanti-2022-activation-recomputation#eq1")
def all_layers_activation_bytes(*, layers, transformer_activation_bytes):
    """Activations of all layers, each of them kept whole."""
    return layers * transformer_activation_bytes


@formula(reference="korthikanti-2022-activation-recomputation#eq2")
def parallel_activation_bytes(*, layers, sequence_tokens, micro_batch, d_model, tp):
    """Activations of the original transformer under tensor parallelism alone, attention scores recomputed: 10 of the
    34 bytes a value are copied to each accelerator."""
    return layers * sequence_tokens * micro_batch * d_model * (10 + 24 / tp)


@formula(reference="definition")
def kept_copies_bytes(*, kept_copies, matrix_bytes):
    """So many hidden states of one layer, kept for the backward pass."""
    return kept_copies * matrix_bytes


@formula(reference="korthikanti-2022-activation-recomputation#sec5")
def hardware_training_flops(*, training_flops, recomputed_flops):
    """FLOPs of the parameters, and those that are done a second time."""
    return training_flops + recomputed_flops


@formula(reference="definition")
def scaled_training_s(*, training_seconds, gpus, other_gpus):
    """Time on another number of the same accelerators at the same utilisation."""
    return training_seconds * gpus / other_gpus


@formula(reference="definition")
def gpus_to_hold(*, held_bytes, device_memory_bytes):
    """Accelerators whose memory holds so many bytes between them."""
    return ceiling(held_bytes / device_memory_bytes)

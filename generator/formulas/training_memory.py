"""Memory of training: shares of ranks, context parallelism, logits, optimisers and adapters."""

from __future__ import annotations

from generator.formulas.elementary import ceiling
from generator.formulas.formula import formula


@formula(reference="rajbhandari-2020-zero")
def largest_trainable_params(
    *,
    state_memory_bytes,
    model_parallel_degree,
    replicated_state_bytes_per_param,
    sharded_state_bytes_per_param,
    shard_degree,
):
    """Parameters whose state fills the memory of each accelerator, activations aside."""
    return (
        state_memory_bytes
        * model_parallel_degree
        / (replicated_state_bytes_per_param + sharded_state_bytes_per_param / shard_degree)
    )


@formula(reference="rajbhandari-2020-zero")
def saved_state_bytes_per_gpu(*, total_params, model_parallel_degree, sharded_state_bytes_per_param, shard_degree):
    """What one accelerator no longer holds when the replicas share this part of the state."""
    return total_params / model_parallel_degree * sharded_state_bytes_per_param * (1 - 1 / shard_degree)


@formula(reference="rajbhandari-2020-zero", kind="reference")
def fewest_gpus_for_state(*, training_state_bytes, usable_memory_bytes, workspace_bytes, activation_bytes_per_gpu):
    """Fewest accelerators when all of the state is shared out (ZeRO 3, or any layout without copies)."""
    return ceiling(training_state_bytes / (usable_memory_bytes - workspace_bytes - activation_bytes_per_gpu))


@formula(reference="liu-2023-ring-attention")
def context_parallel_activation_bytes(*, sequence_tokens, micro_batch, activation_bytes_per_token, tp, cp):
    """Activations on one accelerator when the ranks of context parallelism share out the sequence too."""
    return sequence_tokens * micro_batch * activation_bytes_per_token / (tp * cp)


@formula(reference="korthikanti-2022-activation-recomputation")
def recompute_peak_bytes_per_token(*, checkpoint_activation_bytes_per_token, layer_activation_bytes_per_token):
    """Full recomputation at its peak: the input of each layer, and all of the one layer that is being recomputed."""
    return checkpoint_activation_bytes_per_token + layer_activation_bytes_per_token


@formula(reference="korthikanti-2022-activation-recomputation")
def logit_activation_bytes(*, sequence_tokens, micro_batch, vocab, loss_bytes_per_value, tp):
    """Logits and their gradient of all positions, when the loss does not work in pieces."""
    return sequence_tokens * micro_batch * vocab * loss_bytes_per_value / tp


@formula(reference="korthikanti-2022-activation-recomputation#eq1")
def attention_score_bytes(*, n_heads, sequence_tokens, score_bytes_per_pair):
    """Scores of one token in one layer that an attention without fusion keeps: one for each head and token."""
    return n_heads * sequence_tokens * score_bytes_per_pair


@formula(reference="jordan-2024-muon")
def muon_flops_overhead(*, newton_schulz_steps, d_model, update_tokens):
    """Upper limit of what orthogonalising the update adds to the FLOPs of a step."""
    return newton_schulz_steps * d_model / update_tokens


@formula(reference="hu-2021-lora")
def lora_params(*, layers, lora_rank, d_model, n_heads, n_kv_heads, head_dim, intermediate):
    """Adapters on all seven matrices of a dense layer with gated network: rank times inputs and outputs of each."""
    return (
        layers
        * lora_rank
        * (2 * (d_model + n_heads * head_dim) + 2 * (d_model + n_kv_heads * head_dim) + 3 * (d_model + intermediate))
    )


@formula(reference="hu-2021-lora")
def lora_training_flops(*, active_params, training_tokens):
    """The frozen weights get no gradient: 2 FLOPs forward and 2 for the gradient that flows back."""
    return 4 * active_params * training_tokens


@formula(reference="hu-2021-lora")
def adapted_state_bytes(*, weights_bytes, lora_params, state_bytes_per_param):
    """Frozen weights without optimiser, and the whole state for the adapters alone."""
    return weights_bytes + lora_params * state_bytes_per_param


@formula(reference="hu-2021-lora")
def adapter_bytes(*, lora_params, adapter_bytes_per_value):
    """One adapter as it is served."""
    return lora_params * adapter_bytes_per_value


@formula(reference="definition")
def adapters_bytes(*, adapters, adapter_bytes):
    """Adapters in memory at once, or read by the requests of one step."""
    return adapters * adapter_bytes


@formula(reference="definition")
def freed_bytes(*, before_bytes, after_bytes):
    """Memory that a change makes free."""
    return before_bytes - after_bytes


@formula(reference="korthikanti-2022-activation-recomputation#eq1")
def unfused_activation_bytes_per_token(*, layer_activation_bytes_per_token, layers, attention_score_bytes):
    """Activations of one token in all layers when the attention keeps its scores."""
    return layer_activation_bytes_per_token + layers * attention_score_bytes


@formula(reference="definition")
def working_memory_bytes(*, state_bytes_per_gpu, layer_working_bytes):
    """State on one accelerator and the activations of the layers that it works on."""
    return state_bytes_per_gpu + layer_working_bytes

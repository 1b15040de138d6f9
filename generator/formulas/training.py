"""Training: FLOPs, time, utilisation, and the bytes of weights, gradients, optimiser and activations."""

from __future__ import annotations

from generator.formulas.elementary import weighted_total
from generator.formulas.formula import formula


@formula(reference="kaplan-2020-scaling-laws")
def training_flops(*, active_params, training_tokens):
    """2 FLOPs per parameter and token forward, 4 backward. FLOPs count active parameters."""
    return 6 * active_params * training_tokens


@formula(reference="chowdhery-2022-palm")
def attention_training_flops(*, layers, n_heads, head_dim, sequence_tokens, training_tokens):
    """Attention FLOPs over the whole sequence: the convention of the PaLM paper."""
    return 12 * layers * n_heads * head_dim * sequence_tokens * training_tokens


@formula(reference="chowdhery-2022-palm")
def causal_attention_training_flops(*, attention_training_flops):
    """Half of it, when only the tokens before each token are counted."""
    return attention_training_flops / 2


@formula(reference="chowdhery-2022-palm")
def layer_attention_training_flops(*, attention_flops_per_token, training_tokens):
    """Attention FLOPs of layers of any kind: what one token costs forward, and twice that backward.

    With the whole sequence in sight of each token this is the PaLM convention; with the mean over a causal sequence it
    is the causal half, which for windowed layers is more than half.
    """
    return 3 * attention_flops_per_token * training_tokens


@formula(reference="korthikanti-2022-activation-recomputation")
def recomputed_flops(*, active_params, training_tokens):
    """A second forward pass: what full recomputation of activations adds."""
    return 2 * active_params * training_tokens


@formula(reference="chowdhery-2022-palm")
def hfu(*, mfu, training_flops, recomputed_flops):
    """Hardware FLOPs utilisation: the same rate with the recomputed FLOPs counted."""
    return mfu * (1 + recomputed_flops / training_flops)


@formula(reference="chowdhery-2022-palm")
def training_flops_with_attention(*, training_flops, attention_training_flops):
    """Parameters and attention together."""
    return training_flops + attention_training_flops


@formula(reference="chowdhery-2022-palm", kind="reference")
def training_seconds(*, training_flops, gpus, peak_flops_per_s, mfu):
    """Time of training at a model FLOPs utilisation."""
    return training_flops / (gpus * peak_flops_per_s * mfu)


@formula(reference="definition")
def training_gpu_hours(*, gpus, training_seconds):
    """Accelerator hours."""
    return gpus * training_seconds / 3600


@formula(reference="chowdhery-2022-palm")
def implied_mfu(*, training_flops, gpu_hours, peak_flops_per_s):
    """Utilisation that reported hours imply; a floor, since hours on the card hold more than counted steps."""
    return training_flops / (3600 * gpu_hours * peak_flops_per_s)


@formula(reference="definition")
def training_usd(*, training_gpu_hours, usd_per_gpu_hour):
    """Price of the accelerator hours."""
    return training_gpu_hours * usd_per_gpu_hour


@formula(reference="rajbhandari-2020-zero")
def state_bytes_per_param(*, weight_state_bytes, gradient_state_bytes, master_state_bytes, moment_state_bytes):
    """Bytes that mixed-precision training keeps for each parameter, before activations."""
    return weight_state_bytes + gradient_state_bytes + master_state_bytes + moment_state_bytes


@formula(reference="rajbhandari-2020-zero")
def training_state_bytes(*, total_params, state_bytes_per_param):
    """Weights, gradients and optimiser state of the whole model. Memory holds total parameters."""
    return total_params * state_bytes_per_param


@formula(reference="rajbhandari-2020-zero")
def state_bytes_per_gpu(
    *,
    total_params,
    model_parallel_degree,
    replicated_state_bytes_per_param,
    sharded_state_bytes_per_param,
    shard_degree,
):
    """State on one accelerator: divided by tensor and pipeline parallelism, and what ZeRO shards by the replicas."""
    return (
        total_params
        / model_parallel_degree
        * (replicated_state_bytes_per_param + sharded_state_bytes_per_param / shard_degree)
    )


@formula(reference="shoeybi-2019-megatron")
def model_parallel_degree(*, tp, pp):
    """Accelerators that hold one copy of the model between them."""
    return tp * pp


@formula(reference="korthikanti-2022-activation-recomputation#eq1")
def transformer_activation_bytes(*, sequence_tokens, micro_batch, d_model, n_heads):
    """Activations of one layer of the original transformer (four-fold feed-forward network, as many key-value heads as
    query heads, dropout, 16 bit) when the attention scores are kept."""
    return sequence_tokens * micro_batch * d_model * (34 + 5 * n_heads * sequence_tokens / d_model)


@formula(reference="korthikanti-2022-activation-recomputation#sec4")
def attention_activation_bytes(*, d_model, n_heads, n_kv_heads, head_dim, activation_bytes_per_value):
    """Of one token in one attention layer: the inputs of the norm and of the projections, queries, keys, values, and
    the input of the output projection. Fused or recomputed attention keeps no scores."""
    return activation_bytes_per_value * (2 * d_model + 2 * n_heads * head_dim + 2 * n_kv_heads * head_dim)


@formula(reference="korthikanti-2022-activation-recomputation#sec4")
def ffn_activation_bytes(*, d_model, intermediate, kept_intermediates, activation_bytes_per_value):
    """Of one token in one feed-forward layer: the inputs of the norm and of the first matrices, and the inner values
    that the backward pass needs (2 of a plain network, 3 of a gated one)."""
    return activation_bytes_per_value * (2 * d_model + kept_intermediates * intermediate)


@formula(reference="korthikanti-2022-activation-recomputation#sec4")
def moe_activation_bytes(*, d_model, top_k, expert_intermediate, shared_intermediate, activation_bytes_per_value):
    """Of one token in one expert layer: as above, with a copy of the token for each of its experts."""
    return activation_bytes_per_value * (
        2 * d_model + top_k * (d_model + 3 * expert_intermediate) + 3 * shared_intermediate
    )


@formula(reference="korthikanti-2022-activation-recomputation#sec4")
def layer_activation_bytes_per_token(
    *, layers_by_group, activation_bytes_by_group, ffn_layers_by_group, ffn_activation_bytes_by_group
):
    """Of one token in all layers, when nothing but the attention scores is recomputed."""
    return weighted_total(layers_by_group, activation_bytes_by_group) + weighted_total(
        ffn_layers_by_group, ffn_activation_bytes_by_group
    )


@formula(reference="korthikanti-2022-activation-recomputation#sec5")
def checkpoint_activation_bytes_per_token(*, layers, d_model, activation_bytes_per_value):
    """Of one token with full recomputation: the input of each layer."""
    return layers * d_model * activation_bytes_per_value


@formula(reference="korthikanti-2022-activation-recomputation#eq5")
def activation_bytes_per_gpu(*, sequence_tokens, micro_batch, activation_bytes_per_token, tp):
    """Activations on one accelerator of the first pipeline stage, with tensor and sequence parallelism: it holds as
    many micro-batches as there are stages, so the number of stages cancels out."""
    return sequence_tokens * micro_batch * activation_bytes_per_token / tp


@formula(reference="definition")
def training_bytes_per_gpu(*, state_bytes_per_gpu, activation_bytes_per_gpu):
    """What training holds on one accelerator, working buffers aside."""
    return state_bytes_per_gpu + activation_bytes_per_gpu

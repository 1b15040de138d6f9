"""Training per token: what one token costs, the rate that follows, accelerators for a date, time with interruptions."""

from __future__ import annotations

from generator.formulas.elementary import ceiling
from generator.formulas.formula import formula


@formula(reference="kaplan-2020-scaling-laws")
def parameter_flops_per_token(*, active_params):
    """2 FLOPs per active parameter forward, 4 backward."""
    return 6 * active_params


@formula(reference="chowdhery-2022-palm")
def attention_flops_per_trained_token(*, layers, n_heads, head_dim, sequence_tokens):
    """Scores and weighted values over the whole sequence: 4 FLOPs forward, twice that backward (PaLM convention)."""
    return 12 * layers * n_heads * head_dim * sequence_tokens


@formula(reference="chowdhery-2022-palm")
def causal_attention_flops_per_trained_token(*, attention_flops_per_trained_token):
    """Half of it: on average a token sees half of its sequence."""
    return attention_flops_per_trained_token / 2


@formula(reference="chowdhery-2022-palm")
def trained_token_flops(*, parameter_flops_per_token, attention_flops_per_trained_token):
    """Parameters and attention together."""
    return parameter_flops_per_token + attention_flops_per_trained_token


@formula(reference="chowdhery-2022-palm")
def attention_flops_share(*, parameter_flops_per_token, attention_flops_per_trained_token):
    """Share of the FLOPs that 6 for each parameter leaves out."""
    return attention_flops_per_trained_token / (parameter_flops_per_token + attention_flops_per_trained_token)


@formula(reference="chowdhery-2022-palm")
def parity_sequence_tokens(*, active_params, layers, n_heads, head_dim):
    """Sequence at which attention costs as much as the parameters, by the PaLM convention."""
    return active_params / (2 * layers * n_heads * head_dim)


@formula(reference="chowdhery-2022-palm", kind="reference")
def trained_tokens_per_s_per_gpu(*, peak_flops_per_s, mfu, trained_token_flops):
    """Tokens that one accelerator trains on in a second at a utilisation."""
    return peak_flops_per_s * mfu / trained_token_flops


@formula(reference="chowdhery-2022-palm")
def measured_mfu(*, training_tokens_per_s_per_gpu, trained_token_flops, peak_flops_per_s):
    """Utilisation behind a measured rate of training."""
    return training_tokens_per_s_per_gpu * trained_token_flops / peak_flops_per_s


@formula(reference="chowdhery-2022-palm")
def hfu_of_full_recompute(*, mfu):
    """Hardware utilisation when each layer runs forward twice: 8 FLOPs are done where 6 are counted."""
    return mfu * 4 / 3


@formula(reference="definition")
def training_tokens_per_s(*, gpus, training_tokens_per_s_per_gpu):
    """Tokens that all accelerators train on in a second."""
    return gpus * training_tokens_per_s_per_gpu


@formula(reference="definition", kind="reference")
def training_wall_seconds(*, training_seconds, effective_time_share):
    """Time on the clock: training steps, and what failures, restarts and checkpoints add."""
    return training_seconds / effective_time_share


@formula(reference="definition", kind="reference")
def gpus_for_deadline(*, training_flops, peak_flops_per_s, mfu, effective_time_share, deadline_s):
    """Fewest accelerators that finish within a time."""
    return ceiling(training_flops / (peak_flops_per_s * mfu * effective_time_share * deadline_s))


@formula(reference="definition")
def tokens_per_param(*, training_tokens, total_params):
    """Tokens trained on for each parameter."""
    return training_tokens / total_params


@formula(reference="definition")
def update_tokens(*, sequences_per_step, sequence_tokens):
    """Tokens of one optimiser step."""
    return sequences_per_step * sequence_tokens


@formula(reference="definition", kind="reference")
def low_precision_speedup(*, low_precision_share, peak_ratio):
    """Speed of training when only a share of the FLOPs runs at the higher peak."""
    return 1 / (1 - low_precision_share + low_precision_share / peak_ratio)


@formula(reference="definition")
def implied_low_precision_share(*, measured_speedup, peak_ratio):
    """Share of the time at the higher precision that has become faster by the ratio of the peaks."""
    return (1 - 1 / measured_speedup) / (1 - 1 / peak_ratio)


@formula(reference="definition")
def scaled_gpu_hours(*, gpu_hours, flops_ratio):
    """Accelerator hours of a run with more FLOPs, at the same utilisation."""
    return gpu_hours * flops_ratio


@formula(reference="definition")
def run_tokens(*, updates, update_tokens):
    """Tokens of several optimiser steps."""
    return updates * update_tokens

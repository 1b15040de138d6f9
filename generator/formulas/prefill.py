"""Prefill, and what a user waits for: time to first token, waiting, time of a request."""

from __future__ import annotations

from generator.formulas.elementary import ceiling, floor, maximum
from generator.formulas.formula import formula


@formula(reference="pope-2022-scaling-inference")
def prefill_flops(*, prompt_tokens, active_params, attention_flops_per_token):
    """FLOPs of one prompt; the attention FLOPs are the mean over the prompt, so the causal half is counted once."""
    return prompt_tokens * (2 * active_params + attention_flops_per_token)


@formula(reference="pope-2022-scaling-inference", kind="bound")
def prefill_compute_time_s(*, prefill_flops, tp, peak_flops_per_s, compute_efficiency):
    """Time to compute one prompt on one tensor-parallel group."""
    return prefill_flops / (tp * peak_flops_per_s * compute_efficiency)


@formula(reference="pope-2022-scaling-inference", kind="bound")
def prefill_memory_time_s(*, weights_read_bytes, tp, bandwidth_bytes_per_s, bandwidth_efficiency):
    """Time to read the weights once: the floor of a short prefill."""
    return weights_read_bytes / (tp * bandwidth_bytes_per_s * bandwidth_efficiency)


@formula(reference="pope-2022-scaling-inference")
def prefill_s(*, prefill_compute_time_s, prefill_memory_time_s, prefill_communication_time_s):
    """Time to process one prompt: computing and reading overlap, communication does not."""
    return maximum(prefill_compute_time_s, prefill_memory_time_s) + prefill_communication_time_s


@formula(reference="definition")
def wait_s(*, users, slots, prefill_s, output_tokens, tpot_s):
    """Wait of the last of U users over b slots when all ask at once and requests are alike."""
    return maximum(ceiling(users / slots) - 1, 0) * (prefill_s + output_tokens * tpot_s)


@formula(reference="definition")
def mean_wait_s(*, users, slots, prefill_s, output_tokens, tpot_s):
    """Mean wait over U users who ask at once, served in waves of b; U is a multiple of b, or nearly so."""
    return maximum(ceiling(users / slots) - 1, 0) / 2 * (prefill_s + output_tokens * tpot_s)


@formula(reference="definition")
def static_batch_s(*, batch, prefill_s, output_tokens, tpot_s):
    """Time of a batch that is prefilled one prompt after another and then decoded together."""
    return batch * prefill_s + output_tokens * tpot_s


@formula(reference="definition")
def output_tokens_in_budget(*, budget_s, ttft_s, tpot_s):
    """Output tokens that arrive within a time, the first one included."""
    return maximum(floor((budget_s - ttft_s) / tpot_s) + 1, 0)


@formula(reference="definition")
def ttft_s(*, wait_s, prefill_s, tpot_s):
    """Time to first token: wait, prefill, and the decode step in progress."""
    return wait_s + prefill_s + tpot_s


@formula(reference="definition")
def request_s(*, ttft_s, output_tokens, tpot_s):
    """Time from arrival to the last token."""
    return ttft_s + (output_tokens - 1) * tpot_s


@formula(reference="definition")
def mixed_tokens_per_s(*, batch, dp, output_tokens, prefill_s, tpot_s):
    """Output tokens per second when each replica prefills its own requests between decode steps, decodes waiting."""
    return batch * output_tokens / (batch / dp * prefill_s + output_tokens * tpot_s)

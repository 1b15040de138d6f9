"""Reading API prices backwards: what context, output and cache prices would be if they followed the cost of serving."""

from __future__ import annotations

from generator.formulas.elementary import maximum
from generator.formulas.formula import formula


@formula(reference="pope-2026-api-prices")
def implied_kv_bytes_per_token(*, active_params, context_tokens, ridge_point):
    """Cache of a token if a large batch turns from compute bound to memory bound at this context."""
    return 2 * active_params / (context_tokens * ridge_point)


@formula(reference="pope-2026-api-prices")
def context_cost_ratio(*, context_tokens, crossover_tokens):
    """Cost of an output token over that of a short context: computing until the crossover, reading the cache beyond."""
    return maximum(1, context_tokens / crossover_tokens)


@formula(reference="kaplan-2020-scaling-laws")
def attention_equals_weights_tokens(*, active_params, layers, n_heads, head_dim):
    """Prompt whose causal attention takes as many FLOPs as its matrix products, in a model with full attention."""
    return active_params / (layers * n_heads * head_dim)


@formula(reference="kaplan-2020-scaling-laws")
def prompt_cost_ratio(*, prompt_tokens, attention_equals_weights_tokens):
    """FLOPs of an input token, mean over the prompt, over those of a short prompt."""
    return 1 + prompt_tokens / attention_equals_weights_tokens


@formula(reference="definition")
def output_input_ratio(*, tpot_s, batch, dp, prefill_s, prompt_tokens):
    """Accelerator time of an output token over that of an input token."""
    return tpot_s * prompt_tokens * dp / (batch * prefill_s)


@formula(reference="definition")
def recompute_s_per_token(*, prefill_s, prompt_tokens):
    """Time of the prefill for each prompt token."""
    return prefill_s / prompt_tokens


@formula(reference="definition")
def holding_break_even_s(*, recompute_s_per_token, kv_capacity_bytes, kv_bytes_per_token):
    """Time for which a token may stay in the cache of the accelerators before its room costs more than a new prefill.

    A token that occupies its share of the cache all this time takes that share of the accelerators from others.
    """
    return recompute_s_per_token * kv_capacity_bytes / kv_bytes_per_token


@formula(reference="definition")
def cache_write_break_even_uses(*, write_price_ratio, hit_price_ratio):
    """Uses of a prompt from which writing its cache pays: one write and hits against the full price each time."""
    return (write_price_ratio - hit_price_ratio) / (1 - hit_price_ratio)

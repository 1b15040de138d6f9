"""Speculative decoding: tokens of one round, the price of drafting and of verifying, and when it pays."""

from __future__ import annotations

from generator.formulas.elementary import maximum
from generator.formulas.formula import formula


@formula(reference="leviathan-2023-speculative-decoding#1")
def tokens_per_round(*, acceptance, draft_tokens):
    """Expected tokens of one round: drafts up to the first rejected one, and one of the target; acceptance below 1."""
    return (1 - acceptance ** (draft_tokens + 1)) / (1 - acceptance)


@formula(reference="definition")
def verified_tokens(*, batch, draft_tokens):
    """Tokens that the target model processes in one round: the drafts of every request and one more."""
    return batch * (draft_tokens + 1)


@formula(reference="leviathan-2023-speculative-decoding", kind="bound")
def verify_compute_time_s(
    *, verified_tokens, active_params, attention_flops_per_token, tp, peak_flops_per_s, compute_efficiency
):
    """Time to compute the drafts of every request. FLOPs count active parameters."""
    return (
        verified_tokens * (2 * active_params + attention_flops_per_token) / (tp * peak_flops_per_s * compute_efficiency)
    )


@formula(reference="leviathan-2023-speculative-decoding")
def verify_step_s(*, memory_time_s, verify_compute_time_s, communication_time_s):
    """Time of a step that verifies drafts: weights and caches are read once for all of them."""
    return maximum(memory_time_s, verify_compute_time_s) + communication_time_s


@formula(reference="definition")
def draft_cost_ratio(*, draft_layers, layers):
    """Time of one draft step over that of the target model, by layers: a prediction module is one more layer."""
    return draft_layers / layers


@formula(reference="leviathan-2023-speculative-decoding")
def draft_step_s(*, draft_cost_ratio, tpot_s):
    """Time of one draft step as a share of a step of the target model."""
    return draft_cost_ratio * tpot_s


@formula(reference="leviathan-2023-speculative-decoding")
def round_s(*, draft_tokens, draft_step_s, verify_step_s):
    """Time of one round: drafts one after another, then one verification."""
    return draft_tokens * draft_step_s + verify_step_s


@formula(reference="leviathan-2023-speculative-decoding#3.8")
def speculative_tpot_s(*, round_s, tokens_per_round):
    """Mean time per output token with speculation."""
    return round_s / tokens_per_round


@formula(reference="leviathan-2023-speculative-decoding#3.8")
def speculative_speedup(*, tpot_s, speculative_tpot_s):
    """How many times as fast as without speculation; below 1 it slows down."""
    return tpot_s / speculative_tpot_s


@formula(reference="leviathan-2023-speculative-decoding#3.8")
def break_even_tokens_per_round(*, round_s, tpot_s):
    """Tokens that a round must yield to be no slower than plain decoding."""
    return round_s / tpot_s


@formula(reference="definition", kind="calibrated")
def implied_round_s(*, tpot_s, tokens_per_round):
    """Time of one round from a measured time per token and accepted length."""
    return tpot_s * tokens_per_round


@formula(reference="definition", kind="calibrated")
def implied_draft_step_s(*, round_s, tpot_s, draft_tokens):
    """What one draft adds to a round, if verifying takes as long as a plain step."""
    return (round_s - tpot_s) / draft_tokens


@formula(reference="definition")
def speculative_run_s(*, target_only_tokens, target_tokens_per_s, drafted_tokens, drafted_tokens_per_s):
    """Time of a run from its counters: tokens of the target model alone, and drafted tokens with their verification."""
    return target_only_tokens / target_tokens_per_s + drafted_tokens / drafted_tokens_per_s


@formula(reference="definition")
def run_tokens_per_s(*, generated_tokens, speculative_run_s):
    """Output rate of a run."""
    return generated_tokens / speculative_run_s


@formula(reference="definition")
def rejected_tokens(*, drafted_tokens, accepted_tokens):
    """Drafts that were computed in vain."""
    return drafted_tokens - accepted_tokens


@formula(reference="definition")
def spare_compute(*, memory_time_s, compute_time_s):
    """Tokens that a step could verify in the time it reads, for each token it decodes."""
    return memory_time_s / compute_time_s

"""Reinforcement learning: rollouts are decode work, the update is training work."""

from __future__ import annotations

from generator.formulas.elementary import maximum
from generator.formulas.formula import formula


@formula(reference="shao-2024-deepseekmath")
def rollouts_per_step(*, prompts_per_step, rollouts_per_prompt):
    """Answers sampled for one update."""
    return prompts_per_step * rollouts_per_prompt


@formula(reference="definition", kind="reference")
def rollout_s(*, rollouts_per_step, output_tokens, tokens_per_s, longest_rollout_s):
    """Time to sample all answers: output tokens over throughput, or the longest answer if it takes longer."""
    return maximum(rollouts_per_step * output_tokens / tokens_per_s, longest_rollout_s)


@formula(reference="definition", kind="reference")
def longest_rollout_s(*, longest_output_tokens, tpot_s):
    """No answer is ready before its tokens have been decoded one after the other."""
    return longest_output_tokens * tpot_s


@formula(reference="definition")
def rollout_training_tokens(*, rollouts_per_step, prompt_tokens, output_tokens):
    """Tokens that the update works through: prompts and answers."""
    return rollouts_per_step * (prompt_tokens + output_tokens)


@formula(reference="definition")
def rollout_time_share(*, rollout_s, training_seconds):
    """Share of a step that goes into sampling, when sampling and training take turns."""
    return rollout_s / (rollout_s + training_seconds)


@formula(reference="definition")
def weight_sync_s(*, weights_bytes, link_bytes_per_s):
    """Time to hand the new weights to the engines that sample, at this rate for each replica."""
    return weights_bytes / link_bytes_per_s


@formula(reference="definition")
def scaled_rate(*, training_tokens_per_s, rate_ratio):
    """Rate of another layout, from a measured rate and the ratio that is expected."""
    return training_tokens_per_s * rate_ratio

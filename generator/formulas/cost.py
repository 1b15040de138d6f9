"""Money: accelerator time divided by tokens."""

from __future__ import annotations

from generator.formulas.formula import formula


@formula(reference="definition")
def usd_per_million_tokens(*, gpus, usd_per_gpu_hour, tokens_per_s):
    """Price of a million output tokens while the accelerators decode at this rate."""
    return 1_000_000 * gpus * usd_per_gpu_hour / (3600 * tokens_per_s)


@formula(reference="definition")
def usd_per_million_tokens_mixed(*, gpus, usd_per_gpu_hour, mixed_tokens_per_s):
    """Price of a million output tokens when the same accelerators also prefill the prompts."""
    return 1_000_000 * gpus * usd_per_gpu_hour / (3600 * mixed_tokens_per_s)


@formula(reference="definition")
def usd_per_million_input_tokens(*, gpus, usd_per_gpu_hour, dp, prompt_tokens, prefill_s):
    """Price of a million prompt tokens by the accelerator time that their prefill takes."""
    return 1_000_000 * gpus * usd_per_gpu_hour / (3600 * dp * prompt_tokens) * prefill_s


@formula(reference="definition")
def system_usd_per_hour(*, gpus, usd_per_gpu_hour):
    """Price of all accelerators for one hour."""
    return gpus * usd_per_gpu_hour

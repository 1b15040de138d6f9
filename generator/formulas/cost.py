"""Money: accelerator time divided by tokens."""

from __future__ import annotations

from generator.formulas.elementary import weighted_total
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


@formula(reference="definition")
def busy_usd_per_million_tokens(*, usd_per_million_tokens, busy_share):
    """Price of a million tokens when the accelerators work at that rate for a share of the paid time only."""
    return usd_per_million_tokens / busy_share


@formula(reference="definition")
def blended_usd_per_million_input_tokens(*, usd_per_million_input_tokens, usd_per_million_cached_tokens, hit_share):
    """Price of a million input tokens of which a share is found in the cache."""
    return (1 - hit_share) * usd_per_million_input_tokens + hit_share * usd_per_million_cached_tokens


@formula(reference="definition")
def request_usd(*, prompt_tokens, usd_per_million_input_tokens, output_tokens, usd_per_million_tokens):
    """Price of one request: its input and its output tokens."""
    return (prompt_tokens * usd_per_million_input_tokens + output_tokens * usd_per_million_tokens) / 1_000_000


@formula(reference="definition")
def tokens_per_usd(*, gpus, usd_per_gpu_hour, tokens_per_s):
    """Tokens that a dollar of accelerator time makes."""
    return 3600 * tokens_per_s / (gpus * usd_per_gpu_hour)


@formula(reference="definition")
def flops_per_usd(*, peak_flops_per_s, usd_per_gpu_hour):
    """FLOPs at the dense peak that a dollar of accelerator time buys."""
    return 3600 * peak_flops_per_s / usd_per_gpu_hour


@formula(reference="definition")
def bytes_per_usd(*, bandwidth_bytes_per_s, usd_per_gpu_hour):
    """Bytes read from memory that a dollar of accelerator time buys."""
    return 3600 * bandwidth_bytes_per_s / usd_per_gpu_hour


@formula(reference="definition")
def sales_usd(*, sold_tokens_by_component, usd_per_million_by_component):
    """Price of the tokens sold: each kind at its own price."""
    return weighted_total(sold_tokens_by_component, usd_per_million_by_component) / 1_000_000


@formula(reference="definition")
def part_load_j_per_token(*, power_share, tdp_w, gpus, tokens_per_s):
    """Energy of a token when the accelerators draw a share of their design power."""
    return power_share * tdp_w * gpus / tokens_per_s


@formula(reference="definition")
def energy_usd_per_million_tokens(*, j_per_token, power_usage_effectiveness, usd_per_kwh):
    """Electricity of a million tokens, cooling and losses of the building included.

    3,600,000 J are a kWh.
    """
    return 1_000_000 * j_per_token * power_usage_effectiveness * usd_per_kwh / 3_600_000


@formula(reference="definition")
def energy_usd_per_gpu_hour(*, tdp_w, power_share, power_usage_effectiveness, usd_per_kwh):
    """Electricity of one accelerator for one hour.

    1000 W for an hour are a kWh.
    """
    return tdp_w * power_share * power_usage_effectiveness * usd_per_kwh / 1000

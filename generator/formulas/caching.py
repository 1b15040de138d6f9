"""Reusing a cache: sessions, hits, and reloading from a slower memory against computing again."""

from __future__ import annotations

from generator.formulas.elementary import floor, maximum
from generator.formulas.formula import formula


@formula(reference="definition")
def session_tokens_uncached(*, turns, shared_tokens, turn_tokens):
    """Prompt tokens of a session that computes its whole history at each turn: grows with the square of the turns."""
    return turns * shared_tokens + turn_tokens * turns * (turns + 1) / 2


@formula(reference="zheng-2024-sglang")
def session_tokens_cached(*, turns, shared_tokens, turn_tokens):
    """Prompt tokens of a session that computes each token once: grows with the turns."""
    return shared_tokens + turns * turn_tokens


@formula(reference="definition")
def session_hit_ratio(*, session_tokens_cached, session_tokens_uncached):
    """Share of all prompt tokens of a session that a complete cache holds already."""
    return 1 - session_tokens_cached / session_tokens_uncached


@formula(reference="definition")
def turn_context_tokens(*, shared_tokens, turn_tokens, turns):
    """Prompt of a turn: the shared beginning and all turns so far."""
    return shared_tokens + turn_tokens * turns


@formula(reference="zheng-2024-sglang")
def hit_ratio(*, cached_tokens, prompt_tokens):
    """Share of a prompt that is cached."""
    return cached_tokens / prompt_tokens


@formula(reference="definition")
def suffix_prefill_s(*, prefill_s, prefix_prefill_s):
    """Time to process the rest of a prompt whose beginning is cached: the whole less the beginning."""
    return prefill_s - prefix_prefill_s


@formula(reference="definition")
def mean_wave_ttft_s(*, waves, wave_s):
    """Mean time to first token of requests that are prefilled in k waves of equal length."""
    return (waves + 1) / 2 * wave_s


@formula(reference="definition")
def prefix_saving(*, waves, hit_ratio):
    """Share of the mean time to first token that a hit rate r saves: fewer tokens make fewer waves."""
    return waves * hit_ratio / (waves + 1)


@formula(reference="definition")
def saved_ttft_s(*, ttft_s, prefix_saving):
    """Time to first token after the saving."""
    return ttft_s * (1 - prefix_saving)


@formula(reference="definition", kind="bound")
def reload_s(*, kv_bytes_per_request, transfer_links, tier_bytes_per_s):
    """Time to bring a cache back from a tier, over the paths of all accelerators that share it."""
    return kv_bytes_per_request / (transfer_links * tier_bytes_per_s)


@formula(reference="definition")
def reload_gain(*, prefill_s, reload_s):
    """How many times faster reloading is than computing again; below 1 it does not pay."""
    return prefill_s / reload_s


@formula(reference="definition")
def break_even_bytes_per_s(*, kv_bytes_per_request, prefill_s):
    """Bandwidth of a tier at which reloading a cache takes as long as computing it."""
    return kv_bytes_per_request / prefill_s


@formula(reference="definition")
def attention_slope_flops(*, attention_flops_per_token, context_tokens):
    """Attention FLOPs of one token for each token of its context."""
    return attention_flops_per_token / context_tokens


@formula(reference="definition")
def break_even_context_tokens(
    *, kv_bytes_per_token, achieved_flops_per_s, tier_bytes_per_s, active_params, attention_slope_flops
):
    """Context from which reloading beats computing: a token costs its bytes once, its attention grows with the context.

    0 where reloading is faster at any context.
    """
    return maximum(
        2 * (kv_bytes_per_token * achieved_flops_per_s / tier_bytes_per_s - 2 * active_params) / attention_slope_flops,
        0,
    )


@formula(reference="definition")
def tier_sessions(*, memory_bytes, kv_bytes_per_request):
    """Whole sessions that a memory holds."""
    return floor(memory_bytes / kv_bytes_per_request)


@formula(reference="definition")
def reloads_hidden(*, pause_s, reload_s):
    """Reloads that one link does in the time of one pause: sessions that it can serve without waiting."""
    return pause_s / reload_s

"""Sessions, hits and reloads: sums done token by token, limits, and what was measured."""

from __future__ import annotations

import pytest

from generator.formulas import caching


@pytest.mark.parametrize("turns", [1, 2, 7, 50])
def test_a_session_is_the_sum_of_its_prompts(turns):
    prompts = [
        caching.turn_context_tokens(shared_tokens=8000, turn_tokens=2000, turns=turn) for turn in range(1, turns + 1)
    ]
    session = {"turns": turns, "shared_tokens": 8000, "turn_tokens": 2000}
    everything = caching.session_tokens_uncached(**session)
    assert everything == sum(prompts)
    assert caching.session_tokens_cached(**session) == prompts[-1]
    hits = caching.session_hit_ratio(
        session_tokens_cached=caching.session_tokens_cached(**session), session_tokens_uncached=everything
    )
    assert hits == pytest.approx(1 - prompts[-1] / everything)


def test_one_turn_has_nothing_to_hit():
    assert caching.session_hit_ratio(session_tokens_cached=10_000, session_tokens_uncached=10_000) == 0


def test_doubling_a_long_session_makes_it_four_times_as_costly_without_a_cache():
    short, long = (
        caching.session_tokens_uncached(turns=turns, shared_tokens=0, turn_tokens=100) for turns in (1000, 2000)
    )
    assert long / short == pytest.approx(4, rel=1e-3)


@pytest.mark.parametrize("waves", [1, 2, 4, 16])
def test_the_saving_is_that_of_fewer_waves(waves):
    """With a hit rate r the k waves become k (1 - r), each as long as before."""
    before = caching.mean_wave_ttft_s(waves=waves, wave_s=1.0)
    after = caching.mean_wave_ttft_s(waves=waves * 0.5, wave_s=1.0)
    assert caching.prefix_saving(waves=waves, hit_ratio=0.5) == pytest.approx(1 - after / before)


def test_with_many_waves_the_saving_is_the_hit_rate():
    assert caching.prefix_saving(waves=1e9, hit_ratio=0.8) == pytest.approx(0.8)


def test_a_shared_prefix_took_the_first_token_from_2215_to_1342_ms():
    saving = caching.prefix_saving(waves=1, hit_ratio=0.82)
    assert caching.saved_ttft_s(ttft_s=2.215, prefix_saving=saving) == pytest.approx(1.342, rel=0.03)


def test_hits_are_a_share_of_the_prompt():
    assert caching.hit_ratio(cached_tokens=2048, prompt_tokens=2304) == pytest.approx(8 / 9)
    assert caching.suffix_prefill_s(prefill_s=0.5, prefix_prefill_s=0.4) == pytest.approx(0.1)


def test_at_the_break_even_rate_a_reload_takes_as_long_as_a_prefill():
    rate = caching.break_even_bytes_per_s(kv_bytes_per_request=4e9, prefill_s=1.3)
    load = caching.reload_s(kv_bytes_per_request=4e9, transfer_links=1, tier_bytes_per_s=rate)
    assert load == pytest.approx(1.3)
    assert caching.reload_gain(prefill_s=1.3, reload_s=load) == pytest.approx(1)


def test_at_the_break_even_context_bytes_and_flops_take_equally_long():
    model = {"kv_bytes_per_token": 131072, "active_params": 8e9, "attention_slope_flops": 524288}
    context = caching.break_even_context_tokens(achieved_flops_per_s=6e14, tier_bytes_per_s=1e9, **model)
    compute = context * (2 * 8e9 + 524288 * context / 2) / 6e14
    assert compute == pytest.approx(context * 131072 / 1e9)


def test_a_fast_tier_pays_at_any_context():
    model = {"kv_bytes_per_token": 131072, "active_params": 8e9, "attention_slope_flops": 524288}
    assert caching.break_even_context_tokens(achieved_flops_per_s=6e14, tier_bytes_per_s=63e9, **model) == 0


def test_attention_grows_by_the_same_for_each_token_of_context():
    assert caching.attention_slope_flops(attention_flops_per_token=17.2e9, context_tokens=32768) == pytest.approx(
        524902, rel=1e-3
    )


def test_sessions_are_whole_and_links_serve_pauses():
    assert caching.tier_sessions(memory_bytes=2e12, kv_bytes_per_request=4.294967296e9) == 465
    assert caching.reloads_hidden(pause_s=10, reload_s=0.1) == pytest.approx(100)

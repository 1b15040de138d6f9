"""API prices read backwards: exact inverses, limits, and values that price lists and papers state."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.formulas import cost, prefill, prices, roofline

TOKENS = st.floats(1, 1e6)


@given(params=st.floats(1e9, 1e12), cache=st.floats(1e3, 1e6), ridge=st.floats(50, 2000))
def test_the_implied_cache_is_the_one_whose_crossover_is_given(params, cache, ridge):
    context = roofline.compute_bound_context_tokens(
        active_params=params, kv_bytes_per_token=cache, ridge_point=ridge, attention_intensity=0
    )
    implied = prices.implied_kv_bytes_per_token(active_params=params, context_tokens=context, ridge_point=ridge)
    assert implied == pytest.approx(cache)


@given(crossover=TOKENS)
def test_an_output_token_costs_the_same_up_to_the_crossover_and_in_proportion_beyond(crossover):
    assert prices.context_cost_ratio(context_tokens=crossover / 2, crossover_tokens=crossover) == 1
    assert prices.context_cost_ratio(context_tokens=3 * crossover, crossover_tokens=crossover) == pytest.approx(3)


def test_attention_of_llama_3_1_405b_equals_its_matrices_at_196598_tokens():
    equal = prices.attention_equals_weights_tokens(active_params=405_853_388_800, layers=126, n_heads=128, head_dim=128)
    assert equal == pytest.approx(196_598, abs=1)


@given(prompt=st.floats(1, 1e6), params=st.floats(1e9, 1e12))
def test_the_cost_of_a_prompt_is_that_of_its_flops(prompt, params):
    shape = {"layers": 80, "n_heads": 64, "head_dim": 128}
    # Scores and values are 4 h e c FLOPs a layer, and a prompt sees half of itself on average.
    attention = 4 * 64 * 128 * 80 * prompt / 2
    flops = prefill.prefill_flops(prompt_tokens=prompt, active_params=params, attention_flops_per_token=attention)
    equal = prices.attention_equals_weights_tokens(active_params=params, **shape)
    ratio = prices.prompt_cost_ratio(prompt_tokens=prompt, attention_equals_weights_tokens=equal)
    assert flops / (2 * params * prompt) == pytest.approx(ratio)


@given(step=st.floats(1e-3, 1), batch=st.integers(1, 512), seconds=st.floats(1e-3, 10), prompt=st.integers(1, 10**5))
def test_time_ratio_is_the_ratio_of_the_two_prices(step, batch, seconds, prompt):
    hourly = {"gpus": 8, "usd_per_gpu_hour": 2.5}
    output = cost.usd_per_million_tokens(tokens_per_s=batch / step, **hourly)
    inputs = cost.usd_per_million_input_tokens(dp=1, prompt_tokens=prompt, prefill_s=seconds, **hourly)
    ratio = prices.output_input_ratio(tpot_s=step, batch=batch, dp=1, prefill_s=seconds, prompt_tokens=prompt)
    assert ratio == pytest.approx(output / inputs)


@given(each=st.floats(1e-6, 1e-3), tokens=st.floats(1e3, 1e7), cache=st.floats(1e3, 1e6))
def test_a_full_cache_is_worth_keeping_for_the_time_that_filling_it_takes(each, tokens, cache):
    hold = prices.holding_break_even_s(
        recompute_s_per_token=each, kv_capacity_bytes=tokens * cache, kv_bytes_per_token=cache
    )
    assert hold == pytest.approx(each * tokens)


def test_a_prompt_of_ten_tokens_in_one_second_takes_a_tenth_for_each():
    assert prices.recompute_s_per_token(prefill_s=1, prompt_tokens=10) == 0.1


@given(hit=st.floats(0, 0.9), write=st.floats(1, 3))
def test_at_the_break_even_writing_and_hitting_cost_as_much_as_paying_in_full(hit, write):
    uses = prices.cache_write_break_even_uses(write_price_ratio=write, hit_price_ratio=hit)
    assert write + (uses - 1) * hit == pytest.approx(uses)
    assert prices.cache_write_break_even_uses(write_price_ratio=1, hit_price_ratio=hit) == pytest.approx(1)

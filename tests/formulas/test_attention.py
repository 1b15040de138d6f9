"""Attention: FLOPs by query head and seen token, bytes by cached token, and what windows and indexes save."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.formulas import attention

TOKENS = st.integers(1, 2_000_000)


@given(context=TOKENS, window=TOKENS)
def test_a_window_sees_the_context_until_it_is_full(context, window):
    assert attention.visible_tokens(context_tokens=context, window_tokens=window) == min(context, window)


@given(prompt=TOKENS)
def test_a_causal_layer_sees_half_the_prompt_on_average(prompt):
    assert attention.mean_full_tokens(prompt_tokens=prompt) == prompt / 2


@given(prompt=TOKENS, window=TOKENS)
def test_a_window_never_shows_more_than_its_size_nor_than_a_full_layer(prompt, window):
    seen = attention.mean_visible_tokens(prompt_tokens=prompt, window_tokens=window)
    assert 0 < seen <= min(window, prompt / 2) + 1e-9


@given(window=TOKENS)
def test_windowed_mean_has_no_jump_where_the_prompt_fills_the_window(window):
    at = attention.mean_visible_tokens(prompt_tokens=window, window_tokens=window)
    beyond = attention.mean_visible_tokens(prompt_tokens=window * (1 + 1e-9), window_tokens=window)
    assert at == window / 2
    assert beyond == pytest.approx(at, rel=1e-6)


def test_windowed_mean_is_the_mean_over_positions():
    prompt, window = 4000, 1024
    exact = sum(min(position, window) for position in range(1, prompt + 1)) / prompt
    assert attention.mean_visible_tokens(prompt_tokens=prompt, window_tokens=window) == pytest.approx(exact, rel=1e-3)


def test_attention_costs_four_flops_for_each_query_value_and_seen_token():
    assert attention.grouped_query_attention_flops(n_heads=1, head_dim=1, seen_tokens=1) == 4


def test_latent_decode_of_deepseek_v3_costs_278528_flops_a_layer_and_seen_token():
    flops = attention.latent_decode_flops(n_heads=128, kv_lora_rank=512, qk_rope_head_dim=64, seen_tokens=1)
    assert flops == 2 * 128 * (512 + 64 + 512)


def test_latent_prefill_of_deepseek_v3_is_3_4_times_cheaper_than_decode_on_the_latent():
    decode = attention.latent_decode_flops(n_heads=128, kv_lora_rank=512, qk_rope_head_dim=64, seen_tokens=1)
    prefill = attention.latent_prefill_flops(
        n_heads=128, qk_nope_head_dim=128, qk_rope_head_dim=64, v_head_dim=128, seen_tokens=1
    )
    assert decode / prefill == pytest.approx(3.4)


def test_linear_attention_costs_the_same_at_any_context():
    assert attention.linear_attention_flops(n_value_heads=64, key_head_dim=128, value_head_dim=128) == 6 * 2**20


def test_a_mamba_state_decays_takes_one_product_and_is_read_once():
    assert attention.mamba_flops(n_value_heads=128, key_head_dim=128, value_head_dim=64) == 5 * 2**20


@given(selected=st.floats(0, 1e9), scanned=st.floats(0, 1e9))
def test_a_sparse_layer_reads_its_index_and_what_it_selects(selected, scanned):
    assert attention.sparse_read_bytes(selected_bytes=selected, scanned_bytes=scanned) == selected + scanned


def test_a_cache_compressed_128_times_holds_8192_entries_of_a_million_tokens():
    assert attention.compressed_tokens(context_tokens=2**20, compress_tokens=128) == 8192

"""Parameter counts: each matrix once, all experts in the total, the chosen ones among the active."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.formulas import parameters

SIZES = st.integers(1, 4096)
_NO_EXTRAS = {"query_matrices": 1, "small_attention_params": 0, "index_params": 0}


@given(width=SIZES, heads=st.integers(1, 128), size=st.integers(1, 256))
def test_multi_head_attention_has_four_square_matrices(width, heads, size):
    params = parameters.grouped_query_attention_params(
        d_model=width, n_heads=heads, n_kv_heads=heads, head_dim=size, **_NO_EXTRAS
    )
    assert params == 4 * width * heads * size


@given(heads=st.integers(1, 64))
def test_key_value_heads_add_two_matrices_each(heads):
    shape = {"d_model": 4096, "n_heads": 64, "head_dim": 128, **_NO_EXTRAS}
    few = parameters.grouped_query_attention_params(n_kv_heads=heads, **shape)
    assert parameters.grouped_query_attention_params(n_kv_heads=heads + 1, **shape) - few == 2 * 4096 * 128


def test_an_output_gate_is_one_more_query_matrix():
    shape = {"d_model": 2560, "n_heads": 24, "n_kv_heads": 2, "head_dim": 256, "small_attention_params": 0}
    plain, gated = (
        parameters.grouped_query_attention_params(query_matrices=n, index_params=0, **shape) for n in (1, 2)
    )
    assert gated - plain == 2560 * 24 * 256


def test_gated_networks_have_three_matrices_and_plain_ones_two():
    assert parameters.gated_ffn_params(d_model=4096, intermediate=14336) == 3 * 4096 * 14336
    assert parameters.plain_ffn_params(d_model=12288, intermediate=49152, has_bias=0) == 2 * 12288 * 49152
    biases = parameters.plain_ffn_params(d_model=12288, intermediate=49152, has_bias=1) - 2 * 12288 * 49152
    assert biases == 12288 + 49152


@given(experts=st.integers(1, 512), top_k=st.integers(1, 16), one=st.integers(1, 10**8))
def test_memory_holds_all_experts_and_flops_count_the_chosen_ones(experts, top_k, one):
    held = parameters.routed_expert_params_per_layer(experts=experts, expert_params=one)
    used = parameters.routed_active_params_per_layer(top_k=top_k, expert_params=one)
    assert (held, used) == (experts * one, top_k * one)


@given(experts=st.integers(1, 512))
def test_the_router_has_one_column_for_each_expert(experts):
    params = parameters.moe_always_active_params(
        d_model=7168, experts=experts, has_router_bias=1, shared_intermediate=0, has_shared_gate=0
    )
    assert params == experts * 7168 + experts


def test_experts_with_two_matrices_work_on_the_width_they_are_given():
    assert parameters.plain_expert_params(expert_input_width=1024, expert_intermediate=2688) == 2 * 1024 * 2688
    shape = {"d_model": 4096, "experts": 512, "has_router_bias": 0, "shared_intermediate": 5376}
    plain, latent = (
        parameters.plain_moe_always_active_params(has_latent=flag, expert_input_width=1024, **shape) for flag in (0, 1)
    )
    assert plain == 512 * 4096 + 2 * 4096 * 5376
    assert latent - plain == 2 * 4096 * 1024


def test_a_mamba_layer_of_nemotron_nano_9b_v2_has_88_million_parameters():
    # in_proj 4480 x 22656, convolution 12288 x 4 with bias, 3 x 128, norm 10240, out_proj 10240 x 4480
    params = parameters.mamba_params(
        d_model=4480, n_key_heads=8, key_head_dim=128, n_value_heads=128, value_head_dim=80, conv_kernel=4
    )
    assert params == 4480 * 22656 + 12288 * 5 + 384 + 10240 + 10240 * 4480


_PARTS = ("attention_params", "ffn_params", "norm_params", "other_params", "embedding_params", "head_params")


@given(parts=st.lists(st.integers(0, 10**12), min_size=6, max_size=6), routed=st.integers(0, 10**12))
def test_a_model_without_routed_experts_is_active_as_a_whole(parts, routed):
    common = dict(zip(_PARTS, parts, strict=True))
    total = parameters.total_params(routed_expert_params=routed, **common)
    assert total == sum(parts) + routed
    assert parameters.active_params(routed_active_params=0, **common) == total - routed


def test_a_tied_table_counts_as_the_head_and_is_not_taken_off_twice():
    tied = {"active_params": 27e9, "embedding_params": 1.2e9, "head_params": 0}
    assert parameters.active_params_no_input_embedding(**tied) == 27e9
    assert parameters.active_params_no_embeddings(**tied) == pytest.approx(25.8e9)


def test_separate_tables_are_taken_off_one_by_one():
    both = {"active_params": 37e9, "embedding_params": 1e9, "head_params": 1e9}
    assert parameters.active_params_no_input_embedding(**both) == 36e9
    assert parameters.active_params_no_embeddings(**both) == 35e9


def test_latent_attention_of_deepseek_v3_has_187107328_parameters_a_layer():
    params = parameters.latent_attention_params(
        d_model=7168, n_heads=128, q_lora_rank=1536, kv_lora_rank=512, qk_nope_head_dim=128, qk_rope_head_dim=64,
        v_head_dim=128, index_params=0,
    )  # fmt: skip
    assert params == 187_107_328


def test_deepseek_v3_2_adds_13959424_index_parameters_a_layer():
    params = parameters.latent_index_params(d_model=7168, q_lora_rank=1536, index_heads=64, index_head_dim=128)
    assert params == 1536 * 64 * 128 + 7168 * 128 + 2 * 128 + 7168 * 64

"""Memory: weights count total parameters, caches count key-value heads, pools count whole requests."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.formulas import memory

COUNTS = st.integers(1, 512)
BYTES = st.floats(1e6, 1e13)


def test_eight_bits_are_one_byte():
    assert memory.uniform_weights_bytes(total_params=70_553_706_496, bits_per_param=8) == 70_553_706_496


def test_weights_of_two_formats_add_up():
    assert memory.weights_bytes(params_by_component=(1000, 4000), bits_by_component=(16, 4.25)) == 2000 + 2125


def test_a_model_in_one_format_weighs_the_same_however_it_is_split():
    split = memory.weights_bytes(params_by_component=(3e9, 5e9), bits_by_component=(16, 16))
    assert split == memory.uniform_weights_bytes(total_params=8e9, bits_per_param=16) == 16e9


def test_weights_and_components_must_be_equally_many():
    with pytest.raises(ValueError):
        memory.weights_bytes(params_by_component=(1, 2), bits_by_component=(16,))


def test_llama_3_8b_keeps_4096_bytes_a_layer_and_token():
    assert memory.grouped_query_kv_bytes(n_kv_heads=8, head_dim=128, bits_per_value=16) == 4096


@given(heads=COUNTS, size=COUNTS, bits=st.sampled_from([4, 8, 16]))
def test_cache_grows_in_proportion_to_key_value_heads(heads, size, bits):
    one = memory.grouped_query_kv_bytes(n_kv_heads=1, head_dim=size, bits_per_value=bits)
    assert memory.grouped_query_kv_bytes(n_kv_heads=heads, head_dim=size, bits_per_value=bits) == heads * one


def test_multi_query_attention_caches_a_64th_of_multi_head_attention_with_64_heads():
    many = memory.grouped_query_kv_bytes(n_kv_heads=64, head_dim=128, bits_per_value=16)
    assert many == 64 * memory.grouped_query_kv_bytes(n_kv_heads=1, head_dim=128, bits_per_value=16)


def test_latent_cache_of_deepseek_v3_is_1152_bytes_a_layer_and_token():
    assert memory.latent_kv_bytes(kv_lora_rank=512, qk_rope_head_dim=64, bits_per_value=16) == 1152


def test_index_key_of_128_values_is_256_bytes_in_bf16():
    assert memory.index_key_bytes(index_kv_heads=1, index_head_dim=128, bits_per_value=16) == 256


def test_compressed_entry_has_no_factor_two_because_keys_are_values():
    entry = memory.compressed_entry_bytes(head_dim=512, bits_per_value=16)
    assert entry == 1024
    assert memory.grouped_query_kv_bytes(n_kv_heads=1, head_dim=512, bits_per_value=16) == 2 * entry


def test_one_entry_for_128_tokens_is_eight_bytes_a_token():
    assert memory.compressed_kv_bytes(entry_bytes=1024, index_entry_bytes=0, compress_tokens=128) == 8


def test_a_sparse_layer_keeps_everything_and_the_index_beside_it():
    assert memory.sparse_kv_bytes(per_token_bytes=1152, index_entry_bytes=256) == 1408


def test_linear_attention_state_has_fp32_matrices_and_three_inputs_of_a_kernel_of_four():
    state = memory.linear_state_bytes(
        n_key_heads=16, key_head_dim=128, n_value_heads=64, value_head_dim=128,
        state_bytes_per_value=4, conv_kernel=4, bits_per_value=16,
    )  # fmt: skip
    assert state == 4_194_304 + 73_728


@given(context=st.integers(0, 10**7), window=st.integers(1, 10**6))
def test_window_caps_the_cache_of_a_request(context, window):
    kept = memory.window_bytes_per_request(
        context_tokens=context, layers_by_group=(18,), window_bytes_per_token_by_group=(2048,),
        window_tokens_by_group=(window,),
    )  # fmt: skip
    assert kept == 18 * 2048 * min(context, window)


@given(context=st.integers(1, 10**6), block=st.sampled_from([1, 16, 64, 128]))
def test_cache_is_kept_in_whole_blocks(context, block):
    kept = memory.kv_bytes_per_request(
        kv_fixed_bytes_per_request=7, kv_bytes_per_token=2, context_tokens=context, block_tokens=block
    )
    blocks = (kept - 7) / (2 * block)
    assert blocks == math.ceil(context / block)
    assert 0 <= kept - 7 - 2 * context < 2 * block


def test_17_tokens_take_two_blocks_of_16():
    assert (
        memory.kv_bytes_per_request(
            kv_fixed_bytes_per_request=0, kv_bytes_per_token=1, context_tokens=17, block_tokens=16
        )
        == 32
    )


@given(usable=BYTES, more=BYTES, gpus=COUNTS, weights=BYTES)
def test_more_memory_never_holds_less_cache(usable, more, gpus, weights):
    fixed = {"gpus": gpus, "resident_weights_bytes": weights, "workspace_bytes": 2e9}
    small = memory.kv_capacity_bytes(usable_memory_bytes=usable, **fixed)
    assert memory.kv_capacity_bytes(usable_memory_bytes=usable + more, **fixed) >= small >= 0


@given(usable=st.floats(4e9, 3e11), gpus=COUNTS, weights=st.floats(1e9, 1e12))
def test_doubling_the_accelerators_more_than_doubles_the_pool(usable, gpus, weights):
    """The weights are subtracted once, so the second half of the accelerators brings nothing but cache."""
    fixed = {"usable_memory_bytes": usable, "resident_weights_bytes": weights, "workspace_bytes": 2e9}
    once, twice = (memory.kv_capacity_bytes(gpus=n, **fixed) for n in (gpus, 2 * gpus))
    if once > 0:
        assert twice > 2 * once
        assert twice - 2 * once == pytest.approx(weights, rel=1e-6)


@given(usable=BYTES, gpus=COUNTS, weights=BYTES)
def test_either_memory_is_missing_or_cache_is_left(usable, gpus, weights):
    room = {
        "usable_memory_bytes": usable, "gpus": gpus, "resident_weights_bytes": weights, "workspace_bytes": 2e9,
    }  # fmt: skip
    missing = memory.shortfall_bytes(**room)
    assert memory.kv_capacity_bytes(**room) == pytest.approx(max(-missing, 0), rel=1e-9, abs=1e-3)


@given(capacity=BYTES, dp=st.integers(1, 16), request=st.floats(1e3, 1e10))
def test_a_request_lives_in_one_replica(capacity, dp, request):
    held = memory.max_concurrent_requests(
        kv_capacity_bytes=capacity, dp=dp, kv_bytes_per_request=request, kv_replication=1
    )
    assert held % dp == 0
    assert held * request <= capacity * (1 + 1e-12)
    assert (held / dp + 1) * request * dp > capacity * (1 - 1e-12)


def test_grouped_query_cache_is_split_over_as_many_gpus_as_it_has_heads():
    assert [memory.kv_replication(tp=tp, n_kv_heads=8) for tp in (1, 2, 4, 8)] == [1, 1, 1, 1]


def test_beyond_its_heads_a_cache_is_copied():
    assert [memory.kv_replication(tp=tp, n_kv_heads=8) for tp in (16, 32, 64)] == [2, 4, 8]


@given(tp=st.sampled_from([1, 2, 4, 8, 16, 32, 64]))
def test_latent_cache_is_copied_to_each_gpu_of_a_tensor_parallel_group(tp):
    assert memory.kv_replication(tp=tp, n_kv_heads=1) == tp


@given(tp=st.integers(1, 64), pp=st.integers(1, 16), dp=st.integers(1, 16))
def test_each_replica_holds_all_weights_once(tp, pp, dp):
    gpus = tp * pp * dp
    resident = memory.resident_weights_bytes(always_read_bytes=16e9, expert_bytes=0, gpus=gpus, tp=tp, pp=pp, ep=1)
    assert resident == pytest.approx(dp * 16e9)
    assert memory.weights_bytes_per_gpu(resident_weights_bytes=resident, gpus=gpus) == pytest.approx(16e9 / (tp * pp))


def test_experts_spread_over_64_gpus_are_held_once_and_attention_64_times():
    resident = memory.resident_weights_bytes(always_read_bytes=20e9, expert_bytes=650e9, gpus=64, tp=1, pp=1, ep=64)
    assert resident == 64 * 20e9 + 650e9


def test_nominal_h100_offers_72_gb_to_an_engine_that_takes_nine_tenths():
    assert memory.usable_memory_bytes(memory_utilization=0.9, gpu_memory_share=1, device_memory_bytes=80e9) == 72e9


def test_fixed_parts_of_a_request_are_subtracted_before_its_tokens_are_counted():
    tokens = memory.kv_capacity_tokens(
        kv_capacity_bytes=1000, max_concurrent_requests=2, kv_fixed_bytes_per_request=100, kv_bytes_per_token=8,
        kv_replication=1,
    )  # fmt: skip
    assert tokens == 100


def test_replicated_cache_holds_half_the_tokens():
    held = [
        memory.kv_capacity_tokens(
            kv_capacity_bytes=8e9, max_concurrent_requests=0, kv_fixed_bytes_per_request=0, kv_bytes_per_token=1000,
            kv_replication=copies,
        )
        for copies in (1, 2)
    ]  # fmt: skip
    assert held == [8_000_000, 4_000_000]

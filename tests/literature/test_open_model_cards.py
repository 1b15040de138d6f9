"""Sizes and caches that model cards, engines and planners print."""

from __future__ import annotations

import pytest

from generator.estimates.architecture import describe
from generator.formulas import memory


@pytest.mark.parametrize(("name", "total", "active"), [("gpt-oss-120b", 116.83, 5.13), ("gpt-oss-20b", 20.91, 3.61)])
def test_gpt_oss_counts_active_parameters_without_the_input_table(library, name, total, active):
    """gpt-oss model card, arXiv 2508.10925, table 1."""
    found = describe(library.models[name], library)
    assert found.total_params / 1e9 == pytest.approx(total, abs=0.006)
    assert found.active_params_no_input_embedding / 1e9 == pytest.approx(active, abs=0.006)


def test_windows_of_gpt_oss_120b_keep_4_7_mb_a_request(library):
    """18 layers x 128 tokens x 8 heads of 64, keys and values in 16 bits."""
    assert describe(library.models["gpt-oss-120b"], library).kv_fixed_bytes_per_request == 4_718_592


def test_states_of_qwen_3_5_keep_192_mb_a_request_of_which_188_7_are_matrices(library):
    found = describe(library.models["qwen3.5-397b-a17b"], library)
    assert found.kv_fixed_bytes_per_request == 45 * (64 * 128 * 128 * 4) + 45 * 3 * 12_288 * 2
    assert found.kv_fixed_bytes_per_request / 1e6 == pytest.approx(192.06, abs=0.01)


def test_states_of_qwen_3_8_flash_next_are_108_mib_of_fp32_matrices(library):
    found = describe(library.models["qwen3.8-flash-next"], library)
    convolution = 36 * 3 * (2 * 16 * 128 + 48 * 128) * 2
    assert found.kv_fixed_bytes_per_request - convolution == 108 * 2**20


@pytest.mark.parametrize(("name", "kilobytes"), [("llama-3.1-70b", 328), ("qwen3-235b-a22b", 192), ("deepseek-v3", 70)])
def test_caches_per_token_of_a_survey(library, name, kilobytes):
    """arXiv 2601.19910; 192 for Qwen3-235B is rounded down from 192.5."""
    found = describe(library.models[name], library, kv="bf16")
    assert found.kv_bytes_per_token / 1000 == pytest.approx(kilobytes, abs=0.6)


def test_fp8_cache_of_qwen_3_1_7b_holds_54301_tokens_in_2_9_gib():
    """FlashML-org/FreeToken#126 measured 54,284, and 27,142 in 16 bits."""
    for bits, measured in ((8, 54_284), (16, 27_142)):
        token = 28 * memory.grouped_query_kv_bytes(n_kv_heads=8, head_dim=128, bits_per_value=bits)
        held = memory.kv_capacity_tokens(
            kv_capacity_bytes=2.90 * 2**30, max_concurrent_requests=0, kv_fixed_bytes_per_request=0,
            kv_bytes_per_token=token, kv_replication=1,
        )  # fmt: skip
        assert held == pytest.approx(measured, rel=0.005)


def test_302921_tokens_of_a_hybrid_model_with_16_full_layers_take_9_24_gib():
    """mitchross/talos-argocd-proxmox#1995: 4 heads of 256 in FP8, 16 of 64 layers."""
    layer = memory.grouped_query_kv_bytes(n_kv_heads=4, head_dim=256, bits_per_value=8)
    assert 302_921 * 16 * layer / 2**30 == pytest.approx(9.24, rel=0.001)


def test_an_a100_serves_48_users_of_10000_tokens_without_reserve_and_41_with_it():
    """doubleword.ai, how many users can my GPU serve: 16 GB of weights, 131,072 bytes a token; printed as 49."""
    room = {"gpus": 1, "resident_weights_bytes": 16e9}
    for usable, workspace, users in ((80e9, 0, 48), (72e9, 2e9, 41)):
        pool = memory.kv_capacity_bytes(usable_memory_bytes=usable, workspace_bytes=workspace, **room)
        held = memory.max_concurrent_requests(
            kv_capacity_bytes=pool, dp=1, kv_bytes_per_request=10_000 * 131_072, kv_replication=1
        )
        assert held == users


def test_the_pool_of_four_b200_follows_from_that_of_one_and_two():
    """ai-dynamo/dynamo#1357: 113 GB on one, 269 GB on two, 578 GB measured on four; each adds 156 GB."""
    usable = 269e9 - 113e9
    weights = usable - 113e9
    four = memory.kv_capacity_bytes(
        usable_memory_bytes=usable, gpus=4, resident_weights_bytes=weights, workspace_bytes=0
    )
    assert four == pytest.approx(578e9, rel=0.01)


def test_an_l4_has_40000_tokens_left_for_llama_3_1_8b():
    """kvplan 4.91 GiB: 40,208 tokens."""
    assert pytest.approx(40_208, rel=0.001) == 4.91 * 2**30 / 131_072

"""Llama 3 herd (arXiv 2407.21783) and the model cards of meta-llama: sizes, caches, hours."""

from __future__ import annotations

import pytest

from generator.estimates.architecture import describe
from generator.formulas import comparison, memory, roofline, training


@pytest.mark.parametrize(("number_format", "gigabytes"), [("bf16", 141.107), ("fp8", 70.5537), ("int4-g128", 36.3793)])
def test_weights_of_llama_3_70b(library, number_format, gigabytes):
    """70,553,706,496 parameters at 2 bytes, 1 byte, and 4.125 bits (4 bits and a 16-bit scale for 128 values)."""
    found = describe(library.models["llama-3-70b"], library, weights=number_format)
    assert found.weights_bytes / 1e9 == pytest.approx(gigabytes, rel=1e-5)


def test_a_token_of_llama_3_8b_caches_131072_bytes_and_8192_tokens_1_07_gb(library):
    found = describe(library.models["llama-3-8b"], library)
    assert found.kv_bytes_per_token == 2 * 32 * 8 * 128 * 2 == 131_072
    assert found.request_bytes(8192, 16) == 1_073_741_824


def test_an_h100_has_53_9_gb_left_for_the_cache_of_llama_3_8b_and_holds_50_requests_of_8192_tokens(library):
    found = describe(library.models["llama-3-8b"], library)
    pool = memory.kv_capacity_bytes(
        usable_memory_bytes=0.9 * 80e9, gpus=1, resident_weights_bytes=found.weights_bytes, workspace_bytes=2e9
    )
    assert pool / 1e9 == pytest.approx(53.9395, rel=1e-5)
    held = memory.max_concurrent_requests(
        kv_capacity_bytes=pool, dp=1, kv_bytes_per_request=found.request_bytes(8192, 16), kv_replication=1
    )
    assert held == 50


def test_an_h100_cannot_decode_llama_3_8b_faster_than_209_tokens_a_second_for_one_user(library):
    found = describe(library.models["llama-3-8b"], library)
    floor = roofline.batch_one_floor_s(weights_bytes=found.weights_bytes, bandwidth_bytes_per_s=3.35e12)
    assert floor * 1e3 == pytest.approx(4.79419, rel=1e-5)
    assert roofline.batch_one_tokens_per_s(batch_one_floor_s=floor) == pytest.approx(208.586, rel=1e-5)


def test_decode_attention_of_llama_3_does_four_flops_a_byte(library):
    group = library.models["llama-3-8b"].config.attention[0]
    intensity = roofline.attention_intensity(n_heads=group.n_heads, n_kv_heads=group.n_kv_heads, bits_per_value=16)
    assert intensity == 4


def test_training_405b_took_3_8e25_flops_and_its_hours_imply_34_5_percent(library):
    """Table 4 reports 38 to 43 % while it ran; the hours of the card hold more than the counted steps."""
    run = library.models["llama-3.1-405b"].training
    assert run.tokens == pytest.approx(15.6e12)
    assert run.gpu_hours == pytest.approx(30.84e6)
    flops = training.training_flops(active_params=405e9, training_tokens=run.tokens)
    assert flops == pytest.approx(3.7908e25)
    implied = training.implied_mfu(
        training_flops=flops, gpu_hours=run.gpu_hours, peak_flops_per_s=library.accelerators["h100-sxm"].dense_peak.bf16
    )
    assert implied == pytest.approx(0.345098, rel=0.001)
    assert implied < 0.38


def test_405b_took_eleven_times_the_compute_of_deepseek_v3():
    ratio = comparison.ratio_of(value=6 * 405e9 * 15.6e12, reference_value=6 * 37e9 * 14.8e12)
    assert ratio == pytest.approx(11.54, abs=0.01)


def test_adam_state_of_405b_takes_6_48_terabytes():
    assert training.training_state_bytes(total_params=405e9, state_bytes_per_param=16) == pytest.approx(6.48e12)


def test_405b_in_fp8_with_bf16_attention_takes_57_gib_on_each_of_eight_gpus(library):
    """vllm-project/vllm#6746: 57.752 GiB a GPU; only the feed-forward networks of the 124 inner layers are FP8."""
    found = describe(library.models["llama-3.1-405b"], library)
    inner = 124 * found.ffn[0].always_params
    weights = memory.weights_bytes(params_by_component=(inner, found.total_params - inner), bits_by_component=(8, 16))
    each = memory.weights_bytes_per_gpu(resident_weights_bytes=weights, gpus=8)
    assert each / 2**30 == pytest.approx(57.752, rel=0.03)
    assert found.total_params / 8 / 2**30 == pytest.approx(47.2, abs=0.1), "one byte for each parameter is far off"


@pytest.mark.parametrize(("context", "gibibytes"), [(1024, 0.492), (16_000, 7.69), (128_000, 61.5)])
def test_cache_of_405b_is_half_of_what_a_blog_printed(library, context, gibibytes):
    """huggingface/blog#2345: the table counts 16 key-value heads; the config has 8."""
    found = describe(library.models["llama-3.1-405b"], library)
    assert found.kv_bytes_per_token * context / 2**30 == pytest.approx(gibibytes, rel=0.001)

"""Where batching ends: caches against weights, contexts that stay memory bound, and what a step leaves unexplained."""

import numpy
import pytest

from generator.formulas import decode, prefill, roofline

H100_RIDGE = 989.4 / 3.35
LLAMA_3_8B = {"active_params": 8_030_261_248, "kv_bytes_per_token": 131_072}


def test_a_step_takes_twice_as_long_when_caches_weigh_as_much_as_the_weights():
    batch = decode.batch_cache_equals_weights(weights_read_bytes=16e9, kv_read_bytes_per_request=1e9)
    assert batch == 16
    assert decode.decode_bytes(weights_read_bytes=16e9, batch=batch, kv_read_bytes_per_request=1e9) == 32e9


def test_no_batch_passes_the_rate_that_its_caches_allow():
    limit = decode.cache_limit_tokens_per_s(
        gpus=1, bandwidth_bytes_per_s=3.35e12, bandwidth_efficiency=0.8, kv_read_bytes_per_request=1e9
    )
    batches = numpy.array([1.0, 10.0, 1e3, 1e6])
    steps = decode.memory_time_s(
        weights_read_bytes=16e9, stage_batch=batches, kv_read_bytes_per_request=1e9, kv_replication=1, tp=1,
        bandwidth_bytes_per_s=3.35e12, bandwidth_efficiency=0.8,
    )  # fmt: skip
    rates = decode.tokens_per_s(batch=batches, tpot_s=steps)
    assert (rates < limit).all()
    assert rates[-1] == pytest.approx(limit, rel=1e-4)


def test_at_the_compute_bound_context_a_very_large_batch_just_reaches_the_ridge():
    context = roofline.compute_bound_context_tokens(**LLAMA_3_8B, ridge_point=H100_RIDGE, attention_intensity=4)
    limit = roofline.decode_intensity_limit(
        active_params=LLAMA_3_8B["active_params"],
        attention_flops_per_token=4 * 131_072 * context,
        kv_read_bytes_per_request=131_072 * context,
    )
    assert context == pytest.approx(420.6, abs=0.1)
    assert limit == pytest.approx(H100_RIDGE)


def test_decode_attention_of_deepseek_v3_does_242_flops_a_byte_in_bf16():
    intensity = roofline.latent_attention_intensity(
        n_heads=128, kv_lora_rank=512, qk_rope_head_dim=64, bits_per_value=16
    )
    assert intensity == pytest.approx(128 * (2 * 512 + 64) / (512 + 64))


def test_a_square_matrix_product_has_an_intensity_of_a_third_of_its_side_in_bf16():
    side = {"matrix_rows": 3000, "matrix_inner": 3000, "matrix_columns": 3000}
    assert roofline.matmul_flops(**side) / roofline.matmul_bytes(**side, bytes_per_value=2) == pytest.approx(1000)


def test_the_mean_wait_is_half_that_of_the_last_wave():
    queue = {"users": 1024, "slots": 256, "prefill_s": 0.1, "output_tokens": 100, "tpot_s": 0.02}
    assert prefill.mean_wait_s(**queue) == pytest.approx(prefill.wait_s(**queue) / 2)


def test_an_answer_of_the_tokens_in_the_budget_ends_within_it_and_one_more_does_not():
    times = {"ttft_s": 0.33, "tpot_s": 0.0286}
    tokens = prefill.output_tokens_in_budget(budget_s=2.0, **times)
    assert prefill.request_s(output_tokens=tokens, **times) <= 2.0
    assert prefill.request_s(output_tokens=tokens + 1, **times) > 2.0
    assert prefill.output_tokens_in_budget(budget_s=0.1, **times) == 0

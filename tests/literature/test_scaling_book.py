"""Austin et al. 2025, How to Scale Your Model, jax-ml/scaling-book: its numbers, and a few that it gets wrong."""

from __future__ import annotations

import pytest

from generator.estimates.architecture import describe
from generator.formulas import decode, memory, parallelism, prefill, roofline, training


@pytest.mark.parametrize(
    ("device", "peak", "bandwidth", "ridge"),
    [
        ("TPU v5e BF16", 1.97e14, 8.2e11, 240),
        ("H100 BF16", 990e12, 3.35e12, 295),
        ("H100 FP8", 1979e12, 3.35e12, 591),
        ("H200 BF16", 989e12, 4.8e12, 206),
        ("B200 BF16 at 8 TB/s", 2250e12, 8e12, 281),
        ("B200 BF16 at 7.672 TB/s", 2250e12, 7.672e12, 293),
        ("MI300X BF16", 1307.4e12, 5.3e12, 247),
        ("A100 BF16", 312e12, 2.039e12, 153),
    ],
)
def test_ridge_points(device, peak, bandwidth, ridge):
    found = roofline.ridge_point(peak_flops_per_s=peak, bandwidth_bytes_per_s=bandwidth)
    assert found == pytest.approx(ridge, abs=0.55), device


@pytest.mark.parametrize(("card", "format_", "ridge"), [("h100-sxm", "bf16", 295.343), ("h100-sxm", "fp8", 590.716)])
def test_ridge_points_of_our_specs(library, card, format_, ridge):
    accelerator = library.accelerators[card]
    found = roofline.ridge_point(
        peak_flops_per_s=getattr(accelerator.dense_peak, format_), bandwidth_bytes_per_s=accelerator.memory.bandwidth
    )
    assert found == pytest.approx(ridge, rel=1e-5)


def test_eight_bit_weights_with_bf16_arithmetic_bind_up_to_a_batch_of_120():
    assert roofline.batch_at_ridge(ridge_point=1.97e14 / 8.2e11, bits_per_param=8) == pytest.approx(120, abs=0.2)


@pytest.mark.parametrize(("peak", "milliseconds"), [(9.89e14, 1.01), (9.1e14, 1.10)])
def test_a_teraflop_takes_a_millisecond(peak, milliseconds):
    seconds = roofline.roofline_seconds(
        work_flops=1e12, traffic_bytes=1, peak_flops_per_s=peak, bandwidth_bytes_per_s=1e12
    )
    assert seconds * 1e3 == pytest.approx(milliseconds, abs=0.005)


@pytest.mark.parametrize(("rows", "microseconds"), [(64, 8.6), (512, 15)])
def test_a_multiplication_on_b200_is_bound_by_memory_at_64_rows_and_by_compute_at_512(rows, microseconds):
    work = 2 * rows * 4096 * 8192
    traffic = 2 * (rows * 4096 + 4096 * 8192 + rows * 8192)
    seconds = roofline.roofline_seconds(
        work_flops=work, traffic_bytes=traffic, peak_flops_per_s=2.3e15, bandwidth_bytes_per_s=8e12
    )
    assert seconds * 1e6 == pytest.approx(microseconds, abs=0.1)
    assert (work / 2.3e15 < traffic / 8e12) == (rows == 64)


def test_attention_of_64_query_and_8_key_value_heads_does_8_flops_a_byte():
    assert roofline.attention_intensity(n_heads=64, n_kv_heads=8, bits_per_value=16) == 8


@pytest.mark.parametrize(("link", "tokens"), [(450e9, 2200), (400e9, 2475)])
def test_tokens_per_gpu_from_which_data_parallel_training_is_bound_by_compute(link, tokens):
    """The ridge of the link in place of the memory."""
    assert roofline.ridge_point(peak_flops_per_s=990e12, bandwidth_bytes_per_s=link) == pytest.approx(tokens)


def test_gathering_over_eight_gpus_is_half_of_an_all_reduce():
    """gpus.md: BF16[1024, 16384] over 450 GB/s takes 65 microseconds with 7/8 of the bytes."""
    both = parallelism.all_reduce_bytes(degree=8, message_tokens=1024, d_model=16_384, activation_bytes_per_value=2)
    assert both / 2 / 450e9 * 1e6 == pytest.approx(65.2, abs=0.1)


def test_parts_of_llama_3_70b(library):
    found = describe(library.models["llama-3-70b"], library)
    assert found.ffn_params / 1e9 == pytest.approx(56.37, abs=0.01)
    assert found.attention_params / 1e9 == pytest.approx(12.08, abs=0.01)
    assert (found.embedding_params + found.head_params) / 1e9 == pytest.approx(2.10, abs=0.01)


def test_int8_cache_of_llama_3_70b(library):
    found = describe(library.models["llama-3-70b"], library, kv="int8")
    assert found.kv_bytes_per_token == 163_840
    assert found.request_bytes(32_768, 1) / 1e9 == pytest.approx(5.37, abs=0.01)
    assert 240 * found.request_bytes(32_768, 1) / 1e12 == pytest.approx(1.29, abs=0.005)
    assert 32 * found.request_bytes(8192, 1) / 1e9 == pytest.approx(42.9, abs=0.1)


def test_a_step_of_llama_3_70b_in_int8_on_eight_v5e_takes_17_ms():
    seconds = decode.memory_time_s(
        weights_read_bytes=70e9, stage_batch=32, kv_read_bytes_per_request=163_840 * 8192, kv_replication=1, tp=8,
        bandwidth_bytes_per_s=8.2e11, bandwidth_efficiency=1,
    )  # fmt: skip
    assert seconds * 1e3 == pytest.approx(17.2, abs=0.05)


def test_prefilling_8192_tokens_on_16_v5e_at_40_percent_takes_0_91_seconds():
    seconds = prefill.prefill_compute_time_s(
        prefill_flops=prefill.prefill_flops(prompt_tokens=8192, active_params=70e9, attention_flops_per_token=0),
        tp=16, peak_flops_per_s=1.97e14, compute_efficiency=0.4,
    )  # fmt: skip
    assert seconds == pytest.approx(0.91, abs=0.001)


@pytest.mark.parametrize(
    ("chips", "weights", "per_token"), [(4, 35e9, 81_920), (8, 70e9, 163_840), (16, 140e9, 327_680)]
)
def test_every_slice_holds_43_caches_where_the_book_prints_67_and_52_for_the_small_ones(chips, weights, per_token):
    """applied-inference.md has 45 GB of weights in int4 (35) and 68 GB free in int8 (58)."""
    pool = memory.kv_capacity_bytes(
        usable_memory_bytes=16e9, gpus=chips, resident_weights_bytes=weights, workspace_bytes=0
    )
    held = memory.max_concurrent_requests(
        kv_capacity_bytes=pool, dp=1, kv_bytes_per_request=8192 * per_token, kv_replication=1
    )
    assert held == 43


def test_doubling_the_slice_leaves_372_gb_and_138_caches_where_the_book_prints_186_and_161():
    pool = memory.kv_capacity_bytes(usable_memory_bytes=16e9, gpus=32, resident_weights_bytes=140e9, workspace_bytes=0)
    assert pool == 372e9
    held = memory.max_concurrent_requests(
        kv_capacity_bytes=pool, dp=1, kv_bytes_per_request=8192 * 327_680, kv_replication=1
    )
    assert held == 138


@pytest.mark.parametrize(("batch", "milliseconds"), [(4, 2.5676), (256, 21.055)])
def test_a_30b_model_in_int8_on_16_v5e(batch, milliseconds):
    """Weights and arithmetic do not add up to the time of the slower here: reading the cache comes on top of both."""
    rate = {"tp": 16, "bandwidth_bytes_per_s": 8.1e11, "bandwidth_efficiency": 1}
    weights = decode.memory_time_s(
        weights_read_bytes=30e9, stage_batch=0, kv_read_bytes_per_request=0, kv_replication=1, **rate
    )
    cache = decode.memory_time_s(
        weights_read_bytes=0, stage_batch=batch, kv_read_bytes_per_request=100e3 * 8192, kv_replication=1, **rate
    )
    compute = decode.compute_time_s(
        stage_batch=batch, active_params=30e9, attention_flops_per_token=0, tp=16, peak_flops_per_s=1.97e14,
        compute_efficiency=1,
    )  # fmt: skip
    step = decode.tpot_s(memory_time_s=weights, compute_time_s=compute, communication_time_s=cache)
    assert step * 1e3 == pytest.approx(milliseconds, rel=1e-3)


@pytest.mark.parametrize(("batch", "rate"), [(1, 239.94), (240, 4529.34)])
def test_a_13b_model_with_a_small_cache_on_eight_v5e(batch, rate):
    step = decode.memory_time_s(
        weights_read_bytes=26e9, stage_batch=batch, kv_read_bytes_per_request=1.34e9, kv_replication=1, tp=8,
        bandwidth_bytes_per_s=8.2e11, bandwidth_efficiency=1,
    )  # fmt: skip
    assert decode.tokens_per_s(batch=batch, tpot_s=step) == pytest.approx(rate, rel=1e-5)


def test_training_llama_3_70b_on_8960_v5p_takes_44_days_and_on_225_four_point_eight_years():
    flops = training.training_flops(active_params=70e9, training_tokens=15e12)
    assert flops == pytest.approx(6.3e24)
    days = training.training_seconds(training_flops=flops, gpus=8960, peak_flops_per_s=4.59e14, mfu=0.4) / 86_400
    assert days == pytest.approx(44.3, abs=0.05)
    assert pytest.approx(4.8, abs=0.01) == 44 * 8960 / 225 / 365.25, "printed: nearly four years"


def test_deepseek_v3_ran_at_16_5_percent_of_the_fp8_peak_where_the_book_prints_21_7():
    """The book divides by 1,513 TFLOP/s, the FP8 figure of the PCIe card."""
    flops = training.training_flops(active_params=37e9, training_tokens=14.8e12)
    hours = {"training_flops": flops, "gpu_hours": 2.79e6}
    assert training.implied_mfu(peak_flops_per_s=1.979e15, **hours) == pytest.approx(0.165, abs=0.001)
    assert training.implied_mfu(peak_flops_per_s=1.513e15, **hours) == pytest.approx(0.217, abs=0.001)

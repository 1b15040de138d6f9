"""Experts: Clark et al. 2022 (arXiv 2202.01169), racks, and the inference-economics notebook of Epoch."""

from __future__ import annotations

import pytest

from generator.formulas import comparison, cost, moe, parallelism, roofline


def test_370_million_active_times_64_experts_need_18_times_the_memory_of_the_dense_model_they_equal():
    """370M active with 64 experts, 23.7B in all, do as well as 1.3B dense."""
    assert comparison.ratio_of(value=23.7, reference_value=1.3) == pytest.approx(18.23, abs=0.01)


@pytest.mark.parametrize(("batch", "share"), [(64, 0.868916), (256, 0.999705)])
def test_a_batch_of_64_reads_87_percent_of_256_experts_that_take_8(batch, share):
    """ege-erdil/inference-economics: 1 - (1 - 1/s)^b with a sparsity of 32."""
    assert moe.expert_share_read(top_k=8, experts=256, batch=batch) == pytest.approx(share, rel=1e-5)


def test_half_of_the_expert_traffic_leaves_a_rack_of_two():
    assert moe.remote_share(racks=2) == 0.5


def test_hops_of_10_ms_slow_a_step_of_20_ms_by_half():
    assert parallelism.step_slowdown(step_s=0.020, hops_s=0.010) == 1.5


@pytest.mark.parametrize(
    ("system", "terabytes", "tolerance"),
    [("hgx-h100-8", 0.640, 1e-9), ("hgx-h200-8", 1.128, 1e-9), ("gb300-nvl72", 20.736, 0.05)],
)
def test_memory_of_a_scale_up_domain(library, system, terabytes, tolerance):
    one = library.systems[system]
    card = library.accelerators[one.accelerator]
    found = parallelism.domain_memory_bytes(gpus=one.gpus, device_memory_bytes=card.memory.capacity)
    assert found / 1e12 == pytest.approx(terabytes, rel=tolerance)
    assert one.memory == pytest.approx(found, rel=0.05)


@pytest.mark.parametrize(
    ("card", "milliseconds"),
    [
        ("h100-sxm", 23.9), ("h200", 29.4), ("a100-80gb-sxm", 39.2), ("l40s", 55.6), ("rtx-4090", 23.8), ("b200", 22.5),
        ("gb300", 36.0), ("rubin-vr200", 15.0), ("mi300x", 36.2), ("mi355x", 36.0), ("tpu-v5e", 19.5),
        ("m3-ultra", 625.0),
    ],
)  # fmt: skip
def test_reading_a_whole_memory_takes_20_to_60_ms_and_most_of_a_second_on_a_mac(library, card, milliseconds):
    found = library.accelerators[card].memory
    seconds = roofline.drain_seconds(memory_bytes=found.capacity, bandwidth_bytes_per_s=found.bandwidth)
    assert seconds * 1e3 == pytest.approx(milliseconds, abs=0.06)


@pytest.mark.parametrize(("rate", "dollars"), [(200, 3.47222), (2500, 0.277778)])
def test_a_million_tokens_on_an_h100_at_2_50_dollars(rate, dollars):
    price = cost.usd_per_million_tokens(gpus=1, usd_per_gpu_hour=2.5, tokens_per_s=rate)
    assert price == pytest.approx(dollars, rel=1e-5)

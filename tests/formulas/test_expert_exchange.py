"""Experts over many accelerators: shares that stay and leave, the slower path, slots, what a domain holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.formulas import expert_exchange, moe

DEEPSEEK = {"top_k": 8, "d_model": 7168}
H800 = {"scale_up_bytes_per_s": 200e9, "scale_out_bytes_per_s": 50e9, "hop_latency_s": 10e-6}


@given(ep=st.integers(1, 512), domain=st.integers(1, 72))
def test_traffic_stays_at_home_or_in_the_domain_or_leaves_it(ep, domain):
    inside = expert_exchange.inside_share(ep=ep, domain_gpus=domain)
    outside = expert_exchange.outside_share(ep=ep, domain_gpus=domain)
    assert inside >= 0
    assert outside >= 0
    assert inside + outside == pytest.approx(expert_exchange.remote_accelerator_share(ep=ep))


@given(racks=st.integers(1, 64), domain=st.integers(1, 72))
def test_over_whole_domains_the_share_that_leaves_is_that_of_the_racks(racks, domain):
    outside = expert_exchange.outside_share(ep=racks * domain, domain_gpus=domain)
    assert outside == pytest.approx(moe.remote_share(racks=racks))


def test_a_token_of_deepseek_v3_sends_three_bytes_of_its_width_to_each_expert():
    sent = expert_exchange.expert_token_bytes(
        dispatch_bytes_per_value=1, combine_bytes_per_value=2, remote_share=1, **DEEPSEEK
    )
    assert sent == 8 * 7168 * 3
    assert expert_exchange.expert_pass_bytes(moe_layers=58, expert_token_bytes=sent) == 58 * sent


def _exchange(ep: int, bytes_per_value: int) -> float:
    return expert_exchange.exchange_s(
        exchange_bytes=expert_exchange.exchange_bytes(tokens_per_gpu=128, bytes_per_value=bytes_per_value, **DEEPSEEK),
        inside_share=expert_exchange.inside_share(ep=ep, domain_gpus=8),
        outside_share=expert_exchange.outside_share(ep=ep, domain_gpus=8),
        **H800,
    )


@pytest.mark.parametrize(
    ("ep", "dispatch", "combine"),
    [(8, 77, 114), (16, 118, 195), (32, 155, 273), (64, 173, 314), (128, 192, 369), (256, 194, 360)],
)
def test_deepep_stays_above_the_bound_and_within_twice_of_it(ep, dispatch, combine):
    """Measured times of DeepEP's low-latency kernels on H800, in microseconds."""
    assert 1 <= dispatch * 1e-6 / _exchange(ep, 1) < 2
    assert 1 <= combine * 1e-6 / _exchange(ep, 2) < 2


def test_inside_one_domain_the_network_does_not_matter():
    assert _exchange(8, 1) == pytest.approx(128 * 8 * 7168 * 7 / 8 / 200e9 + 10e-6)


def test_a_pass_has_a_dispatch_and_a_combine_in_each_layer():
    assert expert_exchange.expert_pass_s(moe_layers=58, dispatch_s=1e-4, combine_s=2e-4) == pytest.approx(58 * 3e-4)


@given(layers=st.integers(1, 200), latency=st.floats(1e-6, 1e-3))
def test_hops_and_latency_of_an_exchange_are_inverse(layers, latency):
    hops = expert_exchange.expert_hops_s(moe_layers=layers, hop_latency_s=latency)
    assert expert_exchange.latency_per_exchange_s(hops_s=hops, moe_layers=layers) == pytest.approx(latency)


@pytest.mark.parametrize(("ep", "slots"), [(32, 9), (144, 2)])
def test_deepseek_holds_nine_experts_in_prefill_and_two_in_decode(ep, slots):
    assert expert_exchange.expert_slots_per_gpu(experts=256, redundant_experts=32, ep=ep) == slots


def test_without_copies_slots_are_experts_per_gpu():
    slots = expert_exchange.expert_slots_per_gpu(experts=256, redundant_experts=0, ep=64)
    assert slots == moe.experts_per_gpu(experts=256, ep=64)


def test_memory_spreads_over_both_degrees():
    each = expert_exchange.memory_per_gpu_bytes(weights_bytes=600e9, kv_batch_bytes=200e9, ep=8, pp=2)
    assert each == 800e9 / 16


@given(share=st.floats(0, 1))
def test_caches_take_their_share_of_a_domain_from_the_model(share):
    room = {"memory_utilization": 0.9, "domain_memory_bytes": 640e9, "gpus": 8, "workspace_bytes": 2e9}
    params = expert_exchange.largest_model_params(cache_share=share, bits_per_param=8, **room)
    assert params == pytest.approx((576e9 - 16e9) * (1 - share))
    half = expert_exchange.largest_model_params(cache_share=share, bits_per_param=4, **room)
    assert half == pytest.approx(2 * params)


def test_a_deepseek_node_decodes_705_requests():
    assert expert_exchange.requests_decoding(tokens_per_s=14800, tokens_per_s_per_user=21) == pytest.approx(704.8, 1e-3)


def test_a_node_of_eight_makes_eight_times_the_rate_of_one():
    assert expert_exchange.domain_tokens_per_s(domain_gpus=8, tokens_per_s_per_gpu=1850) == 14800

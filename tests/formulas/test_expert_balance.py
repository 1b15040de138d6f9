"""Expert balance: limits of the load ratio, copies, and where tokens go."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.formulas import expert_balance, moe


def test_one_accelerator_cannot_be_uneven():
    assert expert_balance.uniform_load_ratio(tokens_per_gpu=128, top_k=8, ep=1) == 1


@given(ep=st.integers(2, 512), tokens=st.floats(1, 1e5))
def test_chance_evens_out_with_the_square_root_of_the_tokens(ep, tokens):
    few = expert_balance.uniform_load_ratio(tokens_per_gpu=tokens, top_k=8, ep=ep) - 1
    many = expert_balance.uniform_load_ratio(tokens_per_gpu=4 * tokens, top_k=8, ep=ep) - 1
    assert few == pytest.approx(2 * many)


def test_with_one_expert_a_gpu_the_hottest_expert_is_the_load_ratio():
    given = {"hottest_expert_ratio": 10, "experts": 256}
    assert expert_balance.least_load_ratio(ep=256, expert_copies=1, **given) == 10
    assert expert_balance.least_load_ratio(ep=256, expert_copies=5, **given) == 2
    assert expert_balance.least_load_ratio(ep=8, expert_copies=1, **given) == 1
    assert expert_balance.copies_to_balance(ep=256, expert_load_ratio=2, **given) == 5


@given(racks=st.integers(1, 64), top_k=st.integers(1, 8))
def test_a_token_never_enters_more_domains_than_it_has_experts_there(racks, top_k):
    copies = expert_balance.copies_leaving(racks=racks, domain_limit=racks, top_k=top_k)
    leaving = expert_balance.experts_leaving(remote_share=moe.remote_share(racks=racks), top_k=top_k)
    assert copies <= leaving + 1e-9
    assert copies <= racks


def test_as_many_copies_as_experts_leave_nothing_to_be_lost():
    held = {"expert_bytes": 656e9, "experts": 256, "ep": 32}
    assert expert_balance.lost_expert_bytes(redundant_experts=256, **held) == 0
    assert expert_balance.lost_expert_bytes(redundant_experts=0, **held) == pytest.approx(656e9 / 32)
    assert expert_balance.redundant_bytes_per_gpu(redundant_experts=32, **held) == pytest.approx(656e9 / 256)


def test_parts_of_an_expert_add_up():
    one = expert_balance.single_expert_bytes(expert_bytes=58 * 256 * 44e6, moe_layers=58, experts=256)
    assert one == pytest.approx(44e6)
    assert expert_balance.unrouted_active_params(active_params=37e9, routed_active_params=20e9) == 17e9

"""Lines of an engine's start-up log."""

from __future__ import annotations

import pytest

from generator.formulas import engine

GIB = 2**30


def test_the_share_of_an_h100_is_75_23_gib_at_95_percent():
    budget = engine.engine_budget_bytes(memory_utilization=0.95, device_visible_bytes=79.19 * GIB)
    assert budget / GIB == pytest.approx(75.23, abs=0.005)


def test_1952_blocks_are_1_56_requests_of_20000_tokens():
    """vllm-project/vllm issue 10517."""
    tokens = engine.pool_tokens_of_blocks(pool_blocks=1952, block_tokens=16)
    assert engine.longest_requests(kv_capacity_tokens=tokens, context_tokens=20_000) == pytest.approx(1.56, abs=0.005)


def test_graphs_come_on_top_of_the_share():
    assert engine.engine_taken_bytes(engine_budget_bytes=75, graph_bytes=1) == 76

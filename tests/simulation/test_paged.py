"""Allocation in blocks: the twin agrees on every request, no block is lost, and a roomy cache changes nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.estimates.architecture import NotSupported
from generator.simulation.batch import FOREVER, Task, TooLarge
from generator.simulation.blocks import BLOCK, BlockPool, blocks_of
from generator.simulation.chunked import chunked
from generator.simulation.costs import Costs, Line
from generator.simulation.paged import Occupancy, paged
from generator.simulation.paged_batch import Prefixes
from generator.simulation.records import Records, cache_metrics
from generator.simulation.requests import Requests
from generator.simulation.router import route
from generator.simulation.serving import Setup
from generator.simulation.serving_runs import Plan
from tests.simulation.twins.paged import serve as twin

LONGEST = 2_000


def toy(blocks: int) -> Costs:
    """Costs of a made-up instance with so many blocks: steps of milliseconds, memory and compute both at work."""
    return Costs(
        weights_s=[0.0] + [0.005 + 1e-6 * tokens for tokens in range(1, LONGEST)],
        fixed_s=[0.001] + [0.001 + 1e-7 * tokens for tokens in range(1, LONGEST)],
        prompt_s=[1e-5 * tokens + 1e-10 * tokens * tokens for tokens in range(LONGEST)],
        lines=(Line(FOREVER, 0.0, 2e-7, 1e-5, 1e-9),),
        pool_bytes=blocks * 32.0,
        request_bytes=[32.0 * blocks_of(tokens) for tokens in range(LONGEST)],
        moved_bytes=[0.0] * LONGEST,
    )


def served(costs: Costs, requests: Requests, kind=paged, **settings):
    """Records and occupancy of one instance that serves everything."""
    records = Records(list(requests.arrival_s), requests.prompt_tokens, requests.output_tokens)
    task = Task(records.arrival_s, [tokens - 1 for tokens in requests.output_tokens])
    occupancy = Occupancy()
    if kind is paged:
        settings["occupancy"] = occupancy
        if requests.prefix_blocks is not None:
            settings["prefixes"] = Prefixes(requests.prefix_blocks, requests.block_tokens)
    route(
        lambda number, queue: kind(costs, task, records, queue, **settings), 1, range(len(requests)), records.arrival_s,
        "round-robin",
    )  # fmt: skip
    return records, occupancy.rows


@st.composite
def crowds(draw, shared: bool | None = None):
    """Requests that nearly fill a small pool; some of their prompts may begin alike."""
    count = draw(st.integers(1, 25))
    gaps = draw(st.lists(st.sampled_from([0.0, 0.004, 0.03, 0.3]), min_size=count, max_size=count))
    prompts = draw(st.lists(st.integers(1, 200), min_size=count, max_size=count))
    outputs = draw(st.lists(st.integers(1, 90), min_size=count, max_size=count))
    arrivals = [sum(gaps[: one + 1]) for one in range(count)]
    if not (draw(st.booleans()) if shared is None else shared):
        return Requests(arrivals, prompts, outputs)
    size = draw(st.sampled_from([16, 32, 64]))
    pieces = []
    for one, prompt in enumerate(prompts):
        family, alike = draw(st.integers(0, 2)), draw(st.integers(0, 6))
        whole = -(-prompt // size)
        alike = min(alike, whole)
        own = tuple(10_000 + 100 * one + place for place in range(whole - alike))
        pieces.append(tuple(100 * family + place for place in range(alike)) + own)
    return Requests(arrivals, prompts, outputs, pieces, size)


@given(crowds(), st.integers(19, 60), st.sampled_from([30, 64, 300]), st.sampled_from([4, 1000]), st.booleans())
def test_the_slow_twin_agrees_on_every_request(requests, blocks, budget, slots, caching):
    costs = toy(blocks)
    records, rows = served(costs, requests, budget_tokens=budget, slots=slots, caching=caching)
    expected, most_used = twin(costs, requests, blocks=blocks, budget=budget, slots=slots, caching=caching)
    for request, row in enumerate(expected):
        times = records.start_s[request], records.first_token_s[request], records.finish_s[request]
        assert times == pytest.approx(row[:3], abs=1e-9)
        counts = [column[request] for column in records.counts()]
        assert counts == list(row[3:])
    assert most_used <= blocks
    assert max(used for *_, used in rows) <= blocks


@given(crowds(), st.integers(19, 40), st.booleans())
def test_every_request_finishes_once_and_no_block_is_lost(requests, blocks, caching):
    records, rows = served(toy(blocks), requests, budget_tokens=64, caching=caching)
    for request in range(len(requests)):
        assert requests.arrival_s[request] <= records.start_s[request] < records.first_token_s[request]
        assert records.first_token_s[request] <= records.finish_s[request]
    assert all(0 <= used <= blocks for *_, used in rows)
    computed, hits, again, preemptions = records.counts()
    for request, prompt in enumerate(requests.prompt_tokens):
        # What is computed is what was not found, and what was lost.
        assert computed[request] >= prompt - hits[request]
        assert again[request] <= computed[request]
        assert 0 <= hits[request] < prompt
        assert (again[request] == 0) or preemptions[request]


@given(crowds(shared=False), st.sampled_from([64, 300]))
def test_with_room_for_all_blocks_change_no_time(requests, budget):
    costs = toy(1_000)
    blocks, _ = served(costs, requests, budget_tokens=budget)
    reserved, _ = served(costs, requests, kind=chunked, budget_tokens=budget)
    assert blocks.preemptions == [0] * len(requests)
    for name in ("start_s", "first_token_s", "finish_s"):
        assert getattr(blocks, name) == pytest.approx(getattr(reserved, name), abs=1e-9)


def test_a_request_larger_than_the_pool_is_named():
    with pytest.raises(TooLarge, match="request 0 of 340 tokens"):
        served(toy(20), Requests([0.0], [300], [40]))


def test_the_request_admitted_last_is_sent_back_and_finds_its_beginning_again():
    # Ten blocks: two prompts of four, and each grows by up to three.
    requests = Requests([0.0, 0.0], [64, 64], [48, 48])
    cached, _ = served(toy(10), requests, budget_tokens=300)
    assert cached.preemptions == [0, 1]
    forgetful, _ = served(toy(10), requests, budget_tokens=300, caching=False)
    assert cached.recomputed_tokens[1] < forgetful.recomputed_tokens[1]
    assert cached.finish_s[0] == forgetful.finish_s[0]


def test_the_tail_of_a_prompt_is_lost_before_its_beginning():
    pool = BlockPool(10, caching=True)
    pool.take(6)
    owner = pool.give(6)
    pool.take(4 + 2)
    assert pool.found(owner) == 4
    assert pool.free == 4


def test_a_shared_piece_is_held_once():
    requests = Requests([0.0, 0.0], [65, 65], [2, 2], [(1, 2, 3, 4, 5), (1, 2, 3, 4, 6)], BLOCK)
    records, rows = served(toy(100), requests, budget_tokens=300)
    assert records.hit_tokens == [0, 64]
    assert rows[0][3] == 4 + 2


def test_cache_metrics_are_counted_only_where_a_run_counts_them():
    assert cache_metrics(Records([0.0], [1], [1])) == {}


def test_what_is_not_combined_says_so(library):
    for wrong, words in (
        ({"policy": "colocated", "allocation": "blocks"}, "policy chunked"),
        ({"policy": "chunked", "prefix_cache": True}, "allocation: blocks"),
        ({"policy": "chunked", "allocation": "pages"}, "valid: reserved, blocks"),
    ):
        with pytest.raises(NotSupported, match=words):
            Setup(**wrong)
    plan = Plan(library, model="gemma-3-27b", accelerator="h200", policy="chunked", allocation="blocks", requests=5)
    with pytest.raises(NotSupported, match="grows with every token in every layer"):
        plan.metrics(1)


def test_less_room_means_more_preemptions_and_later_first_tokens(library):
    found = []
    for room in (160_000, 70_000, 50_000):
        plan = Plan(
            library, model="llama-3.1-8b", accelerator="h100-sxm", policy="chunked", budget=2048, rate=8, requests=300,
            prompt_median=512, output_median=512, allocation="blocks", prefix_cache="yes", room=room,
        )  # fmt: skip
        found.append(plan.metrics(3))
    for name in ("preemptions_per_request", "ttft_p99_s", "recomputed_tokens_per_request"):
        assert found[0][name] < found[1][name] < found[2][name]


def test_the_same_seed_gives_the_same_bytes(library):
    def run():
        plan = Plan(
            library, model="llama-3.1-8b", accelerator="h100-sxm", policy="chunked", allocation="blocks", room=30_000,
            requests=60, prefix_cache="yes", shared_prefix=256,
        )  # fmt: skip
        records, _ = plan.run(7)
        return records.to_csv(), records.counts()

    assert run() == run()

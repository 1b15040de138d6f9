"""What holds for any hierarchy of memories: conservation, inclusion, and agreement with a plain list."""

from __future__ import annotations

from collections import OrderedDict
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.simulation.prefixes import replay
from generator.simulation.requests import Requests
from generator.simulation.tiers import UNLIMITED, Tiers, prefix_hits
from generator.simulation.traces import read
from tests.simulation.twins.tiers import SlowTiers

CAPACITIES = st.lists(st.integers(0, 12), min_size=1, max_size=4)
USES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), max_size=60)


@given(CAPACITIES, USES)
def test_a_number_for_each_key_says_the_same_as_a_list_of_blocks(capacities, uses):
    fast, slow = Tiers(capacities), SlowTiers(capacities)
    for key, blocks in uses:
        assert fast.use(key, blocks) == slow.use(key, blocks)
        assert fast.written == slow.written
        assert fast.lost == slow.lost
        for one in range(6):
            assert fast.find(one) == slow.find(one)


@given(st.lists(st.integers(4, 12), min_size=1, max_size=3), USES, st.lists(st.integers(0, 4), max_size=60))
def test_room_for_work_pushes_out_the_same_blocks(capacities, uses, work):
    fast, slow = Tiers(capacities), SlowTiers(capacities)
    kept = 0
    for (key, blocks), reserved in zip(uses, work, strict=False):
        for tiers in (fast, slow):
            tiers.reserve(reserved - kept)
        kept = reserved
        assert fast.take(key) == slow.take(key)
        assert fast.use(key, blocks) == slow.use(key, blocks)
        assert fast.room == slow.room


@given(CAPACITIES, USES)
def test_no_tier_holds_more_than_it_can_and_no_block_is_in_two(capacities, uses):
    tiers = Tiers(capacities)
    for key, blocks in uses:
        tiers.use(key, blocks)
        assert sum(tiers.find(key)) <= blocks
        for most, room, level in zip(capacities, tiers.room, tiers.levels, strict=True):
            assert room == most - sum(level.values()) >= 0


@given(CAPACITIES, USES)
def test_what_a_tier_gives_was_written_to_it_before(capacities, uses):
    tiers = Tiers(capacities)
    given_back = [0] * len(capacities)
    for key, blocks in uses:
        for level, found in enumerate(tiers.use(key, blocks)):
            if level:
                given_back[level] += found
        for level in range(1, len(capacities)):
            assert given_back[level] <= tiers.written[level]


@given(USES, st.integers(0, 20), st.integers(0, 20))
def test_a_larger_cache_never_holds_less_of_anything(uses, small, more):
    """The inclusion property of least recently used (Mattson et al. 1970)."""
    less, larger = Tiers([small]), Tiers([small + more])
    for key, blocks in uses:
        assert less.use(key, blocks)[0] <= larger.use(key, blocks)[0]


@given(USES, CAPACITIES, st.integers(0, 3), st.integers(0, 10))
def test_a_larger_tier_anywhere_never_hits_less_down_to_it(uses, capacities, which, more):
    grown = list(capacities)
    grown[which % len(grown)] += more
    less, larger = Tiers(capacities), Tiers(grown)
    for key, blocks in uses:
        few, many = less.use(key, blocks), larger.use(key, blocks)
        for depth in range(1, len(capacities) + 1):
            assert sum(few[:depth]) <= sum(many[:depth])


@given(USES, CAPACITIES)
def test_tiers_together_hold_what_one_cache_of_their_size_would(uses, capacities):
    tiers, one = Tiers(capacities), Tiers([sum(capacities)])
    for key, blocks in uses:
        assert sum(tiers.use(key, blocks)) == one.use(key, blocks)[0]


def test_a_text_loses_its_end_first():
    tiers = Tiers([6])
    tiers.use("old", 4)
    tiers.use("new", 4)
    assert tiers.find("old") == [2]


def test_a_hierarchy_without_tiers_is_no_hierarchy():
    with pytest.raises(ValueError, match="0 blocks or more"):
        Tiers([])


@settings(max_examples=30)
@given(st.lists(st.lists(st.integers(0, 20), max_size=8, unique=True), max_size=30), st.integers(0, 25))
def test_replay_of_blocks_is_an_ordinary_lru_cache(prompts, capacity):
    cache: OrderedDict[int, None] = OrderedDict()
    tiers = Tiers([capacity])
    for blocks in prompts:
        expected = next((place for place, one in enumerate(blocks) if one not in cache), len(blocks))
        for one in reversed(blocks):
            cache[one] = None
            cache.move_to_end(one)
        while len(cache) > capacity:
            cache.popitem(last=False)
        assert prefix_hits(tiers, blocks) == expected


def test_hits_of_a_small_replay():
    requests = Requests([0.0, 1.0, 2.0], [1000, 1500, 600], [1, 1, 1], [(0, 1), (0, 1, 2), (0, 9)], 512)
    assert replay(requests) == [0, 1024, 512]
    assert replay(requests, 0) == [0, 0, 0]


@pytest.fixture(scope="module")
def conversations(library):
    record = library.find("traces", "mooncake-conversation")
    return read(library.table("traces", record.id), int(record.block_tokens)).first(4000)


def test_a_cache_that_forgets_nothing_hits_what_came_before(conversations):
    seen: set[int] = set()
    expected = []
    for blocks, prompt in zip(conversations.prefix_blocks, conversations.prompt_tokens, strict=True):
        hit = next((place for place, block in enumerate(blocks) if block not in seen), len(blocks))
        expected.append(min(hit * 512, prompt))
        seen.update(blocks)
    assert replay(conversations) == expected


def test_a_larger_cache_hits_at_least_as_much_of_every_request_of_the_trace(conversations):
    hits = [replay(conversations, blocks) for blocks in (300, 3000, 30000, UNLIMITED)]
    for small, large in pairwise(hits):
        assert all(a <= b for a, b in zip(small, large, strict=True))

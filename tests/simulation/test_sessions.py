"""Agent sessions: closed forms at the limits, conservation, and the same turns from a slow hierarchy."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.estimates.architecture import NotSupported
from generator.formulas import caching
from generator.formulas.nomenclature import NOMENCLATURE
from generator.simulation.requests import generator_of
from generator.simulation.session_runs import Plan, experiment, metrics
from generator.simulation.sessions import Habits, Setup, work_sessions
from generator.simulation.tiers import UNLIMITED
from tests.simulation.twins.tiers import SlowTiers

PLAIN = Habits(8000, 20, 2000, 0, 30.0, "exponential", 0.0)
"""Turns of 2,000 tokens without answers, as the closed form has them."""


@pytest.fixture(scope="module")
def plan(library):
    return Plan(library, model="llama-3.1-8b", accelerator="h100-sxm", sessions=24, dram="dram-pcie5", dram_size=64e9)


def run(plan, setup, habits, *, seed=1, sessions=8, turns=160, **more):
    return work_sessions(
        plan.costs, setup, habits, generator_of(seed), generator_of(seed + 1), sessions=sessions, turns=turns, **more
    )


def hit_ratio(turns):
    return sum(map(sum, turns.taken)) / sum(turns.prompt_tokens)


def test_a_cache_without_limit_hits_what_the_closed_form_says(plan):
    """Sessions that run to their end: 20 turns each, the shared beginning once."""
    setup = Setup((UNLIMITED,), (), 131072.0, block_tokens=16, longest_tokens=131_072)
    turns = run(plan, setup, PLAIN, sessions=1, turns=20, fresh=True)
    shape = {"turns": 20, "shared_tokens": 8000, "turn_tokens": 2000}
    expected = caching.session_hit_ratio(
        session_tokens_cached=caching.session_tokens_cached(**shape),
        session_tokens_uncached=caching.session_tokens_uncached(**shape),
    )
    assert hit_ratio(turns) == pytest.approx(expected, rel=1e-12)


def test_further_sessions_find_the_shared_beginning_as_well(plan):
    setup = Setup((UNLIMITED,), (), 131072.0, block_tokens=16, longest_tokens=131_072)
    turns = run(plan, setup, PLAIN, sessions=1, turns=60, fresh=True)
    everything = 3 * caching.session_tokens_uncached(turns=20, shared_tokens=8000, turn_tokens=2000)
    assert hit_ratio(turns) == pytest.approx(1 - (8000 + 3 * 20 * 2000) / everything, rel=1e-12)


def test_without_a_cache_the_work_grows_with_the_square_of_the_turns(plan):
    setup = Setup((20_000,), (), 131072.0, block_tokens=16, keep=False)
    turns = run(plan, setup, PLAIN, sessions=1, turns=20, fresh=True)
    assert hit_ratio(turns) == 0
    uncached = caching.session_tokens_uncached(turns=20, shared_tokens=8000, turn_tokens=2000)
    assert sum(turns.prompt_tokens) == uncached
    assert turns.work_s == turns.whole_work_s


@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 1000), sessions=st.integers(1, 12), hbm=st.integers(5, 30), dram=st.integers(0, 60),
    reload=st.sampled_from(["faster", "always", "never"]), keep=st.booleans(),
)  # fmt: skip
def test_turns_are_the_same_with_a_list_of_blocks_for_a_hierarchy(plan, seed, sessions, hbm, dram, reload, keep):
    setup = Setup((hbm, dram, 40), (63e9, 2e9), 131072.0, 2048, reload=reload, keep=keep, longest_tokens=hbm * 2048)
    habits = Habits(6000, 5, 1500, 300, 5.0)
    fast, slow = (
        run(plan, setup, habits, seed=seed, sessions=sessions, turns=60, **more)
        for more in ({}, {"hierarchy": SlowTiers})
    )
    assert fast == slow


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 1000), sessions=st.integers(1, 40), hbm=st.integers(3000, 30000), dram=st.integers(0, 60000),
    instances=st.integers(1, 3), rate=st.sampled_from([0.0, 0.05, 0.4]), reload=st.sampled_from(["faster", "always"]),
)  # fmt: skip
def test_what_holds_for_every_turn(plan, seed, sessions, hbm, dram, instances, rate, reload):
    setup = Setup(
        (hbm, dram, 50_000), (63e9, 7e9), 131072.0, 16, instances=instances, reload=reload,
        longest_tokens=min(hbm * 16, 131_072),
    )  # fmt: skip
    turns = run(plan, setup, Habits(8000, 6, 1600, 400, 20.0), seed=seed, sessions=sessions, rate_per_s=rate, turns=80)
    for row in range(len(turns)):
        assert turns.prompt_tokens[row] + turns.output_tokens[row] <= setup.longest_tokens
        if turns.first_token_s[row] < 0:
            continue
        assert turns.arrival_s[row] <= turns.admitted_s[row] <= turns.start_s[row] < turns.first_token_s[row]
        assert sum(turns.held[row]) < turns.prompt_tokens[row]
        assert all(used in (0, held) for used, held in zip(turns.taken[row], turns.held[row], strict=True))
        assert turns.taken[row][0] == turns.held[row][0]
        assert 0 < turns.work_s[row] <= turns.whole_work_s[row] + 1e-12
    # Prefills of one instance do not overlap.
    for home in range(instances):
        spans = sorted(
            (turns.start_s[row], turns.first_token_s[row])
            for row in range(len(turns)) if turns.instance[row] == home and turns.first_token_s[row] >= 0
        )  # fmt: skip
        assert all(end <= start + 1e-9 for (_, end), (start, _) in pairwise(spans))
    # At no time do turns at work need more blocks than the accelerator has.
    changes = sorted(
        (time, sign * -(-(turns.prompt_tokens[row] + turns.output_tokens[row] - 8000) // 16), turns.instance[row])
        for row in range(len(turns)) if turns.admitted_s[row] >= 0
        for time, sign in ((turns.admitted_s[row], 1), (turns.finish_s[row], -1)) if time >= 0
    )  # fmt: skip
    used = [500] * instances
    for _, blocks, home in changes:
        used[home] += blocks
        assert used[home] <= hbm


def test_a_turn_reloads_what_takes_less_time_than_computing(plan):
    """One session, nothing else: a slow tier is passed over, a fast one is used."""
    habits = Habits(0, 12, 1600, 400, 30.0, sigma=0.0)
    for bandwidth, used in ((63e9, True), (0.5e9, False)):
        setup = Setup((2100, UNLIMITED), (bandwidth,), 131072.0, 16, longest_tokens=2100 * 16)
        turns = run(plan, setup, habits, sessions=3, turns=60)
        below = [row for row in range(60) if turns.held[row][1] >= 2048]
        assert below
        assert all((turns.taken[row][1] > 0) == used for row in below)


def test_reloading_only_when_faster_is_sooner_than_always_on_a_slow_link(library):
    given = {"model": "llama-3.1-8b", "accelerator": "h100-sxm", "remote": "object-store", "measured_turns": 100}
    faster, always = (experiment(library, **given, reload=one).run(1) for one in ("faster", "always"))
    assert faster["ttft_mean_s"] < always["ttft_mean_s"]


def test_shares_add_up_and_names_are_those_of_the_nomenclature(library):
    found = experiment(library, model="llama-3.1-8b", accelerator="h100-sxm", dram="dram-pcie5", dram_size=64e9).run(3)
    tiers = sum(found[f"{name}_hit_share"] for name in ("hbm", "dram", "nvme", "remote"))
    assert tiers == pytest.approx(found["prefix_hit_share"])
    assert found["prefix_hit_share"] + found["computed_share"] == pytest.approx(1)
    assert set(found) <= set(NOMENCLATURE)


def test_littles_law_of_open_sessions(library):
    """Sessions that are open: turns per second times pause and time of a turn."""
    plan = Plan(library, model="llama-3.1-8b", accelerator="h100-sxm", sessions=16, measured_turns=4000)
    turns = plan.run(1)
    found = metrics(turns, plan.setup, (), plan.warm_turns, 8000)
    part = slice(plan.warm_turns, plan.warm_turns + 4000)
    times = [end - start for start, end in zip(turns.arrival_s[part], turns.finish_s[part], strict=True)]
    cycle = 30.0 + sum(times) / len(times)
    assert found["turns_per_s"] * cycle == pytest.approx(16, rel=0.03)


def test_the_same_seed_gives_the_same_turns(plan):
    assert plan.run(5) == plan.run(5)
    assert plan.run(5) != plan.run(6)


def test_sessions_draw_the_same_lengths_whatever_tiers_there_are(library):
    given = {"model": "llama-3.1-8b", "accelerator": "h100-sxm", "sessions": 4, "measured_turns": 10}
    plain, tiered = (Plan(library, **given, **more).run(1) for more in ({}, {"nvme": "nvme-gen4"}))
    assert plain.prompt_tokens[:4] == tiered.prompt_tokens[:4]


def test_a_model_with_windows_is_refused(library):
    with pytest.raises(NotSupported, match="does not grow evenly"):
        experiment(library, model="gpt-oss-120b", accelerator="h100-sxm")


def test_a_size_without_a_tier_is_refused(library):
    with pytest.raises(NotSupported, match="no dram"):
        Plan(library, model="llama-3.1-8b", accelerator="h100-sxm", dram_size=1e9)

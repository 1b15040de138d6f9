"""Experts over accelerators: chance, conservation, what placement can do, and what was published about it."""

from __future__ import annotations

import math
from pathlib import Path
from statistics import NormalDist

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.estimates.architecture import NotSupported
from generator.estimates.serving import serving
from generator.formulas import NOMENCLATURE, expert_balance, moe
from generator.simulation import expert_costs, experts, experts_runs, placement, routing
from generator.simulation.catalogue import simulate
from generator.simulation.requests import generator_of
from generator.specs.load import load
from tests.simulation.twins import experts as twin

LIBRARY = load(Path(__file__).parents[2])
DEEPSEEK = {"model": "deepseek-v3", "accelerator": "h800"}


def _setup(**given):
    plain = {"layers": 6, "experts": 64, "top_k": 4, "gpus": 8, "tokens": 512, "steps": 8, "skew": "measured"}
    return experts.Setup(**(plain | given))


def _run(seed=1, **given):
    setup = _setup(**given)
    return setup, experts.run(setup, generator_of(seed))


def _mean_and_half_width(values):
    return float(numpy.mean(values)), float(4 * numpy.std(values, ddof=1) / math.sqrt(len(values)))


def _shares(seed, experts_=32, layers=1):
    return routing.popularity(generator_of(seed), layers=layers, experts=experts_, skew="measured")


@given(seed=st.integers(0, 10_000), top_k=st.integers(1, 8), exponent=st.floats(0, 3))
@settings(max_examples=40, deadline=None)
def test_a_token_takes_k_different_experts_each_at_most_once(seed, top_k, exponent):
    shares = routing.popularity(generator_of(seed), layers=3, experts=16, skew="zipf", exponent=exponent)
    taken = routing.inclusion(shares, top_k)
    assert taken.max() <= 1
    assert taken.sum(axis=1) == pytest.approx([top_k] * 3)
    chosen = routing.routed(generator_of(seed), taken[0], 20)
    assert chosen.shape == (20, top_k)
    assert all(len(set(one)) == top_k for one in chosen.tolist())


def test_each_expert_is_taken_as_often_as_its_share_says():
    taken = routing.inclusion(_shares(3), 4)[0]
    found = numpy.bincount(routing.routed(generator_of(5), taken, 20_000).ravel(), minlength=32) / 20_000
    assert numpy.abs(found - taken).max() < 5 * math.sqrt(0.25 / 20_000)
    slowly = numpy.bincount(numpy.ravel(twin.routed(taken.tolist(), 4, 5_000, seed=7)), minlength=32) / 5_000
    assert numpy.abs(slowly - taken).max() < 5 * math.sqrt(0.25 / 5_000)


@pytest.mark.parametrize("tokens", [16, 64, 1000])
def test_drawn_counts_have_the_mean_the_spread_and_the_empty_experts_of_exact_routing(tokens):
    taken = routing.inclusion(_shares(11, 64), 4)
    fast = routing.drawn(generator_of(1), taken[None], tokens, 3_000)[:, 0]
    exact = numpy.stack([routing.counted(generator, taken, tokens)[0] for generator in map(generator_of, range(600))])
    deviation = numpy.sqrt(tokens * taken[0] * (1 - taken[0]))
    assert numpy.abs(fast.mean(axis=0) - tokens * taken[0]).max() < 0.12 * deviation.max()
    assert fast.std(axis=0).mean() == pytest.approx(exact.std(axis=0).mean(), rel=0.05)
    assert (fast == 0).mean() == pytest.approx((exact == 0).mean(), abs=0.01)
    # What counts in the end: the busiest of eight accelerators.
    busiest = [counts.reshape(-1, 8, 8).sum(axis=2).max(axis=1) for counts in (fast, exact)]
    assert busiest[0].mean() == pytest.approx(busiest[1].mean(), rel=0.02)
    assert numpy.percentile(busiest[0], 95) == pytest.approx(numpy.percentile(busiest[1], 95), rel=0.04)


@given(
    seed=st.integers(0, 10_000), tokens=st.integers(1, 3_000), gpus=st.integers(1, 16), redundant=st.integers(0, 20),
    skew=st.sampled_from(routing.SKEWS), how=st.sampled_from(placement.PLACEMENTS), stale=st.booleans(),
    foreign=st.floats(0, 1),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_no_token_is_lost_and_none_is_made(seed, tokens, gpus, redundant, skew, how, stale, foreign):
    _, found = _run(
        seed, tokens=tokens, gpus=gpus, redundant=redundant, skew=skew, placement=how, stale=stale, foreign=foreign,
        steps=2,
    )  # fmt: skip
    assert found.tokens.sum(axis=2) == pytest.approx(numpy.full((2, 6), tokens * 4.0), rel=1e-4)
    assert found.tokens.min() >= 0
    assert found.read.max() <= -(-(64 + redundant) // gpus)
    # The hottest expert sits somewhere: no placement beats it, whatever the copies.
    most = found.tokens.max(axis=2) / found.tokens.mean(axis=2)
    bound = expert_balance.least_load_ratio(
        hottest_expert_ratio=found.hottest / (tokens * 4 / 64), experts=64, ep=gpus, expert_copies=1 + redundant
    )
    assert (most >= bound - 1e-3).all()


@given(seed=st.integers(0, 10_000), gpus=st.integers(1, 12), redundant=st.integers(0, 12))
@settings(max_examples=40, deadline=None)
def test_placement_and_loads_are_those_of_the_slow_twin(seed, gpus, redundant):
    shares = _shares(seed, 24, layers=2)
    placed = placement.place(shares, gpus=gpus, redundant=redundant, how="balanced")
    counts = generator_of(seed).integers(0, 9, (1, 2, 24)).astype(numpy.float32)
    tokens, read = placed.spread(counts), placed.read(counts)
    for layer in range(2):
        held = twin.balanced(shares[layer].tolist(), gpus, redundant)
        slow_tokens, slow_read = twin.loads(held, counts[0, layer].tolist())
        assert sorted(slow_tokens) == pytest.approx(sorted(tokens[0, layer].tolist()), abs=1e-4)
        assert sum(slow_read) == read[0, layer].sum()


def test_a_layer_takes_as_long_as_in_the_slow_twin():
    setup, found = _run(placement="balanced", redundant=8)
    costs = expert_costs.ExpertCosts(1e-3, 2e-5, 3e-7, 1e-5, 1e-8, 4e-8)
    times = experts.times(setup, found, costs, copies_each="expert", all_layers=6)
    for step in range(setup.steps):
        slowly = sum(
            twin.experts_s(found.tokens[step, layer].tolist(), found.read[step, layer].tolist(), 2e-5, 3e-7)
            for layer in range(6)
        )
        assert times.experts[step] == pytest.approx(slowly, rel=1e-5)
        assert times.step[step] == pytest.approx(1e-3 + slowly + times.exchange[step], rel=1e-5)
        assert times.step[step] >= times.balanced[step] - 1e-9


def test_one_accelerator_has_no_busiest():
    setup, found = _run(gpus=1)
    assert (found.tokens.max(axis=2) / found.tokens.mean(axis=2)).max() == 1
    costs = expert_costs.ExpertCosts(1e-3, 2e-5, 3e-7, 1e-5, 1e-8, 4e-8)
    assert experts.times(setup, found, costs, copies_each="expert", all_layers=6).exchange.max() == 0


def test_uniform_routing_overloads_the_busiest_as_balls_thrown_into_bins_do():
    """Loads of 32 GPUs are normal around 1,024; the expected largest of 32 is a number of standard deviations."""
    _, found = _run(layers=58, experts=256, top_k=8, gpus=32, tokens=4096, skew="uniform", steps=20)
    ratios = (found.tokens.max(axis=2) / found.tokens.mean(axis=2)).ravel()
    normal = NormalDist()
    grid = [-6 + 12 * i / 4000 for i in range(4001)]
    largest = sum(x * 32 * normal.cdf(x) ** 31 * normal.pdf(x) for x in grid) * 12 / 4000
    # Eight experts a GPU, each with a binomial count, all counts together fixed.
    deviation = math.sqrt(8 * 4096 * (8 / 256) * (1 - 8 / 256) * (1 - 1 / 32)) / 1024
    mean, half = _mean_and_half_width(ratios)
    assert mean == pytest.approx(1 + largest * deviation, abs=half + 0.003)
    theory = expert_balance.uniform_load_ratio(tokens_per_gpu=128, top_k=8, ep=32)
    assert 1 < mean < theory < 1 + 1.6 * (mean - 1)


def test_a_uniform_batch_reads_the_share_of_the_experts_that_the_formula_says():
    shares = [_run(seed, skew="uniform", tokens=24, steps=20)[1].touched for seed in range(20)]
    mean, half = _mean_and_half_width(shares)
    assert moe.expert_share_read(top_k=4, experts=64, batch=24) == pytest.approx(mean, abs=half)


@pytest.mark.parametrize("racks", [1, 2, 4])
def test_the_share_that_leaves_a_rack_is_one_minus_one_over_the_racks_whatever_the_skew(racks):
    for skew in routing.SKEWS:
        left = [
            _run(seed, skew=skew, gpus=8, domain_gpus=8 // racks, steps=1, layers=40, placement="balanced")[1].outside
            for seed in range(20)
        ]
        mean, half = _mean_and_half_width(left)
        assert moe.remote_share(racks=racks) * 4 == pytest.approx(mean, abs=half + 1e-12)


@pytest.mark.parametrize("limit", [0, 2, 4])
def test_a_token_enters_as_many_domains_as_the_closed_form_says(limit):
    given = {"skew": "uniform", "experts": 256, "top_k": 8, "gpus": 32, "domain_gpus": 4, "steps": 1, "layers": 58}
    found = [_run(seed, domain_limit=limit, **given)[1] for seed in range(10)]
    leaving = numpy.mean([one.leaving for one in found])
    closed = expert_balance.copies_leaving(racks=8, domain_limit=limit or 8, top_k=8)
    # The closed form takes domains at random. A limit keeps those with the best experts, and they are nearly all used.
    assert closed * 0.98 <= leaving <= moe.remote_share(racks=8) * (limit or 8) * 1.03
    if not limit:
        assert leaving == pytest.approx(closed, rel=0.03)
    assert numpy.mean([one.outside for one in found]) == pytest.approx(7, rel=0.02)


@given(seed=st.integers(0, 5_000), gpus=st.sampled_from([4, 8, 16]))
@settings(max_examples=30, deadline=None)
def test_copies_never_make_the_best_placement_worse(seed, gpus):
    shares = _shares(seed, 64, layers=4)

    def busiest(redundant):
        placed = placement.place(shares, gpus=gpus, redundant=redundant, how="balanced")
        return placed.spread(shares[None].astype(numpy.float32)).max(axis=2).mean()

    without, few, many = busiest(0), busiest(gpus), busiest(4 * gpus)
    # Packing is greedy: where nothing is left to gain, within 3 % of an even load, it may lose a little.
    assert few <= max(without * 1.001, 1.03 / gpus)
    assert many <= max(few * 1.001, 1.03 / gpus)


def test_the_same_seed_gives_the_same_records():
    (_, one), (_, two), (_, other) = (_run(seed, redundant=8, domain_gpus=4) for seed in (5, 5, 6))
    assert (one.tokens == two.tokens).all()
    assert one.outside == two.outside
    assert (one.tokens != other.tokens).any()


def test_every_metric_is_a_name_of_the_nomenclature():
    outcome = simulate("experts", LIBRARY, **DEEPSEEK, layers=4, steps=2, runs=2)
    assert set(outcome.numbers) <= set(NOMENCLATURE)
    assert all(name in NOMENCLATURE for name in outcome.inputs)


def test_an_even_load_takes_the_memory_time_of_the_serving_estimate():
    """Decode of DeepSeek-V3 over 32 H800 is bound by memory, and all experts are read."""
    model, card = LIBRARY.find("models", "deepseek-v3"), LIBRARY.find("accelerators", "h800")
    costs = expert_costs.expert_costs(
        model, card, LIBRARY, slots=8, batch=64, context=1536, phase="decode", dispatch_bytes=1, combine_bytes=2
    )
    estimate = serving(
        model, card, LIBRARY, gpus=32, tp=1, ep=32, batch=64 * 32, prompt_tokens=1024, output_tokens=1024
    )
    assert costs.rest_s + 58 * 8 * costs.read_s == pytest.approx(float(estimate.memory_time_s), rel=1e-6)


def test_load_of_32_gpus_is_that_of_deepseek_r1_in_tensorrt_llm():
    """Sigma comes from the published spread of the load; the busiest GPU is predicted, without and with EPLB."""
    plain = simulate("experts", LIBRARY, **DEEPSEEK, layers=16, steps=4)
    assert float(plain.expert_load_variation) == pytest.approx(0.480, rel=0.1)
    assert float(plain.expert_load_ratio) == pytest.approx(2.564, rel=0.1)
    eplb = simulate("experts", LIBRARY, **DEEPSEEK, ep=36, redundant=32, placement="balanced", layers=16, steps=4)
    assert float(eplb.expert_load_ratio) == pytest.approx(1.115, rel=0.07)


def test_sigma_is_the_one_that_gives_groups_of_experts_their_variation():
    sigma = expert_balance.popularity_sigma(expert_load_variation=0.48, experts=256, ep=32)
    assert math.sqrt((math.exp(sigma**2) - 1) / 8) == pytest.approx(0.48)


@pytest.mark.parametrize(
    ("choices", "says"),
    [
        ({"ep": 300}, "without an expert"),
        ({"ep": 4}, "offers"),
        ({"skew": "steep"}, "valid: uniform, zipf, measured"),
        ({"placement": "random"}, "valid: round-robin, balanced"),
        ({"phase": "train"}, "valid: decode, prefill"),
        ({"model": "llama-3-8b"}, "no routed experts"),
    ],
)
def test_what_cannot_be_says_why(choices, says):
    with pytest.raises(NotSupported, match=says):
        simulate("experts", LIBRARY, **{**DEEPSEEK, "layers": 2, "steps": 1, "runs": 2, **choices})
    assert experts_runs.NUMBERS

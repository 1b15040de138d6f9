"""Facts of the three policies at equal accelerators: who serves more, and where a split of prefill and decode loses."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.formulas.goodput import attained_rate_per_s, kv_stream_bytes_per_s, rate_within_gap_per_s
from generator.simulation.catalogue import simulate
from generator.specs.load import load

LONG = {"prompt_median": 8192, "output_median": 128, "requests": 200, "ttft_limit": 3.0, "tpot_limit": 0.010}
CHAT = {"prompt_median": 1024, "output_median": 256, "requests": 300, "ttft_limit": 0.5, "tpot_limit": 0.010}
SHORT = {"prompt_median": 256, "output_median": 512, "requests": 300, "ttft_limit": 0.5, "tpot_limit": 0.008}


@pytest.fixture(scope="module")
def run():
    library = load(Path(__file__).resolve().parents[2])

    def one(policy, rate, prefill_gpus=0, **choices):
        given = {"model": "llama-3.1-8b", "accelerator": "h100-sxm", "gpus": 4, "runs": 4} | choices
        if policy == "disaggregated":
            given = {"link": 50e9, "handover": 0.02, "prefill_gpus": prefill_gpus} | given
        return simulate("serving", library, policy=policy, rate=rate, **given)

    return one


def test_a_straight_line_between_two_rates_meets_the_target_where_it_crosses_it():
    line = {"slower_rate_per_s": 2.0, "faster_rate_per_s": 4.0, "slower_attainment": 1.0, "faster_attainment": 0.8}
    assert attained_rate_per_s(**line, attainment_target=0.9) == pytest.approx(3.0)
    assert attained_rate_per_s(**line, attainment_target=1.0) == 2.0
    assert attained_rate_per_s(**line, attainment_target=0.8) == pytest.approx(4.0)


def test_a_gap_limit_is_met_between_the_two_rates_whose_gaps_surround_it():
    line = {"slower_rate_per_s": 1.0, "faster_rate_per_s": 2.0, "slower_gap_s": 0.04, "faster_gap_s": 0.24}
    assert rate_within_gap_per_s(**line, gap_limit_s=0.14) == pytest.approx(1.5)


def test_six_prompts_of_8192_tokens_a_second_of_llama_3_1_8b_are_a_stream_of_6_4_gb_per_s():
    stream = kv_stream_bytes_per_s(requests_per_s=6, kv_bytes_per_request=8192 * 131072)
    assert stream == pytest.approx(6.44e9, rel=1e-3)


def test_with_long_prompts_a_split_serves_more_than_chunks_of_512_and_these_more_than_prefill_first(run):
    first = run("colocated", 6, **LONG).attainment
    chunks = run("chunked", 6, **LONG).attainment
    split = run("disaggregated", 6, 2, **LONG).attainment
    assert first < chunks < split
    assert split > 0.9


def test_chunks_of_256_serve_what_a_split_cannot(run):
    assert run("disaggregated", 10, 2, **LONG).attainment < 0.5
    assert run("chunked", 10, budget=256, **LONG).attainment > 0.9


def test_with_experts_no_budget_serves_what_a_split_does(run):
    experts = LONG | {"model": "gpt-oss-120b", "accelerator": "h200", "tpot_limit": 0.005}
    split = run("disaggregated", 8, 2, **experts).attainment
    assert split > 0.95
    for budget in (256, 512, 1024, 2048, 4096):
        assert run("chunked", 8, budget=budget, **experts).attainment < 0.9


def test_with_short_prompts_no_split_serves_more_than_chunks(run):
    chunks = run("chunked", 24, **SHORT).attainment
    assert all(run("disaggregated", 24, prefill, **SHORT).attainment < chunks for prefill in (1, 2, 3))


def test_a_tight_limit_on_the_first_token_turns_the_order_round(run):
    loose = LONG | {"ttft_limit": 0.8, "tpot_limit": 0.025}
    assert run("disaggregated", 6, 2, **loose).attainment < run("chunked", 6, **loose).attainment


def test_one_accelerator_more_or_less_for_prefill_costs_most_requests(run):
    shares = {prefill: run("disaggregated", 6, prefill, **LONG).attainment for prefill in (1, 2, 3)}
    assert shares[2] > 0.9
    assert max(shares[1], shares[3]) < 0.5


def test_a_shared_link_below_the_stream_of_caches_fails_and_above_it_does_not(run):
    assert run("disaggregated", 6, 2, link=5e9, shared_link="yes", **LONG).attainment < 0.5
    assert run("disaggregated", 6, 2, link=25e9, shared_link="yes", **LONG).attainment > 0.9


@pytest.mark.parametrize("budget", [256, 512, 2048])
def test_chunking_bounds_the_longest_gap_by_one_full_iteration(run, budget):
    """Sarathi-Serve's claim: no gap exceeds one iteration, with a piece at the end of the longest prompt."""
    longest = float(run("chunked", 6, budget=budget, **LONG).itl_max_s)
    assert longest < float(run("colocated", 6, **LONG).itl_max_s) / 5
    per_token = 2 * 8.03e9 + 2 * 2 * 32 * 4096 * 16_384
    assert longest < 0.0003 + 1.2 * max(budget * per_token / (989.4e12 * 0.6), 72e9 / (3.35e12 * 0.8))


def test_bursts_lengthen_the_tail_and_most_where_few_accelerators_take_prompts(run):
    grow = {}
    for policy, prefill in (("chunked", 0), ("disaggregated", 2)):
        smooth, bursty = (run(policy, 15, prefill, variation=cv, **CHAT).ttft_p99_s for cv in (1, 3))
        grow[policy] = bursty / smooth
    assert 1.2 < grow["chunked"] < grow["disaggregated"]


def test_clients_that_wait_wait_as_long_as_littles_law_says(run):
    """All but the start and the end of a closed loop: answer time is clients over rate."""
    closed = run("chunked", 1, gpus=1, clients=64, requests=1500, length_sigma=0.2)
    assert float(closed.e2e_mean_s) * float(closed.requests_per_s) == pytest.approx(64, rel=0.08)


def test_fewer_slots_make_requests_wait_and_steps_shorter(run):
    many = run("colocated", 0, gpus=1, requests=200)
    few = run("colocated", 0, gpus=1, requests=200, slots=32)
    assert few.ttft_mean_s > many.ttft_mean_s
    assert few.tpot_mean_s < many.tpot_mean_s


def test_with_a_sigma_of_zero_all_requests_are_alike(run):
    alike = run("colocated", 0.01, gpus=1, requests=20, length_sigma=0)
    assert alike.ttft_p50_s == pytest.approx(float(alike.ttft_p99_s))

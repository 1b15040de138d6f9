"""What cannot be simulated is refused in words that name the rule and the valid choices; what can is what was asked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from generator.estimates.architecture import NotSupported
from generator.simulation.batch import TooLarge
from generator.simulation.loads import Load
from generator.simulation.requests import Requests, generator_of
from generator.simulation.serving import Clients, Setup, serve, speculative_steps
from tests.simulation.test_serving_twin import CASES, POLICIES, prepared_costs

WRONG_SETUPS = [
    ({"policy": "best"}, "no policy is called `best`; valid: colocated, chunked, disaggregated"),
    ({"balance": "fair"}, "no balance is called `fair`; valid: least-loaded, round-robin"),
    ({"instances": 0}, "want at least one instance, got 0"),
    ({"policy": "disaggregated", "instances": 4}, "prefill got 0; valid: 1 to 3"),
    ({"policy": "disaggregated", "instances": 4, "prefill_instances": 4}, "prefill got 4; valid: 1 to 3"),
    ({"policy": "disaggregated", "instances": 2, "prefill_instances": 1}, "bandwidth above 0, got None"),
]
WRONG_LOADS = [
    ({"rate": -1}, "rate must be at least 0, got -1"),
    ({"rate": float("nan")}, "rate must be at least 0, got nan"),
    ({"requests": 0}, "requests must be at least 1, got 0"),
    ({"budget": 0}, "budget must be at least 1, got 0"),
    ({"slots": 0}, "slots must be at least 1, got 0"),
    ({"variation": -0.5}, "variation must be at least 0"),
    ({"tp": 0}, "tp must be at least 1, got 0"),
    ({"gpus": 3, "tp": 2}, "gpus 3 do not divide into groups of tp 2"),
    ({"gpus": 4, "tp": 2, "prefill_gpus": 1}, "prefill_gpus 1 do not divide into groups of tp 2"),
    ({"acceptance": 1.5}, "acceptance is a probability, got 1.5"),
    ({"draft_tokens": 3}, "drafts need an acceptance between 0 and 1"),
    ({"draft_tokens": -1, "acceptance": 0.5}, "draft_tokens must be at least 0"),
    ({"policy": "static"}, "no policy is called `static`; valid: colocated, chunked, disaggregated"),
]


@pytest.mark.parametrize(("choices", "says"), WRONG_SETUPS)
def test_a_wrong_setup_says_what_would_be_right(choices, says):
    with pytest.raises(NotSupported) as caught:
        Setup(**choices)
    assert says in str(caught.value)


@pytest.mark.parametrize(("choices", "says"), WRONG_LOADS)
def test_a_wrong_load_says_what_would_be_right(choices, says):
    with pytest.raises(NotSupported) as caught:
        Load(**choices)
    assert says in str(caught.value)


def test_a_closed_loop_with_disaggregation_is_refused(library):
    prepared = prepared_costs(library, CASES["colocated at low load"])
    with pytest.raises(NotSupported, match="valid: colocated, chunked"):
        serve(prepared, Requests([0.0], [10], [10]), POLICIES["disaggregated"], clients=Clients(1, [0.0]))


@pytest.mark.parametrize("policy", POLICIES)
def test_a_request_larger_than_the_pool_is_named(policy, library):
    prepared = replace(prepared_costs(library, CASES["colocated at low load"]), pool_bytes=500e6)
    with pytest.raises(TooLarge, match=r"request 1 of .* needs more cache than one instance has in all"):
        serve(prepared, Requests([0.0, 0.1], [100, 6_000], [10, 12]), POLICIES[policy])


def test_half_of_the_accelerators_prefill_unless_told_otherwise():
    assert Load(policy="disaggregated", gpus=8, link=1e9).setup.prefill_instances == 4
    assert Load(policy="disaggregated", gpus=8, tp=4, link=1e9).setup.prefill_instances == 1
    assert Load(policy="disaggregated", link=1e9).setup.instances == 2
    assert Load(policy="chunked").setup.instances == 1


def test_what_plays_no_part_is_no_input_of_a_published_run():
    plain = Load().inputs()
    assert not {"link_bytes_per_s", "token_budget", "acceptance", "clients", "prefill_gpus"} & set(plain)
    assert float(plain["arrival_rate_per_s"]) == 4.0
    assert "token_budget" in Load(policy="chunked").inputs()
    assert {"link_bytes_per_s", "prefill_gpus"} <= set(Load(policy="disaggregated", link=1e9).inputs())


def test_every_choice_is_part_of_the_identity():
    assert {name for name, _ in Load().identity()} == set(Load().given)
    assert Load().identity() != Load(think=1.0).identity()


@pytest.mark.parametrize("acceptance", [0.0, 0.3, 0.8, 1.0])
def test_a_checked_step_gives_the_expected_tokens(acceptance):
    """1 + a + a^2 + ... + a^k tokens a step (Leviathan et al. 2023)."""
    drafts, tokens = 4, 4001
    steps = speculative_steps(generator_of(1), [tokens] * 200, acceptance=acceptance, draft_tokens=drafts)
    expected = sum(acceptance**power for power in range(drafts + 1))
    assert (tokens - 1) * len(steps) / sum(steps) == pytest.approx(expected, rel=0.01)


def test_answers_of_one_token_take_no_checked_step():
    assert speculative_steps(generator_of(1), [1, 2], acceptance=1.0, draft_tokens=4) == [0, 1]

"""Queueing theory as referee: waiting times of M/M/1, M/D/1, M/G/1, M/M/c and M/D/c, Little's law, conservation."""

from __future__ import annotations

from itertools import pairwise
from math import exp, factorial, fsum, lgamma, log

import pytest
from hypothesis import given

from generator.intervals import interval
from generator.simulation.batch import Task
from generator.simulation.costs import Costs, Line
from generator.simulation.handover import prefill_pool
from generator.simulation.instance import colocated
from generator.simulation.iterations import Iterations
from generator.simulation.records import Records, metrics
from generator.simulation.requests import Requests, arrivals_s, generator_of, synthetic
from generator.simulation.router import route
from generator.simulation.serving import Setup, serve
from tests.simulation.test_serving_twin import CASES, POLICIES, prepared_costs, small_cases

SEEDS = range(1, 21)
REQUESTS, WARM_UP = 6000, 500
FOREVER = float("inf")


def unit_costs(*, step: float = 0.0, per_prompt_token: float = 0.0, longest: int = 20_000) -> Costs:
    """A step takes the same time whatever it holds, a prompt its length times a time, and there is room for all."""
    return Costs(
        weights_s=[0.0, step], fixed_s=[0.0], prompt_s=[per_prompt_token * tokens for tokens in range(longest + 1)],
        lines=(Line(FOREVER, 0.0, 0.0, 0.0, 0.0),), pool_bytes=FOREVER, request_bytes=[0.0] * (longest + 2),
        moved_bytes=[0.0] * (longest + 2),
    )  # fmt: skip


def steps_of(generator, law: str, mean: int) -> list[int]:
    """Whole lengths: all alike, exponential, or a tenth of them nine times as long as the others."""
    if law == "deterministic":
        return [mean] * REQUESTS
    if law == "exponential":
        return [max(1, round(one)) for one in generator.exponential(mean, REQUESTS)]
    return [5 * mean if one < 0.1 else round(5 / 9 * mean) for one in generator.random(REQUESTS)]


SECOND_MOMENT = {"deterministic": 1.0, "exponential": 2.0, "two kinds": 0.1 * 25 + 0.9 * 25 / 81}
"""Mean square of a service time over its squared mean."""


def decode_waits(seed: int, *, law: str, slots: int, load: float, mean: int) -> list[float]:
    """Waits of requests that decode in slots, in units of the mean service time."""
    generator = generator_of(seed)
    arrivals = arrivals_s(generator, requests=REQUESTS, rate_per_s=slots * load)
    steps = steps_of(generator, law, mean)
    records = Records(arrivals, [1] * REQUESTS, [1] * REQUESTS)
    task = Task(arrivals, steps, growth=[0.0] * REQUESTS)
    prepared = unit_costs(step=1 / mean)
    route(
        lambda number, queue: colocated(prepared, task, records, queue, prefill_tokens=None, slots=slots),
        1, range(REQUESTS), arrivals, "round-robin",
    )  # fmt: skip
    return [first - arrival for first, arrival in zip(records.first_token_s, arrivals, strict=True)]


def prefill_waits(seed: int, *, law: str, instances: int, load: float, mean: int) -> list[float]:
    """Waits of prompts that a pool processes one by one, in units of the mean service time."""
    generator = generator_of(seed)
    arrivals = arrivals_s(generator, requests=REQUESTS, rate_per_s=instances * load)
    prompts = steps_of(generator, law, mean)
    records = Records(arrivals, prompts, [2] * REQUESTS)
    prepared = unit_costs(per_prompt_token=1 / mean, longest=max(prompts))
    prefill_pool(prepared, records, instances=instances, link_bytes_per_s=1.0, prefill_tokens=1)
    return [start - arrival for start, arrival in zip(records.start_s, arrivals, strict=True)]


def assert_inside(wait: float, waits) -> None:
    """The mean wait of theory lies in the 99 % interval of the means over the seeds."""
    means = [fsum(one[WARM_UP:]) / (REQUESTS - WARM_UP) for one in waits]
    mean, low, high = interval(means, 0.99)
    assert low <= wait <= high, f"theory {wait:.5f}, simulation {mean:.5f} ({low:.5f} to {high:.5f})"
    assert high - low < 0.3 * wait, "an interval so wide says nothing"


def pollaczek_khinchine(load: float, second_moment: float) -> float:
    """Mean wait of M/G/1 in mean service times."""
    return load * second_moment / (2 * (1 - load))


def erlang_c_wait(load: float, servers: int) -> float:
    """Mean wait of M/M/c in mean service times."""
    offered = servers * load
    full = offered**servers / factorial(servers) / (1 - load)
    waits = full / (fsum(offered**one / factorial(one) for one in range(servers)) + full)
    return waits / (servers * (1 - load))


def crommelin_wait(load: float, servers: int) -> float:
    """Mean wait of M/D/c in service times, after Crommelin 1932."""
    total = 0.0
    for turn in range(1, 400):
        mean, at = turn * servers * load, turn * servers
        term = first = exp(at * log(mean) - mean - lgamma(at + 1))
        beyond, count = 0.0, at
        while term > 1e-18:
            count += 1
            term *= mean / count
            beyond += term
        total += first + beyond - beyond / load
    return total


def test_the_formulas_of_theory_agree_where_they_meet():
    for load in (0.3, 0.7):
        assert crommelin_wait(load, 1) == pytest.approx(pollaczek_khinchine(load, 1.0), rel=1e-6)
        assert erlang_c_wait(load, 1) == pytest.approx(pollaczek_khinchine(load, 2.0), rel=1e-12)
    assert crommelin_wait(0.95, 4) == pytest.approx(erlang_c_wait(0.95, 4) / 2, rel=0.03)


@pytest.mark.parametrize("load", [0.4, 0.7])
@pytest.mark.parametrize("law", SECOND_MOMENT)
def test_one_slot_waits_as_one_server(law, load):
    wait = pollaczek_khinchine(load, SECOND_MOMENT[law])
    assert_inside(wait, (decode_waits(seed, law=law, slots=1, load=load, mean=1800) for seed in SEEDS))


@pytest.mark.parametrize(("slots", "load"), [(2, 0.6), (4, 0.75), (8, 0.8)])
def test_several_slots_wait_as_several_servers(slots, load):
    # A request joins at the next step, half a step late on average.
    wait = erlang_c_wait(load, slots)
    assert_inside(wait, (decode_waits(seed, law="exponential", slots=slots, load=load, mean=4000) for seed in SEEDS))


@pytest.mark.parametrize("load", [0.4, 0.7])
@pytest.mark.parametrize("law", SECOND_MOMENT)
def test_one_prefill_instance_waits_as_one_server(law, load):
    wait = pollaczek_khinchine(load, SECOND_MOMENT[law])
    assert_inside(wait, (prefill_waits(seed, law=law, instances=1, load=load, mean=900) for seed in SEEDS))


@pytest.mark.parametrize(("instances", "load"), [(2, 0.6), (4, 0.75), (8, 0.8)])
def test_a_prefill_pool_waits_as_several_servers(instances, load):
    for law, wait in (("exponential", erlang_c_wait), ("deterministic", crommelin_wait)):
        waits = (prefill_waits(seed, law=law, instances=instances, load=load, mean=900) for seed in SEEDS)
        assert_inside(wait(load, instances), waits)


def test_near_saturation_the_wait_approaches_the_heavy_traffic_limit():
    """(1 - load) times the wait goes to half the second moment: Kingman 1961."""
    scaled = []
    for load in (0.5, 0.8, 0.95):
        waits = (decode_waits(seed, law="deterministic", slots=1, load=load, mean=1800) for seed in SEEDS)
        scaled.append((1 - load) * fsum(map(fsum, waits)) / (len(SEEDS) * REQUESTS))
    assert scaled == sorted(scaled)
    assert scaled[-1] == pytest.approx(0.5, rel=0.2)


def test_requests_that_are_all_there_take_as_many_rounds_as_slots_say():
    count, slots, steps = 1000, 64, 50
    records = Records([0.0] * count, [1] * count, [steps + 1] * count)
    task = Task(records.arrival_s, [steps] * count)
    route(
        lambda number, queue: colocated(unit_costs(step=0.5), task, records, queue, prefill_tokens=None, slots=slots),
        1, range(count), records.arrival_s, "round-robin",
    )  # fmt: skip
    assert max(records.finish_s) == -(-count // slots) * steps * 0.5


# What holds for every run, whatever is switched on.


def sweep(changes: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Level after each change, in order of time; what goes at a moment goes before what comes then."""
    level, levels = [], []
    for time, change in sorted(changes):
        level.append(change)
        levels.append((time, fsum(level)))
    return levels


def time_average(records: Records) -> float:
    """Mean number of requests in the system up to the last finish, from a sweep over arrivals and finishes."""
    changes = [(time, 1.0) for time in records.arrival_s] + [(time, -1.0) for time in records.finish_s]
    levels = sweep(changes)
    areas = [level * (after - before) for (before, level), (after, _) in pairwise(levels)]
    return fsum(areas) / levels[-1][0]


def assert_lawful(prepared: Costs, records: Records, setup: Setup, logs: list[Iterations], steps, cached) -> None:
    """Order of events, tokens, room, Little's law, and no rest while there is work."""
    count = len(records)
    for number in range(count):
        arrival, start, first, finish = (
            records.arrival_s[number], records.start_s[number], records.first_token_s[number], records.finish_s[number],
        )  # fmt: skip
        assert 0 <= arrival <= start <= first <= finish < FOREVER
        assert (finish == first) == (records.output_tokens[number] == 1)
    steps = steps or [tokens - 1 for tokens in records.output_tokens]
    assert sum(row[3] * row[4] for log in logs for row in log.rows) == sum(steps)
    assert sum(row[2] for log in logs for row in log.rows) == sum(records.prompt_tokens) - sum(cached or [])
    found = metrics(records)
    assert found["requests_in_system"] == pytest.approx(time_average(records), rel=1e-9)
    assert found["requests_in_system"] == pytest.approx(found["requests_per_s"] * found["e2e_mean_s"], rel=1e-9)
    held_from = records.first_token_s if setup.policy == "disaggregated" else records.start_s
    for instance in range(setup.instances):
        mine = [number for number in range(count) if records.instance[number] == instance]
        changes = []
        for number in mine:
            held = prepared.request_bytes[records.prompt_tokens[number] + records.output_tokens[number]]
            # A request of one token that was prefilled elsewhere comes and goes at once.
            if records.finish_s[number] > held_from[number]:
                changes += [(held_from[number], held), (records.finish_s[number], -held)]
        assert all(-1e-6 <= level <= prepared.pool_bytes * (1 + 1e-12) for _, level in sweep(changes))
        assert_no_rest(records, setup, logs[instance], mine)


def assert_no_rest(records: Records, setup: Setup, log: Iterations, mine: list[int]) -> None:
    """Iterations do not overlap, and between two of them that do not touch the instance has no request."""
    for before, after in pairwise(log.rows):
        assert before[1] <= after[0]
        if before[1] < after[0] and setup.policy != "disaggregated":
            middle = (before[1] + after[0]) / 2
            assert not [one for one in mine if records.arrival_s[one] < middle < records.finish_s[one]]


@given(small_cases())
def test_nothing_is_lost_made_or_overfilled(case):
    prepared, requests, setup, more = case
    logs: list[Iterations] = []
    records = serve(prepared, requests, setup, logs=logs, **more)
    assert_lawful(prepared, records, setup, logs, more.get("decode_steps"), more.get("cached_tokens"))


LAWFUL = [name for name in CASES if not any(word in name for word in ("drafts", "prefix", "clients", "one-token"))]


@pytest.mark.parametrize("name", LAWFUL)
def test_laws_hold_at_every_load(name, library):
    case = CASES[name]
    prepared = prepared_costs(library, case)
    requests = synthetic(
        generator_of(11), requests=600, rate_per_s=case.rate or 1e6, prompt_median_tokens=case.prompt,
        output_median_tokens=case.output, variation=case.variation,
    )  # fmt: skip
    logs: list[Iterations] = []
    records = serve(prepared, requests, case.setup, logs=logs)
    assert_lawful(prepared, records, case.setup, logs, None, None)


def mean_e2e(prepared: Costs, setup: Setup, rate: float, seed: int) -> float:
    requests = synthetic(
        generator_of(seed), requests=400, rate_per_s=rate, prompt_median_tokens=1024, output_median_tokens=256
    )
    return metrics(serve(prepared, requests, setup))["e2e_mean_s"]


@pytest.mark.parametrize("policy", POLICIES)
def test_more_accelerators_do_not_slow_requests_down(policy, library):
    prepared = prepared_costs(library, CASES["colocated at low load"])
    for seed in SEEDS:
        times = []
        for instances in (2, 4, 8):
            setup = Setup(
                policy, instances=instances, prefill_instances=instances // 2 if policy == "disaggregated" else 0,
                link_bytes_per_s=5e10,
            )  # fmt: skip
            times.append(mean_e2e(prepared, setup, 24.0, seed))
        assert times == sorted(times, reverse=True)


def test_a_faster_link_hands_no_request_over_later(library):
    prepared = prepared_costs(library, CASES["colocated at low load"])
    requests = synthetic(
        generator_of(5), requests=500, rate_per_s=8.0, prompt_median_tokens=2000, output_median_tokens=100
    )
    for shared in (False, True):
        for instances in (1, 3):
            before = None
            for link in (1e9, 4e9, 5e10, 1e15):
                records = Records(requests.arrival_s, requests.prompt_tokens, requests.output_tokens)
                ready = prefill_pool(prepared, records, instances=instances, link_bytes_per_s=link, shared_link=shared)
                assert before is None or all(now <= then for now, then in zip(ready, before, strict=True))
                before = ready


def test_a_link_of_no_length_leaves_disaggregation_the_prefill_and_the_steps(library):
    """One request alone takes its prefill, its transfer and its steps, to the last digit."""
    prepared = prepared_costs(library, CASES["colocated at low load"])
    setup = POLICIES["disaggregated"]
    records = serve(prepared, Requests([0.0], [1000], [11]), setup)
    prefill = max(prepared.prompt_s[1000], prepared.weights_s[1000]) + prepared.fixed_s[1000]
    transfer = prepared.moved_bytes[1000] / setup.link_bytes_per_s
    line = prepared.lines[0]
    steps = fsum(
        max(prepared.weights_s[1] + line.memory_per_token_s * context, line.compute_s) + prepared.fixed_s[1]
        for context in range(1001, 1011)
    )
    assert records.first_token_s[0] == pytest.approx(prefill + transfer, rel=1e-12)
    assert records.finish_s[0] == pytest.approx(prefill + transfer + steps, rel=1e-12)


def test_a_saturated_instance_answers_at_the_estimated_rate(library):
    """Alike requests that are all there: the tokens per second of the estimate that prefills between decode steps."""
    from generator.estimates.serving import serving
    from generator.simulation.costs import costs

    model, card = library.models["llama-3-8b"], library.accelerators["h100-sxm"]
    prepared = costs(model, card, library, step_overhead_s=0.0)
    slots, prompt, output, rounds = 64, 1024, 256, 40
    requests = Requests([0.0] * slots * rounds, [prompt] * slots * rounds, [output] * slots * rounds)
    found = metrics(serve(prepared, requests, Setup(slots=slots)))
    estimate = serving(model, card, library, batch=slots, prompt_tokens=prompt, output_tokens=output)
    # The estimate counts a decode step for the first token, which here comes from the prefill.
    assert found["output_tokens_per_s"] == pytest.approx(float(estimate.mixed_tokens_per_s), rel=0.01)

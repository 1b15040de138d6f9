"""Slots and batches: twins, queueing theory, published behaviour, and what can never happen."""

from __future__ import annotations

from math import exp, factorial, log, sqrt
from statistics import NormalDist, fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.estimates.architecture import NotSupported
from generator.formulas import NOMENCLATURE, batches
from generator.intervals import interval
from generator.simulation.batching import on_demand, static, step_costs
from generator.simulation.batching_runs import EXAMPLE, Load, experiment, run_of_steps
from generator.simulation.costs import costs
from generator.simulation.instance import Task, TooLarge
from generator.simulation.outcomes import repeat
from generator.simulation.records import Records
from tests.simulation.twins import batching as twin

BLOCK = 16
FIELDS = ("start_s", "finish_s")

lengths = st.lists(
    st.tuples(st.integers(0, 40), st.integers(1, 60), st.integers(1, 60)), min_size=1, max_size=25
)  # gap in tenths of a step, prompt, output


def drawn(rows: list[tuple[int, int, int]]) -> Records:
    arrivals, time = [], 0.0
    for gap, _, _ in rows:
        time += gap / 10
        arrivals.append(time)
    return Records(arrivals, [row[1] for row in rows], [row[2] for row in rows])


def same_times(records: Records, slow: list[twin.Request]) -> None:
    assert records.start_s == pytest.approx([one.start for one in slow], abs=1e-9)
    assert records.finish_s == pytest.approx([one.finish for one in slow], abs=1e-9)


def slow_of(records: Records) -> list[twin.Request]:
    return twin.requests_of(records.arrival_s, records.prompt_tokens, records.output_tokens)


@given(rows=lengths, slots=st.integers(1, 8), wait=st.integers(0, 30), streamed=st.booleans())
def test_static_batches_agree_with_their_twin(rows, slots, wait, streamed):
    records = drawn(rows)
    plain = step_costs(pool_tokens=1e9, longest_tokens=200)
    static(plain, Task(records.arrival_s, records.output_tokens), records, slots=slots, fill_wait=wait,
           prefill=False, streamed=streamed)  # fmt: skip
    slow = slow_of(records)
    twin.static(slow, slots=slots, fill_wait=wait, streamed=streamed)
    same_times(records, slow)


def test_static_batches_agree_with_their_twin_on_real_costs(library):
    prepared = costs(
        library.find("models", "llama-3.1-8b"), library.find("accelerators", "h100-sxm"), library,
        longest_prompt_tokens=2048, longest_request_tokens=4096,
    )  # fmt: skip
    records = Load(rate=3, requests=80, longest=2048).draw(3, 3.0)
    steps = [tokens - 1 for tokens in records.output_tokens]
    static(prepared, Task(records.arrival_s, steps), records, slots=8)
    slow = slow_of(records)
    twin.static(slow, slots=8, costs=prepared)
    same_times(records, slow)


@given(rows=lengths, slots=st.integers(1, 8), blocks=st.integers(8, 40))
def test_blocks_on_demand_agree_with_their_twin_and_stay_in_the_pool(rows, slots, blocks):
    records = drawn(rows)
    sent_back = on_demand(records, pool_blocks=blocks, block_tokens=BLOCK, slots=slots)
    slow = slow_of(records)
    most = twin.continuous(slow, slots=slots, block=BLOCK, pool_blocks=blocks)
    same_times(records, slow)
    assert sent_back == [one.sent_back for one in slow]
    assert most <= blocks


@given(load=st.floats(0.05, 3), seed=st.integers(1, 1000), allocation=st.sampled_from(("exact", "reserved")))
def test_continuous_batching_is_the_colocated_instance_with_steps_for_seconds(load, seed, allocation):
    choice = Load(load=load, requests=60, slots=6, output_median=20, prompt_median=30, longest=256, pool=900,
                  allocation=allocation)  # fmt: skip
    records = run_of_steps(choice, BLOCK, seed).records
    slow = slow_of(records)
    if allocation == "reserved":
        twin.continuous(slow, slots=min(6, 900 // 256))
    else:
        twin.continuous(slow, slots=6, block=BLOCK, pool_blocks=900 / BLOCK, on_demand=False)
    same_times(records, slow)


def test_a_request_larger_than_the_pool_is_an_error():
    records = Records([0.0], [100], [100])
    with pytest.raises(TooLarge):
        on_demand(records, pool_blocks=10, block_tokens=BLOCK, slots=4)
    plain = step_costs(pool_tokens=150, longest_tokens=200)
    with pytest.raises(TooLarge):
        static(plain, Task([0.0], [100]), Records([0.0], [100], [100]), slots=4, prefill=False)


@pytest.mark.parametrize("policy", ["continuous", "static"])
@pytest.mark.parametrize("load", [0.0, 0.2, 1.5])
def test_every_request_is_served_once_after_it_came_and_no_slot_makes_two_tokens(policy, load):
    run = run_of_steps(Load(policy=policy, load=load, requests=300), BLOCK, 5)
    records = run.records
    assert sum(row[3] * row[4] for row in run.log.rows) == sum(records.output_tokens)
    assert max(row[3] for row in run.log.rows) <= 32
    for arrival, start, finish, output in zip(
        records.arrival_s, records.start_s, records.finish_s, records.output_tokens, strict=True
    ):
        assert arrival <= start
        assert finish - start >= output - 1e-9


def test_littles_law_holds_on_a_run():
    import numpy

    records = run_of_steps(Load(load=0.9, requests=500), BLOCK, 2).records
    arrival, finish = numpy.array(records.arrival_s), numpy.array(records.finish_s)
    moments = numpy.sort(numpy.concatenate((arrival, finish)))
    inside = numpy.searchsorted(arrival, moments, "right") - numpy.searchsorted(numpy.sort(finish), moments, "right")
    end = moments[-1]
    area = float((inside[:-1] * numpy.diff(moments)).sum())
    assert area / end == pytest.approx(len(records) / end * float((finish - arrival).mean()))


def _waits(choice: Load, seeds: range) -> list[float]:
    found = []
    for seed in seeds:
        records = run_of_steps(choice, BLOCK, seed).records
        # The first third fills an empty system.
        waits = [start - arrival for start, arrival in zip(records.start_s, records.arrival_s, strict=True)]
        found.append(fmean(waits[len(waits) // 3 :]))
    return found


def test_exponential_outputs_wait_as_in_m_m_c():
    """Erlang 1917; a step is small against a request, and a request waits half a step on top."""
    servers, load, mean = 4, 0.7, 1000
    offered = servers * load
    blocked = offered**servers / factorial(servers) / (1 - load)
    probability = blocked / (sum(offered**one / factorial(one) for one in range(servers)) + blocked)
    expected = probability * mean / (servers * (1 - load)) + 0.5
    choice = Load(load=load, slots=servers, output_mean=mean, requests=3000, longest=65_536, prompt_median=16)
    _, low, high = interval(_waits(choice, range(1, 25)), 0.99)
    assert low < expected < high


def test_one_slot_and_lognormal_outputs_wait_as_pollaczek_says():
    load, mean = 0.5, 256 * exp(0.5**2 / 2)
    expected = load / (1 - load) * (1 + exp(0.5**2) - 1) / 2 * mean + 0.5
    choice = Load(load=load, slots=1, sigma=0.5, requests=3000)
    _, low, high = interval(_waits(choice, range(1, 25)), 0.99)
    assert low < expected < high
    assert batches.slot_wait_steps(
        slot_load=load, slots=1, arrival_variation=1, mean_output_tokens=mean,
        output_variation=batches.output_variation(output_sigma=0.5),
    ) == pytest.approx(expected - 0.5)  # fmt: skip


def test_outputs_of_one_length_cost_a_static_batch_nothing(library):
    (found,) = metrics_of(library, 1, policy="static", sigma=0, requests=320)
    assert found["made_tokens_per_step"] == pytest.approx(32)
    assert found["idle_slot_share"] == pytest.approx(0)


def test_the_longest_of_a_batch_is_as_long_as_the_integral_over_its_distribution(library):
    slots, sigma, median = 32, 0.8, 256
    grid = range(1, 20_000)
    normal = NormalDist(0, sigma)
    expected = sum(1 - normal.cdf(log(x / median)) ** slots for x in grid) + 1
    runs = metrics_of(library, *range(1, 21), policy="static", requests=33 * 32)
    _, low, high = interval([run["batch_longest_tokens"] for run in runs], 0.99)
    assert low < expected < high
    bound = batches.static_gain_limit(slots=slots, output_sigma=sigma)
    assert expected / (median * exp(sigma**2 / 2)) < bound


@given(slots=st.integers(2, 1000), sigma=st.floats(0, 1.1))
def test_the_bound_of_the_gain_is_1_without_spread_and_grows_with_the_slots(slots, sigma):
    bound = batches.static_gain_limit(slots=slots, output_sigma=sigma)
    assert bound >= 1 - 1e-12
    assert batches.static_gain_limit(slots=slots, output_sigma=0) == 1
    assert batches.static_gain_limit(slots=slots + 1, output_sigma=sigma) >= bound


def metrics_of(library, *seeds, **choices):
    """Metrics of each run."""
    made = experiment(library, **choices)
    return [made.run(seed) for seed in seeds]


def test_reserved_cache_holds_seven_requests_of_opt_13b_and_blocks_thirty(library):
    """Kwon et al. 2023, figure 13a: 7.00 and 30.42 batched requests in 15.7K places at 2,048 tokens a request."""
    given = {
        "load": 0, "pool": 15_700, "slots": 256, "longest": 2048, "prompt_median": 161, "prompt_sigma": 0,
        "output_mean": 338, "requests": 800,
    }  # fmt: skip
    (reserved,) = metrics_of(library, 1, allocation="reserved", **given)
    (blocks,) = metrics_of(library, 1, allocation="blocks", **given)
    assert reserved["mean_decode_batch"] == 7
    assert blocks["mean_decode_batch"] == pytest.approx(30.42, rel=0.1)
    assert blocks["cache_waste_share"] < 0.04
    assert reserved["cache_used_share"] == pytest.approx(0.204, abs=0.05)


def test_closed_forms_of_wasted_cache_agree_with_runs(library):
    held = batches.mean_held_tokens(prompt_tokens=200, mean_output_tokens=300, output_variation=1)
    given = {"prompt_median": 200, "prompt_sigma": 0, "output_mean": 300, "longest": 16_384, "requests": 2000}
    runs = metrics_of(library, *range(1, 9), allocation="blocks", **given)
    assert fmean(run["cache_waste_share"] for run in runs) == pytest.approx(
        batches.block_waste_share(mean_held_tokens=held, block_tokens=16), rel=0.03
    )
    runs = metrics_of(library, *range(1, 9), allocation="reserved", **given)
    expected = batches.reserved_waste_share(mean_held_tokens=held, longest_request_tokens=16_384)
    assert fmean(run["cache_waste_share"] for run in runs) == pytest.approx(expected, rel=0.005)


def test_a_burst_moves_arrivals_and_keeps_their_number():
    plain = Load(load=0.5, requests=2000).draw(1, 0.05).arrival_s
    burst = Load(load=0.5, requests=2000, burst_ratio=4, burst_start=1000, burst_steps=2000).draw(1, 0.05).arrival_s
    assert len(plain) == len(burst)
    assert [time for time in plain if time < 1000] == [time for time in burst if time < 1000]
    inside = sum(1000 <= time < 3000 for time in burst)
    assert inside == sum(1000 <= time < 9000 for time in plain)
    assert burst == sorted(burst)


def test_the_same_seed_gives_the_same_metrics(library):
    one, two = (repeat(experiment(library, **EXAMPLE), seed=7, runs=2) for _ in range(2))
    assert {name: float(number) for name, number in one.numbers.items()} == {
        name: float(number) for name, number in two.numbers.items()
    }
    assert set(one.numbers) <= set(NOMENCLATURE)
    assert set(one.inputs) <= set(NOMENCLATURE)


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"policy": "dynamic"}, "valid: continuous, static"),
        ({"allocation": "pages"}, "valid: exact, blocks"),
        ({"rate": 3}, "give `load`"),
        ({"policy": "static", "allocation": "blocks"}, "valid: exact"),
        ({"model": "llama-3.1-8b"}, "both a model and an accelerator"),
        ({"model": "llama-3.1-8b", "accelerator": "h100-sxm", "load": 0.5}, "clock of steps"),
        ({"slots": 0}, "at least 1"),
    ],
)
def test_what_cannot_be_simulated_says_what_would_be_right(library, choices, said):
    with pytest.raises(NotSupported, match=said):
        experiment(library, **choices).run(1)


def test_an_unknown_choice_is_an_error(library):
    with pytest.raises(TypeError, match="takes no `rates`"):
        experiment(library, rates=3)


def test_waits_grow_with_the_square_of_the_variation_in_the_closed_form():
    given = {"slot_load": 0.8, "slots": 32, "mean_output_tokens": 350, "output_variation": 0.9}
    one, three = (batches.slot_wait_steps(arrival_variation=ca, **given) for ca in (1, 3))
    assert three / one == pytest.approx((9 + 0.81) / (1 + 0.81))
    assert sqrt(2 * 33) - 1 == pytest.approx(7.124, abs=1e-3)

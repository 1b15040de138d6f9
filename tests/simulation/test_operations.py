"""A fleet in operation: queueing theory, conservation, limits, and a slow twin that follows every request."""

from __future__ import annotations

from math import factorial
from pathlib import Path
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.estimates.architecture import NotSupported
from generator.formulas.nomenclature import NOMENCLATURE
from generator.intervals import interval
from generator.simulation.catalogue import SIMULATORS
from generator.simulation.fleet import Replica
from generator.simulation.operations import Change, Rule, first_token_s, metrics, operate
from generator.simulation.operations_course import FIELDS, course, parts
from generator.simulation.operations_runs import RECOVERIES, experiment, operation
from generator.simulation.requests import generator_of
from generator.simulation.scaling import SIGNALS, TARGETS, Seen, wanted
from generator.simulation.traffic import DAY_S, Traffic
from generator.specs.load import load
from tests.simulation.twins import operations as twin

CHAT = {"model": "llama-3.1-70b", "accelerator": "h100-sxm", "tp": 4, "peak_rate": 100.0, "ttft_limit": 2.0}


@pytest.fixture(scope="module")
def library():
    return load(Path(__file__).resolve().parents[2])


def constant(slots, stay_s):
    """A replica in which a request stays as long whoever is served beside it."""
    return Replica(slots, [stay_s] * (slots + 1), [0.0] * (slots + 1))


def drawn(replica, traffic, rule, seed, steps, step_s, begun, **more):
    generator = generator_of(seed)
    arrived = traffic.counts(generator, steps, step_s)
    noise = generator.standard_normal(steps).tolist()
    return operate(replica, arrived, noise, step_s=step_s, rule=rule, begun=begun, **more)


def erlang_queue(servers, load):
    """Mean number that wait in M/M/c with this offered load."""
    waiting = load**servers / factorial(servers) * servers / (servers - load)
    chance = waiting / (sum(load**k / factorial(k) for k in range(servers)) + waiting)
    return chance * load / (servers - load)


@pytest.mark.parametrize(("servers", "load"), [(8, 6.0), (20, 17.0), (50, 46.0)])
def test_constant_load_on_a_fixed_fleet_is_the_queue_m_m_c(servers, load):
    replica, stay_s = constant(1, 10.0), 10.0
    means = []
    for seed in range(1, 21):
        day = drawn(replica, Traffic(load / stay_s), Rule(servers), seed, 60_000, 0.5, int(load))
        means.append(fmean(day.waiting[2000:]))
    _, low, high = interval(means, 0.99)
    # Steps of a twentieth of the stay leave an error of some per cent.
    slack = 0.06 * erlang_queue(servers, load)
    assert low - slack <= erlang_queue(servers, load) <= high + slack


def test_without_a_queue_the_requests_in_the_system_are_rate_times_stay():
    means = []
    for seed in range(1, 21):
        day = drawn(constant(100, 20.0), Traffic(2.0), Rule(2), seed, 6000, 10.0, 40)
        means.append(metrics(day, constant(100, 20.0), ttft_limit_s=1.0)["requests_in_system"])
    _, low, high = interval(means, 0.99)
    assert low - 0.5 <= 40 <= high + 0.5
    assert high - low < 2


def test_constant_load_agrees_with_the_serving_simulation(library):
    """One replica at six tenths of its capacity, requests of one length: the kernel serves them one by one."""
    rate, shape = 9.0, {"model": "llama-3.1-8b", "accelerator": "h100-sxm"}
    fleet = experiment(
        library, **shape, replicas=1.0, peak_rate=rate, trough_share=1.0, variation=0.0, horizon=3600.0, step=1.0
    )
    kernel = SIMULATORS["serving"].experiment(
        library, **shape, rate=rate, requests=8000, prompt_median=1000, output_median=500, length_sigma=0.0
    )
    fluid = [fleet.run(seed) for seed in range(1, 6)]
    exact = [kernel.run(seed) for seed in range(1, 4)]
    for name, within in (("requests_in_system", 0.08), ("ttft_mean_s", 0.25)):
        assert fmean(one[name] for one in fluid) == pytest.approx(fmean(one[name] for one in exact), rel=within), name


@pytest.mark.parametrize("signal", ["none", "utilisation", "concurrency", "queue"])
def test_the_slow_twin_that_follows_every_request_agrees(signal):
    replica = Replica(40, [10.0 + 0.25 * n for n in range(41)], [0.0] * 41)
    traffic = Traffic(10.0, trough_share=0.4)
    rule = Rule(
        8 if signal == "none" else 3, signal, TARGETS[signal], most_replicas=12, startup_s=60.0, cooldown_s=300.0
    )
    horizon_s, step_s = DAY_S / 2, 2.0
    fast, slow = [], []
    for seed in range(1, 5):
        day = drawn(replica, traffic, rule, seed, int(horizon_s / step_s), step_s, 40)
        waits, own = first_token_s(day, replica)
        late = sum(count for wait, count in zip(waits, own, strict=True) if wait > 1.0) / sum(own)
        fast.append((fmean(day.paid), fmean(day.waiting), late))
        waits, paid, queue = twin.operate(replica, traffic, rule, generator_of(seed), horizon_s=horizon_s, begun=40)
        slow.append((paid, queue, sum(wait > 1.0 for wait in waits) / len(waits)))
    paid, queue, late = (tuple(fmean(run[place] for run in runs) for runs in (fast, slow)) for place in range(3))
    # A rule that acts on the queue amplifies how finely the queue is seen: by the step here, by the event in the twin.
    edge = signal == "queue"
    assert paid[0] == pytest.approx(paid[1], rel=0.15 if edge else 0.03)
    assert queue[0] == pytest.approx(queue[1], rel=0.5 if edge else 0.25, abs=0.1)
    assert late[0] == pytest.approx(late[1], abs=0.1 if edge else 0.02)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(1, 10_000), signal=st.sampled_from(SIGNALS), peak=st.floats(0.1, 200), trough=st.floats(0, 1),
    slots=st.integers(1, 200), replicas=st.integers(1, 20), startup=st.floats(0, 900), bursts=st.floats(0, 20),
    overflow=st.one_of(st.none(), st.floats(0, 1)), step_s=st.sampled_from([2.0, 15.0, 30.0]),
)  # fmt: skip
def test_requests_and_replicas_are_conserved(
    seed, signal, peak, trough, slots, replicas, startup, bursts, overflow, step_s
):
    replica = Replica(slots, [5.0 + 0.1 * n for n in range(slots + 1)], [0.1] * (slots + 1))
    traffic = Traffic(peak, trough, 0.2, bursts, 3.0)
    rule = Rule(replicas, signal, TARGETS[signal], startup_s=startup, most_replicas=30, forecast=traffic.curve)
    changes = (Change(300.0, replicas - 0.5, 0.1), Change(900.0, replicas)) if signal == "none" else ()
    day = drawn(replica, traffic, rule, seed, 400, step_s, 3, changes=changes, overflow_at=overflow)
    assert day.begun + sum(day.arrived) == day.finished + day.left + sum(day.sent)
    assert all(0 <= sent <= count for sent, count in zip(day.sent, day.arrived, strict=True))
    assert all(paid >= serving for paid, serving in zip(day.paid, day.serving, strict=True))
    assert min(day.waiting) >= 0
    assert max(day.paid) <= 30 + max(day.paid[0], replicas) * 2
    assert max(day.level) <= slots
    if overflow is not None:
        assert max(day.waiting) <= 3
    found = metrics(day, replica, ttft_limit_s=1.0)
    assert 0 <= found["attainment"] <= 1
    assert found["missed_requests"] <= found["requests"]
    assert found["ttft_p50_s"] <= found["ttft_p95_s"] <= found["ttft_p99_s"]
    assert set(found) <= set(NOMENCLATURE)


def test_gpu_hours_are_the_integral_of_the_paid_replicas(library):
    one = operation(library, **CHAT, signal="utilisation", bursts_per_day=4.0)
    day, _ = one.day(3)
    found = one.run(3)
    assert found["gpu_hours"] == pytest.approx(sum(day.paid) * day.step_s * 4 / 3600, rel=1e-9)
    fixed = operation(library, **CHAT, replicas=17.0).run(3)
    assert fixed["gpu_hours"] == pytest.approx(17 * 4 * 24)
    assert fixed["fleet_usd"] == pytest.approx(17 * 4 * 24 * float(library.datum("prices/gpus/h100-sxm#typical")))


def test_every_replica_that_is_ordered_answers_a_start_up_later_or_is_given_back():
    replica = constant(10, 10.0)
    rule = Rule(1, "utilisation", 0.4, startup_s=120.0, cooldown_s=1e9)
    day = drawn(replica, Traffic(5.0), rule, 1, 1000, 10.0, 10)
    rises = [step for step in range(1, 1000) if day.paid[step] > day.paid[step - 1]]
    answers = [step for step in range(1, 1000) if day.serving[step] > day.serving[step - 1]]
    assert day.paid[-1] == day.serving[-1] > 1
    assert [step + 12 for step in rises] == answers


@pytest.mark.parametrize("signal", ["concurrency", "utilisation"])
def test_a_faster_start_up_is_never_worse(library, signal):
    """The same days, paired by seed."""
    load_of = CHAT | {"signal": signal, "bursts_per_day": 4.0, "horizon": DAY_S / 2}
    for seed in range(1, 11):
        at_once, slow, slower = (
            operation(library, **load_of, startup=start).run(seed)["missed_requests"] for start in (0.0, 120.0, 600.0)
        )
        assert at_once <= slow <= slower


def test_no_scaling_rule_beats_itself_with_replicas_that_cost_nothing(library):
    """A fleet that is never short misses nothing, whatever the load does."""
    found = operation(library, **CHAT, bursts_per_day=6.0, replicas=60.0).run(1)
    assert found["missed_requests"] == 0
    assert found["queue_peak_requests"] == 0


FLASH = {
    "model": "deepseek-v4-flash", "accelerator": "h200", "tp": 2, "peak_rate": 250.0, "trough_share": 0.2,
    "step": 30.0,
}  # fmt: skip


def test_no_own_replica_is_the_api_alone_and_enough_of_them_are_self_hosting_alone(library):
    mixed = FLASH | {"scenario": "hybrid", "api_price": 0.00028}
    bought = operation(library, **mixed, replicas=0.0).run(2)
    assert bought["overflow_share"] == 1
    assert bought["operation_usd"] == pytest.approx(bought["requests"] * 0.00028, rel=1e-12)
    owned = operation(library, **mixed, replicas=20.0).run(2)
    alone = operation(library, **FLASH, replicas=20.0).run(2)
    assert owned == alone
    assert owned["operation_usd"] == owned["fleet_usd"]


def test_the_cheapest_mix_is_near_the_one_of_the_self_hosting_chapter(library):
    mixed = FLASH | {"scenario": "hybrid", "api_price": 0.00028}
    costs = [
        fmean(operation(library, **mixed, replicas=float(own)).run(seed)["operation_usd"] for seed in (1, 2, 3))
        for own in range(16)
    ]
    assert abs(costs.index(min(costs)) - 8) <= 1
    assert costs[8] < 1.01 * min(costs)


HOUR = CHAT | {"scenario": "failure", "replicas": 4.0, "peak_rate": 24.0, "step": 2.0}


def test_an_hour_without_a_failure_is_an_hour_of_a_fixed_fleet(library):
    quiet = dict(operation(library, **HOUR, recovery="none").run(5))
    assert quiet.pop("recovery_s") == 0
    plain = HOUR | {"scenario": "autoscale", "horizon": 3600.0, "trough_share": 1.0}
    assert quiet == operation(library, **plain).run(5)


def test_a_standby_is_never_worse_than_a_restart_and_costs_its_rent(library):
    for seed in range(1, 11):
        none, standby, restart = (
            operation(library, **HOUR, recovery=how).run(seed) for how in ("none", "standby", "restart")
        )
        assert none["missed_requests"] <= standby["missed_requests"] <= restart["missed_requests"]
        assert standby["fleet_usd"] == pytest.approx(restart["fleet_usd"] * 5 / 4)
        assert standby["retried_requests"] == restart["retried_requests"] > 0


def test_re_placed_experts_lose_the_requests_of_one_accelerator_only(library):
    group = {
        "model": "deepseek-r1", "accelerator": "h200", "tp": 8, "scenario": "failure", "replicas": 1.0,
        "peak_rate": 9.0, "ttft_limit": 2.0, "step": 2.0, "storage": 10e9,
    }  # fmt: skip
    restart = operation(library, **group, recovery="restart").run(1)
    placed = operation(library, **group, recovery="re-place", detection=0.0, pause=6.8).run(1)
    assert placed["retried_requests"] == pytest.approx(restart["retried_requests"] / 8, abs=1)
    assert placed["missed_requests"] < 0.1 * restart["missed_requests"]


def test_the_queue_of_one_failed_group_is_the_backlog_of_its_outage(library):
    """Nothing is served for detection and start-up: what arrives meanwhile and what starts again wait."""
    group = {
        "model": "deepseek-r1", "accelerator": "h200", "tp": 8, "scenario": "failure", "replicas": 1.0,
        "peak_rate": 9.0, "variation": 0.0, "storage": 10e9,
    }  # fmt: skip
    one = operation(library, **group, recovery="restart")
    found = [one.run(seed) for seed in range(1, 11)]
    expected = 9.0 * (30 + float(one.startup_s)) + fmean(run["retried_requests"] for run in found)
    assert fmean(run["queue_peak_requests"] for run in found) == pytest.approx(expected, rel=0.03)


def test_slots_and_capacity_are_those_of_the_selection_estimate(library):
    """The simulation adds the fixed time of a step, which the estimate leaves out."""
    from generator.worksheets import run_estimate

    chosen = run_estimate(
        "selection", library, model="llama-3.1-70b", accelerator="h100-sxm", least_gpus=4, prompt_tokens=1000,
        output_tokens=500, token_limit_s=0.05,
    )  # fmt: skip
    one = operation(library, **CHAT).prepare()
    assert one.requests_per_s == pytest.approx(float(chosen.capacity_requests_per_s), rel=0.02)
    assert one.slots == pytest.approx(float(chosen.batch), rel=0.02)


def test_what_each_rule_wants():
    seen = Seen(serving=10, used=0.6, waiting=0.0, system=0.6, ttft=0.1, busy=1.0, forecast=7.2)
    assert wanted("utilisation", 0.4, seen) == 15
    assert wanted("utilisation", 0.57, seen) == 10
    assert wanted("concurrency", 0.4, seen._replace(system=1.4)) == 35
    assert wanted("busy", 0.5, seen) == 20
    assert wanted("forecast", 0.8, seen) == 9
    assert wanted("queue", 0.05, seen) == 9
    assert wanted("queue", 0.05, seen._replace(waiting=0.04)) == 10
    assert wanted("queue", 0.05, seen._replace(waiting=0.004)) == 9
    assert wanted("queue", 0.05, seen._replace(waiting=0.31)) == 14
    assert wanted("queue", 0.05, seen._replace(waiting=5.0)) == 20
    assert wanted("ttft", 0.5, seen) == 9
    assert wanted("ttft", 0.5, seen._replace(ttft=0.7)) == 14


def test_the_load_has_its_mean_its_peak_and_its_bursts():
    steps = int(DAY_S / 15)
    wave = Traffic(100.0, 0.3)
    assert wave.curve(0) == pytest.approx(30)
    assert wave.curve(DAY_S / 2) == pytest.approx(100)
    assert sum(wave.counts(generator_of(1), steps, 15.0)) / DAY_S == pytest.approx(65, rel=0.003)
    burst = Traffic(100.0, 1.0, 0.0, 6.0, 2.0, 600.0)
    means = [sum(burst.counts(generator_of(seed), steps, 15.0)) / DAY_S for seed in range(1, 40)]
    # Six bursts of ten minutes cover a little less than an hour, since some overlap or outlast the day.
    assert fmean(means) == pytest.approx(100 * (1 + 6 * 600 / DAY_S), rel=0.01)


def test_the_same_seed_gives_the_same_day(library):
    one = operation(library, **CHAT, signal="ttft", bursts_per_day=4.0)
    assert one.day(7)[0] == one.day(7)[0]
    assert one.day(7)[0] != one.day(8)[0]


def test_the_course_of_a_day_adds_up_to_its_metrics(library):
    choices = CHAT | {"signal": "utilisation"}
    one = operation(library, **choices)
    day, replica = one.day(1)
    found = parts(day, replica, 48)
    assert set(found) == set(FIELDS)
    assert fmean(found["paid"]) == pytest.approx(one.run(1)["mean_replicas"])
    assert fmean(found["waiting"]) == pytest.approx(one.run(1)["queue_mean_requests"], abs=1e-9)
    times, means = course(library, choices, fields=("serving",), points=24, runs=3)
    assert len(times) == len(means["serving"]) == 24
    assert all(low <= mean <= high for mean, low, high in means["serving"])


def test_metrics_are_names_of_the_nomenclature(library):
    for recovery in RECOVERIES:
        assert set(operation(library, **HOUR, recovery=recovery).run(1)) <= set(NOMENCLATURE)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"trough_share": 1.5}, "between 0 and 1"),
        ({"scenario": "hybrid", "signal": "queue"}, "fixed fleet"),
        ({"token_limit": 0.001}, "within 0.001 s a token"),
        ({"peak_rate": 0.0}, "above 0"),
        ({"signal": "queue", "replicas": 0}, "at least one replica"),
        ({"step": 1e6}, "steps"),
    ],
)
def test_what_cannot_be_says_why(library, wrong, says):
    with pytest.raises(NotSupported, match=says):
        operation(library, **{**CHAT, **wrong}).run(1)


@pytest.mark.parametrize("signal", ["queue", "utilisation", "ttft", "busy", "concurrency", "forecast"])
def test_a_fleet_whose_night_is_empty_begins_with_one_replica(library, signal):
    found = operation(library, **{**CHAT, "signal": signal, "trough_share": 0.0}).run(1)
    assert found["peak_replicas"] > 1


def test_a_load_that_hardly_varies_is_even(library):
    one, other = (operation(library, **{**CHAT, "variation": value}).run(1) for value in (0.0, 1e-300))
    assert one == other

"""Service levels: rates, Little's law, budgets, backlogs, waiting."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.formulas import service

RATES = st.floats(0.01, 1000)
TIMES = st.floats(0.01, 1000)


@given(rate=RATES, inside=TIMES)
def test_little_counts_what_arrives_while_one_request_is_inside(rate, inside):
    assert service.requests_in_system(requests_per_s=rate, request_s=inside) == pytest.approx(rate * inside)


@given(clients=st.integers(1, 1000), inside=TIMES)
def test_clients_without_a_pause_are_all_in_the_system(clients, inside):
    rate = service.closed_loop_requests_per_s(clients=clients, request_s=inside, think_s=0)
    assert service.requests_in_system(requests_per_s=rate, request_s=inside) == pytest.approx(clients)


@given(rate=RATES, prompt=st.integers(1, 10**5), output=st.integers(1, 10**5))
def test_total_throughput_is_input_and_output_together(rate, prompt, output):
    both = service.input_tokens_per_s(requests_per_s=rate, prompt_tokens=prompt) + service.output_tokens_per_s(
        requests_per_s=rate, output_tokens=output
    )
    whole = service.total_tokens_per_s(requests_per_s=rate, prompt_tokens=prompt, output_tokens=output)
    assert whole == pytest.approx(both)


@given(ttft=TIMES, tpot=st.floats(0.001, 1), output=st.integers(2, 5000))
def test_time_per_output_token_leaves_the_first_token_out(ttft, tpot, output):
    whole = ttft + (output - 1) * tpot
    assert service.measured_tpot_s(request_s=whole, ttft_s=ttft, output_tokens=output) == pytest.approx(tpot)
    assert service.tpot_budget_s(budget_s=whole, ttft_s=ttft, output_tokens=output) == pytest.approx(tpot)


def test_130k_prompt_at_a_budget_of_512_takes_254_steps():
    # vLLM pull request 10235: about 250 steps.
    assert service.prefill_steps(prompt_tokens=130_000, step_tokens=512, batch=0) == 254


@given(prompt=st.integers(1, 10**6), budget=st.integers(2, 10**5))
def test_decoding_requests_take_room_from_the_prompt(prompt, budget):
    alone = service.prefill_steps(prompt_tokens=prompt, step_tokens=budget, batch=0)
    assert service.prefill_steps(prompt_tokens=prompt, step_tokens=budget, batch=budget // 2) >= alone
    assert (alone - 1) * budget < prompt <= alone * budget


def test_burst_of_long_and_short_prompts_is_454_thousand_tokens():
    # sglang issue 22831: 18 prompts of about 24K tokens and 11 of about 2K.
    tokens = service.backlog_tokens(requests_by_group=(18, 11), prompt_tokens_by_group=(24_000, 2_000))
    assert tokens == 454_000
    assert service.backlog_s(backlog_tokens=tokens, prefill_tokens_per_s=20_500) == pytest.approx(22.1, rel=0.003)


def test_backlog_at_the_rate_of_one_prompt_is_worked_off_in_its_time():
    rate = service.prefill_tokens_per_s(prompt_tokens=2000, prefill_s=0.05)
    assert service.backlog_s(backlog_tokens=2000, prefill_tokens_per_s=rate) == pytest.approx(0.05)


@given(load=st.floats(0.01, 0.99), service_time=TIMES)
def test_poisson_arrivals_and_exponential_service_wait_as_in_mm1(load, service_time):
    wait = service.single_server_wait_s(
        load_ratio=load, arrival_variation=1, service_variation=1, service_s=service_time
    )
    assert wait == pytest.approx(load / (1 - load) * service_time)


@given(load=st.floats(0.01, 0.99), service_time=TIMES)
def test_constant_service_halves_the_wait(load, service_time):
    arguments = {"load_ratio": load, "arrival_variation": 1, "service_s": service_time}
    steady = service.single_server_wait_s(service_variation=0, **arguments)
    assert steady == pytest.approx(service.single_server_wait_s(service_variation=1, **arguments) / 2)


def test_a_queue_without_variation_does_not_wait():
    assert service.single_server_wait_s(load_ratio=0.9, arrival_variation=0, service_variation=0, service_s=1.0) == 0


@given(batch=st.integers(1, 500))
def test_the_largest_batch_within_a_step_is_the_one_whose_step_it_is(batch):
    step = (16e9 + batch * 1e8) / (2 * 3e12 * 0.8)
    assert service.batch_in_tpot(
        tpot_budget_s=step * (1 + 1e-9), gpus=2, bandwidth_bytes_per_s=3e12, bandwidth_efficiency=0.8,
        weights_read_bytes=16e9, kv_read_bytes_per_request=1e8,
    ) == batch  # fmt: skip


def test_a_budget_below_the_reading_of_the_weights_allows_no_batch():
    assert service.batch_in_tpot(
        tpot_budget_s=0.001, gpus=1, bandwidth_bytes_per_s=3e12, bandwidth_efficiency=1, weights_read_bytes=16e9,
        kv_read_bytes_per_request=1e8,
    ) == 0  # fmt: skip


def test_goodput_is_throughput_when_every_request_is_good():
    assert service.goodput_requests_per_s(requests_per_s=3.0, attainment=1.0) == 3.0
    assert service.requests_per_s(requests=300, makespan_s=100) == 3.0


def test_load_is_work_per_second_of_time():
    assert service.load_ratio(requests_per_s=2.0, service_s=0.25) == 0.5


def test_prompt_in_pieces_takes_its_work_and_the_fixed_time_of_each_step():
    whole = service.chunked_prefill_s(
        prefill_s=10.0, prefill_steps=254, prefill_memory_time_s=0.006, step_overhead_s=0.003
    )
    assert whole == pytest.approx(10.762)
    assert service.budget_step_s(chunked_prefill_s=whole, prefill_steps=254) == pytest.approx(whole / 254)


def test_a_tiny_budget_is_paid_in_readings_of_the_weights():
    whole = service.chunked_prefill_s(
        prefill_s=10.0, prefill_steps=4000, prefill_memory_time_s=0.006, step_overhead_s=0
    )
    assert whole == pytest.approx(24.0)


def test_a_stall_hides_in_the_mean_of_a_long_answer():
    assert service.stalled_tpot_s(tpot_s=0.01, stall_s=1.0, output_tokens=501) == pytest.approx(0.012)

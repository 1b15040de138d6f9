"""The fast simulation and its slow twin give every request the same times, whatever is switched on."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.simulation.costs import Costs, Line, costs
from generator.simulation.requests import Requests, generator_of, synthetic
from generator.simulation.serving import Clients, Setup, serve, speculative_steps
from tests.simulation.twins.serving import twin

TOLERANCE_S = 1e-9
DISAGGREGATED = Setup("disaggregated", instances=4, prefill_instances=2, link_bytes_per_s=5e9)
POLICIES = {
    "colocated": Setup("colocated"),
    "chunked": Setup("chunked"),
    "disaggregated": Setup("disaggregated", instances=2, prefill_instances=1, link_bytes_per_s=5e10),
}


@dataclass(frozen=True)
class Case:
    """One configuration at a rate."""

    rate: float
    setup: Setup
    model: str = "llama-3-8b"
    accelerator: str = "h100-sxm"
    requests: int = 200
    prompt: float = 1024
    output: float = 128
    instance: dict[str, Any] = field(default_factory=dict)
    pool_tokens: float | None = None
    variation: float = 1.0
    outputs: tuple[int, ...] = ()
    shared: int = 0
    acceptance: float | None = None
    clients: int = 0
    think: float = 0.0


CASES = {
    **{
        f"{name} at {level}": Case(rate, setup)
        for name, setup in POLICIES.items()
        for level, rate in {"low load": 0.5, "the knee": 8.0, "overload": 60.0}.items()
    },
    **{
        f"{name}, small pool": Case(20.0, setup, pool_tokens=25_000, prompt=2048)
        for name, setup in POLICIES.items()
    },
    **{f"{name}, 12 slots": Case(20.0, replace(setup, slots=12)) for name, setup in POLICIES.items()},
    **{
        f"{model}, {name}": Case(3.0, setup, model=model, instance={"tp": tp}, requests=100, prompt=prompt)
        for model, tp, prompt in (
            ("gemma-3-27b", 2, 1024),
            ("gpt-oss-120b", 2, 300),
            ("llama-4-scout", 8, 7500),
            ("deepseek-v3", 16, 1024),
            ("deepseek-v3.2", 16, 1900),
            ("qwen3.5-397b-a17b", 16, 1024),
            ("mixtral-8x7b", 2, 1024),
        )
        for name, setup in POLICIES.items()
    },
    **{
        f"several, {setup.policy}, {balance}": Case(30.0, replace(setup, balance=balance))
        for setup in (Setup("colocated", instances=3), Setup("chunked", instances=3), DISAGGREGATED)
        for balance in ("least-loaded", "round-robin")
    },
    **{
        f"drafts, {name}": Case(6.0, replace(setup, draft_tokens=3, draft_s=0.0007), acceptance=0.7)
        for name, setup in POLICIES.items()
    },
    "drafts, sliding windows": Case(
        2.0, Setup("chunked", draft_tokens=4, draft_s=0.0007), model="gemma-3-27b", instance={"tp": 2}, acceptance=0.6,
        requests=60,
    ),
    **{f"shared prefix, {name}": Case(10.0, setup, shared=700) for name, setup in POLICIES.items()},
    "shared prefix, sliding windows": Case(
        3.0, Setup("chunked"), model="gemma-3-27b", instance={"tp": 2}, shared=1500, requests=60
    ),
    "clients that think": Case(0.0, Setup("colocated"), clients=20, think=2.0),
    "clients in chunks": Case(0.0, Setup("chunked"), clients=20, think=0.5),
    "clients that do not think": Case(0.0, Setup("chunked", instances=2), clients=10),
    **{f"one-token answers, {name}": Case(30.0, setup, outputs=(1, 2, 40)) for name, setup in POLICIES.items()},
    "all at once": Case(0.0, Setup("colocated")),
    "all at once, several": Case(0.0, Setup("chunked", instances=3)),
    "bursts": Case(8.0, Setup("chunked", instances=2), variation=4.0),
    "one link for all": Case(20.0, replace(DISAGGREGATED, shared_link=True)),
    "slow links fill the prefill side": Case(20.0, replace(DISAGGREGATED, link_bytes_per_s=3e8), pool_tokens=15_000),
    "one slow link fills the prefill side": Case(
        20.0, replace(DISAGGREGATED, link_bytes_per_s=6e8, shared_link=True), pool_tokens=15_000
    ),
    "handover overhead": Case(5.0, replace(DISAGGREGATED, handover_overhead_s=0.05)),
    "small budget": Case(10.0, Setup("chunked", budget_tokens=64)),
    "budget below the decodes": Case(40.0, Setup("chunked", budget_tokens=16)),
}  # fmt: skip


KNOWN: dict[tuple[Any, ...], Costs] = {}


def prepared_costs(library, case: Case) -> Costs:
    """Costs of a case; several share them."""
    key = (case.model, case.accelerator, *case.instance.items(), case.pool_tokens)
    if key not in KNOWN:
        KNOWN[key] = costs(
            library.models[case.model], library.accelerators[case.accelerator], library, **case.instance,
            pool_tokens=case.pool_tokens,
        )  # fmt: skip
    return KNOWN[key]


def both(costs_: Costs, requests: Requests, setup: Setup, **more: Any):
    """Records of the fast simulation, requests of the slow one."""
    records = serve(costs_, requests, setup, **more)
    slow, _ = twin(costs_, requests, setup, **more)
    return records, slow


def assert_same(records, slow) -> None:
    for number, one in enumerate(slow):
        found = (
            records.arrival_s[number], records.start_s[number], records.first_token_s[number], records.finish_s[number],
        )  # fmt: skip
        wanted = (one.arrival, one.start, one.first, one.finish)
        for name, fast, exact in zip(("arrival", "start", "first token", "finish"), found, wanted, strict=True):
            assert exact is not None and abs(fast - exact) < TOLERANCE_S, f"{name} of request {number}: {fast}, {exact}"
        assert records.instance[number] == one.instance, f"request {number}"


@pytest.mark.parametrize("name", CASES)
def test_every_request_has_the_times_of_the_twin(name, library):
    case = CASES[name]
    prepared = prepared_costs(library, case)
    generator = generator_of(7)
    requests = synthetic(
        generator, requests=case.requests, rate_per_s=case.rate or 1.0, prompt_median_tokens=case.prompt,
        output_median_tokens=case.output, variation=case.variation,
    )  # fmt: skip
    if not case.rate:
        requests = replace(requests, arrival_s=[0.0] * len(requests))
    if case.outputs:
        outputs = [case.outputs[number % len(case.outputs)] for number in range(len(requests))]
        requests = replace(requests, output_tokens=outputs)
    more: dict[str, Any] = {}
    if case.acceptance is not None:
        more["decode_steps"] = speculative_steps(
            generator, requests.output_tokens, acceptance=case.acceptance, draft_tokens=case.setup.draft_tokens
        )
    if case.shared:
        more["cached_tokens"] = [min(case.shared, prompt - 1) for prompt in requests.prompt_tokens]
    if case.clients:
        more["clients"] = Clients(case.clients, generator.exponential(case.think or 1.0, len(requests)).tolist())
        if not case.think:
            more["clients"] = Clients(case.clients, [0.0] * len(requests))
    assert_same(*both(prepared, requests, case.setup, **more))


def hand_made(
    *, weights: float, token: float, read: float, compute: float, compute_growth: float, fixed: float, pool: float,
    window: int | None, state: float, most: int,
) -> Costs:  # fmt: skip
    """Costs of a small instance whose parts are chosen one by one, with powers of two, so that ties can happen."""
    lines = [Line(float("inf"), state, read, compute, compute_growth)]
    if window is not None:
        beyond = Line(float("inf"), state + read * window, 0.0, compute + compute_growth * window, 0.0)
        lines = [replace(lines[0], upto_tokens=float(window)), beyond]
    prompts = [0.0]
    for context in range(most):
        seen = context if window is None else min(context, window)
        prompts.append(prompts[-1] + compute + compute_growth * seen)
    tokens = range(most * 8)
    return Costs(
        weights_s=[0.0] + [weights] * (most * 8),
        fixed_s=[fixed + token * one for one in tokens],
        prompt_s=prompts,
        lines=tuple(lines),
        pool_bytes=pool,
        request_bytes=[float(one) for one in range(most * 2)],
        moved_bytes=[float(one) for one in range(most * 2)],
    )


@st.composite
def small_cases(draw):
    """A few requests, small whole lengths, costs on a grid, any policy and switch."""
    grid = st.sampled_from([0.0, 0.25, 0.5, 1.0, 3.0])
    count = draw(st.integers(1, 12))
    prompts = draw(st.lists(st.integers(1, 40), min_size=count, max_size=count))
    outputs = draw(st.lists(st.integers(1, 30), min_size=count, max_size=count))
    gaps = draw(st.lists(st.floats(0, 40, allow_subnormal=False), min_size=count, max_size=count))
    arrivals = [sum(gaps[: place + 1]) for place in range(count)]
    prepared = hand_made(
        weights=draw(st.sampled_from([0.0, 1.0, 5.0])), token=draw(grid) / 64, read=draw(grid) / 16,
        compute=draw(st.sampled_from([0.125, 0.5, 1.0])), compute_growth=draw(grid) / 64,
        fixed=draw(st.sampled_from([0.0625, 0.3])), pool=float(draw(st.integers(70, 200))),
        window=draw(st.none() | st.integers(2, 50)), state=draw(grid) / 8, most=70,
    )  # fmt: skip
    policy = draw(st.sampled_from(list(POLICIES)))
    instances = draw(st.integers(1, 3))
    drafts = draw(st.sampled_from([0, 0, 2]))
    setup = Setup(
        policy=policy,
        instances=instances + (policy == "disaggregated"),
        prefill_instances=draw(st.integers(1, instances)) if policy == "disaggregated" else 0,
        link_bytes_per_s=draw(st.sampled_from([1.0, 8.0, 1000.0])),
        handover_overhead_s=draw(st.sampled_from([0.0, 0.7])),
        shared_link=draw(st.booleans()),
        budget_tokens=draw(st.integers(1, 60)),
        prefill_tokens=draw(st.integers(1, 90)),
        slots=draw(st.integers(1, 6)),
        balance=draw(st.sampled_from(["least-loaded", "round-robin"])),
        draft_tokens=drafts,
        draft_s=0.1 if drafts else 0.0,
    )
    more: dict[str, Any] = {}
    if drafts:
        more["decode_steps"] = [draw(st.integers(-(-(out - 1) // (drafts + 1)), out - 1)) for out in outputs]
    if draw(st.booleans()):
        more["cached_tokens"] = [draw(st.integers(0, prompt - 1)) for prompt in prompts]
    if policy != "disaggregated" and draw(st.booleans()):
        think = draw(st.lists(st.floats(0, 20), min_size=count, max_size=count))
        more["clients"] = Clients(draw(st.integers(1, 5)), think)
        arrivals = [0.0] * count
    return prepared, Requests(arrivals, prompts, outputs), setup, more


@given(small_cases())
def test_no_small_case_parts_the_two(case):
    prepared, requests, setup, more = case
    assert_same(*both(prepared, requests, setup, **more))

"""Gaps between tokens, busy share and batch are those counted token by token in the slow twin."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import ceil

import pytest

from generator.simulation.iterations import GAP_PERCENTILES, Iterations, ends, gaps
from generator.simulation.requests import generator_of, synthetic
from generator.simulation.serving import serve
from tests.simulation.test_serving_twin import CASES, prepared_costs
from tests.simulation.twins.serving import twin

SEEN = [
    "colocated at low load", "colocated at the knee", "colocated at overload", "chunked at the knee",
    "chunked at overload", "disaggregated at the knee", "several, chunked, least-loaded", "gemma-3-27b, colocated",
    "colocated, small pool", "one-token answers, colocated",
]  # fmt: skip


@pytest.mark.parametrize("name", SEEN)
def test_gaps_are_those_of_every_token_of_the_twin(name, library):
    case = CASES[name]
    prepared = prepared_costs(library, case)
    requests = synthetic(
        generator_of(13), requests=150, rate_per_s=case.rate, prompt_median_tokens=case.prompt,
        output_median_tokens=case.output,
    )  # fmt: skip
    if case.outputs:
        outputs = [case.outputs[number % len(case.outputs)] for number in range(len(requests))]
        requests = replace(requests, output_tokens=outputs)
    logs: list[Iterations] = []
    serve(prepared, requests, case.setup, logs=logs)
    found = gaps(logs)
    slow, instances = twin(prepared, requests, case.setup)
    every = sorted(after - before for one in slow for before, after in pairwise(one.token_times))
    assert len(every) == sum(requests.output_tokens) - len(requests)
    assert found["itl_max_s"] == pytest.approx(every[-1], rel=1e-9)
    for rank in GAP_PERCENTILES:
        # Like steps count with their mean, so a percentile may lie beside the exact one by the growth of one run.
        exact = every[ceil(rank / 100 * len(every)) - 1]
        assert found[f"itl_p{rank}_s"] == pytest.approx(exact, rel=0.01), rank
    steps = [spans[2] for one in instances for spans in one.iterations if spans[2]]
    assert found["mean_decode_batch"] == pytest.approx(sum(steps) / len(steps), rel=1e-9)
    if case.setup.policy != "disaggregated":
        busy = sum(end - start for one in instances for start, end, _ in one.iterations)
        last = max(one.finish for one in slow)
        assert found["instance_busy_share"] == pytest.approx(busy / last / len(instances), rel=1e-9)


def test_a_gap_after_two_prefills_holds_both():
    """The first request waits for the prefill of the second before its second token; the second does not."""
    log = Iterations([
        (0.0, 1.0, 10, 0, 0, 0.0, 0.0, 1),
        (1.0, 3.0, 10, 0, 0, 0.0, 0.0, 1),
        (3.0, 3.5, 0, 2, 1, 0.5, 0.5, 2),
    ])  # fmt: skip
    found = gaps([log])
    assert (found["itl_p50_s"], found["itl_max_s"]) == (0.5, 2.5)


def test_the_first_and_the_last_of_some_steps():
    assert ends(1, 2.0, 1.0, 1.0, 5.0, 0.5) == (2.5, 2.5)
    assert ends(3, 2.0, 1.0, 1.0, 5.0, 0.5) == (2.5, 11.5)


def test_prefill_alone_has_no_gaps():
    assert gaps([Iterations([(0.0, 1.0, 10, 0, 0, 0.0, 0.0, 1)])]) == {}

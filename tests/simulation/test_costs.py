"""What an iteration costs in a simulation is what the estimates say, for every model of the specs that fits."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from generator.estimates.architecture import NotSupported, describe
from generator.estimates.devices import device
from generator.estimates.serving import serving
from generator.simulation.costs import Costs, costs, knots_tokens
from generator.specs.load import load

LIBRARY = load(Path(__file__).parents[2])
OVERHEAD_S = float(LIBRARY.assume("engine-step-overhead"))
PLACES = [("h100-sxm", 1), ("h200", 8), ("h200", 16), ("mi300x", 16)]


@cache
def prepared(model: str) -> tuple[str, int, Costs] | None:
    """Accelerator, tensor-parallel degree and costs of the first place in which a model fits."""
    for accelerator, tp in PLACES:
        try:
            return accelerator, tp, costs(LIBRARY.models[model], LIBRARY.accelerators[accelerator], LIBRARY, tp=tp)
        except NotSupported:
            continue
    return None


FITTING = [model for model in sorted(LIBRARY.models) if prepared(model) is not None]


def line_of(found: Costs, context: float):
    return next(line for line in found.lines if context <= line.upto_tokens)


def test_nearly_every_model_fits_somewhere():
    assert len(FITTING) >= 0.9 * len(LIBRARY.models)


@pytest.mark.parametrize("model", FITTING)
def test_a_step_of_a_uniform_batch_takes_the_estimated_time_and_the_overhead(model):
    accelerator, tp, found = prepared(model)
    for batch, prompt, output in ((1, 100, 2), (7, 1024, 256), (300, 4096, 1000), (32, 8191, 2), (32, 20_000, 2)):
        estimate = serving(
            LIBRARY.models[model], LIBRARY.accelerators[accelerator], LIBRARY, gpus=tp, tp=tp, batch=batch,
            prompt_tokens=prompt, output_tokens=output,
        )  # fmt: skip
        context = prompt + output / 2
        line = line_of(found, context)
        memory = found.weights_s[batch] + batch * (line.memory_s + line.memory_per_token_s * context)
        compute = batch * (line.compute_s + line.compute_per_token_s * context)
        assert memory == pytest.approx(float(estimate.memory_time_s), rel=1e-11)
        assert compute == pytest.approx(float(estimate.compute_time_s), rel=1e-11)
        step = max(memory, compute) + found.fixed_s[batch]
        assert step == pytest.approx(float(estimate.tpot_s) + OVERHEAD_S, rel=1e-11)


@pytest.mark.parametrize("model", FITTING)
def test_a_whole_prompt_takes_the_estimated_time_and_the_overhead(model):
    accelerator, tp, found = prepared(model)
    for prompt in (1, 2, 16, 100, 1024, 4096, 4097, 16_384):
        estimate = serving(
            LIBRARY.models[model], LIBRARY.accelerators[accelerator], LIBRARY, gpus=tp, tp=tp, prompt_tokens=prompt
        )
        time = max(found.prompt_s[prompt], found.weights_s[prompt]) + found.fixed_s[prompt]
        assert time == pytest.approx(float(estimate.prefill_s) + OVERHEAD_S, rel=1e-11)


@pytest.mark.parametrize("model", FITTING)
def test_lines_are_the_formulas_at_every_knot_and_beside_it(model):
    accelerator, tp, found = prepared(model)
    architecture = describe(LIBRARY.models[model], LIBRARY)
    card = device(LIBRARY.accelerators[accelerator], LIBRARY, architecture.compute_format)
    bytes_per_s = float(card.bandwidth_bytes_per_s) * float(LIBRARY.assume("bandwidth-efficiency"))
    knots = knots_tokens(architecture)
    assert [line.upto_tokens for line in found.lines] == [*knots, float("inf")]
    for knot in [*knots, 50_000.0]:
        for context in (1.0, knot / 2, knot - 1, knot, knot + 1, knot + 0.5, 2 * knot):
            estimate = serving(
                LIBRARY.models[model], LIBRARY.accelerators[accelerator], LIBRARY, gpus=tp, tp=tp,
                prompt_tokens=context - 0.5, output_tokens=1,
            )  # fmt: skip
            line = line_of(found, context)
            reading = float(estimate.kv_read_bytes_per_request * estimate.kv_replication) / (tp * bytes_per_s)
            assert line.memory_s + line.memory_per_token_s * context == pytest.approx(reading, rel=1e-11)
            computing = float(estimate.compute_time_s)
            assert line.compute_s + line.compute_per_token_s * context == pytest.approx(computing, rel=1e-11)
            assert found.reading_s(context) == line.memory_s + line.memory_per_token_s * context


@pytest.mark.parametrize("model", FITTING)
def test_room_and_caches_are_those_of_the_estimates(model):
    # 3,504 tokens are whole blocks, which the estimates count in; what is reserved in one piece is not rounded.
    accelerator, tp, found = prepared(model)
    estimate = serving(
        LIBRARY.models[model], LIBRARY.accelerators[accelerator], LIBRARY, gpus=tp, tp=tp, prompt_tokens=3000,
        output_tokens=504,
    )  # fmt: skip
    assert found.pool_bytes == float(estimate.kv_capacity_bytes)
    held = float(estimate.kv_bytes_per_request) * float(estimate.kv_replication)
    assert found.request_bytes[3504] == pytest.approx(held, rel=1e-12)
    assert found.moved_bytes[16] * float(estimate.kv_replication) == pytest.approx(found.request_bytes[16], rel=1e-12)
    assert int(found.pool_bytes // found.request_bytes[3504]) == int(estimate.max_concurrent_requests)


@pytest.mark.parametrize("model", FITTING)
def test_tables_never_fall(model):
    """A longer prompt takes no less time and no less room, and more tokens read no fewer weights."""
    *_, found = prepared(model)
    for table in (found.prompt_s, found.request_bytes, found.moved_bytes, found.weights_s[1:], found.fixed_s[1:]):
        assert all(after >= before for before, after in pairwise(table))


def test_pieces_of_a_prompt_add_up_to_the_whole():
    """The attention of a piece is over all before it, so that cutting a prompt changes no work."""
    *_, found = prepared("llama-3-8b")
    bend = (found.prompt_s[2] - 2 * found.prompt_s[1]) / 2
    linear = found.prompt_s[1] - bend
    for prompt in (512, 5000, 16_384):
        assert found.prompt_s[prompt] == pytest.approx(linear * prompt + bend * prompt**2, rel=1e-9)


def test_a_model_that_does_not_fit_says_what_would():
    with pytest.raises(NotSupported, match="TP 4 is the smallest that holds one request"):
        costs(LIBRARY.models["llama-3.1-405b"], LIBRARY.accelerators["h200"], LIBRARY, weights="fp8", tp=1)


def test_room_of_a_log_replaces_the_estimated_room():
    model, card = LIBRARY.models["llama-3-8b"], LIBRARY.accelerators["h100-sxm"]
    found = costs(model, card, LIBRARY, pool_tokens=1000)
    per_token = float(describe(model, LIBRARY).kv_bytes_per_token)
    assert found.pool_bytes == 1000 * per_token
    assert found.request_bytes[16] == 16 * per_token
    assert found.request_bytes[17] == 17 * per_token
    assert found.moved_bytes[17] == 17 * per_token


def test_a_step_overhead_that_is_given_replaces_the_assumed_one():
    model, card = LIBRARY.models["llama-3-8b"], LIBRARY.accelerators["h100-sxm"]
    found = costs(model, card, LIBRARY, step_overhead_s=0.003)
    assert found.fixed_s[0] == found.fixed_s[1] == 0.003

"""Serving: what fits, what binds, what a step cannot beat; infeasible is an answer with reasons."""

from __future__ import annotations

import math

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.estimates.architecture import NotSupported, describe
from generator.estimates.devices import device
from generator.estimates.layouts import Layout, Load
from generator.estimates.serving import serving
from generator.estimates.steps import measure

MODELS = ("llama-3.1-8b", "llama-3.1-70b", "qwen3-30b-a3b", "deepseek-v3", "gpt-oss-120b", "gemma-3-27b")
CARDS = ("h100-sxm", "h200", "b200", "mi300x", "l40s")
DEGREES = st.sampled_from([1, 2, 4, 8])


def _serve(library, model, card, **chosen):
    return serving(library.models[model], library.accelerators[card], library, **chosen)


@settings(max_examples=40)
@given(
    model=st.sampled_from(MODELS), card=st.sampled_from(CARDS), tp=DEGREES, batch=st.integers(1, 512),
    prompt=st.integers(1, 30_000), output=st.integers(1, 4000),
)  # fmt: skip
def test_no_step_beats_its_bytes_over_the_bandwidth_of_the_data_sheet(library, model, card, tp, batch, prompt, output):
    found = _serve(library, model, card, tp=tp, batch=batch, prompt_tokens=prompt, output_tokens=output)
    one = found.architecture
    bandwidth = tp * library.accelerators[card].memory.bandwidth
    cache = batch * one.read_bytes_per_request(found.mean_context_tokens)
    assert found.tpot_s >= (found.weights_read_bytes + cache) / bandwidth
    assert found.tpot_s >= one.always_read_bytes / bandwidth
    assert found.tpot_s >= batch * 2 * one.active_params / (tp * found_peak(library, card, found))


def found_peak(library, card, found):
    return getattr(library.accelerators[card].dense_peak, found.compute_format)


@settings(max_examples=40)
@given(model=st.sampled_from(MODELS), card=st.sampled_from(CARDS), batch=st.integers(1, 256), tp=DEGREES)
def test_time_memory_and_rate_of_an_answer_agree_with_each_other(library, model, card, batch, tp):
    found = _serve(library, model, card, tp=tp, batch=batch, usd_per_gpu_hour=2.5)
    assert found.tpot_s == max(found.memory_time_s, found.compute_time_s) + found.communication_time_s
    assert found.tokens_per_s * found.tpot_s == pytest.approx(batch)
    assert found.tokens_per_s_per_gpu * tp == pytest.approx(found.tokens_per_s)
    assert found.ttft_s == pytest.approx(found.wait_s + found.prefill_s + found.tpot_s)
    assert found.usd_per_million_tokens == pytest.approx(2.5 * tp * 1e6 / 3600 / found.tokens_per_s)
    assert found.mixed_tokens_per_s <= found.tokens_per_s
    assert found.feasible == (not found.reasons)
    assert found.kv_capacity_bytes == pytest.approx(max(-found.shortfall_bytes, 0))


@settings(max_examples=30)
@given(model=st.sampled_from(MODELS), batch=st.integers(1, 256), tp=st.sampled_from([1, 2, 4]))
def test_twice_the_gpus_halve_reading_weights_and_more_than_double_the_cache(library, model, batch, tp):
    once, twice = (_serve(library, model, "b200", tp=n, batch=batch) for n in (tp, 2 * tp))
    assert twice.compute_time_s == pytest.approx(once.compute_time_s / 2)
    assert twice.communication_time_s > once.communication_time_s
    if once.kv_capacity_bytes > 0:
        assert twice.kv_capacity_bytes > 2 * once.kv_capacity_bytes
    if once.kv_replication == twice.kv_replication:
        assert twice.memory_time_s == pytest.approx(once.memory_time_s / 2)
    else:
        assert twice.memory_time_s > once.memory_time_s / 2


def test_one_accelerator_communicates_nothing(library):
    for model in MODELS:
        assert _serve(library, model, "b200").communication_time_s == 0


def test_latent_cache_is_copied_over_a_tensor_parallel_group(library):
    """DeepSeek-V3 on eight H200: eight copies, so that each request costs eight times its bytes."""
    found = _serve(library, "deepseek-v3", "h200", tp=8)
    assert found.kv_replication == 8
    assert found.max_concurrent_requests == math.floor(found.kv_capacity_bytes / (8 * found.kv_bytes_per_request))


def test_data_parallel_attention_holds_more_requests_of_a_latent_cache_than_tensor_parallel(library):
    one = _serve(library, "deepseek-v3", "h200", gpus=64, tp=8, prompt_tokens=4000)
    other = _serve(library, "deepseek-v3", "h200", gpus=64, ep=64, prompt_tokens=4000)
    assert other.kv_replication == 1
    assert other.max_concurrent_requests > 2 * one.max_concurrent_requests


def test_eight_heads_are_copied_over_sixteen_gpus(library):
    assert _serve(library, "llama-3.1-70b", "gb200", tp=8).kv_replication == 1
    assert _serve(library, "llama-3.1-70b", "gb200", tp=16).kv_replication == 2


def test_replicas_and_one_replica_with_its_share_of_the_batch_take_the_same_step(library):
    one = _serve(library, "llama-3.1-8b", "h100-sxm", gpus=1, batch=16)
    four = _serve(library, "llama-3.1-8b", "h100-sxm", gpus=4, tp=1, batch=64)
    assert four.tpot_s == one.tpot_s
    assert four.tokens_per_s == pytest.approx(4 * one.tokens_per_s)
    assert four.max_concurrent_requests == 4 * one.max_concurrent_requests


@pytest.mark.parametrize("spread", [{"tp": 1}, {"tp": 1, "pp": 8}])
def test_one_request_on_eight_replicas_or_stages_is_no_faster_than_on_one_gpu(library, spread):
    """It sits in one of them and reads the experts of a whole token, not of an eighth of one."""
    alone = _serve(library, "qwen3-30b-a3b", "h100-sxm")
    spread_out = _serve(library, "qwen3-30b-a3b", "h100-sxm", gpus=8, **spread)
    assert spread_out.tpot_s >= alone.tpot_s
    assert spread_out.expert_share_read >= 8 / 128


def test_a_pipeline_reads_as_much_for_a_token_as_one_gpu_and_adds_hops(library):
    alone = _serve(library, "llama-3.1-8b", "h100-sxm", batch=8)
    piped = _serve(library, "llama-3.1-8b", "h100-sxm", gpus=4, pp=4, batch=32)
    assert piped.memory_time_s == pytest.approx(alone.memory_time_s)
    assert piped.tpot_s > alone.tpot_s


def test_llama_3_70b_in_bf16_does_not_fit_on_one_h100_nor_on_two_and_the_answer_says_what_does(library):
    """Two offer 2 x 70 GB after workspace for 141.1 GB of weights: 1.1 GB short."""
    one = _serve(library, "llama-3-70b", "h100-sxm", prompt_tokens=7000, output_tokens=1192)
    two = _serve(library, "llama-3-70b", "h100-sxm", tp=2, prompt_tokens=7000, output_tokens=1192)
    four = _serve(library, "llama-3-70b", "h100-sxm", tp=4, prompt_tokens=7000, output_tokens=1192)
    assert not one.feasible
    assert "weights need 141 GB" in one.reasons[0]
    assert "70.0 GB" in one.reasons[0]
    assert "TP 4 is the smallest that holds one request" in one.reasons
    assert not two.feasible
    assert two.shortfall_bytes / 1e9 == pytest.approx(1.107, abs=0.001)
    assert "1.11 GB short" in two.reasons[0]
    assert four.feasible
    assert four.max_concurrent_requests == 51


def test_50_requests_of_8192_tokens_of_llama_3_8b_fit_on_an_h100_and_51_do_not(library):
    shape = {"prompt_tokens": 7000, "output_tokens": 1192}
    assert _serve(library, "llama-3-8b", "h100-sxm", batch=50, **shape).feasible
    refused = _serve(library, "llama-3-8b", "h100-sxm", batch=51, **shape)
    assert not refused.feasible
    assert "the cache holds 50 requests of 8192 tokens, 51 were asked for" in refused.reasons
    assert "TP 2 is the smallest that holds 51 requests" in refused.reasons


def test_sixteen_consumer_cards_are_joined_by_no_known_link(library):
    found = _serve(library, "llama-3-8b", "rtx-4090", tp=16)
    assert not found.feasible
    assert any("no link that joins 16" in reason for reason in found.reasons)


def test_an_accelerator_whose_bandwidth_is_not_published_gets_memory_and_no_times(library):
    found = _serve(library, "llama-3-8b", "rubin-ultra-vr300")
    assert found.tpot_s is None
    assert found.max_concurrent_requests > 0
    assert any("memory bandwidth" in reason and "not published" in reason for reason in found.reasons)


def test_weights_wider_than_the_cores_say_at_which_peak_they_compute(library):
    found = _serve(library, "deepseek-v3", "a100-80gb-sxm", tp=16)
    assert found.compute_format == "bf16"
    assert any("compute at the bf16 peak" in note for note in found.notes)


def test_a_context_beyond_that_of_the_model_is_noted(library):
    found = _serve(library, "llama-2-7b", "h100-sxm", prompt_tokens=8000)
    assert any("beyond the model's context of 4096" in note for note in found.notes)


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"gpus": 8, "tp": 3}, "do not divide"),
        ({"gpus": 0}, "whole number from 1"),
        ({"tp": 2.5}, "whole number from 1"),
        ({"gpus": 200, "pp": 100}, "pipeline stages for 32 layers"),
        ({"gpus": 8, "ep": 8}, "no routed experts"),
        ({"batch": 0}, "batch must be at least 1"),
        ({"output_tokens": 0}, "output must be at least 1"),
        ({"prompt_tokens": -1}, "input must be at least 0"),
        ({"weights": "int2"}, "number_format"),
        ({"kv": "int4-g128"}, "cannot be kept"),
    ],
)
def test_what_has_no_meaning_is_refused_with_the_rule(library, chosen, words):
    with pytest.raises((NotSupported, LookupError), match=words):
        _serve(library, "llama-3-8b", "h100-sxm", **chosen)


def test_expert_parallelism_must_divide_the_accelerators(library):
    with pytest.raises(NotSupported, match="valid: 1, 2, 4, 8, 16"):
        _serve(library, "deepseek-v3", "h200", gpus=16, ep=5)


@pytest.mark.parametrize("model", ["llama-3.1-70b", "qwen3-30b-a3b", "deepseek-v3.2", "gemma-3-27b", "deepseek-v4-pro"])
def test_a_sweep_over_arrays_gives_the_numbers_of_single_estimates(library, model):
    one = describe(library.models[model], library)
    card = device(library.accelerators["h200"], library, one.compute_format)
    batches, prompts = numpy.array([8.0, 64.0, 256.0]), numpy.array([100.0, 5000.0, 60_000.0])
    spread = Layout(8, 8, 1, 1)
    swept = measure(one, card, library, spread, Load(batch=batches, prompt_tokens=prompts, output_tokens=200.0))
    for index, (batch, prompt) in enumerate(zip(batches, prompts, strict=True)):
        load = Load(batch=float(batch), prompt_tokens=float(prompt), output_tokens=200.0)
        single = measure(one, card, library, spread, load)
        for name, value in vars(single).items():
            if value is None:
                assert getattr(swept, name) is None
                continue
            whole = numpy.broadcast_to(getattr(swept, name), (3,))
            assert float(whole[index]) == pytest.approx(float(value), rel=1e-12), name


def test_every_model_gets_an_answer_on_every_accelerator(library):
    for model in library.models.values():
        for card in library.accelerators.values():
            found = serving(model, card, library, gpus=8, tp=8, batch=4)
            assert found.feasible or found.reasons


def test_efficiencies_make_a_step_a_reference_value_and_its_floor_a_bound(library):
    found = _serve(library, "llama-3-8b", "h100-sxm")
    assert found.tpot_s.kind == "reference"
    assert found.weights_bytes.kind == "exact"
    assert found.kv_capacity_bytes.kind == "reference"

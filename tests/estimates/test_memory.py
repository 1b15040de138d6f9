"""Memory by part adds up, and an engine's own sum is what its start-up logs print."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.estimates.architecture import NotSupported, describe
from generator.estimates.memory import memory, weights_by_component
from generator.estimates.serving import serving
from generator.specs.load import load

LIBRARY = load(Path(__file__).resolve().parents[2])
GIB = 2**30
LOGS = [
    # model, tp, weights, kv, GiB left for the cache on one H100, tokens; vLLM 0.19, utilisation 0.95, 79.19 GiB visible
    ("llama-3.1-8b", 1, "native", "native", 58.11, 476_016),
    ("llama-3.1-8b", 1, "native", "fp8", 58.11, 952_032),
    ("llama-3.1-8b", 2, "native", "native", 63.76, 1_044_688),
    ("llama-3.1-8b", 4, "native", "native", 67.44, 2_209_792),
    ("qwen2.5-7b", 1, "native", "native", 58.53, 1_096_000),
    ("qwen2.5-7b", 2, "native", "native", 63.84, 2_390_592),
    ("qwen2.5-7b", 4, "native", "native", 67.34, 5_043_280),
    ("qwen3-8b", 1, "native", "native", 57.5, 418_688),
    ("phi-4", 1, "native", "native", 46.08, 241_568),
    ("mixtral-8x7b", 2, "native", "native", 28.44, 465_936),
    ("qwen3-30b-a3b", 1, "native", "native", 15.41, 168_288),
]


def of(model, accelerator="h100-sxm", **more):
    return memory(LIBRARY.models[model], LIBRARY.accelerators[accelerator], LIBRARY, **more)


@pytest.mark.parametrize(("model", "tp", "weights", "kv", "left_gib", "tokens"), LOGS)
def test_an_engine_leaves_what_its_log_prints(model, tp, weights, kv, left_gib, tokens):
    engine = of(
        model, tp=tp, weights=weights, kv=kv, prompt_tokens=8191, output_tokens=1, memory_utilization=0.95,
        visible_bytes=79.19 * GIB,
    ).engine  # fmt: skip
    assert engine.engine_kv_bytes / GIB == pytest.approx(left_gib, rel=0.011)
    assert engine.kv_capacity_tokens == pytest.approx(tokens, rel=0.011)


@pytest.mark.parametrize("model", sorted(LIBRARY.models))
def test_components_add_up_to_the_weights(model):
    architecture = describe(LIBRARY.models[model], LIBRARY)
    assert sum(weights_by_component(architecture).values()) == pytest.approx(architecture.weights_bytes, rel=1e-12)


def test_parts_of_an_accelerator_add_up_to_its_limit():
    found = of("llama-3.1-70b", tp=4, batch=8, prompt_tokens=4096)
    parts = found.weights_bytes_per_gpu + found.kv_batch_bytes_per_gpu + found.workspace_bytes
    assert parts + found.free_bytes_per_gpu == pytest.approx(found.usable_memory_bytes)
    assert found.used_bytes + found.free_bytes == pytest.approx(found.usable_bytes) == pytest.approx(4 * 72e9)


def test_a_batch_fits_exactly_as_long_as_serving_says():
    for batch in (1, 200, 2000):
        shape = {"tp": 2, "batch": batch, "prompt_tokens": 8000, "output_tokens": 192}
        one = serving(LIBRARY.models["llama-3.1-8b"], LIBRARY.accelerators["h100-sxm"], LIBRARY, **shape)
        assert of("llama-3.1-8b", **shape).feasible == one.feasible


def test_weights_that_do_not_fit_are_answered_with_what_is_missing():
    found = of("llama-3.1-70b", tp=1)
    assert not found.feasible
    assert found.free_bytes_per_gpu < 0
    assert "weights need 141 GB" in found.reasons[0]
    assert found.engine.max_concurrent_requests == 0
    assert any("would not start" in note for note in found.notes)


def test_an_engine_takes_smaller_steps_on_smaller_cards():
    small, large, largest = (of("llama-3.1-8b", card).engine for card in ("l40s", "h100-sxm", "b200"))
    assert (small.step_tokens, small.sampled_sequences) == (2048, 256)
    assert (large.step_tokens, large.sampled_sequences) == (8192, 1024)
    assert (largest.step_tokens, largest.sampled_sequences) == (16384, 1024)


def test_what_has_no_meaning_is_refused():
    with pytest.raises(NotSupported, match="batch must be at least 1, got 0"):
        of("llama-3.1-8b", batch=0)

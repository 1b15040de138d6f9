"""Cache of an engine as rows of start-up logs state it."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.specs.load import load
from generator.validation.families import kv_capacity
from generator.validation.families.kv_capacity import FAMILY, release_of
from generator.validation.rows import Row, Uncovered, read

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = load(ROOT)
ROWS = [row for row in read(ROOT / "specs/measurements/tables/vllm-start-up-logs.csv") if FAMILY.claims(row)]
BASE = {
    "id": "a", "model": "Qwen/Qwen3-8B", "precision_weights": "bfloat16", "precision_kv": "bfloat16",
    "gpu": "H100 SXM 80GB", "tp": "1", "pp": "1", "engine": "vLLM", "engine_version": "0.19.0",
    "metric": "kv_cache_tokens", "gpu_memory_utilization": "0.95", "max_model_len": "8192",
    "max_num_seqs": "1024 (H100 default)", "max_num_batched_tokens": "8192",
}  # fmt: skip


def row(value: float = 418_688, **fields: str) -> Row:
    return Row("a", value, BASE | fields, "a.csv:2")


def tokens(**fields: str) -> float:
    case = FAMILY.express(row(**fields), LIBRARY)
    return float(FAMILY.predict(case.inputs, {}))


def test_every_row_is_expressed_or_refused_with_a_reason():
    told = 0
    for one in ROWS:
        try:
            FAMILY.express(one, LIBRARY)
            told += 1
        except Uncovered as reason:
            assert str(reason)
    assert told > 60


def test_no_row_beats_its_bound_and_no_prediction_does():
    for one in ROWS:
        try:
            case = FAMILY.express(one, LIBRARY)
        except Uncovered:
            continue
        if case.fitted:
            assert case.measured <= case.bound
        assert FAMILY.predict(case.inputs, {}) <= case.bound


def test_a_row_worked_by_hand():
    # 75.23 GiB less 15.27 of weights, 2.20 of logits and 0.25 of libraries, over 2.25 MiB a block of 36 layers.
    left = 0.95 * 79.19 - 15.266 - (1024 * 151_936 * 15 + 8192 * 4096 * 2) / 2**30 - 0.25
    assert tokens(gpu_mem_total_gib="79.19") == pytest.approx(left * 2**30 / 147_456, rel=0.001)
    assert tokens() == pytest.approx(418_688, rel=0.002)


def test_memory_in_gib_is_the_same_cache_in_another_unit():
    case = FAMILY.express(row(57.5, metric="kv_cache_available"), LIBRARY)
    assert case.in_row_unit(float(FAMILY.predict(case.inputs, {}))) == pytest.approx(57.5, rel=0.002)


def test_settings_that_a_row_leaves_out_are_those_of_the_engine():
    assert tokens(max_num_seqs="", max_num_batched_tokens="") == tokens()
    assert tokens(gpu_memory_utilization="") < tokens()


def test_a_cache_in_fp8_holds_twice_the_tokens():
    assert tokens(precision_kv="fp8") == pytest.approx(2 * tokens(), rel=1e-4)


@pytest.mark.parametrize(
    ("text", "version", "generation"),
    [
        ("0.19.0", (0, 19), "V1"), ("0.11-0.14 (0.11.0 stated for Mistral)", (0, 14), "V1"),
        ("0.6.6 (V0)", (0, 6), "V0"),
        ("0.7.0 (V1)", (0, 7), "V1"), ("0.9.x (V0)", (0, 9), "V0"), ("2026-05 nightly", (0, 21), "V1"),
        ("0.5.2", (0, 5), "V0"),
    ],
)  # fmt: skip
def test_releases_are_read_from_what_rows_say(text, version, generation):
    found = release_of(text)
    assert (found.version, found.generation) == (version, generation)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"engine": "SGLang"}, "SGLang"),
        ({"engine_version": "build 7"}, "release"),
        ({"model": "nobody/knows-this-9b"}, "no spec"),
        ({"gpu": "Abacus 3000"}, "no spec"),
        ({"precision_weights": "compressed-tensors/bfloat16"}, "number format"),
        ({"model": "meta-llama/Llama-3.1-405B-Instruct"}, "nothing is left"),
    ],
)
def test_what_cannot_be_predicted_says_why(fields, reason):
    with pytest.raises(Uncovered, match=reason):
        FAMILY.express(row(**fields), LIBRARY)


def test_kinds_of_attention():
    kinds = {
        name: kv_capacity.attention_kind(LIBRARY.models[name]) for name in ("qwen3-8b", "deepseek-v3", "gemma-3-27b")
    }
    assert kinds == {"qwen3-8b": "full", "deepseek-v3": "latent", "gemma-3-27b": "hybrid"}

"""A lone request: bytes and FLOPs of a row by hand, limits of the formulas, and no counted row beats its bound."""

from __future__ import annotations

import importlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.formulas import single_stream as formulas
from generator.validation import rows
from generator.validation.calibration import constants_of
from generator.validation.families import cards, prompt_rate, single_stream, step_profile
from generator.validation.judge import calibration_of
from generator.validation.rows import Row, Uncovered

FAMILIES = (single_stream.FAMILY, prompt_rate.FAMILY, step_profile.FAMILY)
EACH = pytest.mark.parametrize("family", FAMILIES, ids=lambda one: one.id)
LONE = {
    "model": "llama-3-8b", "precision_weights": "F16", "precision_kv": "f16", "gpu": "rtx-4090", "n_gpus": "1",
    "engine": "llama.cpp", "isl": "0", "osl": "512", "batch_or_concurrency": "1", "metric": "decode_single_stream",
}  # fmt: skip
STEP = LONE | {
    "model": "llama-2-70b", "precision_weights": "fp16", "gpu": "h100-sxm", "n_gpus": "4", "tp": "4",
    "engine": "vLLM (Splitwise profile)", "isl": "512", "osl": "128", "metric": "token_time",
}  # fmt: skip


def row(value: float = 50.0, fields: dict[str, str] = LONE, **more: str) -> Row:
    return Row("r", value, fields | more, "t:2")


def predicted(family, library, case) -> float:
    return float(family.predict(case.inputs, constants_of(family, calibration_of(library, family), case)))


def claimed(library, family) -> list[Row]:
    found = []
    for name in calibration_of(library, family).tables:
        found += [one for one in rows.read(library.table("measurements/tables", name)) if family.claims(one)]
    return found


def test_a_token_reads_all_weights_but_the_input_table(library):
    inputs = single_stream.FAMILY.express(row(), library).inputs
    params, table = 8_030_261_248, 128_256 * 4096
    assert inputs["streamed_weights_bytes"] == pytest.approx(2 * (params - table), rel=1e-6)
    assert inputs["matrix_flops"] == pytest.approx(2 * (params - table), rel=1e-6)
    # 4 FLOPs for each of 32 x 128 query values, 32 layers, at half of 512 tokens.
    assert inputs["attention_flops_per_token"] == pytest.approx(4 * 32 * 128 * 32 * 256, rel=1e-2)


def test_a_tied_input_table_is_read_as_the_output_head(library):
    model = next(one for one in library.models.values() if one.config.tied_embeddings and one.config.ffn)
    inputs = single_stream.FAMILY.express(row(model=model.id), library).inputs
    architecture = single_stream.architecture_of(row(model=model.id), library)
    assert inputs["streamed_weights_bytes"] == pytest.approx(float(architecture.weights_read(1)))


def test_bound_of_a_lone_request_is_the_bandwidth_over_what_is_read(library):
    case = single_stream.FAMILY.express(row(), library)
    cache = 2 * 8 * 128 * 2 * 32 * 256
    assert float(case.bound) == pytest.approx(1.008e12 / (2 * (8_030_261_248 - 128_256 * 4096) + cache), rel=1e-3)
    assert float(case.reference) < float(case.bound)


def test_layers_on_more_cards_do_not_make_a_lone_request_faster(library):
    one, four = (single_stream.FAMILY.express(row(n_gpus=str(cards)), library) for cards in (1, 4))
    assert float(one.bound) == float(four.bound)
    assert predicted(single_stream.FAMILY, library, four) < predicted(single_stream.FAMILY, library, one)


@given(context=st.integers(16, 100_000), more=st.integers(16, 10_000))
@settings(max_examples=20, deadline=None)
def test_a_longer_context_is_slower_and_the_bound_holds(library, context, more):
    short, long = (
        single_stream.FAMILY.express(row(osl=str(tokens)), library) for tokens in (context, context + more)
    )  # fmt: skip
    rate = predicted(single_stream.FAMILY, library, short)
    assert predicted(single_stream.FAMILY, library, long) < rate < float(short.bound)


@pytest.mark.parametrize("weights", ["Q4_K_M", "Q6_K", "Q8_0", "F16"])
@pytest.mark.parametrize("gpu", ["rtx-3090", "a100-80gb-sxm", "h100-pcie", "m2-ultra"])
def test_predictions_stay_below_their_bounds(library, weights, gpu):
    for family, more in ((single_stream.FAMILY, {}), (prompt_rate.FAMILY, {"metric": "prefill_rate", "isl": "2048"})):
        case = family.express(row(precision_weights=weights, gpu=gpu, **more), library)
        assert predicted(family, library, case) < float(case.bound)


def test_tensor_parallel_lone_requests_are_refused(library):
    with pytest.raises(Uncovered, match="tensor parallelism"):
        single_stream.FAMILY.express(row(tp="2"), library)


def test_weights_without_a_number_format_are_refused(library):
    with pytest.raises(Uncovered, match="no number format"):
        single_stream.FAMILY.express(row(precision_weights="Q17"), library)


@given(
    pieces=st.integers(1, 64), flight=st.integers(1, 8), gpus=st.integers(1, 16)
)  # fmt: skip
def test_a_pipeline_takes_as_many_turns_as_its_pieces_and_the_cards_before_it_is_full(pieces, flight, gpus):
    turns = formulas.pipeline_turns(prompt_pieces=pieces, pieces_in_flight=flight, gpus=gpus)
    assert turns >= pieces
    if gpus == 1:
        assert turns == pytest.approx(pieces)
    if pieces <= flight:
        assert turns == pieces + gpus - 1


def test_prompt_by_hand(library):
    case = prompt_rate.FAMILY.express(row(5000.0, metric="prefill_rate", isl="2048"), library)
    body = 8_030_261_248 - 2 * 128_256 * 4096
    assert case.inputs["prompt_matrix_flops"] == pytest.approx(2048 * 2 * body, rel=1e-4)
    # The consumer card adds in FP16 at twice the rate of its data sheet's FP32-adding figure.
    assert case.inputs["peak_flops_per_s"] == pytest.approx(330.3e12)
    assert case.inputs["prompt_pieces"] == 4
    assert case.inputs["widened_bytes"] == 0
    assert case.inputs["prompt_scores"] == pytest.approx(2048 * 32 * 32 * (2048 + 512) / 2, rel=1e-3)


def test_a_prompt_that_leaves_the_card_idle_is_shown_but_not_counted(library):
    case = prompt_rate.FAMILY.express(row(700.0, metric="prefill_rate", isl="2048"), library)
    assert not case.fitted and "twelfth" in case.remark


def test_more_cards_speed_up_a_long_prompt_but_not_one_piece(library):
    def rate(isl, gpus):
        case = prompt_rate.FAMILY.express(row(5000.0, metric="prefill_rate", isl=isl, n_gpus=gpus), library)
        return predicted(prompt_rate.FAMILY, library, case)

    assert rate("512", "4") < rate("512", "1")
    assert 1.5 < rate("8192", "4") / rate("8192", "1") < 4


def test_step_of_a_tensor_parallel_group_by_hand(library):
    case = step_profile.FAMILY.express(row(30.0, STEP, batch_or_concurrency="8"), library)
    params, table = 68_976_648_192, 32_000 * 8192
    cache = 2 * 8 * 128 * 2 * 80 * (512 + 64)
    assert case.inputs["profile_bytes"] == pytest.approx(2 * (params - table) + 8 * cache, rel=1e-4)
    assert case.inputs["all_reduce_bytes"] == pytest.approx(2 * 3 / 4 * 8 * 8192 * 2)
    assert case.measured == pytest.approx(0.03)
    assert float(case.bound) == pytest.approx(case.inputs["profile_bytes"] / 4 / 3.35e12, rel=1e-6)


@pytest.mark.parametrize("metric", ["token_time", "prompt_time"])
def test_more_requests_take_longer_and_never_beat_the_floor(library, metric):
    before = 0.0
    for batch in ("1", "4", "16"):
        case = step_profile.FAMILY.express(row(1e5, STEP, metric=metric, batch_or_concurrency=batch), library)
        now = predicted(step_profile.FAMILY, library, case)
        assert now > before and now > float(case.bound)
        before = now


def test_a_step_faster_than_all_cards_is_no_run_of_its_batch(library):
    case = step_profile.FAMILY.express(row(1.0, STEP, metric="prompt_time"), library)
    assert not case.fitted and case.bound is None


def test_a_power_cap_is_a_key_of_the_same_card(library):
    case = step_profile.FAMILY.express(row(50.0, STEP, gpu="h100-sxm-pcap"), library)
    assert (case.keys["accelerator"], case.keys["power"]) == ("h100-sxm", "capped")


@EACH
def test_rows_are_expressed_or_refused_and_no_counted_row_beats_its_bound(library, family):
    inputs = None
    for one in claimed(library, family):
        try:
            case = family.express(one, library)
        except Uncovered:
            continue
        assert inputs in (None, set(case.inputs))
        inputs = set(case.inputs)
        if case.fitted and case.bound is not None:
            ratio = case.measured / float(case.bound)
            assert ratio < 1.001 if family.bound_is == "most" else ratio > 0.999, one.id


@pytest.mark.parametrize(
    ("identifier", "memory", "generation"),
    [("rtx-3090", "gddr", "ampere"), ("l40s", "gddr", "ada"), ("h200", "hbm", "hopper"), ("m4-max", "unified", "apple"),
     ("rtx-pro-6000-blackwell", "gddr", "blackwell"), ("mi300x", "hbm", "amd")],
)  # fmt: skip
def test_cards_are_told_apart_by_memory_and_generation(library, identifier, memory, generation):
    keys = cards.keys_of(library.accelerators[identifier])
    assert (keys["memory"], keys["generation"]) == (memory, generation)


def test_modules_are_registered():
    registry = importlib.import_module("generator.validation.registry")
    assert {one.id for one in FAMILIES} <= set(registry.families())

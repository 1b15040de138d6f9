"""Training runs that were published, and what fits on how many accelerators."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path

import pytest

from generator.estimates.architecture import NotSupported, describe
from generator.estimates.training import ZERO_STAGES, published_run, training
from generator.formulas import training as formulas
from generator.provenance import Choice, leaves
from generator.specs.load import load
from generator.specs.records import Peaks

LIBRARY = load(Path(__file__).resolve().parents[2])
H100 = LIBRARY.accelerators["h100-sxm"]


def run(model="llama-3.1-405b", accelerator="h100-sxm", *, gpus=16384, tokens=15.6e12, **more):
    return training(LIBRARY.models[model], LIBRARY.accelerators[accelerator], LIBRARY, gpus=gpus, tokens=tokens, **more)


def test_llama_3_1_405b_takes_3_8e25_flops():
    # The paper prints 3.8e25; with a round 405 billion parameters it is 3.79e25.
    assert run().training_flops == pytest.approx(3.79e25, rel=3e-3)


def test_llama_3_1_405b_has_6_5_tb_of_state_in_mixed_precision():
    result = run()
    assert 6.48e12 <= result.training_state_bytes <= 6.5e12
    assert result.state_bytes_per_param == 16
    assert sum(result.state_bytes_by_part.values()) == result.training_state_bytes
    assert {part: value / result.total_params for part, value in result.state_bytes_by_part.items()} == {
        "weight": 2, "gradient": 2, "master": 4, "moment": 8,
    }  # fmt: skip


def test_deepseek_v3_flops_count_active_parameters_and_its_state_all_of_them():
    result = run("deepseek-v3", "h800", gpus=2048, tokens=14.8e12)
    model = describe(LIBRARY.models["deepseek-v3"], LIBRARY)
    assert result.training_flops == 6 * model.active_params * 14.8e12
    assert result.training_state_bytes == 16 * model.total_params
    assert model.total_params > 17 * model.active_params


@pytest.mark.parametrize(("model", "mfu"), [("llama-3.1-405b", 0.345), ("deepseek-v3", 0.346)])
def test_published_hours_imply_a_utilisation(model, mfu):
    # With the parameters as published, 405B and 37B; the exact active counts give 34.6 and 35.1 %.
    found = published_run(LIBRARY.models[model], LIBRARY)
    assert found.implied_mfu_published == pytest.approx(mfu, abs=6e-4)
    assert found.implied_mfu == pytest.approx(mfu, abs=6e-3)


def test_time_at_the_implied_utilisation_is_the_published_time():
    found = published_run(LIBRARY.models["llama-3.1-405b"], LIBRARY)
    assert run(mfu=found.implied_mfu).training_gpu_hours == pytest.approx(30.84e6)


def test_attention_of_full_layers_is_the_palm_convention_and_half_of_it_when_causal():
    result = run(sequence_tokens=8192)
    palm = formulas.attention_training_flops(
        layers=126, n_heads=128, head_dim=128, sequence_tokens=8192, training_tokens=15.6e12
    )
    assert result.attention_training_flops == pytest.approx(palm, rel=1e-12)
    assert result.causal_attention_training_flops == pytest.approx(palm / 2, rel=1e-12)
    assert result.training_flops_with_attention == pytest.approx(result.training_flops + palm)


def test_windowed_layers_attend_to_their_window_only():
    long, longer = (
        run("mistral-7b-v0.1", gpus=8, tokens=1e9, sequence_tokens=tokens).attention_training_flops
        for tokens in (4096, 32768)
    )
    assert long == longer


def test_linear_attention_costs_the_same_at_any_sequence_length():
    from generator.estimates.training_parts import attention_flops

    model = describe(LIBRARY.models["qwen3-next-80b-a3b"], LIBRARY)
    linear = next(group for group in model.attention if group.state_bytes)
    assert linear.decode_flops(1024) == linear.decode_flops(65536)
    short, long = (attention_flops(model, tokens, 1e12, 1e24)["attention_training_flops"] for tokens in (4096, 8192))
    assert long < 2 * short


def test_without_a_sequence_length_attention_is_not_counted_and_said_so():
    result = run()
    assert result.attention_training_flops is None
    assert result.activation_bytes_per_gpu is None
    assert any("sequence length" in note for note in result.notes)


def test_full_recomputation_costs_a_third_more_hardware_flops():
    # MPT-70b on 512 H100 in the tables of llm-foundry: MFU 41.25 %, HFU 55.0 % with full recomputation.
    assert run(mfu=0.4125, recompute="full").hfu == pytest.approx(0.55, abs=5e-4)
    assert run(mfu=0.4125).hfu == 0.4125


def test_each_zero_stage_holds_no_more_than_the_one_before():
    by_stage = run(tp=8, pp=16).state_bytes_per_gpu_by_zero
    assert all(later < earlier for earlier, later in itertools.pairwise(by_stage[stage] for stage in ZERO_STAGES))
    model = describe(LIBRARY.models["llama-3.1-405b"], LIBRARY)
    assert by_stage[0] == pytest.approx(16 * model.total_params / 128)
    assert by_stage[1] == pytest.approx((4 + 12 / 128) * model.total_params / 128)
    assert by_stage[2] == pytest.approx((2 + 14 / 128) * model.total_params / 128)
    assert by_stage[3] == pytest.approx(16 * model.total_params / 16384)


def test_the_zero_paper_puts_7_5_billion_parameters_on_64_gpus_in_1_9_gb():
    # Figure 1 of Rajbhandari et al. 2020: 120, 31.4, 16.6 and 1.9 GB.
    for replicated, shared, gigabytes in ((16, 0, 120), (4, 12, 31.4), (2, 14, 16.6), (0, 16, 1.9)):
        found = formulas.state_bytes_per_gpu(
            total_params=7.5e9, model_parallel_degree=1, shard_degree=64,
            replicated_state_bytes_per_param=replicated, sharded_state_bytes_per_param=shared,
        )  # fmt: skip
        assert found / 1e9 == pytest.approx(gigabytes, abs=0.05)


def test_gradients_in_fp32_make_18_bytes_a_parameter():
    assert run(gradient_bytes=4).state_bytes_per_param == 18


def test_general_activations_are_the_sum_of_korthikanti_without_dropout():
    # 34·s·b·h with two one-byte dropout masks; without them 32.
    shape = {"d_model": 12288, "activation_bytes_per_value": 2}
    attention = formulas.attention_activation_bytes(n_heads=96, n_kv_heads=96, head_dim=128, **shape)
    ffn = formulas.ffn_activation_bytes(intermediate=4 * 12288, kept_intermediates=2, **shape)
    assert attention + ffn == 32 * 12288


def test_scores_are_70_percent_of_the_activations_of_gpt_3():
    # Section 5 of Korthikanti et al.: 5as/h is 80 for GPT-3, so recomputing the scores alone saves 70 %.
    shape = {"sequence_tokens": 2048, "micro_batch": 1, "d_model": 12288}
    whole = formulas.transformer_activation_bytes(n_heads=96, **shape)
    without_scores = formulas.transformer_activation_bytes(n_heads=0, **shape)
    assert 1 - without_scores / whole == pytest.approx(0.70, abs=5e-3)


def test_activations_shrink_with_tensor_parallelism_and_not_with_stages():
    one, wide, deep = (
        run("llama-3.1-70b", gpus=64, tokens=1e12, sequence_tokens=8192, tp=tp, pp=pp).activation_bytes_per_gpu
        for tp, pp in ((1, 1), (8, 1), (1, 8))
    )
    assert one == 8 * wide == deep


def test_what_latent_attention_keeps_is_not_made_up():
    result = run("deepseek-v3", gpus=2048, tokens=1e12, sequence_tokens=4096)
    assert result.activation_bytes_per_gpu is None
    assert any("not published" in note for note in result.notes)


def test_one_gpu_too_few_is_answered_with_the_fewest_that_do():
    result = run(gpus=8)
    assert not result.feasible
    assert result.reasons == (
        "state needs 812 GB per GPU, one NVIDIA H100 SXM5 80 GB offers 70.0 GB after workspace",
        "93 GPUs are the fewest at ZeRO 3 with TP 1 x PP 1",
    )
    assert run(gpus=93).feasible
    assert not run(gpus=92).feasible


def test_a_stage_that_never_fits_names_the_stages_that_do():
    result = run(gpus=8, zero=1)
    assert "no number of GPUs fits at ZeRO 1" in result.reasons[1]
    assert "possible: ZeRO 3 from 93 GPUs" in result.reasons[1]


def test_price_is_the_given_one_else_the_dated_one_of_the_specs():
    assert run(usd_per_gpu_hour=2).training_usd == pytest.approx(2 * run().training_gpu_hours)
    dated = LIBRARY.collections["prices/gpus"]["h100-sxm"].typical
    assert run().training_usd == pytest.approx(dated * run().training_gpu_hours)


def test_a_card_without_a_published_peak_has_no_time():
    card = dataclasses.replace(H100, dense_peak=Peaks())
    result = training(LIBRARY.models["llama-3.1-8b"], card, LIBRARY, gpus=8, tokens=1e9)
    assert result.training_seconds is None
    assert result.training_usd is None
    assert any("no dense peak" in reason for reason in result.reasons)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"gpus": 10, "tp": 4}, "10 accelerators do not divide into groups of tp 4 x pp 1 = 4"),
        ({"zero": 4}, "ZeRO has no stage 4; valid: 0, 1, 2, 3"),
        ({"gpus": 0}, "gpus must be a whole number from 1, got 0"),
        ({"tokens": 0}, "tokens must be above 0, got 0"),
        ({"recompute": "some"}, "recompute cannot be `some`; valid: selective, full"),
        ({"pp": 128}, "128 pipeline stages for 126 layers; valid: 1 to 126"),
    ],
)
def test_what_has_no_meaning_is_refused_with_the_valid_choices(wrong, message):
    with pytest.raises(NotSupported, match=message):
        run(**wrong)


def test_every_number_leads_to_its_sources():
    result = run(sequence_tokens=8192, tp=8, pp=16)
    for value in (result.training_seconds, result.training_usd, result.state_bytes_per_gpu, result.hfu):
        origins = [leaf.origin for leaf in leaves(value)]
        assert origins
        assert all(isinstance(origin, Choice) or origin.sources for origin in origins)

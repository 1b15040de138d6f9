"""DeepSeek-V2 (arXiv 2405.04434), V3 (2412.19437), V3.2 and V4: sizes, caches, training hours."""

from __future__ import annotations

import pytest

from generator.estimates.architecture import describe
from generator.formulas import comparison, moe, training


def test_v2_caches_34560_elements_a_token(library):
    """Table 1 of the V2 report: 34.6K."""
    found = describe(library.models["deepseek-v2"], library, kv="bf16")
    assert found.kv_bytes_per_token / 2 == 34_560


def test_v3_has_671_billion_parameters_of_which_a_token_uses_37(library):
    found = describe(library.models["deepseek-v3"], library)
    assert found.total_params / 1e9 == pytest.approx(671, rel=1e-3)
    assert found.active_params_no_input_embedding / 1e9 == pytest.approx(36.6, abs=0.05)


def test_training_v3_took_3_3e24_flops():
    flops = training.training_flops(active_params=37e9, training_tokens=14.8e12)
    assert flops == pytest.approx(3.2856e24)


def test_2_664_million_h800_hours_imply_a_bf16_equivalent_mfu_of_34_6_percent(library):
    run = library.models["deepseek-v3"].training
    assert run.gpu_hours == pytest.approx(2.664e6)
    flops = training.training_flops(active_params=37e9, training_tokens=run.tokens)
    peak = library.accelerators["h800"].dense_peak.bf16
    implied = training.implied_mfu(training_flops=flops, gpu_hours=run.gpu_hours, peak_flops_per_s=peak)
    assert implied == pytest.approx(0.346263, rel=0.001)


def test_2_788_million_hours_at_two_dollars_cost_5_576_million():
    assert training.training_usd(training_gpu_hours=2.788e6, usd_per_gpu_hour=2) == pytest.approx(5.576e6)


def test_training_state_of_v3_takes_10_7_terabytes():
    assert training.training_state_bytes(total_params=671e9, state_bytes_per_param=16) == pytest.approx(10.736e12)


@pytest.mark.parametrize(
    ("model", "gibibytes"),
    [("deepseek-v3", 68.625), ("deepseek-v3.2", 83.875), ("deepseek-v4-flash", 6.719), ("deepseek-v4-pro", 9.617)],
)
def test_a_million_tokens_take_what_users_computed_when_v4_came_out(library, model, gibibytes):
    """68.63, 83.88, 6.72 and 9.62 GiB in FP16 (reddit.sentinel-team.org/posts/1svzlog)."""
    found = describe(library.models[model], library, kv="bf16")
    assert found.kv_bytes_per_token * 2**20 / 2**30 == pytest.approx(gibibytes, abs=0.001)


def test_v4_pro_caches_a_tenth_of_v3_2(library):
    """The V4 report says 10 % at a million tokens; in the deployed layouts 5,031 against 48,068 bytes."""
    v4, v3 = (
        describe(library.models[name], library, kv="fp8").kv_bytes_per_token
        for name in ("deepseek-v4-pro", "deepseek-v3.2")
    )
    assert comparison.ratio_of(value=v4, reference_value=v3) == pytest.approx(0.105, abs=0.001)


@pytest.mark.parametrize("model", ["deepseek-v4-pro", "deepseek-v4-flash"])
def test_v4_caches_two_percent_of_grouped_query_attention_with_eight_heads_of_128(library, model):
    found = describe(library.models[model], library, kv="fp8")
    full = library.models[model].config.layers * 2 * 8 * 128 * 2
    assert found.kv_bytes_per_token / full == pytest.approx(0.02, rel=0.02)


def test_v4_pro_on_64_gpus_has_six_experts_each_and_wants_19200_tokens_for_300_an_expert(library):
    group = describe(library.models["deepseek-v4-pro"], library).moe
    assert moe.experts_per_gpu(experts=group.experts, ep=64) == 6
    step = moe.tokens_per_step(wanted_tokens_per_expert=300, experts=group.experts, top_k=group.top_k)
    assert step == 19_200


def test_v3_on_64_gpus_of_a_rack_has_four_experts_each(library):
    assert moe.experts_per_gpu(experts=describe(library.models["deepseek-v3"], library).moe.experts, ep=64) == 4


def test_a_token_uses_three_percent_of_v4_pro(library):
    assert describe(library.models["deepseek-v4-pro"], library).active_share == pytest.approx(49 / 1600, rel=0.04)

"""Llama 2 (arXiv 2307.09288, meta-llama/llama-models): GPU hours at equal utilisation."""

from __future__ import annotations

import pytest

from generator.estimates.architecture import describe
from generator.formulas import training

PEAK = 312e12


def _flops(library, name, tokens=2e12, sequence=4096):
    found = describe(library.models[name], library)
    group = library.models[name].config.attention[0]
    return training.training_flops_with_attention(
        training_flops=training.training_flops(active_params=found.active_params, training_tokens=tokens),
        attention_training_flops=training.attention_training_flops(
            layers=group.layers, n_heads=group.n_heads, head_dim=group.head_dim, sequence_tokens=sequence,
            training_tokens=tokens,
        ),
    )  # fmt: skip


def test_llama_2_70b_takes_the_hours_that_scaling_the_7b_predicts(library):
    """184,320 A100-hours for 7B give 1.75 million for 70B; the card says 1,720,320 (OpenBMB/MiniCPM#36)."""
    predicted = 184_320 * _flops(library, "llama-2-70b") / _flops(library, "llama-2-7b")
    assert predicted == pytest.approx(1_720_320, rel=0.05)
    assert library.models["llama-2-70b"].training.gpu_hours == 1_720_320


@pytest.mark.parametrize(
    ("name", "hours"), [("llama-2-7b", 184_320), ("llama-2-13b", 368_640), ("llama-2-70b", 1_720_320)]
)
def test_hours_of_the_card_imply_a_utilisation_of_about_40_percent(library, name, hours):
    flops = training.training_flops(
        active_params=describe(library.models[name], library).active_params, training_tokens=2e12
    )
    implied = training.implied_mfu(training_flops=flops, gpu_hours=hours, peak_flops_per_s=PEAK)
    assert 0.37 < implied < 0.44


def test_9600_tokens_a_second_of_a_7b_on_an_h100_are_46_percent_of_the_dense_peak(library):
    """foundation-model-stack/fms-fsdp#89: the 24 % that a reader found is of the sparse peak."""
    flops = _flops(library, "llama-2-7b", tokens=9600 * 3600)
    card = library.accelerators["h100-sxm"]
    dense = training.implied_mfu(training_flops=flops, gpu_hours=1, peak_flops_per_s=card.dense_peak.bf16)
    sparse = training.implied_mfu(training_flops=flops, gpu_hours=1, peak_flops_per_s=card.sparse_peak.bf16)
    assert dense == pytest.approx(0.46, rel=0.03)
    assert sparse == pytest.approx(dense / 2, rel=1e-3)


def test_fine_tuning_70b_on_16_a100_ran_at_2_8_percent_and_not_at_45():
    """huggingface/blog#1649: one GPU's peak had been set against the tokens of all sixteen."""
    flops = training.training_flops(active_params=70e9, training_tokens=2048 * 16 * 500)
    implied = training.implied_mfu(training_flops=flops, gpu_hours=16 * 13.5, peak_flops_per_s=PEAK)
    assert implied == pytest.approx(0.0284, rel=0.01)
    assert 16 * implied == pytest.approx(0.455, abs=0.002)


def test_8192_tokens_of_llama_2_13b_take_6_7_gb_which_are_6_25_gib(library):
    """jax-ml/scaling-book inference.md prints 6.7 under the heading GiB."""
    cache = describe(library.models["llama-2-13b"], library).request_bytes(8192, 1)
    assert cache / 1e9 == pytest.approx(6.711, abs=0.001)
    assert cache / 2**30 == 6.25

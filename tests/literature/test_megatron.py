"""Narayanan et al. 2021, arXiv 2104.04473: table 1, equation 2 (parameters) and equation 4 (training time)."""

from __future__ import annotations

import pytest

from generator.formulas import parallelism, parameters, training

VOCAB, SEQUENCE = 51_200, 2048
# Billions of parameters, heads, width, layers.
TABLE_1 = [
    (1.7, 24, 2304, 24), (3.6, 32, 3072, 30), (7.5, 32, 4096, 36), (18.4, 48, 6144, 40), (39.1, 64, 8192, 48),
    (76.1, 80, 10240, 60), (145.6, 96, 12288, 80), (310.1, 128, 16384, 96), (529.6, 128, 20480, 105),
    (1008.0, 160, 25600, 128),
]  # fmt: skip


def _params(heads: int, width: int, layers: int) -> float:
    head = {"d_model": width, "n_heads": heads, "n_kv_heads": heads, "head_dim": width // heads}
    small = parameters.grouped_query_small_params(
        has_qkv_bias=1, has_o_bias=1, has_head_norm=0, has_layer_norm=0, has_sinks=0, **head
    )
    return parameters.total_params(
        attention_params=layers
        * parameters.grouped_query_attention_params(
            query_matrices=1, small_attention_params=small, index_params=0, **head
        ),
        ffn_params=layers * parameters.plain_ffn_params(d_model=width, intermediate=4 * width, has_bias=1),
        routed_expert_params=0,
        # A layer norm has a weight and a bias for each dimension.
        norm_params=parameters.norm_params(layers=layers, norm_params_per_layer=4 * width, final_norm_params=0),
        other_params=SEQUENCE * width,
        embedding_params=parameters.embedding_params(vocab=VOCAB, d_model=width),
        head_params=0,
    )


@pytest.mark.parametrize(("billions", "heads", "width", "layers"), TABLE_1)
def test_parameters_of_table_1(billions, heads, width, layers):
    params = _params(heads, width, layers)
    assert params / 1e9 == pytest.approx(billions, abs=0.06)
    equation_2 = 12 * layers * width**2 * (1 + 13 / (12 * width) + (VOCAB + SEQUENCE) / (12 * layers * width))
    assert params == pytest.approx(equation_2, rel=1e-12)


@pytest.mark.parametrize(
    ("params", "tokens", "gpus", "reached", "days"),
    [(175e9, 300e9, 1024, 140e12, 34), (1008e9, 450e9, 3072, 163e12, 84)],
)
def test_training_days_with_recomputation(params, tokens, gpus, reached, days):
    """Equation 4 counts 8 FLOPs a parameter and token, a third more than 6, because activations are recomputed."""
    flops = 8 / 6 * training.training_flops(active_params=params, training_tokens=tokens)
    seconds = training.training_seconds(training_flops=flops, gpus=gpus, peak_flops_per_s=312e12, mfu=reached / 312e12)
    assert seconds / 86_400 == pytest.approx(days, rel=0.005)


def test_bubble_over_useful_time_of_8_stages_and_32_micro_batches_is_7_over_32():
    """Section 2.2.1: (p - 1) / m."""
    assert parallelism.bubble_overhead(pp=8, micro_batches=32) == 7 / 32


def test_80_layers_take_160_all_reduces():
    """Shoeybi et al. 2019, figure 4: two in each layer forward."""
    assert parallelism.all_reduces_per_token(layers=80) == 160

"""Yu et al. 2022, Orca, OSDI 2022, table 1: the GPT models it was measured with."""

from __future__ import annotations

import pytest

from generator.formulas import memory, parameters


@pytest.mark.parametrize(
    ("billions", "layers", "width"), [(13, 40, 5120), (101, 80, 10240), (175, 96, 12288), (341, 120, 15360)]
)
def test_models_have_the_size_of_their_name(billions, layers, width):
    attention = parameters.grouped_query_attention_params(
        d_model=width, n_heads=width // 128, n_kv_heads=width // 128, head_dim=128, query_matrices=1,
        small_attention_params=0, index_params=0,
    )  # fmt: skip
    network = parameters.plain_ffn_params(d_model=width, intermediate=4 * width, has_bias=1)
    table = parameters.embedding_params(vocab=50_257, d_model=width)
    assert (layers * (attention + network) + table) / 1e9 == pytest.approx(billions, rel=0.015)


def test_the_341b_model_caches_7_4_mb_a_token():
    layer = memory.grouped_query_kv_bytes(n_kv_heads=120, head_dim=128, bits_per_value=16)
    assert memory.kv_bytes_per_token(layers_by_group=(120,), kv_bytes_per_token_by_group=(layer,)) == 7_372_800

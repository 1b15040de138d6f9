"""Total, active and read parameters are three numbers: memory holds, FLOPs count, a decode step reads."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.estimates.architecture import NotSupported, describe
from generator.formulas import decode

EXPERTS = ("qwen3-30b-a3b", "deepseek-v3", "gpt-oss-120b", "mixtral-8x7b")


def _changed(model, **fields):
    """The model with other numbers in each group of experts."""
    ffn = [dataclasses.replace(group, **fields) if group.kind == "moe" else group for group in model.config.ffn]
    return dataclasses.replace(model, config=dataclasses.replace(model.config, ffn=ffn))


@pytest.mark.parametrize("name", EXPERTS)
def test_memory_holds_total_parameters_whatever_a_token_uses(library, name):
    model = library.models[name]
    some, more = describe(model, library), describe(_changed(model, top_k=model.config.ffn[-1].top_k + 1), library)
    assert more.weights_bytes == some.weights_bytes
    assert more.total_params == some.total_params
    assert more.active_params > some.active_params


@pytest.mark.parametrize("name", EXPERTS)
def test_flops_count_active_parameters_however_many_experts_there_are(library, name):
    model = library.models[name]

    def compute(one) -> float:
        routers = sum(
            group.layers * (group.experts * model.config.d_model + group.experts * group.router_bias)
            for group in one.model.config.ffn
            if group.kind == "moe"
        )
        return decode.compute_time_s(
            stage_batch=64, active_params=one.active_params - routers, attention_flops_per_token=0, tp=1,
            peak_flops_per_s=989.4e12, compute_efficiency=0.6,
        )  # fmt: skip

    some = describe(model, library)
    twice = describe(_changed(model, experts=2 * model.config.ffn[-1].experts), library)
    assert compute(twice) == pytest.approx(compute(some), rel=1e-12)
    assert twice.weights_bytes > 1.5 * some.weights_bytes


@pytest.mark.parametrize("name", EXPERTS)
def test_a_decode_step_reads_the_experts_that_its_batch_picks(library, name):
    one = describe(library.models[name], library)
    group = one.moe
    read = [float(one.weights_read(batch)) for batch in (1, 2, 8, 64, 100_000)]
    assert read == sorted(read)
    assert read[0] == pytest.approx(one.always_read_bytes + one.expert_bytes * group.top_k / group.experts)
    assert read[-1] == pytest.approx(float(one.weights_bytes), rel=1e-9)


def test_a_dense_model_reads_all_its_weights_for_one_token(library):
    one = describe(library.models["llama-3.1-405b"], library)
    assert one.weights_read(1) == one.weights_read(512) == one.weights_bytes
    assert one.active_params == one.total_params


def test_every_model_is_the_sum_of_its_parts(library):
    for model in library.models.values():
        one = describe(model, library)
        parts = (
            one.attention_params + one.ffn_params + one.routed_expert_params + one.norm_params + one.embedding_params
            + one.head_params + model.config.other_params
        )  # fmt: skip
        assert int(one.total_params) == int(parts)
        assert one.active_params <= one.total_params
        assert one.active_params_no_embeddings < one.active_params
        assert one.weights_bytes == pytest.approx(one.always_read_bytes + one.expert_bytes, rel=1e-12)


def test_weights_in_one_format_are_bits_times_parameters(library):
    for model in library.models.values():
        one = describe(model, library, weights="fp8")
        assert one.weights_bytes == pytest.approx(float(one.total_params), rel=1e-12)


@pytest.mark.parametrize(
    ("name", "gigabytes"),
    [("gpt-oss-120b", 65.2), ("gpt-oss-20b", 13.8), ("deepseek-v3", 673), ("llama-3.1-8b", 16.06)],
)
def test_checkpoints_weigh_what_is_downloaded(library, name, gigabytes):
    assert describe(library.models[name], library).weights_bytes / 1e9 == pytest.approx(gigabytes, rel=0.01)


@given(context=st.integers(1, 2_000_000))
def test_windows_cap_what_a_request_keeps_and_reads(library, context):
    """All layers of Mistral 7B v0.1 see 4,096 tokens, half of those of gpt-oss-120b see 128."""
    mistral = describe(library.models["mistral-7b-v0.1"], library)
    assert mistral.kv_bytes_per_token == 0
    assert mistral.fixed_bytes(context) == 131_072 * min(context, 4096)
    assert mistral.read_bytes_per_request(context) == 131_072 * min(context, 4096)
    oss = describe(library.models["gpt-oss-120b"], library)
    assert oss.read_bytes_per_request(context) == 18 * 2048 * (context + min(context, 128))


@given(context=st.integers(1, 1_000_000))
def test_a_hybrid_model_reads_its_state_at_any_context(library, context):
    one = describe(library.models["qwen3.5-397b-a17b"], library)
    assert one.read_bytes_per_request(context) == 192_061_440 + 30_720 * context


@given(context=st.integers(1, 160_000))
def test_sparse_attention_keeps_everything_and_reads_2048_entries_and_the_index(library, context):
    one = describe(library.models["deepseek-v3.2"], library)
    assert one.read_bytes_per_request(context) == 61 * (1152 * min(context, 2048) + 256 * context)
    assert one.request_bytes(context, 1) == 85_888 * context


@given(heads=st.sampled_from([1, 2, 4, 8, 16, 32]), context=st.integers(1, 100_000))
def test_cache_reads_scale_with_key_value_heads(library, heads, context):
    model = library.models["llama-3.1-8b"]
    group = dataclasses.replace(model.config.attention[0], n_kv_heads=heads)
    one = describe(dataclasses.replace(model, config=dataclasses.replace(model.config, attention=[group])), library)
    assert one.read_bytes_per_request(context) == heads / 8 * 131_072 * context


def test_reading_never_exceeds_what_is_kept(library):
    for model in library.models.values():
        one = describe(model, library)
        for context in (1, 100, 5000, 100_000):
            read = one.read_bytes_per_request(context)
            kept = one.kv_bytes_per_token * context + one.fixed_bytes(context)
            assert read <= kept * (1 + 1e-9), (model.id, context)


def test_more_context_never_costs_fewer_flops_or_bytes(library):
    contexts = (1, 64, 1000, 4096, 30_000, 200_000)
    for model in library.models.values():
        one = describe(model, library)
        for cost in (one.decode_attention_flops, one.prefill_attention_flops, one.read_bytes_per_request):
            found = [float(cost(context)) for context in contexts]
            assert found == sorted(found), model.id
        kept = [float(one.request_bytes(context, 16)) for context in contexts]
        assert kept == sorted(kept), model.id


def test_prefill_of_full_attention_costs_half_of_decoding_at_its_end(library):
    one = describe(library.models["llama-3-70b"], library)
    assert one.prefill_attention_flops(8192) == one.decode_attention_flops(8192) / 2


def test_fp8_halves_the_cache_of_grouped_query_models(library):
    for name in ("llama-3.1-8b", "qwen3-235b-a22b", "gpt-oss-120b"):
        wide, narrow = (describe(library.models[name], library, kv=kv) for kv in ("bf16", "fp8"))
        assert narrow.kv_bytes_per_token == wide.kv_bytes_per_token / 2


@pytest.mark.parametrize(
    ("name", "bytes_per_token"),
    [("deepseek-v3.2", 48_068), ("deepseek-v4-pro", 5_031.4375), ("deepseek-v4-flash", 3_514.25)],
)
def test_deployed_layouts_take_what_the_engine_allocates(library, name, bytes_per_token):
    """Scales and rotary parts included: 656 + 132 bytes a layer of V3.2, 584 + 68 an entry of V4 (vLLM)."""
    assert describe(library.models[name], library, kv="fp8").kv_bytes_per_token == bytes_per_token


def test_the_format_of_a_compressed_cache_cannot_be_chosen(library):
    with pytest.raises(NotSupported, match="cannot be chosen; valid: bf16, fp8"):
        describe(library.models["deepseek-v4-pro"], library, kv="nvfp4")


def test_a_cache_is_kept_in_formats_that_caches_have(library):
    with pytest.raises(NotSupported, match="valid: "):
        describe(library.models["llama-3.1-8b"], library, kv="int4-g128")


def test_every_number_of_a_model_leads_back_to_its_own_file(library):
    from generator.provenance import Datum, leaves

    one = describe(library.models["deepseek-v3"], library)
    files = {leaf.origin.file for leaf in leaves(one.total_params) if isinstance(leaf.origin, Datum)}
    assert files == {"specs/models/deepseek-v3.yaml"}
    assert one.total_params.kind == "exact"


@pytest.mark.parametrize(("name", "layers"), [("deepseek-v4-flash", 43), ("deepseek-v4-pro", 61), ("deepseek-v3", 58)])
def test_every_layer_with_experts_counts_whichever_group_it_is_in(library, name, layers):
    """Three layers of V4 route by a table and form a group of their own."""
    assert describe(library.models[name], library).moe_layers == layers


def test_a_model_without_experts_has_no_layers_with_experts(library):
    assert describe(library.models["llama-3-8b"], library).moe_layers == 0

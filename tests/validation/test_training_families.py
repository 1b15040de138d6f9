"""Steps and memory of training: a step by hand, limits, every row told about, and no row beats its bound."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from generator.formulas import training_step
from generator.specs.load import load
from generator.validation import asked, calibration
from generator.validation.families import training_layouts, training_memory, training_time
from generator.validation.rows import Row, Uncovered, read

ROOT = Path(__file__).resolve().parents[2]
TABLES = {
    "training-time": (training_time, "training-runs"),
    "training-layouts": (training_layouts, "nanotron"),
    "training-memory": (training_memory, "nanotron"),
}


@pytest.fixture(scope="module")
def library():
    return load(ROOT)


def dense(**fields: str) -> Row:
    given = {
        "id": "x", "metric": "step_time", "unit": "s", "value": "12.78", "model": "Llama 3.1 8B",
        "gpu": "H100 SXM 80GB", "precision_weights": "bf16", "n_gpus": "8", "tp": "1", "pp": "1", "cp": "2",
        "ep": "1", "vp": "", "engine": "NeMo/Megatron", "engine_version": "dgxc 25.02", "seq_len": "8192",
        "gbs_sequences": "128", "mbs": "1", "zero_or_fsdp": "", "recompute": "", "note": "", **fields,
    }  # fmt: skip
    return Row("x", float(given["value"]), given, "test:1")


def sweep(**fields: str) -> Row:
    start = {
        "model": "nanotron Llama 8B", "n_gpus": "16", "tp": "4", "cp": "", "engine": "nanotron",
        "engine_version": "ultrascale playbook 2025-02", "metric": "tokens_per_s_per_gpu", "value": "7290",
        "seq_len": "4096", "gbs_sequences": "256", "mbs": "4", "zero": "1", "mem_gb_per_gpu": "58.3",
    }  # fmt: skip
    return dense(**{**start, **fields})


def predicted(module, case, library) -> float:
    spec = library.calibrations[module.FAMILY.id]
    return float(module.predict(case.inputs, calibration.constants_of(module.FAMILY, spec, case)))


@pytest.mark.parametrize("family", TABLES)
def test_every_claimed_row_is_expressed_or_refused_and_none_beats_its_bound(family: str, library):
    module, table = TABLES[family]
    rows = read(library.table("measurements/tables", table))
    claimed = [one for one in rows if module.FAMILY.claims(one)]
    claimed += [further for one in rows if (further := module.FAMILY.derives(one)) is not None]
    assert claimed
    beaten = []
    for one in claimed:
        try:
            case = module.express(one, library)
        except Uncovered as reason:
            assert str(reason)
            continue
        if case.bound is not None and case.measured < 0.999 * float(case.bound):
            beaten.append(one.id)
    assert not beaten


def test_least_time_of_a_step_by_hand(library):
    case = training_time.express(dense(), library)
    matrices = 32 * (4096 * 128 * (2 * 32 + 2 * 8) + 3 * 4096 * 14336)
    head = 128256 * 4096
    attention = 32 * 4 * 32 * 128 * (8192 + 1) / 2
    flops = 6 * (matrices + head) + 3 * attention
    assert float(case.bound) == pytest.approx(128 * 8192 / 8 * flops / 989.4e12, rel=2e-3)


def test_prediction_is_never_below_the_bound_of_the_same_row(library):
    for row in (dense(), dense(precision_weights="fp8"), dense(n_gpus="64", tp="4", gbs_sequences="128")):
        case = training_time.express(row, library)
        assert predicted(training_time, case, library) > float(case.bound)


def test_twice_the_batch_takes_longer_but_not_more_than_twice(library):
    once = predicted(training_time, training_time.express(dense(), library), library)
    twice = predicted(training_time, training_time.express(dense(gbs_sequences="256"), library), library)
    assert once < twice <= 2 * once


def test_more_stages_with_as_many_micro_batches_wait_longer(library):
    shallow = training_time.express(dense(n_gpus="64", pp="2", cp="1"), library)
    deep = training_time.express(dense(n_gpus="64", pp="8", cp="1"), library)
    assert float(deep.inputs["stage_bubble"]) > float(shallow.inputs["stage_bubble"])


def test_rate_and_utilisation_are_the_same_time_inverted(library):
    rate = training_time.express(dense(metric="tokens_per_s_per_gpu", value="10256"), library)
    assert rate.measured == pytest.approx(128 * 8192 / 8 / 10256)
    assert rate.in_row_unit(rate.measured) == pytest.approx(10256)
    mfu = training_time.express(dense(metric="mfu", value="50"), library)
    faster = training_time.express(dense(metric="mfu", value="60"), library)
    assert mfu.measured == pytest.approx(1.2 * faster.measured)


def test_adapters_leave_out_the_gradient_of_the_weights(library):
    full, adapters = (training_time.express(dense(note=note), library) for note in ("SFT", "LoRA"))
    ratio = float(adapters.inputs["matrix_flops_per_token"]) / float(full.inputs["matrix_flops_per_token"])
    assert ratio == pytest.approx(4 / 6)
    assert float(adapters.inputs["replica_exchange_s"]) == 0


def test_a_ring_over_nodes_is_limited_by_the_cards_of_a_node_or_by_the_link_inside():
    ring = training_step.ring_bytes_per_s
    assert ring(members=2, scale_out_bytes_per_s=50e9, scale_up_bytes_per_s=450e9) == 100e9
    assert ring(members=16, scale_out_bytes_per_s=50e9, scale_up_bytes_per_s=450e9) == 450e9


def test_tokens_reach_each_other_domain_at_most_once():
    reached = training_step.domains_reached
    assert reached(expert_domains=1, top_k=8) == 0
    assert reached(expert_domains=8, top_k=1) == pytest.approx(7 / 8)
    assert reached(expert_domains=8, top_k=1000) == pytest.approx(7)


def test_layers_that_do_not_say_their_layout_are_refused(library):
    for fields in (
        {"tp": ""},
        {"gbs_sequences": ""},
        {"engine": ""},
        {"precision_weights": "not stated"},
    ):
        with pytest.raises(Uncovered):
            training_time.express(dense(**fields), library)


def test_first_stage_of_nanotron_takes_more_layers_than_its_share(library):
    case = training_layouts.express(sweep(n_gpus="8", tp="2", pp="2", mbs="1"), library)
    # 32 layers and a head as heavy as 2.2 of them: 17.1 for each stage, so the first one goes on to 18.
    assert float(case.inputs["stage_share"]) == pytest.approx(18 / 16)


def test_pipelines_of_the_sweep_over_nodes_are_refused(library):
    with pytest.raises(Uncovered, match="pipeline"):
        training_layouts.express(sweep(pp="4", tp="4", mbs="1"), library)


def test_memory_of_a_run_by_hand(library):
    row = training_memory.derives(sweep())
    assert row is not None and row.id == "x-memory" and row.value == 58.3
    case = training_memory.express(row, library)
    params = (32 * (4 * 4096 * 4096 + 3 * 4096 * 14336) + 2 * 131072 * 4096) / 4
    assert float(case.inputs["stage_params"]) == pytest.approx(params)
    state = training_step.stage_state_bytes(
        stage_params=params, replicated_state_bytes_per_param=6, sharded_state_bytes_per_param=12, shard_degree=4
    )
    assert state == pytest.approx(9 * params)
    assert predicted(training_memory, case, library) == pytest.approx(58.3e9, rel=0.1)


def test_zero_keeps_no_more_than_copies_do(library):
    def of(zero: str) -> float:
        row = training_memory.derives(sweep(zero=zero, mbs="1"))
        assert row is not None
        return predicted(training_memory, training_memory.express(row, library), library)

    assert of("1") < of("0")


def test_a_row_without_its_memory_derives_nothing():
    row = sweep()
    assert training_memory.derives(replace(row, fields={**row.fields, "mem_gb_per_gpu": ""})) is None


def test_experts_are_not_spread_over_more_ranks_than_there_are(library):
    asked_of = {"software": "megatron", "gpus": 64, "sequence_tokens": 8192, "global_batch": 128}
    model = library.find("models", "mixtral-8x7b")
    assert float(asked.training(library, model, "h100-sxm", ep=8, **asked_of)["step_s"].value) > 0
    with pytest.raises(Uncovered, match="more ranks than experts"):
        asked.training(library, model, "h100-sxm", ep=16, **asked_of)


def test_a_sweep_over_layouts_is_asked_for_by_its_software(library):
    model = library.find("models", "llama-3.1-8b")
    with pytest.raises(Uncovered, match="nanotron pipeline over several nodes"):
        asked.training(
            library, model, "h100-sxm", software="nanotron", gpus=64, sequence_tokens=8192, global_batch=128, tp=8, pp=2
        )


def test_utilisation_of_a_mixture_counts_active_parameters(library):
    fields = {
        "model": "mixtral-8x7b", "gpu": "H100 SXM 80GB", "n_gpus": "64", "tp": "1", "pp": "1", "ep": "8",
        "engine": "Megatron-LM", "precision_weights": "bf16", "seq_len": "4096", "gbs_sequences": "256", "mbs": "1",
        "metric": "mfu", "unit": "%",
    }  # fmt: skip
    plain = training_time.express(Row("a", 40.0, fields, "t:2"), library)
    stated_total = training_time.express(Row("a", 40.0, {**fields, "num_params": "46.7e9"}, "t:2"), library)
    assert plain.measured == stated_total.measured
    tokens, active = 256 * 4096 / 64, 12.7e9
    attention = 12 * 32 * 4096 * 4096
    assert plain.measured == pytest.approx(tokens * (6 * active + attention) / (0.4 * 989.4e12), rel=0.02)

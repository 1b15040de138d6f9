"""Rates, memory, failures and rollouts of training: exact values, limits, and what the literature prints."""

from __future__ import annotations

import math

import pytest

from generator.formulas import failures, rollouts, training, training_memory, training_rates


def test_llama_2_7b_at_9600_tokens_per_second_on_an_h100_is_46_percent_mfu():
    attention = training_rates.attention_flops_per_trained_token(
        layers=32, n_heads=32, head_dim=128, sequence_tokens=4096
    )
    token = training_rates.trained_token_flops(
        parameter_flops_per_token=training_rates.parameter_flops_per_token(active_params=6_738_415_616),
        attention_flops_per_trained_token=attention,
    )
    mfu = training_rates.measured_mfu(
        training_tokens_per_s_per_gpu=9600, trained_token_flops=token, peak_flops_per_s=989.4e12
    )
    assert mfu == pytest.approx(0.46, rel=0.03)
    rate = training_rates.trained_tokens_per_s_per_gpu(peak_flops_per_s=989.4e12, mfu=mfu, trained_token_flops=token)
    assert rate == pytest.approx(9600)


def test_attention_per_token_is_the_palm_term_over_the_tokens():
    shape = {"layers": 126, "n_heads": 128, "head_dim": 128, "sequence_tokens": 8192}
    per_token = training_rates.attention_flops_per_trained_token(**shape)
    assert per_token * 1e12 == pytest.approx(training.attention_training_flops(**shape, training_tokens=1e12))
    causal = training_rates.causal_attention_flops_per_trained_token(attention_flops_per_trained_token=per_token)
    assert causal == per_token / 2


def test_attention_is_half_of_the_work_at_the_parity_sequence():
    shape = {"layers": 32, "n_heads": 32, "head_dim": 128}
    parity = training_rates.parity_sequence_tokens(active_params=8.03e9, **shape)
    share = training_rates.attention_flops_share(
        parameter_flops_per_token=training_rates.parameter_flops_per_token(active_params=8.03e9),
        attention_flops_per_trained_token=training_rates.attention_flops_per_trained_token(
            **shape, sequence_tokens=parity
        ),
    )
    assert share == pytest.approx(0.5)


def test_full_recompute_makes_54_percent_hfu_of_41_percent_mfu():
    """llm-foundry prints MFU 41.25 % and HFU 55.0 % for its runs with full recomputation."""
    assert training_rates.hfu_of_full_recompute(mfu=0.4125) == pytest.approx(0.55)


def test_a_deadline_met_exactly_needs_no_further_gpu():
    given = {"training_flops": 8.64e21, "peak_flops_per_s": 1e15, "mfu": 0.5, "effective_time_share": 1.0}
    assert training_rates.gpus_for_deadline(**given, deadline_s=864000) == 20
    assert training_rates.gpus_for_deadline(**given, deadline_s=863000) == 21


@pytest.mark.parametrize(("share", "gain"), [(0.0, 1.0), (1.0, 2.0), (0.5, 4 / 3)])
def test_low_precision_gains_no_more_than_its_share(share, gain):
    assert training_rates.low_precision_speedup(low_precision_share=share, peak_ratio=2) == pytest.approx(gain)
    if gain > 1:
        back = training_rates.implied_low_precision_share(measured_speedup=gain, peak_ratio=2)
        assert back == pytest.approx(share)


def test_wall_time_and_wasted_hours_agree():
    wall = training_rates.training_wall_seconds(training_seconds=90.0, effective_time_share=0.9)
    assert wall == pytest.approx(100.0)
    wasted = failures.wasted_gpu_hours(training_gpu_hours=90.0, effective_time_share=0.9)
    assert wasted == pytest.approx(10.0)


def test_zero_1_trains_7_6_billion_parameters_on_64_gpus_of_32_gb():
    """ZeRO, analysis of the largest model."""
    largest = training_memory.largest_trainable_params(
        state_memory_bytes=32e9,
        model_parallel_degree=1,
        replicated_state_bytes_per_param=4,
        sharded_state_bytes_per_param=12,
        shard_degree=64,
    )
    assert largest == pytest.approx(7.6e9, rel=0.01)
    held = training.state_bytes_per_gpu(
        total_params=largest,
        model_parallel_degree=1,
        replicated_state_bytes_per_param=4,
        sharded_state_bytes_per_param=12,
        shard_degree=64,
    )
    assert held == pytest.approx(32e9)


def test_sharing_the_state_saves_the_difference_of_two_stages():
    common = {"total_params": 8e9, "model_parallel_degree": 4, "shard_degree": 16}
    alone = training.state_bytes_per_gpu(**common, replicated_state_bytes_per_param=16, sharded_state_bytes_per_param=0)
    shared = training.state_bytes_per_gpu(
        **common, replicated_state_bytes_per_param=4, sharded_state_bytes_per_param=12
    )
    saved = training_memory.saved_state_bytes_per_gpu(**common, sharded_state_bytes_per_param=12)
    assert saved == pytest.approx(training_memory.freed_bytes(before_bytes=alone, after_bytes=shared))


def test_kept_scores_give_the_transformer_formula_of_the_paper():
    """Equation 1 of Korthikanti et al. less what does not grow with the square of the sequence."""
    sequence, width, heads = 2048, 12288, 96
    whole = training.transformer_activation_bytes(sequence_tokens=sequence, micro_batch=1, d_model=width, n_heads=heads)
    scores = training_memory.attention_score_bytes(n_heads=heads, sequence_tokens=sequence, score_bytes_per_pair=5)
    assert sequence * scores == pytest.approx(whole - 34 * sequence * width)


def test_lora_of_rank_16_on_llama_3_1_8b_has_42_million_parameters():
    """The count that PEFT prints for all linear layers of this model."""
    shape = {"d_model": 4096, "n_heads": 32, "n_kv_heads": 8, "head_dim": 128, "intermediate": 14336}
    assert training_memory.lora_params(layers=32, lora_rank=16, **shape) == 41_943_040


def test_muon_adds_half_a_per_cent_to_llama_405b_with_16_million_tokens():
    """Jordan et al.: 5 · 16384 / 16,000,000."""
    overhead = training_memory.muon_flops_overhead(newton_schulz_steps=5, d_model=16384, update_tokens=16e6)
    assert overhead == pytest.approx(0.005, rel=0.03)


def test_466_interruptions_in_54_days_are_one_in_under_three_hours():
    between = failures.job_mtbf_s(observed_s=54 * 86400, interruptions=466)
    assert between / 3600 == pytest.approx(2.78, rel=0.001)
    device = failures.device_mtbf_s(gpus=16384, job_mtbf_s=between)
    assert failures.scaled_mtbf_s(device_mtbf_s=device, gpus=16384) == pytest.approx(between)
    assert failures.expected_interruptions(job_seconds=54 * 86400, scaled_mtbf_s=between) == pytest.approx(466)


def test_no_interval_loses_less_than_young_s():
    best = failures.checkpoint_interval_s(checkpoint_stall_s=30.0, scaled_mtbf_s=10000.0)

    def lost(interval_s):
        return failures.lost_time_share(
            checkpoint_stall_s=30.0, interval_s=interval_s, restart_s=600.0, scaled_mtbf_s=10000.0
        )

    assert best == pytest.approx(math.sqrt(2 * 30 * 10000))
    assert lost(best) < min(lost(0.8 * best), lost(1.25 * best))


def test_daly_s_interval_keeps_more_than_young_s_in_the_exact_model():
    """Daly 2006, the expected time of a job with exponential failures."""

    def useful(interval_s, stall_s, mtbf_s, restart_s=60.0):
        cycle = mtbf_s * math.exp(restart_s / mtbf_s) * (math.exp((interval_s + stall_s) / mtbf_s) - 1)
        return interval_s / cycle

    stall, between = 300.0, 3600.0
    young = failures.checkpoint_interval_s(checkpoint_stall_s=stall, scaled_mtbf_s=between)
    daly = failures.daly_interval_s(checkpoint_stall_s=stall, scaled_mtbf_s=between)
    assert useful(daly, stall, between) > useful(young, stall, between)
    short = failures.lost_time_share(checkpoint_stall_s=1.0, interval_s=100.0, restart_s=60.0, scaled_mtbf_s=1e5)
    kept = failures.kept_time_share(lost_time_share=short)
    assert kept == pytest.approx(useful(100.0, 1.0, 1e5), rel=2e-4)
    assert failures.daly_interval_s(checkpoint_stall_s=3.0, scaled_mtbf_s=1.0) == 1.0


def test_the_longest_answer_ends_the_rollout():
    given = {"rollouts_per_step": 512, "output_tokens": 2048, "tokens_per_s": 1e5}
    full = rollouts.rollout_s(**given, longest_rollout_s=1.0)
    assert full == pytest.approx(512 * 2048 / 1e5)
    assert rollouts.rollout_s(**given, longest_rollout_s=99.0) == 99.0
    assert rollouts.rollout_time_share(rollout_s=30.0, training_seconds=10.0) == 0.75

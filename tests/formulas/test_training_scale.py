"""Training on other machines: the papers' activations, and limits of the rest."""

from __future__ import annotations

import pytest

from generator.formulas import training, training_scale

SHAPE = {"sequence_tokens": 1024, "micro_batch": 1, "d_model": 8192}


def test_without_tensor_parallelism_34_bytes_a_value_are_kept():
    found = training_scale.parallel_activation_bytes(layers=80, tp=1, **SHAPE)
    assert found == 34 * 80 * 1024 * 8192


def test_without_scores_one_layer_is_that_of_the_paper():
    layer = training.transformer_activation_bytes(n_heads=0, **SHAPE)
    whole = training_scale.all_layers_activation_bytes(layers=80, transformer_activation_bytes=layer)
    assert whole == training_scale.parallel_activation_bytes(layers=80, tp=1, **SHAPE)


def test_ten_bytes_a_value_are_copied_however_many_accelerators_there_are():
    found = training_scale.parallel_activation_bytes(layers=1, tp=1e9, **SHAPE)
    assert found == pytest.approx(10 * 1024 * 8192)


def test_28_copies_of_a_hidden_state():
    assert training_scale.kept_copies_bytes(kept_copies=28, matrix_bytes=2**28) == 7 * 2**30


def test_full_recomputation_makes_eight_flops_of_six():
    total = training_scale.hardware_training_flops(
        training_flops=training.training_flops(active_params=1e9, training_tokens=1e9),
        recomputed_flops=training.recomputed_flops(active_params=1e9, training_tokens=1e9),
    )
    assert total == 8e18


def test_half_the_accelerators_take_twice_the_time():
    assert training_scale.scaled_training_s(training_seconds=100, gpus=16, other_gpus=8) == 200


def test_a_byte_too_many_needs_another_accelerator():
    assert training_scale.gpus_to_hold(held_bytes=160, device_memory_bytes=80) == 2
    assert training_scale.gpus_to_hold(held_bytes=161, device_memory_bytes=80) == 3

"""Capacity planning: two axes, spares, start-up, scaling ahead, a fleet over a day."""

from __future__ import annotations

import pytest

from generator.formulas import planning


def test_a_load_that_just_fills_its_groups_needs_no_more():
    assert planning.groups_by_compute(requests_per_s=16, capacity_requests_per_s=10, target_utilisation=0.8) == 2
    assert planning.groups_by_compute(requests_per_s=16.1, capacity_requests_per_s=10, target_utilisation=0.8) == 3


def test_the_larger_axis_is_the_plan_and_spares_come_on_top():
    assert planning.planned_groups(groups_by_memory=3, groups_by_compute=4, spare_groups=1) == 5
    assert planning.planned_groups(groups_by_memory=7, groups_by_compute=4, spare_groups=0) == 7


def test_utilisation_that_survives_a_loss_reaches_the_highest_one_after_it():
    safe = planning.utilisation_that_survives(highest_utilisation=0.9, groups=4, lost_groups=1)
    assert planning.utilisation_after_loss(load_ratio=safe, groups=4, lost_groups=1) == pytest.approx(0.9)


def test_one_stage_takes_as_long_serial_as_overlapped():
    stage = {"loaded_bytes": 130e9, "stage_bytes_per_s_by_group": (7e9,)}
    assert planning.serial_load_s(**stage) == pytest.approx(planning.overlapped_load_s(**stage))


def test_overlapped_loading_is_the_slowest_link_alone():
    assert planning.overlapped_load_s(loaded_bytes=140e9, stage_bytes_per_s_by_group=(7e9, 64e9, 20e9)) == 20


def test_a_70b_replica_from_nvme_starts_in_26_seconds():
    """harvard-edge/cs249r_book pull 1631: 19 + 7 + 0.8 + 0.5 s."""
    load = planning.serial_load_s(loaded_bytes=130e9, stage_bytes_per_s_by_group=(7e9, 20e9))
    fixed = planning.fixed_start_s(start_stage_s_by_component=(0.8, 0.5))
    assert planning.startup_s(load_s=load, fixed_start_s=fixed) == pytest.approx(26.4, abs=0.05)


def test_no_growth_needs_no_room():
    ratio = planning.load_during_startup_ratio(load_growth_per_s=0, startup_s=277, detection_s=30)
    assert planning.scale_out_utilisation(highest_utilisation=0.9, load_during_startup_ratio=ratio) == 0.9


def test_a_load_within_the_capacity_leaves_no_queue():
    assert planning.backlog_requests(requests_per_s=9, serving_requests_per_s=10, startup_s=277) == 0


def test_needed_rate_ends_a_start_in_time():
    rate = planning.needed_load_bytes_per_s(loaded_bytes=673e9, startup_limit_s=120, fixed_start_s=60)
    load = planning.overlapped_load_s(loaded_bytes=673e9, stage_bytes_per_s_by_group=(rate,))
    assert planning.startup_s(load_s=load, fixed_start_s=60) == pytest.approx(120)


def test_deepseek_fleet_of_a_day_has_226_86_busy_nodes_and_costs_87072_dollars():
    prefill = planning.nodes_for_tokens(period_tokens=608e9, period_s=86_400, node_tokens_per_s=73_700)
    decode = planning.nodes_for_tokens(period_tokens=168e9, period_s=86_400, node_tokens_per_s=14_800)
    assert planning.nodes_of_both(prefill_nodes=prefill, decode_nodes=decode) == pytest.approx(226.86, abs=0.01)
    assert planning.fleet_usd(gpus=8 * 226.75, usd_per_gpu_hour=2, period_s=86_400) == pytest.approx(87_072)

"""Metrics of a run whose records are written by hand, and the file of its records."""

from __future__ import annotations

import csv
import io

import pytest

from generator.formulas import NOMENCLATURE
from generator.simulation.iterations import Iterations, gaps
from generator.simulation.records import COLUMNS, Records, metrics

BY_HAND = Records(
    arrival_s=[0.0, 1.0, 2.0],
    prompt_tokens=[100, 200, 300],
    output_tokens=[11, 1, 5],
    start_s=[0.5, 1.0, 4.0],
    first_token_s=[1.0, 1.5, 6.0],
    finish_s=[2.0, 1.5, 10.0],
    instance=[0, 1, 0],
)


def test_metrics_of_three_requests_are_those_worked_out_by_hand():
    found = metrics(BY_HAND, ttft_limit_s=1.0, tpot_limit_s=0.5)
    assert found["ttft_mean_s"] == pytest.approx((1.0 + 0.5 + 4.0) / 3)
    assert found["ttft_p50_s"] == 1.0
    assert found["tpot_mean_s"] == pytest.approx((0.1 + 0.0 + 1.0) / 3)
    assert found["e2e_p50_s"] == 2.0
    assert found["wait_mean_s"] == pytest.approx((0.5 + 0.0 + 2.0) / 3)
    assert found["makespan_s"] == 10.0
    assert found["requests_per_s"] == 0.3
    assert found["output_tokens_per_s"] == 1.7
    assert found["requests_in_system"] == pytest.approx((2.0 + 0.5 + 8.0) / 10)
    assert found["attainment"] == pytest.approx(2 / 3)
    assert found["goodput_requests_per_s"] == 0.2


def test_a_limit_is_attained_when_it_is_met_exactly():
    assert metrics(BY_HAND, ttft_limit_s=4.0, tpot_limit_s=1.0)["attainment"] == 1.0
    assert metrics(BY_HAND)["attainment"] == 1.0


def test_every_metric_has_a_name_with_a_unit():
    log = Iterations([(0.0, 1.0, 5, 0, 0, 0.0, 0.0, 1), (1.0, 3.0, 0, 1, 2, 1.0, 1.0, 1)])
    assert set(metrics(BY_HAND) | gaps([log])) <= set(NOMENCLATURE)


def test_the_file_of_records_has_one_line_a_request_and_reads_back():
    text = BY_HAND.to_csv().decode()
    assert text.splitlines()[0] == ",".join(COLUMNS)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [int(row["id"]) for row in rows] == [0, 1, 2]
    assert [float(row["finish_s"]) for row in rows] == BY_HAND.finish_s
    assert [int(row["instance"]) for row in rows] == BY_HAND.instance
    assert rows[0]["start_s"] == "0.500000000"


def test_a_request_not_yet_served_has_no_times():
    fresh = Records([0.0], [5], [5])
    assert (fresh.start_s, fresh.first_token_s, fresh.finish_s) == ([-1.0], [-1.0], [-1.0])

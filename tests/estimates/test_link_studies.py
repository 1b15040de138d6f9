"""Sweeps over links: lines come from the formulas, dots from the measurements, and missing links are gaps."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.estimates.studies import STUDIES
from generator.estimates.study_parts import StudyFault
from generator.specs.load import load

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def library():
    return load(ROOT)


def test_an_all_reduce_grows_with_its_buffer_and_shows_measured_dots(library):
    study = STUDIES["all_reduce"](
        library,
        sizes=[8192, 2097152],
        series=[
            {"label": "predicted", "accelerator": "h100-sxm", "degree": 8},
            {"label": "measured", "measured": {8192: "all-reduce-h100-8-vllm-8k"}},
        ],
    )
    predicted, measured = study.series
    assert predicted.values[0] == pytest.approx(5.03, rel=0.01)
    assert predicted.values[1] > predicted.values[0]
    assert measured.kind == "measured"
    assert measured.values == (pytest.approx(5.108), None)
    assert study.x == (8, 2048)


def test_a_measured_point_must_be_on_the_axis(library):
    series = [{"label": "measured", "measured": {512: "all-reduce-h100-8-vllm-8k"}}]
    with pytest.raises(StudyFault, match="not on the axis"):
        STUDIES["all_reduce"](library, sizes=[8192], series=series)


def test_an_exchange_over_more_hosts_takes_longer(library):
    study = STUDIES["exchange"](
        library,
        model="deepseek-v3",
        accelerator="h800",
        tokens_per_gpu=128,
        spreads=[8, 16, 64],
        series=[{"label": "dispatch", "bytes_per_value": 1}],
    )
    values = study.series[0].values
    assert list(values) == sorted(values)
    assert values[2] == pytest.approx(138.45, rel=1e-3)


def test_a_wider_spread_shortens_the_step_inside_a_rack_only(library):
    study = STUDIES["spread"](
        library,
        spreads=[8, 64],
        batch_per_gpu=64,
        y={"field": "tpot_s", "label": "step (ms)", "unit": "ms"},
        base={"model": "deepseek-v3", "input": 2048, "output": 1024},
        series=[{"label": "rack", "accelerator": "gb200"}, {"label": "host", "accelerator": "b200"}],
    )
    rack, host = (series.values for series in study.series)
    assert rack[1] < rack[0]
    assert host[1] > host[0]


def test_a_configuration_that_does_not_fit_is_a_gap(library):
    study = STUDIES["spread"](
        library,
        spreads=[8],
        batch_per_gpu=100_000,
        y={"field": "tpot_s", "label": "step (s)"},
        base={"model": "deepseek-v3", "input": 2048, "output": 1024},
        series=[{"label": "rack", "accelerator": "gb200"}],
    )
    assert study.series[0].values == (None,)


def test_more_stages_idle_more(library):
    study = STUDIES["bubbles"](library, stages=[2, 8], micro_batches=[1, 64])
    two, eight = study.series
    assert two.values[0] == 50
    assert eight.values[0] > two.values[0]
    assert eight.values[1] < eight.values[0]
    assert two.kind == "exact"

"""A sweep is many single estimates: row by row the same numbers, the same verdicts."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest

from generator.estimates.architecture import NotSupported
from generator.estimates.serving import serving
from generator.estimates.sweep import BINDING, NUMBERS, WHOLE, layouts, sweep
from generator.specs.load import load

numpy = pytest.importorskip("numpy")
LIBRARY = load(Path(__file__).resolve().parents[2])
MODELS = list(LIBRARY.models.values())
ACCELERATORS = list(LIBRARY.accelerators.values())
FORMATS = {"weights": ("native", "fp8"), "kv": ("native", "bf16")}


@pytest.fixture(scope="module")
def columns():
    return sweep(
        MODELS, ACCELERATORS, LIBRARY, **FORMATS, gpus=(1, 4, 8), tp=(1, 2, 8), batches=(1, 64),
        prompts=(0, 100, 20000), outputs=(1, 512),
    )  # fmt: skip


def single(columns, row):
    return serving(
        MODELS[columns["model"][row]],
        ACCELERATORS[columns["accelerator"][row]],
        LIBRARY,
        weights=FORMATS["weights"][columns["weights"][row]],
        kv=FORMATS["kv"][columns["kv"][row]],
        gpus=columns["gpus"][row].item(),
        tp=columns["tp"][row].item(),
        batch=columns["batch"][row].item(),
        prompt_tokens=columns["prompt"][row].item(),
        output_tokens=columns["output"][row].item(),
    )


def test_a_row_is_a_single_estimate(columns):
    for row in random.Random(7).sample(range(len(columns["tp"])), 400):
        one = single(columns, row)
        for name, field in NUMBERS.items():
            value = getattr(one, field)
            wanted = math.nan if value is None else float(value)
            assert columns[name][row] == pytest.approx(wanted, rel=1e-12, abs=0, nan_ok=True), (name, row)
        assert bool(columns["feasible"][row]) == one.feasible
        code = columns["binding"][row]
        assert (BINDING[code] if code >= 0 else None) == one.binding


def test_every_combination_that_divides_stands_once(columns):
    # tp 1, 2, 8 on 1, 4, 8 accelerators: six pairs divide.
    rows = len(MODELS) * len(ACCELERATORS) * 4 * 6 * 2 * 3 * 2
    assert {len(column) for column in columns.values()} == {rows}
    assert set(columns) == {*WHOLE, "feasible", *NUMBERS}
    identity = [columns[name] for name in WHOLE if name != "binding"]
    assert len(numpy.unique(numpy.stack(identity), axis=1).T) == rows


def test_some_fit_and_some_do_not(columns):
    assert 0 < columns["feasible"].mean() < 1


def test_without_accelerators_each_degree_is_one_replica():
    assert layouts(None, (1, 2, 4)) == [(1, 1), (2, 2), (4, 4)]
    assert layouts((8,), (2, 3)) == [(8, 2)]


def test_throughput_grows_with_the_batch_and_interactivity_falls():
    grown = sweep(
        [LIBRARY.models["llama-3.1-8b"]], [LIBRARY.accelerators["h100-sxm"]], LIBRARY, batches=(1, 8, 64, 512)
    )
    assert (numpy.diff(grown["tokens_per_s"]) > 0).all()
    assert (numpy.diff(grown["tokens_per_s_per_user"]) < 0).all()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"batches": (0,)}, "batch must be at least 1"),
        ({"outputs": ()}, "output must be at least 1"),
        ({"tp": (3,), "gpus": (8,)}, "no tensor-parallel degree of"),
        ({"tp": (0,)}, "tp must be whole numbers from 1, got 0"),
    ],
)
def test_what_has_no_meaning_is_refused(wrong, message):
    with pytest.raises(NotSupported, match=message):
        sweep([LIBRARY.models["llama-3.1-8b"]], [LIBRARY.accelerators["h100-sxm"]], LIBRARY, **wrong)

"""Coverage by data: every row of a table is predicted or refused with a reason, and no counted one beats its bound."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from generator.cache import Cache
from generator.specs.load import load
from generator.validation import names
from generator.validation.calibration import ALIKE, ranked
from generator.validation.judge import BEYOND_THE_BOUND
from generator.validation.judged import Judged, all_judged, prediction
from generator.validation.registry import families
from generator.validation.statistics import STATISTICS, statistics

ROOT = Path(__file__).parent.parent.parent
LIBRARY = load(ROOT)
CALIBRATIONS = LIBRARY.collections["calibrations"]


@pytest.fixture(scope="module")
def judged() -> list[Judged]:
    return all_judged(LIBRARY, Cache(ROOT / ".cache" / "handbook"))


def test_every_row_is_predicted_or_refused_with_a_reason(judged):
    for one in judged:
        assert one.covered != bool(one.refusal), one
        assert not one.counted or one.covered, one
        assert one.counted or one.refusal or one.remark, f"{one.id}: predicted, not counted, and no word why"


def test_the_rows_of_the_tables_are_all_there(judged):
    whole = Counter(one.table for one in judged)
    for name, record in LIBRARY.collections["measurements/tables"].items():
        assert whole[name] >= record.rows, name
        with LIBRARY.table("measurements/tables", name).open(encoding="utf-8") as file:
            assert sum(1 for _ in csv.DictReader(file)) == record.rows, name


def test_a_predicted_row_names_its_model_and_its_accelerator(judged):
    for one in judged:
        if one.covered:
            assert {"model", "accelerator"} <= dict(one.keys).keys(), (one.id, one.family)


def test_no_counted_measurement_beats_its_bound(judged):
    assert [one.id for one in judged if one.counted and one.beats_bound] == []


def test_no_prediction_beats_its_bound_by_more_than_rounding(judged):
    """A bound is what no real system beats, so a prediction of one must not either."""
    found = [(one.id, one.family) for one in judged if one.refusal == BEYOND_THE_BOUND]
    for one in judged:
        if one.counted and one.bound is not None:
            better = one.predicted / one.bound if _more_is_better(one) else one.bound / one.predicted
            found += [(one.id, better)] if better > 1.001 else []
    assert found == []


def _more_is_better(one: Judged) -> bool:
    """Whether a larger value of the row, in its own unit, is the better one."""
    rate = one.unit.endswith("/s") or "/s" in one.unit or one.unit == "%" or "FLOP" in one.unit.upper()
    return rate or families()[one.family].bound_is == "most"


def test_each_family_has_a_calibration_and_each_calibration_a_family():
    assert set(families()) == set(CALIBRATIONS)
    for name, family in families().items():
        record = CALIBRATIONS[name]
        assert {one.name for one in record.constants} >= set(family.constants), name
        assert {one.name for one in record.constants} <= set(family.constants), f"{name}: a constant that nobody takes"
        assert not any("model" in one.where for one in record.constants), (
            f"{name}: a constant of one model is no physics"
        )
        for table in record.tables:
            LIBRARY.find("measurements/tables", table)


def test_no_two_equally_specific_constants_hold_for_a_row(judged):
    """Of two that name as much, the order in the file would decide."""
    seen = {(one.family, tuple(sorted(dict(one.keys).items()))) for one in judged if one.covered}
    found = set()
    for name, keys in seen:
        constants = CALIBRATIONS[name].constants
        for constant in families()[name].constants:
            best = [constants[index].where for index in ranked(CALIBRATIONS[name], constant, dict(keys))[:2]]
            if len(best) == 2 and len(best[0]) == len(best[1]):
                found.add((name, constant, str(best)))
    assert found == set()


@pytest.mark.parametrize("name", sorted(families()))
def test_constants_are_within_their_limits_and_say_what_they_are(name):
    for one in CALIBRATIONS[name].constants:
        assert one.low is None or one.value >= one.low * 0.999, one
        assert one.high is None or one.value <= one.high * 1.001, one
        assert one.why, f"{name}: {one.name} does not say what it is"


@pytest.mark.parametrize("name", sorted(families()))
def test_bands_hold_about_four_of_five_and_widen_for_what_was_not_measured(judged, name):
    record = CALIBRATIONS[name]
    assert record.bands, name
    for band in record.bands:
        assert band.low < band.high
    numbers = statistics(LIBRARY, name, judged)
    assert set(numbers) <= set(STATISTICS)
    if "band_share" in numbers and numbers["measurements_counted"] >= 30:
        assert 0.7 <= numbers["band_share"] <= 0.97, "a band is of held-out rows: in the fit more lie inside"


def test_errors_held_out_are_those_of_the_groups_not_seen(judged):
    for name, record in CALIBRATIONS.items():
        for one in record.errors:
            assert one.where.get(ALIKE) in ("yes", "no"), name
            assert 0 <= one.median <= one.p90


def test_a_published_point_is_derived_from_its_row_its_constants_and_the_specs(judged):
    """The prediction that a page shows is the one that was judged, with a derivation."""
    first: dict[str, Judged] = {}
    for one in judged:
        if one.counted:
            first.setdefault(one.family, one)
    assert set(first) == set(families())
    for one in first.values():
        number = prediction(LIBRARY, one)
        assert number.kind == "calibrated" or not CALIBRATIONS[one.family].constants, one.family
        assert float(number) > 0


def test_a_name_table_names_what_the_specs_have():
    for of, name in (("models", "models"), ("accelerators", "accelerators")):
        with LIBRARY.table("measurements/names", name).open(encoding="utf-8") as file:
            lines = list(csv.DictReader(file))
        assert len(lines) == LIBRARY.find("measurements/names", name).names
        assert len({names.key(line["name"]) for line in lines}) == len(lines), "a name stands there once"
        for line in lines:
            LIBRARY.find(of, line["id"])
            if line.get("weights"):
                LIBRARY.find("number_formats", line["weights"])


@pytest.mark.parametrize(
    ("name", "model", "weights"),
    [
        ("meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b", None),
        ("RedHatAI/Qwen2.5-7B-Instruct-quantized.w8a8", "qwen2.5-7b", "int8"),
        ("nvidia/Llama-3.1-8B-Instruct-FP8", "llama-3.1-8b", "fp8"),
        ("Qwen3 32B", "qwen3-32b", None),
        ("deepseek-ai/DeepSeek-R1", "deepseek-r1", None),
    ],
)
def test_names_of_checkpoints_are_understood(name, model, weights):
    found = names.model(LIBRARY, name)
    assert (found.model.id, found.weights) == (model, weights)

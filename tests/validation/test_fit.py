"""A fit finds constants that made the measurements, tells what it did not see, and bands hold what they promise."""

from __future__ import annotations

import dataclasses

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.provenance import Datum, Traced
from generator.specs.records import Band, Calibration, Constant
from generator.validation.calibration import ALIKE, band_of, constants_of, holds, place
from generator.validation.calibration_file import rewritten
from generator.validation.errors import errors
from generator.validation.family import Case, Family
from generator.validation.fit import fit
from generator.validation.judge import judge_cases, merged
from generator.validation.merging import one_each
from generator.validation.rows import Row, Uncovered

TRUE = {"rate": {"old": 2.0, "new": 5.0}, "fixed": 0.3}


def constant(name: str, value: float, where: dict[str, str] | None = None, **more) -> Constant:
    origin = Datum(f"calibrations/test#{name}", "specs/calibrations/test.yaml", 1, ())
    traced = Traced(value, name="value", unit="1", kind="calibrated", origin=origin)
    return Constant(name=name, unit="1", value=traced, where=where or {}, how="fitted", **more)


def calibration(*constants: Constant, bands=(), seen=()) -> Calibration:
    return Calibration(
        id="test", name="test", sources=[], tables=[], fitted="2026-11-29", constants=list(constants),
        bands=list(bands), seen=list(seen),
    )  # fmt: skip


def case(number: int, work: float, engine: str, measured: float, **more) -> Case:
    row = Row(f"r{number}", measured, {"unit": "s"}, "t:1")
    return Case(row, {"work": work}, {"engine": engine}, f"{engine} {work:.0f}", **more)


FAMILY = Family(
    "test", "Test", "", "s", lambda row: True, lambda row, library: None,
    lambda inputs, constants: inputs["work"] / constants["rate"] + constants["fixed"],
    ("rate", "fixed"), alike_by=("engine",),
)  # fmt: skip


def measured(noise: float, seed: int = 0, many: int = 60) -> list[Case]:
    random = numpy.random.default_rng(seed)
    found = []
    for number in range(many):
        engine = ("old", "new")[number % 2]
        work = float(random.uniform(1, 50))
        value = (work / TRUE["rate"][engine] + TRUE["fixed"]) * float(numpy.exp(noise * random.standard_normal()))
        found.append(case(number, work, engine, value))
    return found


START = calibration(
    constant("rate", 3.0, {"engine": "old"}), constant("rate", 3.0, {"engine": "new"}), constant("rate", 3.0),
    constant("fixed", 1.0, low=0.01, high=10.0),
)  # fmt: skip


def test_a_fit_finds_the_constants_that_made_the_measurements():
    found = fit(FAMILY, measured(0), START)
    assert found.values[0] == pytest.approx(2.0, rel=5e-3)
    assert found.values[1] == pytest.approx(5.0, rel=5e-3)
    assert found.values[3] == pytest.approx(0.3, rel=0.05)
    assert found.rows == [30, 30, 0, 60]
    assert found.seen == [{"engine": "new"}, {"engine": "old"}]


def test_what_no_row_tells_is_the_median_of_what_rows_tell_of_its_kind():
    found = fit(FAMILY, measured(0), START)
    assert found.values[2] == pytest.approx((2.0 * 5.0) ** 0.5, rel=5e-3)


def test_a_constant_of_what_is_held_out_is_not_had():
    """Of two engines the one that is held out is predicted by the other: 2.5 times too fast or too slow."""
    found = fit(FAMILY, measured(0, many=40), START)
    unlike = found.held[1]
    assert unlike.where == {ALIKE: "no"}
    assert unlike.high > 2.0 and unlike.low < 0.5


def test_a_constant_stays_within_its_limits():
    tight = calibration(constant("rate", 3.0, low=2.9, high=3.1), constant("fixed", 0.3))
    assert 2.9 <= fit(FAMILY, measured(0), tight).values[0] <= 3.1


def test_a_wrong_row_does_not_lead():
    cases = measured(0.01)
    wrong = case(99, 10.0, "old", 500.0)
    assert fit(FAMILY, [*cases, wrong], START).values[0] == pytest.approx(2.0, rel=0.05)


def test_bands_from_some_groups_hold_about_four_of_five_of_the_others():
    found = fit(FAMILY, measured(0.1, many=400), START)
    whole = found.held[0]
    assert whole.what == "whole groups" and whole.where == {ALIKE: "yes"}
    assert 0.74 < whole.errors.inside < 0.86
    assert whole.low < 1 < whole.high


def test_what_is_unlike_any_measured_is_held_out_whole_and_is_further_off():
    found = fit(FAMILY, measured(0.05, many=200), START)
    like, unlike = found.held
    assert unlike.where == {ALIKE: "no"}
    assert unlike.errors.median > 3 * like.errors.median, "a rate of another engine is no guide to this one"


def test_the_most_specific_constant_holds():
    keys = {"engine": "old", "accelerator": "h100"}
    chosen = calibration(
        constant("rate", 1.0), constant("rate", 2.0, {"engine": "old"}),
        constant("rate", 3.0, {"engine": "old", "accelerator": "a100"}), constant("fixed", 0.0),
    )  # fmt: skip
    assert place(chosen, "rate", keys) == 1
    found = constants_of(FAMILY, chosen, Case(Row("r", 1.0, {}, ""), {"work": 4.0}, keys, ""))
    assert (float(found["rate"]), found["rate"].kind, found["rate"].name) == (2.0, "calibrated", "rate")
    with pytest.raises(Uncovered, match="no constant `gone` is calibrated for engine old"):
        place(chosen, "gone", keys)


def test_a_prediction_has_the_band_of_what_it_is_like():
    chosen = calibration(
        constant("rate", 2.0), constant("fixed", 0.0),
        bands=[
            Band(where={ALIKE: "yes"}, low=0.9, high=1.1, rows=9), Band(where={ALIKE: "no"}, low=0.5, high=2.0, rows=9),
        ],
        seen=[{"engine": "old"}],
    )  # fmt: skip
    like, unlike = judge_cases(FAMILY, [case(0, 8.0, "old", 4.0), case(1, 8.0, "other", 4.0)], chosen)
    assert (like.predicted, like.low, like.high, like.alike) == pytest.approx((4.0, 3.6, 4.4, True))
    assert (unlike.predicted, unlike.low, unlike.high, unlike.alike) == pytest.approx((4.0, 2.0, 8.0, False))


def test_a_rate_of_a_time_is_shown_as_a_rate_with_its_ends_in_order():
    chosen = calibration(
        constant("rate", 2.0), constant("fixed", 0.0), bands=[Band(where={}, low=0.5, high=2.0, rows=9)]
    )
    (verdict,) = judge_cases(FAMILY, [case(0, 8.0, "old", 30.0, inverted=True, per_unit=100.0)], chosen)
    assert verdict.case.measured == pytest.approx(100 / 30)
    assert verdict.shown() == pytest.approx((25.0, 12.5, 50.0))
    assert verdict.error == pytest.approx(25 / 30 - 1)


def test_a_run_published_twice_counts_once_and_a_flagged_row_never():
    chosen = calibration(constant("rate", 2.0), constant("fixed", 0.0))
    cases = [
        case(0, 8.0, "old", 4.0, identity=("run",)), case(1, 8.0, "old", 4.0, identity=("run",)),
        case(2, 8.0, "old", 9.0, fitted=False, remark="odd"), case(3, 8.0, "old", 4.4),
    ]  # fmt: skip
    assert [one.row.id for one in one_each(cases)] == ["r0", "r3"]
    assert [one.row.id for one in merged(judge_cases(FAMILY, cases, chosen))] == ["r0", "r3"]


def test_errors_are_shares_of_the_measured_value():
    found = errors([11, 9, 10, 15], [10, 10, 10, 10], [(9, 12), (9.5, 12), None, (9, 12)])
    assert (found.n, found.median, found.bias) == (4, pytest.approx(0.1), pytest.approx(0.05))
    assert found.p90 == pytest.approx(0.1 + 0.7 * 0.4)
    assert found.inside == 1.0
    assert dataclasses.astuple(errors([], [])) == (0, None, None, None, None)


@given(
    st.dictionaries(st.sampled_from("abc"), st.sampled_from("xy")),
    st.dictionaries(st.sampled_from("abc"), st.sampled_from("xy")),
)
@settings(max_examples=60, deadline=None)
def test_a_band_holds_if_and_only_if_all_that_it_names_is_so(where, keys):
    assert holds(where, keys) == all(keys.get(name) == value for name, value in where.items())
    assert (band_of(calibration(bands=[Band(where=where, low=1.0, high=1.0, rows=1)]), keys) is None) != holds(
        where, keys
    )


def test_a_fit_is_written_into_its_file_and_nothing_else_is_touched():
    text = (
        "id: test\nname: Test\ntables: [t]\nfitted: '2026-11-29'\nconstants:\n"
        "  - {name: rate, unit: '1', value: 3.0, where: {engine: old}, how: fitted, why: speed}\n"
        "  - {name: rate, unit: '1', value: 3.0, where: {engine: new}, how: fitted}\n"
        "  - {name: rate, unit: '1', value: 3.0, how: assumed}\n"
        "  - {name: fixed, unit: '1', value: 1.0, how: measured}\nbands: []\nnotes: [kept]\nsources: []\n"
    )
    import yaml

    found = yaml.safe_load(rewritten(text, fit(FAMILY, measured(0), START), "2026-12-01"))
    assert found["fitted"] == "2026-12-01" and found["notes"] == ["kept"]
    assert [one["value"] for one in found["constants"]][2:] == [3.0, 1.0], "only fitted constants change"
    assert found["constants"][0]["value"] == pytest.approx(2.0, rel=5e-3)
    assert found["constants"][0]["why"] == "speed" and found["constants"][0]["rows"] == 30
    assert {ALIKE: "yes"} in [one["where"] for one in found["bands"]]
    assert found["errors"][0]["rows"] == 60

"""Age is counted from the newest date in the data: what should be read again, on the page and in its foot."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest

from generator import freshness
from generator.provenance import Datum, Source, Traced
from generator.specs.library import Library

NEWEST = "2026-11-29"
QUARTER, YEAR = 92, 366


def days_before(days: int) -> str:
    return (date.fromisoformat(NEWEST) - timedelta(days=days)).isoformat()


def with_record(library: Library, collection: str, record) -> Library:
    """The library with one record put in the place of another, or added."""
    records = {**library.collections[collection], record.id: record}
    return Library({**library.collections, collection: records}, library.files)


def read_on(number: Traced, *dates: str) -> Traced:
    """A datum whose sources were read on these days, the best one first."""
    sources = tuple(Source("https://example.org", "datasheet", seen) for seen in dates)
    origin = Datum(number.origin.path, number.origin.file, number.origin.line, sources)
    return Traced(float(number), name=number.name, unit=number.unit, kind=number.kind, origin=origin)


def age_of(library: Library, collection: str, identifier: str) -> freshness.Age:
    [found] = [one for one in freshness.ages(library) if (one.collection, one.id) == (collection, identifier)]
    return found


@pytest.mark.parametrize(
    ("collection", "days"),
    [
        ("prices/gpus", QUARTER), ("prices/apis", QUARTER), ("accelerators", YEAR), ("systems", YEAR), ("links", YEAR),
        ("tiers", YEAR), ("models", YEAR), ("assumptions", YEAR),
    ],
)  # fmt: skip
def test_prices_may_be_a_quarter_old_and_hardware_and_models_a_year(collection, days):
    assert not freshness.is_stale(days_before(days), NEWEST, collection)
    assert freshness.is_stale(days_before(days + 1), NEWEST, collection)


@pytest.mark.parametrize("collection", ["measurements", "references", "number_formats", "workloads", "traces"])
def test_a_measurement_and_a_paper_stay_what_they_were(collection):
    assert not freshness.is_stale("1999-01-01", NEWEST, collection)


def test_a_quarter_is_never_longer_than_the_threshold_and_a_year_neither():
    """From any day to the same day three months, or a year, later is within the threshold."""
    longest = max(
        (date(2026 + (month + 3 > 12), (month + 2) % 12 + 1, 1) - date(2026, month, 1)).days for month in range(1, 13)
    )
    assert longest == freshness.QUARTER_DAYS
    assert (date(2029, 1, 1) - date(2028, 1, 1)).days == freshness.YEAR_DAYS


def test_a_price_is_stale_a_quarter_and_a_day_before_the_newest_datum_and_not_at_a_quarter(library):
    newest = freshness.newest_date(library)
    price = library.collections["prices/gpus"]["h200"]
    for days, stale in ((QUARTER, False), (QUARTER + 1, True)):
        dated = (date.fromisoformat(newest) - timedelta(days=days)).isoformat()
        changed = with_record(library, "prices/gpus", replace(price, date=dated))
        age = age_of(changed, "prices/gpus", "h200")
        assert (age.days, age.stale) == (days, stale)


def test_a_newer_datum_elsewhere_makes_a_price_stale(library):
    newest = freshness.newest_date(library)
    price = replace(library.collections["prices/gpus"]["h200"], date=newest)
    fresh = with_record(library, "prices/gpus", price)
    assert not age_of(fresh, "prices/gpus", "h200").stale
    later = (date.fromisoformat(newest) + timedelta(days=QUARTER + 1)).isoformat()
    other = replace(library.collections["prices/gpus"]["b200"], date=later)
    assert age_of(with_record(fresh, "prices/gpus", other), "prices/gpus", "h200").stale


def test_the_clock_plays_no_part(library, monkeypatch):
    class NoClock(date):
        @classmethod
        def today(cls):
            raise AssertionError("the clock was read")

    monkeypatch.setattr(freshness, "date", NoClock)
    assert freshness.ages(library)


def test_a_second_source_read_again_does_not_make_the_best_one_newer(library):
    card = library.accelerators["h200"]
    bandwidth = read_on(card.memory.bandwidth, "2025-01-02", NEWEST)
    changed = with_record(library, "accelerators", replace(card, memory=replace(card.memory, bandwidth=bandwidth)))
    age = age_of(changed, "accelerators", "h200")
    assert age.date == "2025-01-02"
    assert age.stale
    span = freshness.span([bandwidth, card.memory.capacity], changed, freshness.newest_date(changed))
    assert span.stale == ("accelerators/h200#memory.bandwidth",)
    assert (span.oldest, span.newest) == ("2025-01-02", "2026-11-29")


def test_a_price_is_as_old_as_its_date_whenever_it_was_read(library):
    price = library.collections["prices/gpus"]["tpu-v5e"]
    span = freshness.span([price.typical], library, freshness.newest_date(library))
    assert (span.oldest, span.newest) == (price.date, price.date)
    assert price.sources[0].seen > price.date


def test_what_has_no_date_has_no_span(library):
    assert freshness.span([], library, NEWEST) is None


def test_whatever_the_foot_of_a_page_counts_is_listed_on_the_freshness_page(book):
    listed = {(age.collection, age.id) for age in freshness.ages(book.library) if age.stale}
    counted = {path.partition("#")[0].rpartition("/")[::2] for span in book.dates.values() for path in span.stale}
    assert counted
    assert counted <= listed
    page = book.files["reference/freshness.md"].decode()
    assert page.count("<time datetime=") == len(listed)


def test_the_foot_says_what_the_data_behind_the_page_say(book):
    for path, span in book.dates.items():
        foot = book.files[path].decode().rpartition('<footer class="page-foot">')[2]
        assert span.oldest in foot
        assert span.newest in foot
        count = f"{len(span.stale)} of them should" if len(span.stale) > 1 else "one of them should"
        assert (count in foot) == bool(span.stale)
        assert ('freshness.html#stale">' in foot) == bool(span.stale)


def test_a_page_of_costs_rests_on_prices_and_says_that_they_are_old(book):
    span = book.dates["chapters/cost.md"]
    assert any(path.startswith("prices/gpus/h100-sxm#") for path in span.stale)
    assert span.oldest < span.newest == freshness.newest_date(book.library)


def test_the_json_of_a_page_has_the_dates_of_its_foot(book):
    import json

    for page, file in (("accelerators/h200.md", "accelerators/h200"), ("examples/wx-007.md", "examples/WX-007")):
        span = book.dates[page]
        dates = json.loads(book.files[f"api/v1/{file}.json"])["data_dates"]
        assert dates == {"oldest": span.oldest, "newest": span.newest, "read_again": list(span.stale)}

"""How old the data are, and which are older than their kind may be. Age is counted from the newest date in the specs.

No page changes by waiting: the clock plays no part.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from generator.provenance import Datum, Traced
from generator.specs.library import Library

QUARTER_DAYS, YEAR_DAYS = 92, 366
STALE_AFTER_DAYS: dict[str, int] = {
    "prices/gpus": QUARTER_DAYS,
    "prices/apis": QUARTER_DAYS,
    "accelerators": YEAR_DAYS,
    "systems": YEAR_DAYS,
    "links": YEAR_DAYS,
    "tiers": YEAR_DAYS,
    "models": YEAR_DAYS,
    "assumptions": YEAR_DAYS,
}
"""Kind of datum -> days after which it should be read again. What is not listed does not age: a measurement and a
paper stay what they were."""


@dataclass(frozen=True)
class Age:
    """When a record was last read or dated, and how long that may be ago; no limit for what does not age."""

    collection: str
    id: str
    date: str
    limit_days: int | None
    days: int

    @property
    def stale(self) -> bool:
        """It should be read again."""
        return self.limit_days is not None and self.days > self.limit_days


@dataclass(frozen=True)
class Span:
    """Oldest and newest date of some data, and the paths of those that should be read again."""

    oldest: str
    newest: str
    stale: tuple[str, ...]


def specs(library: Library) -> Iterator[tuple[str, str, Any]]:
    """Every record of the library with its collection and id."""
    for collection, records in library.collections.items():
        for identifier, record in sorted(records.items()):
            yield collection, identifier, record


def date_of(record: Any) -> str:
    """Date of a record: its own (a price), else that of its oldest datum; empty if it has none.

    One source that is read again does not make the others newer.
    """
    if own := _own_date(record):
        return own
    dates = [given for datum in _data(record) if (given := _read(datum))]
    return min(dates) if dates else max((source.seen for source in getattr(record, "sources", ())), default="")


def date_of_datum(datum: Traced, library: Library) -> str:
    """Date of a datum: that of its record if it has one (a price), else the day its best source was read."""
    collection, identifier = place_of(datum)
    record = library.collections.get(collection, {}).get(identifier)
    return _own_date(record) or _read(datum)


def place_of(datum: Traced) -> tuple[str, str]:
    """Collection and id of the record that a datum stands in."""
    collection, _, identifier = datum.origin.path.partition("#")[0].rpartition("/")
    return collection, identifier


def span(data: Iterable[Traced], library: Library, newest: str) -> Span | None:
    """Dates of some data; age is counted from `newest`. None if none of them has a date."""
    dates = {
        datum.origin.path: (place_of(datum)[0], given) for datum in data if (given := date_of_datum(datum, library))
    }
    if not dates:
        return None
    stale = [path for path, (collection, given) in dates.items() if is_stale(given, newest, collection)]
    given = sorted(given for _, given in dates.values())
    return Span(given[0], given[-1], tuple(sorted(stale)))


def newest_date(library: Library) -> str:
    """The latest date in the specs: what age is counted from."""
    dates = [""]
    for _, _, record in specs(library):
        dates += [source.seen for source in getattr(record, "sources", ())]
        dates += [given for field in ("date", "checked") if (given := getattr(record, field, None))]
    return max(dates)


def days_between(earlier: str, later: str) -> int:
    """Whole days from one date to another."""
    return (date.fromisoformat(later) - date.fromisoformat(earlier)).days


def is_stale(given: str, newest: str, collection: str = "prices/gpus") -> bool:
    """A datum of this date lies further before the newest date than its kind may."""
    limit = STALE_AFTER_DAYS.get(collection)
    return limit is not None and days_between(given, newest) > limit


def ages(library: Library) -> list[Age]:
    """Age of every record that has a date, oldest first."""
    newest = newest_date(library)
    found = [
        Age(collection, identifier, given, STALE_AFTER_DAYS.get(collection), days_between(given, newest))
        for collection, identifier, record in specs(library)
        if (given := date_of(record))
    ]
    return sorted(found, key=lambda age: (age.date, age.collection, age.id))


def _own_date(record: Any) -> str:
    return getattr(record, "date", None) or getattr(record, "checked", None) or ""


def _read(datum: Traced) -> str:
    """Day on which the best source of a datum was read."""
    origin = datum.origin
    return origin.sources[0].seen if isinstance(origin, Datum) and origin.sources else ""


def _data(value: Any) -> Iterator[Traced]:
    """Every datum of a record."""
    if isinstance(value, Traced):
        yield value
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from _data(getattr(value, field.name))
    elif isinstance(value, dict):
        for one in value.values():
            yield from _data(one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _data(one)

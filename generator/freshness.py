"""How old the data are, and which are older than their kind may be. Age is counted from the newest date in the specs.

No page changes by waiting: the clock plays no part.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

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


def specs(library: Library) -> Iterator[tuple[str, str, Any]]:
    """Every record of the library with its collection and id."""
    for collection, records in library.collections.items():
        for identifier, record in sorted(records.items()):
            yield collection, identifier, record


def date_of(record: Any) -> str:
    """Date of a record: its own (a price), else the latest on which one of its sources was read; empty if none."""
    own = getattr(record, "date", None) or getattr(record, "checked", None)
    return own or max((source.seen for source in getattr(record, "sources", ())), default="")


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


def is_stale(given: str, newest: str) -> bool:
    """A price of this date lies more than a quarter before the newest date."""
    return days_between(given, newest) > QUARTER_DAYS


def ages(library: Library) -> list[Age]:
    """Age of every record that has a date, oldest first."""
    newest = newest_date(library)
    found = [
        Age(collection, identifier, given, STALE_AFTER_DAYS.get(collection), days_between(given, newest))
        for collection, identifier, record in specs(library)
        if (given := date_of(record))
    ]
    return sorted(found, key=lambda age: (age.date, age.collection, age.id))

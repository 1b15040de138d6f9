"""Every traced number of a record."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from generator.provenance import Traced


def quantities(value: Any) -> Iterator[Traced]:
    if isinstance(value, Traced):
        yield value
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from quantities(getattr(value, field.name))
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from quantities(one)

"""The families, in the order in which they are asked whether a row is theirs."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterable, Iterator

from generator.validation.family import Family
from generator.validation.rows import Row

MODULES: tuple[str, ...] = (
    "collectives",
    "kv_capacity",
    "kv_transfer",
    "matmul",
    "mlperf",
    "offline_throughput",
    "paced_serving",
    "prompt_rate",
    "serving_tpot",
    "serving_ttft",
    "single_stream",
    "step_profile",
    "training_time",
    "training_memory",
    "training_layouts",
)  # fmt: skip
"""Modules of `generator.validation.families`; each has a `FAMILY`."""


@functools.cache
def families() -> dict[str, Family]:
    """Every family by id."""
    found = [importlib.import_module(f"generator.validation.families.{name}").FAMILY for name in MODULES]
    return {family.id: family for family in found}


def with_derived(rows: Iterable[Row]) -> Iterator[Row]:
    """The rows, each followed by the further measurements that it carries."""
    for row in rows:
        yield row
        for family in families().values():
            if (further := family.derives(row)) is not None:
                yield further


def family_of(row: Row) -> Family | None:
    """The family that a row belongs to, if any."""
    return next((family for family in families().values() if family.claims(row)), None)

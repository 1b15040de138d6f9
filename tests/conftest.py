"""Fixtures for all tests: the specs of this repository, loaded once, and hypothesis without clock or database."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from generator import pages
from generator.pages.book import Book
from generator.specs.library import Library
from generator.specs.load import load

ROOT = Path(__file__).parent.parent

settings.register_profile(
    "handbook",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
settings.load_profile("handbook")


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def library() -> Library:
    return load(ROOT)


@pytest.fixture(scope="session")
def book() -> Book:
    """The book with every page written, once for all tests; none of them changes it."""
    opened = pages.open_book(ROOT)
    pages.write_book(opened)
    return opened

"""Every value has an address or a reason, and nothing of the workshop is left in what is published."""

from __future__ import annotations

import re

import pytest

from generator.specs.records import COLLECTIONS

REASONED = {"estimate", "assumption", "choice"}
PUBLISHED = ("specs", "generator", "docs", "tests", "benchmarks")
SUFFIXES = {".py", ".yaml", ".yml", ".md", ".css", ".js", ".html", ".toml", ".cff", ".txt", ".csv", ".json"}
# Hosts that serve packages, in two parts each, so that this list does not contain what it looks for.
REGISTRIES = tuple(
    left + right
    for left, right in (
        ("py", "pi.org"), ("python", "hosted.org"), ("registry", ".npmjs.org"), ("npm", "js.com"), ("crates", ".io"),
        ("ruby", "gems.org"), ("proxy.gol", "ang.org"), ("conda.ana", "conda.org"), ("ana", "conda.org"),
        ("repo.maven.apa", "che.org"), ("nug", "et.org"), ("packag", "ist.org"), ("docker", ".io"), ("ghcr", ".io"),
    )
)  # fmt: skip


def _notes(library):
    return [
        (f"{collection}/{record.id}", note)
        for collection, records in library.collections.items()
        for record in records.values()
        for note in getattr(record, "sources", [])
    ]


def test_a_source_is_an_address_a_work_or_a_reason(library):
    for where, note in _notes(library):
        addressed = note.source.startswith("https://") or note.source in library.references
        assert addressed or note.status in REASONED, f"{where}: {note.source}"


def test_a_source_without_an_address_says_why_in_words(library):
    for where, note in _notes(library):
        if not note.source.startswith("https://") and note.source not in library.references:
            assert len(note.source.split()) >= 3, f"{where}: {note.source}"


def test_what_was_read_is_quoted(library):
    for where, note in _notes(library):
        if note.source.startswith("https://") and note.status not in REASONED:
            assert note.evidence, f"{where}: {note.source}"


def test_works_of_the_bibliography_have_distinct_addresses(library):
    addresses = [work.address for work in library.references.values()]
    assert len(addresses) == len(set(addresses))


def test_every_work_is_newer_than_the_theory_of_queues(library):
    assert min(work.year for work in library.references.values()) >= 1900


def _files(root):
    for name in PUBLISHED:
        for path in sorted((root / name).rglob("*")):
            if path.is_file() and path.suffix in SUFFIXES:
                yield path
    yield from (path for path in sorted(root.glob("*")) if path.is_file() and path.suffix in SUFFIXES)


def test_no_file_names_a_package_registry(root):
    found = [
        f"{path.relative_to(root)}: {host}"
        for path in _files(root)
        for host in REGISTRIES
        if host in path.read_text(encoding="utf-8").lower()
    ]
    assert found == []


def test_no_file_cites_the_notes_that_the_handbook_grew_from(root):
    pattern = re.compile("se" + r"ed[ _-]?\d{3}\b|/wo" + r"rk/(?:shared|main)\b", re.IGNORECASE)
    found = [str(path.relative_to(root)) for path in _files(root) if pattern.search(path.read_text(encoding="utf-8"))]
    assert found == []


def test_every_collection_has_its_folder_and_every_file_is_read(root, library):
    folders = {path.parent.relative_to(root / "specs").as_posix() for path in (root / "specs").rglob("*.*")}
    assert folders <= set(COLLECTIONS) | {"published", "published/moved"}
    files = {path.relative_to(root).as_posix() for path in (root / "specs").rglob("*.yaml")}
    assert files == set(library.files.values())


@pytest.mark.parametrize("collection", sorted(set(COLLECTIONS) - {"examples"}))
def test_a_collection_is_not_empty(library, collection):
    assert library.collections[collection]


def test_prices_have_a_full_date(library):
    for collection in ("prices/gpus", "prices/apis"):
        for price in library.collections[collection].values():
            assert re.fullmatch(r"\d{4}-\d\d-\d\d", price.date)


def test_a_cached_token_is_never_dearer_than_a_fresh_one_nor_input_than_output(library):
    for price in library.collections["prices/apis"].values():
        assert price.cached_input is None or price.cached_input < price.input
        assert price.input < price.output
        for step in price.long_context:
            assert step.input >= price.input
            assert step.output >= price.output

"""Prose holds no computed number: a quantity in a chapter is placed by its result, or was given, or is quoted.

Given are the inputs in the chapter's front matter. Quoted are figures of the question that a section answers; they are
listed here, so that a new one is a decision.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CHAPTERS = sorted((Path(__file__).resolve().parents[2] / "docs" / "chapters").glob("*.md"))
UNIT = (
    r"(?:GB/s|TB/s|GiB|GB|TB|MB|KiB|kB|MiB|ms|µs|us|tokens/s|tok/s|%|per cent|TFLOP/s|PFLOP/s|FLOP/B|USD|J\b|W\b|kW|"
    r"times|hours|days|GPU-hours|requests/s|bits?\b|B\b)"
)
QUANTITY = re.compile(rf"(?<![\w.#/-])(\d[\d,.]*)\s?({UNIT})")
NOT_TEXT = re.compile(r"\{\{.*?\}\}|`[^`]*`|\\\(.*?\\\)|<[^>]+>|\]\([^)]*\)", re.DOTALL)

QUOTED = {
    "api-prices": {"90 %"},
    "batching": {"30B"},
    "capacity-planning": {"22 GiB"},
    "failures": {"60 days"},
    "hardware": {"4.05 ms"},
    "memory-budget": {"34B"},
    "metrics": {"34 tokens/s"},
    "model-numbers": {"37B", "56B"},
    "moe": {"1.3B", "122B", "33 GB"},
    "operating": {"49 %", "94 %"},
    "parallelism": {"379 tokens/s"},
    "roofline": {"27B"},
    "speculative": {"70B"},
    "training-compute": {"46 %", "45.5 %", "96 GB", "130B"},
    "training-memory": {"112 GB", "500 GB"},
    "traps": {"80 GB", "13B", "61 %"},
    "which-model": {"24 GB"},
}


def unplaced(source: str) -> set[str]:
    """Quantities of the text that are neither placed nor among the inputs of the front matter."""
    matter, _, text = source.removeprefix("---\n").partition("\n---\n")
    given = matter.replace(",", "").replace("_", "")
    found = set()
    for quantity in QUANTITY.finditer(NOT_TEXT.sub("", text)):
        number = quantity[1].rstrip(".,").replace(",", "")
        if not re.search(rf"(?<![\d.]){re.escape(number)}(?!\d)", given):
            found.add(quantity[0])
    return found


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_places_its_numbers_and_types_none(path):
    assert unplaced(path.read_text(encoding="utf-8")) <= QUOTED.get(path.stem, set())


def test_a_typed_result_is_found():
    source = "---\nsteps: {one: {batch: 64}}\n---\nA batch of 64 B takes 12.5 ms, {{ n('one') }} and `7 GB`."
    assert unplaced(source) == {"12.5 ms"}


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_types_no_equation(path):
    """Inline symbols are fine; equations are printed from the functions that compute."""
    text = path.read_text(encoding="utf-8")
    assert "$$" not in text
    assert "\\[" not in text
    assert not [
        found for found in re.findall(r"\\\((.*?)\\\)", text) if re.search(r"(?<!\{)=", found) or "\\frac" in found
    ]

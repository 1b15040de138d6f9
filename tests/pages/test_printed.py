"""Statements of other works beside the worked examples: which work, and whether it agrees."""

from __future__ import annotations

import pytest

from generator.examples import work
from generator.pages import printed
from generator.specs.records import Printed


@pytest.mark.parametrize(
    ("source", "work"),
    [
        ("https://github.com/jax-ml/scaling-book/blob/main/roofline.md", "jax-ml/scaling-book"),
        ("https://github.com/jax-ml/scaling-book/pull/131", "jax-ml/scaling-book"),
        ("austin-2025-scaling-book", "jax-ml/scaling-book"),
        ("https://github.com/stas00/ml-engineering/blob/master/inference/README.md", "stas00/ml-engineering"),
        ("bekman-ml-engineering", "stas00/ml-engineering"),
        ("https://arxiv.org/abs/2412.19437", "deepseek-2024-v3"),
        ("deepseek-2024-v3", "deepseek-2024-v3"),
        ("https://www.doubleword.ai/resources/x", "doubleword.ai"),
    ],
)
def test_an_address_belongs_to_its_work(library, source, work):
    assert printed.work_of(source, library.references) == work


def test_a_statement_agrees_or_says_why_it_differs_or_is_an_input():
    said = {"statement": "Prints 1.", "source": "https://example.org"}
    assert printed.verdict(Printed(**said)) == " agrees"
    assert printed.verdict(Printed(**said, agrees=False, why="it is 2")) == " differs: it is 2"
    assert printed.verdict(Printed(**said, of="inputs")) == ": inputs of this example"


def test_every_statement_is_counted_once():
    said = {"statement": "Prints 1.", "source": "https://example.org"}
    quotes = [
        printed.Quoted(None, Printed(**said, **more))
        for more in ({}, {}, {"agrees": False, "why": "it is 2"}, {"of": "inputs"})
    ]
    assert printed.counts(quotes) == (2, 1, 1)


def test_an_answer_that_is_published_in_gib_shows_both_units(library):
    both = printed.answer_text(work(library.examples["WX-242"], library)).replace("\u00a0", " ")
    assert both == "6.71 GB (6.25 GiB)"
    alone = printed.answer_text(work(library.examples["WX-240"], library), printed.DIGITS).replace("\u00a0", " ")
    assert alone == "5.3687 GB"

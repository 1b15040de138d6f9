"""Formulas become MathML, and what only looks like a formula stays text."""

from __future__ import annotations

import markdown
import pytest

from generator.markdown_math import FormulaError, display_mathml, inline_mathml

ARITHMATEX = {"generic": True, "inline_syntax": ["round"], "block_syntax": ["square", "begin", "dollar"]}


def rendered(text: str) -> str:
    return markdown.markdown(
        text,
        extensions=["tables", "md_in_html", "pymdownx.arithmatex", "generator.markdown_math"],
        extension_configs={"pymdownx.arithmatex": ARITHMATEX},
    )


def test_round_brackets_make_an_inline_formula() -> None:
    html = rendered(r"the ridge \(I = \pi/\beta\) of it")
    assert html.startswith("<p>the ridge <math>")
    assert "\\" not in html


@pytest.mark.parametrize("text", ["$$\nx < y\n$$", "\\[\nx < y\n\\]"])
def test_a_block_formula_can_scroll_and_be_reached_with_the_keyboard(text: str) -> None:
    html = rendered(text)
    assert html.startswith('<div class="mathblock" tabindex="0"><math display="block">')
    assert "&lt;" in html


def test_prices_are_not_formulas() -> None:
    assert rendered("from $2.5 to $4 an hour") == "<p>from $2.5 to $4 an hour</p>"


def test_code_keeps_its_tex() -> None:
    assert rendered(r"`\(x\)`") == r"<p><code>\(x\)</code></p>"


def test_a_formula_stands_in_a_table_inside_html() -> None:
    html = rendered('<div class="table" markdown="1">\n\n| a |\n|---|\n| \\(x^2\\) |\n\n</div>')
    assert "<td><math><msup>" in html


def test_a_formula_that_cannot_be_typeset_is_quoted() -> None:
    with pytest.raises(FormulaError, match=r"\\frac\{a"):
        rendered(r"\(\frac{a\)")


def test_html_can_be_written_with_the_same_converter() -> None:
    assert inline_mathml("x") in rendered(r"\(x\)")
    assert display_mathml("x") in rendered("$$\nx\n$$")

r"""TeX to MathML while the site is built, so that a page needs no script and no network to show an equation.

Two doors to the same converter: `inline_mathml` and `display_mathml` for code that writes HTML itself, and a
Python-Markdown extension for prose, which takes over what `pymdownx.arithmatex` (with `generic: true`) marked as
mathematics.  A formula that cannot be converted stops the build and is quoted in the message.
"""

from __future__ import annotations

import html
import re

from markdown import Markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor
from math_core import LatexToMathML

# `fancy_error` would draw the error with terminal colours.
_converter = LatexToMathML(fancy_error=False)

_MARKED_INLINE = re.compile(r'<span class="arithmatex">\\\((.*?)\\\)</span>', re.DOTALL)
_MARKED_DISPLAY = re.compile(r'<div class="arithmatex">\s*\\\[(.*?)\\\]\s*</div>', re.DOTALL)

# Python-Markdown runs postprocessors from high to low; raw HTML is put back at 30 and escapes at 10.
_AFTER_EVERYTHING_ELSE = 1


class FormulaError(ValueError):
    """A formula that the converter refuses."""


def inline_mathml(tex: str) -> str:
    """`<math>` for a formula inside a line of text."""
    return _convert(tex, display=False)


def display_mathml(tex: str) -> str:
    """A formula on a line of its own, in a box that scrolls sideways and can be reached with the keyboard."""
    return f'<div class="mathblock" tabindex="0">{_convert(tex, display=True)}</div>'


def _convert(tex: str, *, display: bool) -> str:
    try:
        # Local state keeps macros and equation numbers of one formula away from the next.
        return _converter.convert_with_local_state(tex.strip(), displaystyle=display)
    except Exception as error:
        raise FormulaError(f"cannot typeset `{tex.strip()}`: {error}") from error


class _MarkedFormulas(Postprocessor):
    def run(self, text: str) -> str:
        text = _MARKED_DISPLAY.sub(lambda found: display_mathml(html.unescape(found[1])), text)
        return _MARKED_INLINE.sub(lambda found: inline_mathml(html.unescape(found[1])), text)


class MathExtension(Extension):
    """Turns the formulas that arithmatex marked into MathML."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (the name is Python-Markdown's)
        md.postprocessors.register(_MarkedFormulas(md), "mathml", _AFTER_EVERYTHING_ELSE)


def makeExtension(**settings: object) -> MathExtension:  # noqa: N802 (the name is Python-Markdown's)
    return MathExtension(**settings)

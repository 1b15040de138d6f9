r"""The equation of a formula, derived from the function that computes it.

The function is called with SymPy symbols instead of numbers and prints what it returns, so text and code cannot
drift apart. Called with symbols named after the formatted inputs, it prints the line with the numbers put in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from generator import formatting
from generator.cache import Cache, source_digest
from generator.formulas import FORMULAS, NOMENCLATURE, Name
from generator.formulas.nomenclature import SECTIONS
from generator.provenance import Derivation, Traced

Formula = Callable[..., Any]
Lengths = tuple[tuple[str, int], ...]
"""Tuple arguments of a formula and how many terms each has."""


def _indexed(symbol: str, index: int, length: int) -> str:
    if length == 1:
        return symbol
    head, underscore, subscript = symbol.partition("_")
    inner = subscript[1:-1] if subscript.startswith("{") else subscript
    return f"{head}_{{{inner},{index + 1}}}" if underscore else f"{symbol}_{{{index + 1}}}"


def _braced(symbol: str) -> str:
    """SymPy reads digits and underscores of a plain name as indices; a name in braces is printed as it is."""
    return "{" + symbol + "}"


class Templates:
    """Equations as text with places for numbers. Kept in a cache, they need no SymPy as long as no formula changes."""

    def __init__(self) -> None:
        self.cache = Cache(None)
        self.known: dict[tuple[str, Formula, Lengths], str] = {}

    def get(self, kind: str, formula: Formula, lengths: Lengths, make: Callable[[], str]) -> str:
        """The template of a formula for tuples of these lengths, made if neither memory nor cache has it."""
        key = (kind, formula, lengths)
        if key not in self.known:
            sources = source_digest("formulas/**/*.py", "tracing.py", "equations.py")
            self.known[key] = self.cache.get(f"equation {kind}", [formula.__name__, lengths, sources], make)
        return self.known[key]


TEMPLATES = Templates()


def _right_side(formula: Formula, lengths: Lengths) -> str:
    sizes = dict(lengths)

    def name(argument: str, index: int | None) -> str:
        symbol = NOMENCLATURE[argument].symbol
        return _braced(symbol if index is None else _indexed(symbol, index, sizes[argument]))

    return TEMPLATES.get("symbols", formula, lengths, lambda: _set_apart(_tracing().latex(formula, sizes, name)))


_ABBREVIATION = r"\{\\mathrm\{\w+\}(?:_(?:\w|\\mathrm\{\w+\}))?\}"


def _set_apart(line: str) -> str:
    """Abbreviations with a thin space to the factors beside them, and a dot before a number that follows a factor."""
    line = re.sub(rf"(?<=[}}\w]) (?={_ABBREVIATION})", r"\\, ", line)
    line = re.sub(rf"({_ABBREVIATION}) (?=\{{|\\left)", r"\1 \\, ", line)
    return re.sub(r"(?<!\{cases)(?<!\{if )(\}|\\right\)) (?=\d)", r"\1 \\cdot ", line)


def _number_template(formula: Formula, lengths: Lengths) -> str:
    def make() -> str:
        return _tracing().latex(formula, dict(lengths), lambda *slot: "{%s@%s@}" % slot, mul_symbol="times")

    return TEMPLATES.get("numbers", formula, lengths, make)


def _tracing() -> Any:
    from generator import tracing

    return tracing


def _lengths(inputs: Mapping[str, Any]) -> tuple[tuple[str, int], ...]:
    return tuple((name, len(value)) for name, value in inputs.items() if isinstance(value, (tuple, list)))


def all_formulas() -> Mapping[str, Formula]:
    """Every formula by the name of the quantity it computes."""
    return FORMULAS


def all_names() -> Mapping[str, Mapping[str, Name]]:
    """Every name with symbol, unit and meaning, by section of the nomenclature."""
    return {section: {name: NOMENCLATURE[name] for name in names} for section, names in SECTIONS.items()}


def topic(formula: Formula) -> str:
    """The part of the formulary that a formula belongs to: `memory`, `roofline`."""
    return formula.__module__.rpartition(".")[2]


def symbol(name: str) -> str:
    """LaTeX symbol of a quantity."""
    return NOMENCLATURE[name].symbol


def equation(formula: Formula, lengths: tuple[tuple[str, int], ...] | None = None) -> str:
    """The formula as LaTeX. Tuple arguments are written out; two terms stand for any number if no lengths are given."""
    if lengths is None:
        lengths = tuple((name, 2) for name in formula.arguments if name.endswith(("_by_group", "_by_component")))
    return f"{symbol(formula.__name__)} = {_right_side(formula, lengths)}"


def equation_of(value: Traced) -> str:
    """The equation behind a number, with as many terms as it has."""
    return equation(value.origin.formula, _lengths(value.origin.inputs))


def with_numbers(value: Traced) -> str:
    """The same equation with the numbers put in, and the result."""
    derivation = value.origin
    assert isinstance(derivation, Derivation)
    line = _number_template(derivation.formula, _lengths(derivation.inputs))
    for name, given in derivation.inputs.items():
        slots = enumerate(given) if isinstance(given, (tuple, list)) else [(None, given)]
        for index, number in slots:
            unit = number.unit if isinstance(number, Traced) else NOMENCLATURE[name].unit
            text = formatting.latex(number, unit)
            slot = "{%s@%s@}" % (name, index)
            line = line.replace(slot + "^", rf"\left({text}\right)^").replace(slot, text)
    result = formatting.latex(value, value.unit)
    return f"{symbol(value.name)} = {line} = {result}"


def symbol_of(name: str, index: int | None) -> str:
    """LaTeX symbol of an argument, with the index of its term for tuples."""
    plain = NOMENCLATURE[name].symbol
    return plain if index is None else _indexed(plain, index, 2)


def plain_equation(formula: Formula) -> str:
    """The formula as one line of text, with the argument names as symbols."""
    lengths = {name: 2 for name in formula.arguments if name.endswith(("_by_group", "_by_component"))}

    def name(argument: str, index: int | None) -> str:
        return argument if index is None else f"{argument}[{index + 1}]"

    right = re.sub(r"\*\*1\b", "", _tracing().text(formula, lengths, name))
    return f"{formula.__name__} = {right}"

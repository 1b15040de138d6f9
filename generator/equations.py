r"""The equation of a formula, derived from the function that computes it.

The function is called with SymPy symbols instead of numbers and prints what it returns, so text and code cannot
drift apart. Called with symbols named after the formatted inputs, it prints the line with the numbers put in.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from typing import Any

import sympy

from generator import formatting
from generator.formulas import FORMULAS, NOMENCLATURE, Name
from generator.formulas.nomenclature import SECTIONS
from generator.provenance import Derivation, Traced

Formula = Callable[..., Any]


class _Printed(sympy.Function):
    """A function that keeps its arguments as they were written."""

    @classmethod
    def eval(cls, *arguments: Any) -> None:
        return None


class Maximum(_Printed):
    def _latex(self, printer: Any, exp: str | None = None) -> str:
        return r"\max\left(%s\right)" % ",\\; ".join(map(printer._print, self.args))


class Minimum(_Printed):
    def _latex(self, printer: Any, exp: str | None = None) -> str:
        return r"\min\left(%s\right)" % ",\\; ".join(map(printer._print, self.args))


class Ceiling(_Printed):
    def _latex(self, printer: Any, exp: str | None = None) -> str:
        return r"\left\lceil %s \right\rceil" % printer._print(self.args[0])


class Floor(_Printed):
    def _latex(self, printer: Any, exp: str | None = None) -> str:
        return r"\left\lfloor %s \right\rfloor" % printer._print(self.args[0])


class Either(sympy.Basic):
    """A case distinction; not a Function, because its condition is not a number."""

    def __new__(cls, condition: Any, then: Any, otherwise: Any) -> Either:
        return sympy.Basic.__new__(cls, *map(sympy.sympify, (condition, then, otherwise)))

    def _latex(self, printer: Any) -> str:
        condition, then, otherwise = map(printer._print, self.args)
        return rf"\begin{{cases}} {then} & \text{{if }} {condition} \\ {otherwise} & \text{{otherwise}} \end{{cases}}"


def _arguments(formula: Formula, lengths: Mapping[str, int], name: Callable[[str, int | None], str]) -> dict[str, Any]:
    def symbol(argument: str, index: int | None) -> sympy.Symbol:
        return sympy.Symbol(name(argument, index), positive=True)

    return {
        argument: tuple(symbol(argument, index) for index in range(lengths[argument]))
        if argument in lengths
        else symbol(argument, None)
        for argument in formula.arguments
    }


def _indexed(symbol: str, index: int, length: int) -> str:
    if length == 1:
        return symbol
    head, underscore, subscript = symbol.partition("_")
    inner = subscript[1:-1] if subscript.startswith("{") else subscript
    return f"{head}_{{{inner},{index + 1}}}" if underscore else f"{symbol}_{{{index + 1}}}"


def _braced(symbol: str) -> str:
    """SymPy reads digits and underscores of a plain name as indices; a name in braces is printed as it is."""
    return "{" + symbol + "}"


def _flat(expression: sympy.Basic) -> sympy.Basic:
    """Sums inside sums become one sum: SymPy keeps `(a + b) + c` as it was computed, with its parentheses."""
    if not expression.args:
        return expression
    parts = [_flat(part) for part in expression.args]
    if isinstance(expression, sympy.Add):
        parts = [term for part in parts for term in (part.args if isinstance(part, sympy.Add) else (part,))]
        return sympy.Add(*parts, evaluate=False)
    if isinstance(expression, (sympy.Mul, sympy.Pow)):
        return type(expression)(*parts, evaluate=False)
    return expression.func(*parts)


def _printed(formula: Formula, arguments: dict[str, Any], **options: Any) -> str:
    with sympy.evaluate(False):
        expression = _flat(sympy.sympify(formula(**arguments)))
        return sympy.latex(expression, order="none", **options).replace("1000000", "10^{6}")


@functools.cache
def _right_side(formula: Formula, lengths: tuple[tuple[str, int], ...]) -> str:
    sizes = dict(lengths)

    def name(argument: str, index: int | None) -> str:
        symbol = NOMENCLATURE[argument].symbol
        return _braced(symbol if index is None else _indexed(symbol, index, sizes[argument]))

    return _printed(formula, _arguments(formula, sizes, name))


@functools.cache
def _number_template(formula: Formula, lengths: tuple[tuple[str, int], ...]) -> str:
    return _printed(formula, _arguments(formula, dict(lengths), lambda *slot: "{%s@%s@}" % slot), mul_symbol="times")


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

    with sympy.evaluate(False):
        expression = _flat(sympy.sympify(formula(**_arguments(formula, lengths, name))))
        right = re.sub(r"\*\*1\b", "", sympy.sstr(expression, order="none"))
        return f"{formula.__name__} = {right}"

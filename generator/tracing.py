"""Formulas called with SymPy symbols instead of numbers, and printed as they were written.

The only module that imports SymPy. `generator.formulas.elementary` calls it back for max, min, ceil, floor and cases.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy

Formula = Callable[..., Any]
Naming = Callable[[str, int | None], str]
"""From an argument, and the index of its term for a tuple, to the text that stands for it."""


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


class Logarithm(_Printed):
    def _latex(self, printer: Any, exp: str | None = None) -> str:
        argument = printer._print(self.args[0])
        return (r"\ln %s" if self.args[0].is_Atom else r"\ln\left(%s\right)") % argument


class Either(sympy.Basic):
    """A case distinction; not a Function, because its condition is not a number."""

    def __new__(cls, condition: Any, then: Any, otherwise: Any) -> Either:
        return sympy.Basic.__new__(cls, *map(sympy.sympify, (condition, then, otherwise)))

    def _latex(self, printer: Any) -> str:
        condition, then, otherwise = map(printer._print, self.args)
        return rf"\begin{{cases}} {then} & \text{{if }} {condition} \\ {otherwise} & \text{{otherwise}} \end{{cases}}"


def _arguments(formula: Formula, lengths: Mapping[str, int], name: Naming) -> dict[str, Any]:
    def symbol(argument: str, index: int | None) -> sympy.Symbol:
        return sympy.Symbol(name(argument, index), positive=True)

    return {
        argument: tuple(symbol(argument, index) for index in range(lengths[argument]))
        if argument in lengths
        else symbol(argument, None)
        for argument in formula.arguments
    }


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


def latex(formula: Formula, lengths: Mapping[str, int], name: Naming, **options: Any) -> str:
    """What a formula returns for symbols, as LaTeX."""
    with sympy.evaluate(False):
        expression = _flat(sympy.sympify(formula(**_arguments(formula, lengths, name))))
        return sympy.latex(expression, order="none", **options).replace("1000000", "10^{6}")


def text(formula: Formula, lengths: Mapping[str, int], name: Naming) -> str:
    """What a formula returns for symbols, as one line of text."""
    with sympy.evaluate(False):
        expression = _flat(sympy.sympify(formula(**_arguments(formula, lengths, name))))
        return sympy.sstr(expression, order="none")

"""max, min, ceil, floor and a case distinction for floats, numpy arrays, SymPy expressions and pint quantities.

numpy and SymPy are imported only when such a value comes in, so a formula on floats needs the standard library alone.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Sequence
from typing import Any


def _library(values: tuple[Any, ...]) -> str:
    for value in values:
        family = type(value).__module__.partition(".")[0]
        if family == "numpy":
            return "numpy"
        if family == "sympy" or type(value).__module__.startswith("generator.tracing"):
            return "sympy"
    return "float"


def maximum(*terms: Any) -> Any:
    """The largest term, element by element for arrays."""
    library = _library(terms)
    if library == "numpy":
        import numpy

        return functools.reduce(numpy.maximum, terms)
    if library == "sympy":
        from generator import tracing

        return tracing.Maximum(*terms)
    return max(terms)


def minimum(*terms: Any) -> Any:
    """The smallest term, element by element for arrays."""
    library = _library(terms)
    if library == "numpy":
        import numpy

        return functools.reduce(numpy.minimum, terms)
    if library == "sympy":
        from generator import tracing

        return tracing.Minimum(*terms)
    return min(terms)


def ceiling(value: Any) -> Any:
    """The smallest whole number that is not below `value`."""
    library = _library((value,))
    if library == "numpy":
        import numpy

        return numpy.ceil(value)
    if library == "sympy":
        from generator import tracing

        return tracing.Ceiling(value)
    return math.ceil(value)


def floor(value: Any) -> Any:
    """The largest whole number that is not above `value`."""
    library = _library((value,))
    if library == "numpy":
        import numpy

        return numpy.floor(value)
    if library == "sympy":
        from generator import tracing

        return tracing.Floor(value)
    return math.floor(value)


def square_root(value: Any) -> Any:
    """The square root, element by element for arrays."""
    library = _library((value,))
    if library == "sympy":
        from generator import tracing

        return tracing.sympy.sqrt(value)
    return value**0.5


def exponential(value: Any) -> Any:
    """e to the power of `value`, element by element for arrays."""
    library = _library((value,))
    if library == "numpy":
        import numpy

        return numpy.exp(value)
    if library == "sympy":
        from generator import tracing

        return tracing.sympy.exp(value)
    return math.exp(value)


def logarithm(value: Any) -> Any:
    """The natural logarithm, element by element for arrays."""
    library = _library((value,))
    if library == "numpy":
        import numpy

        return numpy.log(value)
    if library == "sympy":
        from generator import tracing

        return tracing.Logarithm(value)
    return math.log(value)


def either(condition: Any, then: Any, otherwise: Any) -> Any:
    """`then` where the condition holds, else `otherwise`; both are evaluated."""
    library = _library((condition, then, otherwise))
    if library == "numpy":
        import numpy

        return numpy.where(condition, then, otherwise)
    if library == "sympy":
        from generator import tracing

        return tracing.Either(condition, then, otherwise)
    return then if condition else otherwise


def total(terms: Sequence[Any]) -> Any:
    """Sum of the terms, 0 for none; unlike `sum` it does not begin with a zero that an equation would show."""
    return functools.reduce(operator.add, terms, *([] if terms else [0]))


def weighted_total(weights: Sequence[Any], values: Sequence[Any]) -> Any:
    """Sum of weight times value; the two must be equally long."""
    return total([weight * value for weight, value in zip(weights, values, strict=True)])

"""Formulas of the handbook: pure functions of keyword numbers, floats or arrays in, the same out.

Importing the package fills `FORMULAS`. Standard library only; numpy, SymPy and pint values pass through.
"""

from generator.formulas import (
    attention,
    comparison,
    cost,
    decode,
    memory,
    moe,
    parallelism,
    parameters,
    prefill,
    roofline,
    training,
)
from generator.formulas.formula import FORMULAS
from generator.formulas.nomenclature import NOMENCLATURE, Name

__all__ = [
    "FORMULAS",
    "NOMENCLATURE",
    "Name",
    "attention",
    "comparison",
    "cost",
    "decode",
    "memory",
    "moe",
    "parallelism",
    "parameters",
    "prefill",
    "roofline",
    "training",
]

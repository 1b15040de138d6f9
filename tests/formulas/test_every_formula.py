"""What holds for each formula of the handbook: units, vectors, reference, equation, derivation."""

from __future__ import annotations

import inspect
import math

import numpy
import pint
import pytest
from math_core import LatexToMathML

from generator import equations
from generator.formulas import FORMULAS, NOMENCLATURE
from generator.provenance import KINDS, Choice, Derivation, Traced, leaves
from generator.simulation.catalogue import SIMULATORS
from generator.simulation.traces import STATISTICS
from generator.validation.statistics import STATISTICS as VALIDATION
from tests.formulas.arguments import VARIANTS, arguments, mapped
from tests.formulas.dimensions import LITERALS, REGISTRY, dimensioned, quantity, unit_of

ALL = pytest.mark.parametrize("name", sorted(FORMULAS))


@ALL
@pytest.mark.parametrize("variant", VARIANTS)
def test_formula_on_units_gives_the_unit_and_value_of_its_name(name, variant):
    formula = FORMULAS[name]
    inputs = arguments(formula, variant)
    try:
        result = dimensioned(formula)(**mapped(inputs, quantity))
        # Nothing at all has every unit: no communication on one accelerator.
        magnitude = REGISTRY.Quantity(result).to(unit_of(name)).magnitude if result != 0 else 0.0
    except pint.DimensionalityError as error:
        hint = "if a literal of it has a unit, tests/formulas/dimensions.py must say so"
        pytest.fail(f"{name}, which should be in {NOMENCLATURE[name].unit}: {error}; {hint}")
    assert magnitude == pytest.approx(formula(**inputs), rel=1e-12)


def test_literals_with_a_unit_belong_to_formulas_that_exist():
    assert set(LITERALS) <= set(FORMULAS)


def test_every_formula_of_bits_says_how_many_are_in_a_byte():
    of_bits = {
        name for name, formula in FORMULAS.items() if any(NOMENCLATURE[one].unit == "bit" for one in formula.arguments)
    }
    named = {name for name, literals in LITERALS.items() if any("bit" in unit for unit in literals.values())}
    assert of_bits == named


@ALL
def test_formula_of_an_array_is_the_array_of_the_formula(name):
    formula = FORMULAS[name]
    each = [arguments(formula, variant) for variant in VARIANTS]
    stacked = {
        argument: tuple(numpy.array(column) for column in zip(*(one[argument] for one in each), strict=True))
        if isinstance(value, tuple)
        else numpy.array([one[argument] for one in each])
        for argument, value in each[0].items()
    }
    vector = numpy.broadcast_to(formula(**stacked), len(each))
    assert [float(one) for one in vector] == pytest.approx([float(formula(**one)) for one in each], rel=1e-14, abs=0)


@ALL
def test_formula_names_a_work_of_the_bibliography(name, root):
    identifier = FORMULAS[name].reference.partition("#")[0]
    assert identifier == "definition" or (root / "specs" / "references" / f"{identifier}.yaml").is_file()


@ALL
def test_equation_can_be_typeset(name):
    text = equations.equation(FORMULAS[name])
    assert "<math" in LatexToMathML().convert_with_local_state(text, displaystyle=True)
    assert text.startswith(NOMENCLATURE[name].symbol)


@ALL
def test_formula_says_what_it_computes_and_takes_names_only(name):
    formula = FORMULAS[name]
    assert (formula.__doc__ or "").strip().endswith((".", ")"))
    parameters = inspect.signature(formula).parameters.values()
    assert all(one.kind is inspect.Parameter.KEYWORD_ONLY and one.default is one.empty for one in parameters)
    assert all(one.name in NOMENCLATURE for one in parameters)


def _traced(kind):
    return lambda name, value: Traced(
        value, name=name, unit=NOMENCLATURE[name].unit, kind=kind, origin=Choice("an example")
    )


@ALL
@pytest.mark.parametrize("kind", KINDS)
def test_result_is_as_weak_as_its_weakest_input(name, kind):
    formula = FORMULAS[name]
    inputs = mapped(arguments(formula, 1), _traced("exact"))
    last = formula.arguments[-1]
    inputs[last] = mapped({last: arguments(formula, 1)[last]}, _traced(kind))[last]
    result = formula(**inputs)
    assert isinstance(result, Traced)
    # A constant fitted on measurements is calibrated: it is no measurement itself.
    fitted = formula.kind == "calibrated"
    assert result.kind == ("calibrated" if fitted else max(formula.kind, kind, key=KINDS.index))
    assert (result.name, result.unit) == (name, NOMENCLATURE[name].unit)
    assert result.origin == Derivation(formula, inputs)
    assert {leaf.name for leaf in leaves(result)} == set(formula.arguments)


@ALL
@pytest.mark.parametrize("variant", VARIANTS)
def test_equation_with_numbers_can_be_typeset_and_leaves_no_slot(name, variant):
    result = FORMULAS[name](**mapped(arguments(FORMULAS[name], variant), _traced("exact")))
    text = equations.with_numbers(result)
    assert "@" not in text
    assert "<math" in LatexToMathML().convert_with_local_state(text, displaystyle=True)


@ALL
def test_formula_of_plain_numbers_is_a_finite_plain_number(name):
    for variant in VARIANTS:
        value = FORMULAS[name](**arguments(FORMULAS[name], variant))
        assert not isinstance(value, Traced)
        assert math.isfinite(value)


def test_every_name_of_the_nomenclature_is_used_by_a_formula_or_a_simulation(library):
    used = {argument for formula in FORMULAS.values() for argument in formula.arguments} | set(FORMULAS)
    for simulator in SIMULATORS.values():
        for more in ({}, *simulator.variants):
            experiment = simulator.experiment(library, **{**simulator.example, **more})
            used |= set(experiment.inputs) | set(experiment.run(1))
    assert set(NOMENCLATURE) == used | set(STATISTICS) | set(VALIDATION)


def test_symbols_can_be_typeset():
    for name in NOMENCLATURE.values():
        assert "<math" in LatexToMathML().convert_with_local_state(name.symbol, displaystyle=False)

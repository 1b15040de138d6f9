"""Equations say what the code computes: they are derived from it."""

from __future__ import annotations

import re

import pytest

from generator import equations
from generator.formulas import FORMULAS, decode, memory, moe, parameters, roofline
from generator.provenance import choice


def _given(name: str, value: float, unit: str = "count"):
    return choice(value, name=name, unit=unit, reason="an example")


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        ("ridge_point", r"I^\star = \frac{{\pi}}{{\beta}}"),
        ("grouped_query_kv_bytes", r"\kappa_L = \frac{2 {g} {e} {s_\mathrm{kv}}}{8}"),
        ("expert_share_read", r"x = 1 - \left(1 - \frac{{k}}{{E}}\right)^{{b}}"),
        ("training_flops", "C = 6 {P_a} {D}"),
        (
            "tpot_s",
            r"\mathrm{TPOT} = \max\left({t_\mathrm{mem}},\; {t_\mathrm{comp}}\right) + {t_\mathrm{comm}}",
        ),
        ("bubble_share", r"\phi_\mathrm{bubble} = \frac{{\mathrm{PP}} - 1}{{m} + {\mathrm{PP}} - 1}"),
    ],
)
def test_equation_is_the_one_of_the_textbook(formula, text):
    assert equations.equation(FORMULAS[formula]) == text


def test_capacity_counts_whole_requests_in_its_equation():
    assert r"\lfloor" in equations.equation(memory.max_concurrent_requests)
    assert r"\lceil" in equations.equation(memory.kv_bytes_per_request)


def test_an_equation_with_a_case_shows_both_cases():
    text = equations.equation(FORMULAS["mean_visible_tokens"])
    assert r"\begin{cases}" in text
    assert r"\text{otherwise}" in text


def test_a_sum_over_two_groups_has_two_indexed_terms():
    assert equations.equation(parameters.attention_params).count("_{") >= 2
    assert r"L_{1}" in equations.equation(parameters.attention_params)


def test_a_sum_has_as_many_terms_as_the_model_has_groups():
    value = parameters.attention_params(
        layers_by_group=tuple(_given("layers", n, "layer") for n in (2, 21, 20)),
        attention_params_by_group=tuple(_given("attention_params", n, "param") for n in (1, 2, 3)),
    )
    assert value == 2 + 42 + 60
    assert "L_{3}" in equations.equation_of(value)


def test_the_line_with_numbers_ends_in_the_result():
    ridge = roofline.ridge_point(
        peak_flops_per_s=_given("peak_flops_per_s", 989.4e12, "FLOP/s"),
        bandwidth_bytes_per_s=_given("bandwidth_bytes_per_s", 3.35e12, "B/s"),
    )
    text = equations.with_numbers(ridge)
    assert text.startswith(r"I^\star = \frac{")
    # However the space and the upright letters are typeset, this is what a reader sees.
    seen = re.sub(r"\\(?:text|mathrm)|[{}\s]|\\,", "", text.replace("\u202f", " "))
    assert "989.4TFLOP/s" in seen
    assert re.search(r"3\.350?TB/s", seen)
    assert seen.endswith("=295.3FLOP/B")


def test_a_number_under_a_power_stands_in_parentheses():
    share = moe.expert_share_read(top_k=_given("top_k", 8), experts=_given("experts", 128), batch=_given("batch", 64))
    assert equations.with_numbers(share).endswith(r"\left(1 - \frac{8}{128}\right)^{64} = 0.9839")


def test_the_printed_equation_does_not_depend_on_the_arguments():
    small = decode.tokens_per_s(batch=_given("batch", 1), tpot_s=_given("tpot_s", 0.01, "s"))
    large = decode.tokens_per_s(batch=_given("batch", 512), tpot_s=_given("tpot_s", 0.05, "s"))
    assert equations.equation_of(small) == equations.equation_of(large) == equations.equation(decode.tokens_per_s)


def test_abbreviations_do_not_run_into_their_neighbours():
    assert r"{o}\, {\mathrm{TPOT}}" in equations.equation(FORMULAS["mixed_tokens_per_s"])


def test_a_number_after_a_factor_is_set_apart_by_a_dot():
    glued = re.compile(r"(?<!cases)\} \d")
    assert not [name for name, formula in FORMULAS.items() if glued.search(equations.equation(formula))]

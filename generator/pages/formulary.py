"""Nomenclature and formulary: every name with its symbol, every formula with its equation."""

from __future__ import annotations

import inspect
from collections import defaultdict

from generator import equations, formatting
from generator.pages import markup, symbols
from generator.pages.book import Book
from generator.pages.writer import Writer

FORMULAS_PAGE = "reference/formulas.md"
LONGEST_LIST = 3
"""Links that a table cell shows; more are folded."""

_TOPICS = {"moe": "Mixture of experts"}


def formula_link(here: str, name: str) -> str:
    """A link to a formula, by the name of the quantity that it computes."""
    return f"<code>{markup.link(here, formula_page(name), name, markup.slug(name))}</code>"


def formula_page(name: str) -> str:
    """Page that shows a formula: that of its topic."""
    return _topic_page(equations.topic(equations.all_formulas()[name]))


def formula_list(here: str, names: list[str]) -> str:
    """Links to formulas; a long list is folded."""
    links = ", ".join(formula_link(here, name) for name in names)
    if len(names) <= LONGEST_LIST:
        return links
    return f'<details class="used"><summary>{len(names)} formulas</summary>{links}</details>'


def write_nomenclature(book: Book) -> str:
    """Every name but those of the calibrated predictions."""
    more = markup.link(symbols.PAGE, symbols.CALIBRATED_PAGE, "page of their own")
    words = (
        "Every name that a formula takes or computes; those that calibrated predictions alone take have a "
        f"{more}. One symbol may stand for several names where the literature does the same; the name is unique. "
        "Quantities are in base units: bytes, seconds, FLOP, tokens."
    )
    sections = [one for one in equations.all_names() if one not in symbols.CALIBRATED]
    return _names(book, symbols.PAGE, "Nomenclature", words, sections)


def write_calibrated_nomenclature(book: Book) -> str:
    """The names that calibrated predictions take."""
    words = "What the formulas of calibrated predictions take and compute; everything else is in the "
    words += f"{markup.link(symbols.CALIBRATED_PAGE, symbols.PAGE, 'nomenclature')}."
    title = "Nomenclature of calibrated predictions"
    return _names(book, symbols.CALIBRATED_PAGE, title, words, list(symbols.CALIBRATED))


def _names(book: Book, path: str, title: str, words: str, sections: list[str]) -> str:
    """Names by section: symbol, unit, meaning, the formula that computes it and those that take it."""
    writer = Writer(book, path)
    formulas = equations.all_formulas()
    taken_by: dict[str, list[str]] = defaultdict(list)
    for formula_name, formula in formulas.items():
        for argument in formula.arguments:
            taken_by[argument].append(formula_name)
    parts = [f"# {title}\n\n{words}"]
    for section in sections:
        names = equations.all_names()[section]
        rows = []
        for name, entry in names.items():
            here = f"<code>{markup.text(name)}</code>"
            if name in formulas:
                here = formula_link(writer.path, name)
            used = formula_list(writer.path, taken_by[name])
            unit = "" if entry.unit in ("count", "1") else markup.text(formatting.unit_name(entry.unit))
            rows.append((markup.math(entry.symbol), f"{here}<br>{markup.text(entry.meaning)}", unit, used))
        head = ("Symbol", "Name and meaning", "Unit", "Taken by")
        anchors = [markup.slug(name) for name in names]
        parts.append(f"## {markup.prose(section)}\n\n{markup.table(head, rows, ids=anchors, name='names')}")
    writer.page(title, "\n\n".join(parts), description="Symbols, units and meanings of quantities.")
    return writer.path


def write_formulas(book: Book) -> str:
    """The list of formulas by topic, and a page for each topic."""
    writer = Writer(book, FORMULAS_PAGE)
    topics: dict[str, list[str]] = defaultdict(list)
    for name, formula in equations.all_formulas().items():
        topics[equations.topic(formula)].append(name)
    parts = [
        "# Formulas\n\nThe equations are printed from the functions that compute the numbers, so text and code cannot "
        "differ. Each topic has a page of its own.",
    ]
    for topic, names in sorted(topics.items()):
        _topic(book, topic, names)
        links = ", ".join(formula_link(writer.path, name) for name in names)
        head = writer.link(_topic_page(topic), _title(topic))
        parts.append(f"<p><strong>{head}</strong> {links}</p>")
    writer.page("Formulas", "\n\n".join(parts), description="Every formula with its equation and its reference.")
    return writer.path


def _topic(book: Book, topic: str, names: list[str]) -> None:
    """The formulas of one topic: equation, what it says, symbols, reference, kind."""
    writer = Writer(book, _topic_page(topic))
    title = f"Formulas: {_title(topic)}"
    note = f"All topics: {writer.link(FORMULAS_PAGE, 'formulas')}. Two terms stand for any number of terms."
    sections = "\n".join(_formula(writer, name) for name in names)
    writer.page(title, f"# {markup.prose(title)}\n\n<p>{note}</p>\n\n{sections}")


def _topic_page(topic: str) -> str:
    return f"reference/formulas/{topic.replace('_', '-')}.md"


def _title(topic: str) -> str:
    return _TOPICS.get(topic, topic.replace("_", " ").capitalize())


def _formula(writer: Writer, name: str) -> str:
    formula = equations.all_formulas()[name]
    says = " ".join(inspect.getdoc(formula).split())
    where = ", ".join(
        f'<a href="{markup.href(writer.path, symbols.page_of(argument), markup.slug(argument))}">'
        f"{markup.math(equations.symbol(argument))}&nbsp;<code>{markup.text(argument)}</code></a>"
        for argument in formula.arguments
    )
    reference = "Definition"
    if formula.reference != "definition":
        identifier, _, place = formula.reference.partition("#")
        reference = f"Reference: {writer.cite(identifier)}{', ' + markup.text(_place(place)) if place else ''}"
    own = markup.link(writer.path, symbols.page_of(name), name, markup.slug(name))
    return (
        f'<section class="formula" id="{markup.slug(name)}"><p><code>{own}</code> {markup.text(says)}</p>'
        f"{markup.math(equations.equation(formula), display=True)}"
        f'<p class="where">{where}. {reference}. {markup.kind_mark(formula.kind)} {formula.kind}</p></section>'
    )


def _place(place: str) -> str:
    """`eq5` as `equation 5`, `sec4` as `section 4`."""
    for short, long in (("eq", "equation "), ("sec", "section ")):
        if place.startswith(short):
            return long + place.removeprefix(short)
    return place

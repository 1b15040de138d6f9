"""The reference part: its front page, and the pages that list every name, formula, constant and quoted number."""

from __future__ import annotations

from generator.pages import api, constants, formulary, markup, quotes
from generator.pages.book import Book
from generator.pages.writer import Writer

CONTENTS = (
    ("nomenclature", "Nomenclature", "symbol, unit and meaning of every quantity"),
    (
        "nomenclature-calibrated",
        "Nomenclature of calibrated predictions",
        "symbols of fitted terms and their constants",
    ),
    ("formulas", "Formulas", "every equation, printed from the function that computes it"),
    ("assumptions", "Assumptions", "constants of the reference model, with their ranges"),
    ("formats", "Number formats", "bits with scales, and the rate that each format computes at"),
    ("links", "Links", "bandwidth in one direction, nominal and measured"),
    ("tiers", "Memory tiers", "where a cache can be kept: capacity, and bandwidth to the accelerator"),
    ("workloads", "Workloads", "request shapes by name"),
    ("prices", "Prices", "GPU-hours and APIs, with dates"),
    ("simulations", "Simulations", "the rules of each simulation, and every published run"),
    ("measurements", "Measurements", "what others measured, to set beside predictions"),
    ("bibliography", "Bibliography", "every work cited, and what cites it"),
    ("disagreements", "Where sources disagree", "what each says, and what is used here"),
    ("freshness", "Freshness", "how old the data are, and what should be read again"),
    ("moved", "What moved", "numbers that each release changed, and why"),
    ("coverage", "Coverage", "what is in here and what is not"),
    ("cite", "How to cite", "the handbook, an example, a number"),
    ("json", "JSON", "all data and results for programs"),
    ("downloads", "Downloads", "all numbers as CSV and SQLite, the site offline, the book"),
)
"""Page, title and what it holds, in the order of the front page."""

WRITERS = (
    formulary.write_nomenclature,
    formulary.write_calibrated_nomenclature,
    formulary.write_formulas,
    constants.write_assumptions,
    constants.write_formats,
    constants.write_links,
    constants.write_tiers,
    constants.write_workloads,
    quotes.write_prices,
    quotes.write_measurements,
)


def write(book: Book) -> list[str]:
    """Write the pages; returns what goes into the navigation."""
    writer = Writer(book, "reference/index.md")
    entries = "".join(
        f"<li>{writer.link(f'reference/{page}.md', title)}<p>{markup.text(holds[0].upper() + holds[1:])}.</p></li>"
        for page, title, holds in CONTENTS
    )
    writer.page("Reference", f'# Reference\n\n<ul class="questions">{entries}</ul>', description="Reference tables.")
    return [writer.path, *(write_page(book) for write_page in WRITERS), api.write_page(book)]

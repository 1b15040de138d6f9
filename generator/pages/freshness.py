"""How old the data are: by kind, and what should be read again."""

from __future__ import annotations

from generator import freshness
from generator.freshness import Age
from generator.pages import markup
from generator.pages.book import Book
from generator.pages.lookups import TITLES, name_of, page_of
from generator.pages.writer import Writer
from generator.study import Cell, Column, Table

PAGE = "reference/freshness.md"
TERMS = {freshness.QUARTER_DAYS: "a quarter", freshness.YEAR_DAYS: "a year", None: "does not age"}


def write(book: Book) -> list[str]:
    """Write the page; returns what goes into the navigation."""
    writer = Writer(book, PAGE)
    ages = freshness.ages(book.library)
    stale = [age for age in ages if age.stale]
    newest = freshness.newest_date(book.library)
    count = f"{len(stale)} of {len(ages)}" if stale else "None"
    body = "\n\n".join(
        [
            "# Freshness",
            f"<p>Age is counted from {newest}, the newest date in the data: nothing here changes by waiting. "
            "A price is as old as its date; any other file is as old as the reading of its best sources, of the oldest "
            f"of them. {count} of the dated files should be read again; the foot of each page says how many data "
            "behind it are among them.</p>",
            "## By kind {#kinds}",
            writer.table("kinds", _kinds(ages), "Oldest and newest date of each kind of file, and how old it may be."),
            "## To be read again {#stale}",
            _listed(writer, stale),
        ]
    )
    writer.page("Freshness", body, description="How old the data are, and what should be read again.")
    return [writer.path]


def _kinds(ages: list[Age]) -> Table:
    columns = (
        Column("kind", "Kind", ""), Column("stale", "to be read again", "count"), Column("files", "files", "count"),
        Column("oldest", "oldest", ""), Column("newest", "newest", ""), Column("limit", "may be as old as", ""),
    )  # fmt: skip
    rows = []
    for collection in dict.fromkeys(TITLES):
        own = [age for age in ages if age.collection == collection]
        if own:
            rows.append(
                (
                    Cell(TITLES[collection]), Cell(sum(age.stale for age in own)), Cell(len(own)), Cell(own[0].date),
                    Cell(own[-1].date), Cell(TERMS[own[0].limit_days]),
                )
            )  # fmt: skip
    return Table(columns, tuple(rows))


def _listed(writer: Writer, stale: list[Age]) -> str:
    if not stale:
        return "Nothing."
    rows = []
    for age in stale:
        record = writer.book.library.find(age.collection, age.id)
        page, anchor = page_of(age.collection, age.id)
        rows.append(
            (
                writer.link(page, name_of(record), anchor),
                f"{age.days}",
                f'<time datetime="{age.date}">{age.date}</time>',
                TERMS[age.limit_days],
                TITLES[age.collection],
            )
        )
    return markup.table(("What", "Age (days)", "Date", "May be", "Kind"), rows, right=(1,))

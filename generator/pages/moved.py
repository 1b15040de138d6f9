"""What moved: for each release the results that are not what they were in the release before, by cause."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from generator import formatting, moved
from generator.pages import markup
from generator.pages.book import Book
from generator.pages.lineage import Anchors
from generator.pages.lookups import TITLES, name_of, page_of
from generator.pages.writer import Writer
from generator.specs.library import UnknownId

PAGE = "reference/moved.md"
DOCUMENT = "api/v1/moved.json"
IN_FULL = (20, 20)
"""Causes, and moves of each, that the page shows of the newest release."""
IN_SHORT = (5, 5)
"""The same of earlier ones, which have been the newest on a page of their own release."""
MOST_CAUSES = 5
CHANGE_DIGITS = 5
"""Digits of a value before and after: three would often be the same three."""


def write(book: Book) -> list[str]:
    """Write the page; returns what goes into the navigation. Runs after the pages that publish results."""
    releases = moved.read(book.root)
    writer = Writer(book, PAGE)
    anchors = Anchors(book)
    parts = [
        "# What moved",
        "<p>Every published number that a release changed, with the data responsible, the cause that moved most first. "
        f"The whole list is in {writer.link(DOCUMENT, 'moved.json')}; what changed in the form of the JSON is in "
        f"{writer.link('api/v1/changelog.json', 'its own change log')}. "
        "<code>handbook diff OLD NEW</code> compares any two releases.</p>",
    ]
    if not releases:
        parts.append("Nothing has been released yet, so nothing has moved.")
    for place, one in enumerate(releases):
        parts += _release(writer, anchors, one, IN_FULL if place == 0 else IN_SHORT)
    writer.page("What moved", "\n\n".join(parts), description="Numbers that each release changed, and why.")
    return [writer.path]


def _release(writer: Writer, anchors: Anchors, one: moved.Document, most: tuple[int, int]) -> list[str]:
    version = str(one["version"])
    head = f"## {version} {{#r-{markup.slug(version)}}}"
    if one["previous"] is None:
        return [head, "The first release."]
    counts = ((one["changed"], "changed"), (one["appeared"]["count"], "appeared"), (one["went"]["count"], "went"))
    said = ", ".join(f"{formatting.grouped(count)} {what}" for count, what in counts if count) or "nothing moved"
    parts = [head, f"<p>Since {markup.text(one['previous'])}: {said}.</p>"]
    groups = one["groups"][: most[0]]
    for group in groups:
        parts.append(_causes(writer, group))
        parts.append(_moves(writer, anchors, group["moves"][: most[1]], group["count"]))
    left = one["more_groups"] + len(one["groups"]) - len(groups)
    if left:
        parts.append(f"<p>And {_counted(left, 'more cause')} in {writer.link(DOCUMENT, 'moved.json')}.</p>")
    for what, title in (("appeared", "New"), ("went", "Gone")):
        if one[what]["count"]:
            parts.append(f"<p><strong>{title}</strong></p>")
            parts.append(_moves(writer, anchors, one[what]["moves"][: most[1]], one[what]["count"]))
    return parts


def _causes(writer: Writer, group: dict[str, Any]) -> str:
    """The data that moved a group, each linked to the page that shows it."""
    causes = group["causes"]
    lines = [f"{_datum(writer, one['datum'])}: {_leaf(one['before'])} → {_leaf(one['after'])}" for one in causes]
    more = len(lines) - MOST_CAUSES + group["more_causes"]
    shown = lines[:MOST_CAUSES] + ([f"and {_counted(more, 'more datum', 'more data')}"] if more > 0 else [])
    if not lines:
        shown = ["no datum changed: another formula or another choice"]
    return f"<p><strong>{'<br>'.join(shown)}</strong></p>"


def _datum(writer: Writer, path: str) -> str:
    thing, _, field = path.partition("#")
    collection, _, identifier = thing.rpartition("/")
    try:
        record = writer.book.library.find(collection, identifier)
    except (KeyError, UnknownId):
        return f"<code>{markup.text(path)}</code>"
    if collection not in TITLES:
        return f"<code>{markup.text(path)}</code>"
    page, anchor = page_of(collection, record.id)
    return f"{writer.link(page, name_of(record), anchor)} <code>{markup.text(field)}</code>"


def _moves(writer: Writer, anchors: Anchors, moves: Iterable[dict[str, Any]], count: int) -> str:
    rows = [
        (
            _result(writer, anchors, one),
            _value(one["before"], one["unit"]),
            _value(one["after"], one["unit"]),
            "" if one["relative"] is None else _signed(one["relative"]),
        )
        for one in moves
    ]
    table = markup.table(("Result", "Before", "After", "Change"), rows)
    rest = count - len(rows)
    return table + (f"<p>And {rest} more in {writer.link(DOCUMENT, 'moved.json')}.</p>" if rest else "")


def _result(writer: Writer, anchors: Anchors, one: dict[str, Any]) -> str:
    """A result by its title, linked to its derivation where the site still has it."""
    result = writer.book.registry.results.get(one["id"])
    name = f"{markup.text(one['title'])} <small>{markup.text(one['id'])}</small>"
    if result is None:
        return name
    _, _, anchor = anchors.address(result).partition("#")
    where = markup.href(writer.path, result.page, anchor)
    return f'<a href="{where}">{markup.text(one["title"])}</a> <small>{markup.text(one["id"])}</small>'


def _leaf(leaf: dict[str, Any] | None) -> str:
    return "none" if leaf is None else _value(leaf["value"], leaf["unit"])


def _value(value: float | None, unit: str) -> str:
    if value is None:
        return "–"
    number, suffix = formatting.parts(value, unit, CHANGE_DIGITS)
    return markup.text(f"{formatting.trimmed(number)}\u00a0{suffix}".rstrip("\u00a0"))


def _signed(relative: float) -> str:
    sign = "+" if relative > 0 else "\u2212"
    return f"{sign}{formatting.percent(abs(relative))}"


def _counted(count: int, one: str, several: str = "") -> str:
    return f"{count} {one if count == 1 else several or one + 's'}"

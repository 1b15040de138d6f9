"""Measured points beside their predictions, for the pages of models, accelerators and chapters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from generator import formatting
from generator.charts.scatter import middles
from generator.pages import markup
from generator.pages import validation_words as words
from generator.pages.validation import judged_in, points_table
from generator.pages.writer import Writer
from generator.provenance import Traced
from generator.validation.judged import Judged, errors_of, prediction
from generator.validation.registry import families

MOST_POINTS = 12
MOST_IN_A_CHAPTER = 6


def of_thing(writer: Writer, kind: str, identifier: str) -> str:
    """The section of a model (`kind` model) or an accelerator page; empty without a counted measurement."""
    found = [one for one in judged_in(writer.book) if one.counted and getattr(one, kind) == identifier]
    if not found:
        return ""
    off = errors_of(found)
    assert off.median is not None
    shown = _spread(found, MOST_POINTS)
    few = f"; {len(shown)} of them, spread over what was measured, are shown" if len(shown) < len(found) else ""
    said = (
        f"{formatting.grouped(off.n)} public measurements have a prediction here, half of them within "
        f"{formatting.percent(off.median, 2)} of it{few}. All are on the "
        f"{writer.link('validation/index.md', 'validation pages')}."
    )
    return f"## Measured {{#measured}}\n\n<p>{said}</p>\n\n" + _table(writer, "measured", shown, said=kind)


def of_family(writer: Writer, name: str, family: str, where: Mapping[str, str]) -> str:
    """A few points of one family in a chapter, with its error; `where` picks rows by their keys."""
    found = [
        one
        for one in judged_in(writer.book)
        if one.counted and one.family == family and where.items() <= dict(one.keys).items()
    ]
    if not found:
        return ""
    off = errors_of(found)
    assert off.median is not None and off.p90 is not None
    rows = f" ({words.where(writer.book.library, where)})" if where else ""
    said = (
        f"Over {formatting.grouped(off.n)} public measurements the calibrated prediction of "
        f"{markup.text(words.in_a_sentence(families()[family].name) + rows)} is off by "
        f"{formatting.percent(off.median, 2)} in the median, nine of ten by less than "
        f"{formatting.percent(off.p90, 2)}; see "
        f"{writer.link(f'validation/{family}.md', 'predicted against measured')}."
    )
    return f"<p>{said}</p>\n\n" + _table(writer, name, _spread(found, MOST_IN_A_CHAPTER))


def _table(writer: Writer, name: str, shown: Sequence[Judged], said: str = "") -> str:
    for one in shown:
        number = prediction(writer.book.library, one)
        if isinstance(number, Traced):
            writer.book.registry.publish(
                f"validation/{one.family}/{one.id}", number, writer.path, derived_there=False
            )  # fmt: skip
    caption = "Measured beside predicted, with the 80 % band of the prediction."
    return points_table(writer, name, shown, caption, family=len({one.family for one in shown}) > 1, said=said)


def _spread(found: Sequence[Judged], most: int) -> list[Judged]:
    """As many rows of each family, spread over what was measured."""
    by: dict[str, list[Judged]] = defaultdict(list)
    for one in sorted(found, key=lambda one: (one.family, one.measured, one.id)):
        by[one.family].append(one)
    each = max(2, most // len(by))
    return [one for several in by.values() for one in middles(several, each)][:most]

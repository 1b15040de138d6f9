"""The fit matrix: for every model and accelerator the smallest group that holds one request, and how many it holds."""

from __future__ import annotations

from collections.abc import Sequence

from generator import formatting
from generator.estimates import fitting
from generator.estimates.architecture import describe
from generator.estimates.fitting import Fit
from generator.pages import entities, facts, markup
from generator.pages.book import Book, entity_page
from generator.pages.writer import Writer
from generator.specs.records import Accelerator, Model
from generator.study import to_csv

TITLE = "Fit matrix"
PAGE = "playground/fit.md"
DATA = "data/playground/fit.csv"
LEAST_IN_A_GROUP = 3
MOST_COLUMNS = 12
HEADER = ("model", "accelerator", "tp", "max_concurrent_requests", "prompt_tokens", "output_tokens", "note")


def write(book: Book) -> str:
    """Write the page and its CSV; returns its path."""
    writer = Writer(book, PAGE)
    models = [model for model in book.library.models.values() if model.fits]
    models.sort(key=lambda one: float(describe(one, book.library).total_params))
    fits = {(fit.model.id, fit.accelerator.id): fit for fit in _all(book, models)}
    book.write(DATA, to_csv(HEADER, [_line(fit) for fit in fits.values()]))
    parts = [f"# {TITLE}", _words(book, fits)]
    for vendor, cards in _vendors(book):
        parts.append(f"## {markup.prose(vendor)} {{#{markup.slug(vendor)}}}")
        tables = -(-len(cards) // MOST_COLUMNS)
        width = -(-len(cards) // tables)
        for start in range(0, len(cards), width):
            parts.append(_matrix(writer, models, cards[start : start + width], fits))
    description = "Smallest tensor-parallel group of every accelerator that holds one request of every model."
    writer.page(TITLE, "\n\n".join(parts), description=description, hide=("navigation", "toc"))
    return PAGE


def _all(book: Book, models: Sequence[Model]) -> list[Fit]:
    return fitting.fits(models, [card for card in book.library.accelerators.values() if card.fits], book.library)


def _vendors(book: Book) -> list[tuple[str, list[Accelerator]]]:
    """Accelerators by vendor, the vendor with most of them first; small memories first."""
    groups: dict[str, list[Accelerator]] = {}
    offered = [card for card in book.library.accelerators.values() if card.fits]
    for card in sorted(offered, key=lambda one: (float(one.memory.capacity), one.id)):
        groups.setdefault(card.vendor, []).append(card)
    large = {name: cards for name, cards in groups.items() if len(cards) >= LEAST_IN_A_GROUP}
    small = [card for name, cards in groups.items() if name not in large for card in cards]
    ordered = sorted(large.items(), key=lambda group: (-len(group[1]), group[0]))
    return [*ordered, ("Others", small)] if small else ordered


def _words(book: Book, fits: dict[tuple[str, str], Fit]) -> str:
    shape = book.library.find("workloads", fitting.REQUEST)
    impossible = sum(fit.served is None for fit in fits.values())
    return facts.paragraph(
        "<strong>Bold</strong>: how many of an accelerator one copy of the model takes, as the smallest "
        f"tensor-parallel group that holds one request of {entities.request_words(book)}. Beside it: how many such "
        f"requests the group holds. {formatting.grouped(impossible)} of {formatting.grouped(len(fits))} pairs have "
        "no group; a dash says why when the pointer is on it, and so does the CSV. A star: it fits, with a remark."
    ) + facts.paragraph(
        f"Each request has {formatting.grouped(shape.prompt)} prompt and {formatting.grouped(shape.output)} output "
        "tokens, or as many as the model allows; weights and cache are in the formats of the checkpoint. Groups are "
        f"powers of two up to {fitting.LARGEST_GROUP}. Models with few parameters and accelerators with little memory "
        "come first. "
        f'<a href="{markup.href(PAGE, DATA)}">CSV</a>'
    )


def _line(fit: Fit) -> tuple[object, ...]:
    served = fit.served
    if served is None:
        return (fit.model.id, fit.accelerator.id, None, 0, None, None, fit.why)
    load = served.load
    numbers = (served.layout.tp, served.max_concurrent_requests, load.prompt_tokens, load.output_tokens)
    return (fit.model.id, fit.accelerator.id, *(int(number) for number in numbers), fit.why)


def _matrix(
    writer: Writer, models: Sequence[Model], cards: Sequence[Accelerator], fits: dict[tuple[str, str], Fit]
) -> str:
    head = "".join(
        f'<th scope="col">{writer.link(entity_page("accelerators", card.id), entities.short_name(card))}<br>'
        f"<span>{formatting.text(card.memory.capacity, 'B')}</span></th>"
        for card in cards
    )
    rows = "".join(
        f'<tr><th scope="row">{writer.entity("models", model.id)}</th>'
        f"{''.join(_cell(fits[model.id, card.id]) for card in cards)}</tr>"
        for model in models
    )
    return (
        f'<div class="table fit" data-search-exclude><table><thead><tr><th scope="col">Model</th>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _cell(fit: Fit) -> str:
    why = markup.text(entities.readable(fit.why, fit.accelerator.name))
    if fit.served is None:
        return f'<td title="{why}"><span class="infeasible">–</span></td>'
    held = formatting.grouped(fit.served.max_concurrent_requests)
    star, remark = ("<sup>*</sup>", f' title="{why}"') if why else ("", "")
    return f"<td{remark}><b>{fit.served.layout.tp:g}</b> {held}{star}</td>"

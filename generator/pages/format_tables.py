"""A table of accelerators over number formats: the dense peak that each of them computes with, fallbacks named."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.estimates.devices import peak
from generator.pages import markup
from generator.pages.book import Book, entity_page
from generator.pages.writer import Writer
from generator.provenance import Traced
from generator.study import Cell, Column, Table


def peaks_table(book: Book, writer: Writer, name: str, given: Mapping[str, Any]) -> Table:
    """`accelerators` as rows, `formats` (id: header) as columns; a cell names the format where it is another one."""
    formats = {key: (book.library.find("number_formats", key), title) for key, title in given["formats"].items()}
    columns = [Column("label", given.get("head", "Accelerator"), "")]
    columns += [Column(key, f"{title} (TFLOP/s)", "FLOP/s", 1e12) for key, (_, title) in formats.items()]
    rows, ids = [], []
    for identifier in given["accelerators"]:
        card = book.library.find("accelerators", identifier)
        cells = [Cell(card.name, link=markup.href(writer.path, entity_page("accelerators", identifier)))]
        for form, _ in formats.values():
            flops, used = peak(card, form)
            if flops is None:
                cells.append(Cell(None, "no peak of tensor cores is published"))
                continue
            if isinstance(flops, Traced):
                writer.numbers.append(flops)
            native = used == form.computes_as[0]
            why = "" if native else f"{form.id} weights are widened and computed at the {used.upper()} peak"
            cells.append(Cell(flops, why, note="" if native else f"in {used.upper()}"))
        rows.append(tuple(cells))
        ids.append(f"{name}/{identifier}")
    return Table(tuple(columns), tuple(rows), tuple(ids))

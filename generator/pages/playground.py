"""The playground: thousands of serving configurations to filter, the best of them, their frontiers, what fits where.

`docs/playground.yaml` says what is combined with what. The page is whole without JavaScript; with it the configurations
can be filtered and sorted, and each has an address and the command that repeats it.
"""

from __future__ import annotations

from typing import Any

from generator import formatting
from generator.estimates import configurations as estimates
from generator.estimates.configurations import Configuration, Grid, Spread
from generator.estimates.serving import Serving
from generator.estimates.studies import STUDIES
from generator.freshness import is_stale, newest_date
from generator.pages import entities, facts, fit_matrix, markup
from generator.pages.book import Book, entity_page
from generator.pages.lookups import anchor_of
from generator.pages.playground_data import label_of, to_csv, to_script
from generator.pages.playground_form import explorer
from generator.pages.writer import Writer
from generator.specs import positions
from generator.study import Cell, Column, Table

TITLE = "Playground"
FILE = "docs/playground.yaml"
PAGE = "playground/index.md"
DATA = "data/playground/configurations"
COST, SPEED = "usd_per_million_tokens_mixed", "tpot_s"
FIELDS = ("ttft_s", "tpot_s", "tokens_per_s_per_user", "tokens_per_s_per_gpu", COST)


def read(book: Book) -> dict[str, Any]:
    """What is compared, as the file says."""
    file = positions.read((book.root / FILE).read_text(encoding="utf-8"), FILE)
    if file.faults:
        raise ValueError("\n".join(map(str, file.faults)))
    return file.data


def grid_of(given: dict[str, Any], book: Book) -> Grid:
    """The lists of the file as a grid."""
    spreads = [estimates.tensor_spread(degree, given["batches"]) for degree in given["tp"]]
    for name in given["domains"]:
        system = book.library.find("systems", name)
        spreads.append(estimates.expert_spread(int(system.gpus), given["batches"], system.accelerator))
    lists = (tuple(given[name]) for name in ("models", "accelerators"))
    return Grid(*lists, tuple(spreads), tuple(given["weights"]), tuple(given["workloads"]))


def write(book: Book) -> list[Any]:
    """Write the pages and their data; returns the navigation of the section."""
    given = read(book)
    grid = grid_of(given, book)
    found = _Playground(book, given, grid, estimates.columns(grid, book.library))
    start = {"m": given["start"]["model"], "s": given["start"]["workload"]}
    book.write(f"{DATA}.csv", to_csv(found.table, grid, book.library))
    book.write(f"{DATA}.js", to_script(found.table, grid, book.library, start))
    found.page()
    return [PAGE, {fit_matrix.TITLE: fit_matrix.write(book)}]


class _Playground:
    """The page in the making: the grid, its columns, and what was worked out of them again with traces."""

    def __init__(self, book: Book, given: dict[str, Any], grid: Grid, table: dict[str, Any]):
        self.book, self.given, self.grid, self.table = book, given, grid, table
        self.writer = Writer(book, PAGE)
        self.least = given["least_tokens_per_s_per_user"]
        self.native = table["weights"] == grid.weights.index("native")

    def page(self) -> None:
        start, writer = self.given["start"], self.writer
        parts = [
            f"# {TITLE}",
            self._answer(start["model"], start["workload"]),
            self._facts(start["model"], start["workload"]),
            "## Find a configuration {#find}",
            explorer(writer, self.grid, f"{DATA}.csv", f"{DATA}.js"),
            "## Best by cost and by speed {#best}",
            self._best_words(),
            *(self._best(name) for name in self.grid.workloads),
            "## Cost on each accelerator {#cost}",
            self._cost(start["workload"]),
            "## Throughput against interactivity {#frontier}",
            *self._frontiers(),
            "## What the numbers assume {#assumptions}",
            self._assumptions(),
        ]
        description = "Serving configurations to filter: what fits, latency, throughput and cost of each."
        writer.page(TITLE, "\n\n".join(filter(None, parts)), description=description, hide=("navigation", "toc"))

    # --- rows --------------------------------------------------------------------------------------------------------

    def _row(self, among: Any, quantity: str) -> tuple[Configuration, Serving] | None:
        """The best row for a quantity, worked out with traces."""
        row = estimates.best(self.table, among, quantity)
        if row is None:
            return None
        grid, table = self.grid, self.table
        spread: Spread = grid.spreads[table["spread"][row]]
        name = estimates.identify(
            grid.models[table["model"][row]],
            grid.accelerators[table["accelerator"][row]],
            spread,
            grid.weights[table["weights"][row]],
            int(table["batch"][row]),
            grid.workloads[table["workload"][row]],
        )
        found = estimates.configuration(name, self.book.library)
        estimate = found.estimate(self.book.library)
        for field in FIELDS:
            value = getattr(estimate, field)
            if value is not None:
                self.book.registry.publish(f"{name}/{field}", value, PAGE, derived_there=False)
        return found, estimate

    def _among(self, workload: str, model: str) -> Any:
        """Rows of a model and a workload in the formats of the checkpoint."""
        at = {"workload": self.grid.workloads.index(workload), "model": self.grid.models.index(model)}
        return self.native & (self.table["workload"] == at["workload"]) & (self.table["model"] == at["model"])

    def _cheapest(self, workload: str, model: str, accelerator: str = "") -> tuple[Configuration, Serving] | None:
        """The cheapest row that is fast enough for each user."""
        among = self._among(workload, model) & (self.table["tokens_per_s_per_user"] >= self.least)
        if accelerator:
            among &= self.table["accelerator"] == self.grid.accelerators.index(accelerator)
        return self._row(among, COST)

    # --- parts of the page -------------------------------------------------------------------------------------------

    def _answer(self, model: str, workload: str) -> str:
        counted = formatting.grouped(len(self.table["batch"]))
        fitting = formatting.grouped(int(self.table["feasible"].sum()))
        parts = [f"{counted} ways to serve {len(self.grid.models)} models, computed; {fitting} of them fit in memory."]
        cheap, fast = self._cheapest(workload, model), self._row(self._among(workload, model), SPEED)
        if cheap is not None:
            shape = cheap[0].workload
            parts.append(
                f"{self.writer.entity('models', model)} in the format of its checkpoint, for a request of "
                f"{formatting.grouped(shape.prompt)} tokens in and {formatting.grouped(shape.output)} out, costs least "
                f"on {self._words(cheap)}: {self.writer.number(getattr(cheap[1], COST))} of output, prefill included. "
                "Smaller weights cost less: the table below has them too."
            )
        if fast is not None:
            rate = self.writer.number(fast[1].tokens_per_s_per_user)
            parts.append(f"It is fastest on {self._words(fast)}: {rate} for one user.")
        return facts.paragraph(*parts)

    def _words(self, row: tuple[Configuration, Serving]) -> str:
        """Accelerators and batch of a row in words."""
        found = row[0]
        card = self.writer.entity("accelerators", found.accelerator.id)
        noun = "request" if found.batch == 1 else "requests"
        return f"{found.spread.gpus} × {card} with {formatting.grouped(found.batch)} {noun} at once"

    def _facts(self, model: str, workload: str) -> str:
        cheap, fast = self._cheapest(workload, model), self._row(self._among(workload, model), SPEED)
        if cheap is None or fast is None:
            return ""
        name = self.book.library.find("models", model).name
        return self.writer.facts(
            [
                (f"{name} as published: least cost of output", getattr(cheap[1], COST)),
                ("tokens/s of each accelerator there", cheap[1].tokens_per_s_per_gpu),
                ("tokens/s of each user there", cheap[1].tokens_per_s_per_user),
                ("fastest for one user", fast[1].tokens_per_s_per_user),
            ]
        )

    def _best_words(self) -> str:
        return facts.paragraph(
            f"For each model in the formats of its checkpoint: the least cost among configurations that give each user "
            f"{self.least} tokens/s or more, on accelerators with a dated price; and the shortest time per output "
            "token, whatever it costs. Eight-bit and four-bit weights are in the filter and in the CSV."
        )

    def _best(self, workload: str) -> str:
        shape = self.book.library.find("workloads", workload)
        columns = (
            Column("model", "Model", ""),
            Column("best_by", "Best by", ""),
            Column("configuration", "Configuration", ""),
            Column("ttft_s", "TTFT (ms)", "s", 1e-3),
            Column("tpot_s", "TPOT (ms)", "s", 1e-3),
            Column("tokens_per_s_per_user", "Tokens/s per user", "token/s"),
            Column("tokens_per_s_per_gpu", "Tokens/s per accelerator", "token/s"),
            Column(COST, "USD per 1M output tokens", "USD/Mtok"),
        )
        rows = []
        for model in self.grid.models:
            for word, row in (
                ("cost", self._cheapest(workload, model)),
                ("speed", self._row(self._among(workload, model), SPEED)),
            ):
                if row is not None:
                    values = [Cell(getattr(row[1], field), "no dated price") for field in FIELDS]
                    rows.append((self._model(model), Cell(word), Cell(_short(row[0])), *values))
        caption = (
            f"{formatting.grouped(shape.prompt)} prompt and {formatting.grouped(shape.output)} output tokens each. "
            "Cost counts the accelerators while they do prefill and decode."
        )
        return (
            f"### {markup.prose(shape.name)} {{#best-{workload}}}\n\n"
            f"{self.writer.table(f'best-{workload}', Table(columns, tuple(rows)), caption)}"
        )

    def _model(self, name: str) -> Cell:
        """The name of a model, linked to its page."""
        return Cell(self.book.library.find("models", name).name, link=markup.href(PAGE, entity_page("models", name)))

    def _cost(self, workload: str) -> str:
        """USD for each model on each accelerator with a price."""
        priced = [price.accelerator for price in self.book.library.collections["prices/gpus"].values()]
        cards = [name for name in self.grid.accelerators if name in priced]
        names = [entities.short_name(self.book.library.find("accelerators", name)) for name in cards]
        columns = (
            Column("model", "Model", ""),
            *(Column(card, name, "USD/Mtok") for card, name in zip(cards, names, strict=True)),
        )
        rows = []
        for model in self.grid.models:
            cells = [self._model(model)]
            for card in cards:
                row = self._cheapest(workload, model, card)
                why = f"nothing fits that gives each user {self.least} tokens/s"
                cells.append(Cell(None, why) if row is None else Cell(getattr(row[1], COST), _short(row[0])))
            rows.append(tuple(cells))
        shape = self.book.library.find("workloads", workload)
        caption = (
            "USD per 1M output tokens of the cheapest configuration on each accelerator, prefill included: "
            f"{formatting.grouped(shape.prompt)} tokens in, {formatting.grouped(shape.output)} out, formats of the "
            f"checkpoint, {self.least} tokens/s or more for each user. The pointer on a number shows its configuration."
        )
        return self.writer.table("cost", Table(columns, tuple(rows)), caption)

    def _frontiers(self) -> list[str]:
        parts = [
            facts.paragraph(
                "Along a line the batch grows; numbers beside points are batches of all accelerators together. A line "
                "ends where the cache is full. What lies right and above of another line is better for both sides."
            )
        ]
        for name, given in self.given["frontiers"].items():
            asked = {key: given[key] for key in ("base", "batches", "series", "label_at")}
            study = STUDIES["frontier"](self.book.library, **asked)
            parts.append(f"### {markup.prose(given['heading'])} {{#frontier-{name}}}")
            parts.append(self.writer.chart(f"playground-frontier-{name}", "frontiers", study, given["caption"]))
        return parts

    def _assumptions(self) -> str:
        newest = newest_date(self.book.library)
        prices = []
        for price in self.book.library.collections["prices/gpus"].values():
            if price.accelerator in self.grid.accelerators:
                old = ", older than a quarter" if is_stale(price.date, newest) else ""
                there = self.writer.link("reference/prices.md", price.name, anchor_of("prices/gpus", price.id))
                prices.append(f"{there}: {self.writer.number(price.typical)} ({price.date}{old})")
        link = self.writer.link
        rules = [
            "One closed-form estimate for each row with the "
            f"{link('reference/assumptions.md', 'reference assumptions')}: no queue, no prefix cache, no speculative "
            "decoding. A real engine is slower. "
            f"{link('reference/formulas.md', 'The formulas')} are those of every page.",
            "TTFT is one prefill and one step. Cost per output token counts prefill too; input is not billed apart.",
            "A configuration fits if its cache holds all requests at their full length beside weights and workspace.",
            "Eight-bit and four-bit weights keep the cache in the format of the checkpoint.",
            "“72 with EP 72” is a whole domain: attention on every accelerator for a batch of its own, experts spread "
            "over all, each used as often as any other. Only models with as many experts have it.",
        ]
        words = "No price of the other accelerators is in the specs, so their rows have no cost."
        return (
            facts.listed(rules)
            + facts.paragraph(f"Prices of an accelerator hour: {'; '.join(prices)}. {words}")
            + facts.paragraph(f"Which accelerator holds which model at all: {link(fit_matrix.PAGE, 'the fit matrix')}.")
        )


def _short(found: Configuration) -> str:
    """A configuration in a cell: `4 × H200 SXM, TP 4, batch 64`."""
    spread = found.spread
    how = "" if spread.gpus == 1 else f", {label_of(spread)}" if spread.ep == 1 else f", EP {spread.ep}"
    return f"{spread.gpus} × {entities.short_name(found.accelerator)}{how}, batch {formatting.grouped(found.batch)}"

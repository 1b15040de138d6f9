"""The goodput atlas: who attains the highest rate within limits, where a split wins and where it loses.

The cells are searched by other processes while the pages before this one are written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from generator import formatting
from generator.charts.heat import HeatCell, HeatMap
from generator.pages import atlas_data, entities, facts, markup
from generator.pages.book import Book
from generator.pages.tables import column
from generator.pages.writer import Writer
from generator.simulation import atlas, atlas_run
from generator.simulation.atlas_grid import ROOM, cells
from generator.simulation.atlas_run import Sweep
from generator.simulation.atlas_verdict import SPLIT, Question, questions
from generator.simulation.outcomes import RESULTS
from generator.specs.records import Grid, ServiceLevel
from generator.study import Cell, Column, Table

TITLE = "Goodput atlas"
PAGE = "atlas.md"
GRID = "goodput-atlas"
FIRST_SEED = 1
FEW = 4
"""So few cells are searched without other processes, which take longer to start."""
SHORT = {"colocated": "prefill first", "chunked": "chunked", SPLIT: "split"}
NAMES = {"colocated": "Prefill first", "chunked": "Chunked", SPLIT: "Split"}


@contextmanager
def started(book: Book) -> Iterator[Sweep | None]:
    """The cells of the published grid on their way; what the cache has is not searched again. None without a grid."""
    grid = book.library.grids.get(GRID)
    if grid is None:
        yield None
        return
    sweep = Sweep(list(cells(grid, book.library)), FIRST_SEED, int(grid.seeds), RESULTS.cache)
    if len(sweep.todo) <= FEW:
        yield sweep
        return
    pool = atlas_run.local_pool()
    try:
        sweep.send(pool)
        yield sweep
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def write(book: Book, sweep: Sweep) -> str:
    """Write the page, its data and its document of the API; returns its path."""
    sweep.collect()
    grid = book.library.find("grids", GRID)
    found = questions(sweep.cells, sweep.outcomes(), sweep.found)
    for question in found:
        _publish(book, question)
    page = _Atlas(book, Writer(book, PAGE), grid, found)
    page.write()
    content = atlas_data.as_json(grid, found, seed=sweep.seed, runs=sweep.runs)
    book.documents["atlas.json"] = ("atlas", "goodput atlas: highest rates of every cell", len(sweep.cells), content)
    return PAGE


def _publish(book: Book, question: Question) -> None:
    for policy, outcome in question.outcomes.items():
        base = f"atlas/{question.id}/{policy}"
        for name in ("attained_rate_per_gpu", "goodput_per_gpu"):
            book.registry.publish(f"{base}/{name}", outcome.numbers[name], PAGE, derived_there=False)
    for name, value in (("lead_ratio", question.lead), ("split_ratio", question.split)):
        if value is not None:
            book.registry.publish(f"atlas/{question.id}/{name}", value, PAGE, derived_there=False)


@dataclass
class _Atlas:
    """The page in the making."""

    book: Book
    writer: Writer
    grid: Grid
    found: list[Question]

    def write(self) -> None:
        parts = [
            f"# {TITLE}",
            self._answer(),
            self._facts(),
            "## How to read it {#guide}",
            self._guide(),
            *(part for limits in self.grid.limits for part in self._level(limits)),
            "## How a rate is found {#method}",
            self._method(),
            "## A larger atlas {#larger}",
            self._larger(),
        ]
        description = "Highest request rate within latency limits by model, accelerator, load and serving policy."
        self.writer.page(
            TITLE,
            "\n\n".join(parts),
            description=description,
            json_path="api/v1/atlas.json",
            hide=("navigation", "toc"),
        )

    # --- what is said --------------------------------------------------------------------------------------------

    def _answer(self) -> str:
        served = [one for one in self.found if one.best]
        wins = {policy: [one for one in served if one.best == policy and one.clear] for policy in self.grid.policies}
        open_ = sum(not one.clear for one in served)
        said = ", ".join(f"{SHORT[policy]} in {formatting.grouped(len(won))}" for policy, won in wins.items())
        sentences = [
            f"{formatting.grouped(len(served))} of {formatting.grouped(len(self.found))} combinations of model, "
            f"accelerator, load and limits can be served within the limits. The highest rate belongs to {said}; in "
            f"{formatting.grouped(open_)} two policies lie within chance of each other."
        ]
        compared = [one for one in served if one.split is not None]
        if compared:
            most = max(compared, key=lambda one: float(one.split))
            least = min(compared, key=lambda one: float(one.split))
            sentences.append(
                f"Set against the better of the other two, a split gains most for {self._words(most)}: "
                f"{self.writer.number(most.split, percent=True)} of their rate. It loses most for "
                f"{self._words(least)}: {self.writer.number(least.split, percent=True)}."
            )
        return facts.paragraph(*sentences)

    def _words(self, question: Question) -> str:
        """A question in words, with links."""
        cell = question.any
        shape = self.book.library.find("workloads", cell.workload)
        level = markup.text(self._limits(cell.limits).name.lower())
        model = self.writer.entity("models", cell.model)
        card = self.writer.entity("accelerators", cell.accelerator)
        return f"{model} on {cell.gpus} {card} with {self._tokens(shape)}, {level} limits"

    def _limits(self, identifier: str) -> ServiceLevel:
        return next(one for one in self.grid.limits if one.id == identifier)

    def _tokens(self, shape: Any) -> str:
        return f"{formatting.grouped(shape.prompt)} in, {formatting.grouped(shape.output)} out"

    def _facts(self) -> str:
        best = max((one for one in self.found if one.best), key=self._rate, default=None)
        searched = formatting.grouped(sum(len(one.cells) for one in self.found))
        entries: list[tuple[Any, ...]] = [
            ("cells: model, accelerator, load, limits, policy", searched),
            ("seeds behind each rate", self.grid.seeds),
            ("of the requests must meet both limits", formatting.percent(self.grid.target)),
        ]
        if best is not None:
            cell = best.any
            model = self.book.library.find("models", cell.model).name
            card = entities.short_name(self.book.library.find("accelerators", cell.accelerator))
            label = f"highest rate of a GPU: {model}, {card}, {SHORT[best.best]}"
            entries.append((label, best.outcomes[best.best].attained_rate_per_gpu))
        return self.writer.facts(entries)

    def _rate(self, question: Question) -> float:
        return float(question.outcomes[question.best].attained_rate_per_gpu)

    def _guide(self) -> str:
        chapter = self.writer.link("chapters/goodput.md", "goodput of three policies")
        target = formatting.percent(self.grid.target)
        entries = (
            f"<strong>Rate</strong>: requests a second for each GPU at which {target} of them still meet both limits. "
            "Faster than that they do not, whatever the throughput.",
            "<strong>Prefill first</strong>: every GPU does both phases, and new prompts go first. "
            "<strong>Chunked</strong>: both phases, prompts in pieces. <strong>Split</strong>: some GPUs prefill, the "
            "others decode; 1:3 is one for prefill and three for decode. Of all splits the best is shown.",
            "<strong>±</strong>: 95 % interval over the seeds. Policies that are compared get the same requests, so "
            "that their ratio is known better than either rate. <em>Close</em>: the interval of that ratio holds 1.",
            "A dash: nothing serves it within the limits. The pointer and the CSV say why.",
        )
        listed = "".join(f"<li>{one}</li>" for one in entries)
        return f"<ul>{listed}</ul>\n\n" + facts.paragraph(f"Why a policy wins: see {chapter}.")

    # --- one service level ---------------------------------------------------------------------------------------

    def _level(self, limits: ServiceLevel) -> list[str]:
        among = [one for one in self.found if one.any.limits == limits.id]
        ttft, tpot = self.writer.number(limits.ttft), self.writer.number(limits.tpot)
        served = [one for one in among if one.best]
        won = formatting.grouped(sum(one.best == SPLIT and one.clear for one in served))
        lost = formatting.grouped(sum(one.split is not None and one.split.origin.high < 1 for one in served))
        best = self._map(among, self._best_cell, "highest rate per GPU (requests/s)")
        split = self._map(among, _split_cell, "best split against the better other policy (%)")
        name = limits.name
        return [
            f"## {markup.prose(name)} limits {{#{limits.id}}}",
            facts.paragraph(
                f"First token within {ttft}, the others within {tpot} each on average. A split is ahead of both other "
                f"policies in {won} of the {formatting.grouped(len(served))} combinations that can be served, and "
                f"behind one of them in {lost}."
            ),
            self.writer.chart(
                f"atlas-{limits.id}-best", "heat", best,
                f"{name} limits: the highest rate of a GPU in requests per second, and the policy that reaches it.",
            ),
            self.writer.chart(
                f"atlas-{limits.id}-split", "heat", split,
                f"{name} limits: what the best split gains or loses against the better of the other two.",
            ),
            self.writer.table(
                f"atlas-{limits.id}", self._table(among),
                f"{name} limits: highest rate of each policy, per GPU. P:D: GPUs for prefill and decode in the split.",
            ),
        ]  # fmt: skip

    def _map(self, among: Sequence[Question], cell: Any, quantity: str) -> HeatMap:
        columns = tuple(dict.fromkeys((one.any.accelerator, one.any.gpus) for one in among))
        rows: dict[tuple[str, str], dict[tuple[str, int], HeatCell]] = {}
        largest = self._largest(among)
        for one in among:
            shape = self.book.library.find("workloads", one.any.workload)
            key = (self.book.library.find("models", one.any.model).name, self._tokens(shape))
            rows.setdefault(key, {})[one.any.accelerator, one.any.gpus] = cell(one, largest)
        return HeatMap(
            tuple(self._column(*column).replace(" ", "\n", 3).replace("\n", " ", 2) for column in columns),
            tuple((*key, tuple(cells[column] for column in columns)) for key, cells in rows.items()),
            quantity,
        )

    def _column(self, accelerator: str, gpus: int) -> str:
        name = entities.short_name(self.book.library.find("accelerators", accelerator))
        return f"{gpus} × {name}"

    def _largest(self, among: Sequence[Question]) -> dict[tuple[str, str], float]:
        """The highest rate of each model and load, for the shade."""
        found: dict[tuple[str, str], float] = {}
        for one in among:
            if one.best:
                key = (one.any.model, one.any.workload)
                found[key] = max(found.get(key, 0.0), self._rate(one))
        return found

    def _best_cell(self, question: Question, largest: dict[tuple[str, str], float]) -> HeatCell:
        if not question.best:
            return HeatCell(None, "–", "too slow" if question.outcomes else "does not fit")
        rate = question.outcomes[question.best].attained_rate_per_gpu
        words = SHORT[question.best] if question.best != SPLIT else f"split {self._ratio(question)}"
        words = words if question.clear else f"{words}, close"
        strength = float(rate) / largest[question.any.model, question.any.workload]
        return HeatCell(
            float(rate),
            formatting.significant(float(rate)),
            words,
            question.best,
            strength,
            rate.origin.low,
            rate.origin.high,
        )

    def _ratio(self, question: Question) -> str:
        """Prefill and decode GPUs of the best split."""
        prefill = round(float(question.outcomes[SPLIT].prefill_gpus))
        return f"{prefill}:{question.any.gpus - prefill}"

    def _table(self, among: Sequence[Question]) -> Table:
        heads = {"model": "Model, in/out", "best": "Best policy", "accelerator": "GPUs"}
        columns = [Column(name, head, "") for name, head in heads.items()]
        columns += [column("attained_rate_per_gpu", NAMES[policy], key=policy) for policy in self.grid.policies]
        columns += [Column("split", "P:D", "")] if SPLIT in self.grid.policies else []
        rows, ids = [], []
        for one in among:
            cell = one.any
            shape = self.book.library.find("workloads", cell.workload)
            lengths = f"{formatting.grouped(shape.prompt)}/{formatting.grouped(shape.output)}"
            best = NAMES[one.best] + ("" if one.clear else ", close") if one.best else "–"
            row = [
                Cell(f"{self.book.library.find('models', cell.model).name}, {lengths}"),
                Cell(best if one.best else None, one.why),
                Cell(self._column(cell.accelerator, cell.gpus)),
            ]
            for policy in self.grid.policies:
                why = one.missed(policy)
                row.append(Cell(None, why) if why else Cell(one.outcomes[policy].attained_rate_per_gpu))
            if SPLIT in self.grid.policies:
                shown = not one.missed(SPLIT)
                row.append(Cell(self._ratio(one)) if shown else Cell(None, one.missed(SPLIT)))
            rows.append(tuple(row))
            ids.append(f"atlas/{one.id}")
        return Table(tuple(columns), tuple(rows), tuple(ids))

    # --- how -----------------------------------------------------------------------------------------------------

    def _method(self) -> str:
        rules = self.writer.link("reference/simulations.md", "rules of the simulation", "goodput")
        named = markup.text(self.book.library.find("links", self.grid.link).name)
        target, rung = formatting.percent(self.grid.target), formatting.percent(atlas.RUNG - 1)
        sources = dict.fromkeys(self.writer.source(one.source) for one in self.grid.sources if one.covers != ["all"])
        return "\n\n".join(
            [
                facts.paragraph(
                    f"Rates are tried on a geometric ladder, each rung {rung} above the one below. Rung 0 is a closed "
                    "form: the requests per second that prefill and decode leave room for when the cache is full and "
                    "nobody waits. So one ladder suits every model and every accelerator. For each seed, strides that "
                    "double and then halve find the two neighbouring rungs between which attainment falls below "
                    f"{target}; the straight line between the two gives the rate of that seed. The mean over the "
                    "seeds is published, with its 95 % interval."
                ),
                facts.paragraph(
                    "A seed keeps its requests on every rung and under every policy; only their pace changes. A run "
                    "begins with as many answers under way as the closed form has in the system; the first arrivals "
                    "do not count, and more arrive behind those that do. The best split is found with seeds of its "
                    "own: from the split that divides the GPUs like the work, one instance at a time moves over for "
                    "as long as the rate rises."
                ),
                facts.paragraph(
                    "An instance is the smallest tensor-parallel group whose cache holds "
                    f"{formatting.grouped(ROOM)} of the longest requests, in the formats of the checkpoint. Caches of "
                    f"a split go over links of {named}, one for each GPU. A larger group, a larger token budget or "
                    f"faster links can move a cell: the {rules} say what is fixed."
                ),
                facts.paragraph(*(markup.text(note) for note in self.grid.notes)),
                facts.paragraph(f"Limits and target: {', '.join(sources)}."),
            ]
        )

    def _larger(self) -> str:
        csv, document = self.writer.link(self._csv(), "CSV"), self.writer.link("api/v1/atlas.json", "JSON")
        return "\n\n".join(
            [
                facts.paragraph(
                    "The published grid is small, so that the site builds quickly. The command takes any other: it "
                    "keeps each finished cell, goes on where it was interrupted, and runs on local processes or on a "
                    "Dask cluster."
                ),
                "```\nhandbook new grid my-grid\n"
                "handbook simulate atlas --grid specs/grids/my-grid.yaml --out atlas/\n"
                "handbook simulate atlas --grid specs/grids/my-grid.yaml --out atlas/ --scheduler "
                "tcp://10.0.0.1:8786\n```",
                facts.paragraph(f"All cells of the published one: {csv}, {document}."),
            ]
        )

    def _csv(self) -> str:
        path = "data/atlas/cells.csv"
        if path not in self.book.files:
            self.book.write(path, atlas_data.to_csv(self.found))
        return path


def _split_cell(question: Question, _largest: object) -> HeatCell:
    """What the best split gains or loses, in per cent."""
    ratio = question.split
    if ratio is None:
        missed = question.missed(SPLIT)
        if not question.best:
            return HeatCell(None, "–", "too slow" if question.outcomes else "does not fit")
        if SPLIT in question.outcomes and missed:
            return HeatCell(None, "–", "split too slow", "colocated", 0.0)
        return HeatCell(None, "–", "cannot split")
    gain = float(ratio) - 1.0
    low, high = ratio.origin.low - 1.0, ratio.origin.high - 1.0
    sign = "+" if gain > 0 else "\u2212"
    close = low < 0 < high
    words = "same" if close else "split wins" if gain > 0 else "split loses"
    colour = "muted" if close else SPLIT if gain > 0 else "colocated"
    text = f"{sign}{formatting.percent(abs(gain), 2)}"
    return HeatCell(100 * gain, text, words, colour, min(abs(gain) / 0.5, 1.0), 100 * low, 100 * high)

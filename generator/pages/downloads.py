"""What can be taken away: all results as one CSV, `llms.txt`, and the page that says what each file is."""

from __future__ import annotations

from generator.citations import TITLE
from generator.intervals import interval_of
from generator.ledger import RESULTS, Ledger
from generator.pages import chapters as chapter_pages
from generator.pages import markup
from generator.pages.book import Book
from generator.pages.home import LEAD
from generator.pages.lookups import ENTITIES, TITLES
from generator.pages.reference import CONTENTS
from generator.pages.writer import Writer
from generator.provenance import INNER, Datum, Traced, flatten
from generator.site_checks import LARGEST_PAGE_BYTES
from generator.study import to_csv
from generator.units import round_significant

PAGE = "reference/downloads.md"
RESULTS_CSV = "data/results.csv"
LLMS = "llms.txt"
COLUMNS = (
    "id", "quantity", "title", "value", "unit", "kind", "low", "high", "page", "oldest_source", "newest_source", "data",
)  # fmt: skip

DATABASE, OFFLINE, PRINTED = "handbook.sqlite", "handbook-offline.zip", "handbook.pdf"
QUERY = (
    "SELECT results.id, results.value, results.unit FROM results\n"
    "JOIN dependence ON dependence.result = results.id\n"
    "WHERE dependence.datum = 'accelerators/h200#memory.bandwidth'\n"
    "ORDER BY results.id;"
)


def write(book: Book) -> list[str]:
    """Write the page; returns what goes into the navigation."""
    writer = Writer(book, PAGE)
    in_build = (
        (
            writer.link(RESULTS_CSV, "results.csv"),
            "every published number, one a line: value in its base unit, kind, ends of the 95 % interval where it is "
            "simulated, page, oldest and newest date of its sources, number of data behind it",
        ),
        (writer.link(RESULTS, "results.json"), "the same with formula and inputs, down to each datum"),
        ("CSV and JSON", "the links below every table and every chart: what it shows, and why a cell is empty"),
        (writer.link(LLMS, "llms.txt"), "a map of this site for language models"),
    )
    beside = (
        (f"<code>{DATABASE}</code>", "results, data and sources, what rests on what, in tables with keys",
         "handbook export sqlite"),
        (f"<code>{OFFLINE}</code>", "this site, to be read without a server, with search: unpack, open index.html",
         "handbook export offline"),
        (f"<code>{PRINTED}</code>", "chapters and reference as a book; needs Chromium", "handbook export pdf"),
    )  # fmt: skip
    body = "\n\n".join(
        [
            "# Downloads",
            "<p>Numbers as on the site: base units, six significant digits, counts and exact bytes whole. An empty "
            "value is an input that no source gives.</p>",
            "## On this site {#site}",
            markup.table(("File", "What it holds"), in_build),
            "Every CSV is UTF-8 with a header line, a comma between fields, and a line feed at the end of a line. "
            f"A page stays below {LARGEST_PAGE_BYTES // 1000} kB; what would not fit stands in CSV and JSON alone.",
            "## Beside a release {#release}",
            "<p>In the folder <code>downloads/</code> of a release. In a clone each command makes its file; "
            "<code>--site DIR</code> takes the numbers of a built site instead of the specs.</p>",
            markup.table(
                ("File", "What it holds", "Made by"),
                [(name, holds, f"<code>{command}</code>") for name, holds, command in beside],
            ),
            "## Reading them {#reading}",
            markup.table(
                ("With", "One line"),
                [
                    ("pandas", '<code>pandas.read_csv("results.csv", index_col="id")</code>'),
                    ("SQLite", f"<code>sqlite3 {DATABASE} \"SELECT * FROM results WHERE id = 'WX-007/answer'\"</code>"),
                    ("DuckDB", "<code>SELECT kind, count(*) FROM 'results.csv' GROUP BY kind;</code>"),
                ],
            ),
            "## What rests on one datum {#query}",
            "<p>The tables of the database are results, data, result_data, examples, measurements, formulas, "
            "formula_arguments, names, prices, simulations, metrics and meta; the view <code>dependence</code> joins "
            "results and data by their ids.</p>",
            f'<div class="highlight"><pre><code>{markup.text(QUERY)}</code></pre></div>',
        ]
    )
    writer.page("Downloads", body, description="All numbers as CSV, JSON and SQLite; the site offline; the book.")
    return [writer.path]


def write_files(book: Book) -> None:
    """Write `results.csv` and `llms.txt`. Runs last: whatever was published is in them."""
    book.write(RESULTS_CSV, results_csv(book))
    book.write(LLMS, llms(book))


def results_csv(book: Book) -> bytes:
    """All results, one a line, with the dates of the sources behind each."""
    ledger = Ledger.read(book.files[RESULTS])
    seen = _dates(book)
    rows = []
    for identifier, entry in ledger.entries.items():
        number = book.registry.results[identifier].traced
        data = ledger.data(identifier)
        dates = sorted(date for path in data if (date := seen.get(path)))
        oldest, newest = (dates[0], dates[-1]) if dates else ("", "")
        rows.append(
            (
                entry.id, number.name, entry.title, entry.value, entry.unit, entry.kind, *_interval(number), entry.page,
                oldest, newest, len(data),
            )
        )  # fmt: skip
    return to_csv(COLUMNS, rows)


def _interval(number: Traced) -> tuple[float, float] | tuple[str, str]:
    found = interval_of(number)
    return ("", "") if found is None else (round_significant(found[0]), round_significant(found[1]))


def _dates(book: Book) -> dict[str, str]:
    """Datum path -> the day on which its best source was read, for all data behind any result."""
    dates: dict[str, str] = {}
    met: set[int] = set()
    ahead = [result.traced for result in book.registry.results.values()]
    while ahead:
        number = ahead.pop()
        if not isinstance(number, Traced) or id(number) in met:
            continue
        met.add(id(number))
        if isinstance(number.origin, INNER):
            ahead.extend(flatten(number.origin.inputs))
        elif isinstance(number.origin, Datum) and number.origin.sources:
            dates[number.origin.path] = number.origin.sources[0].seen
    return dates


def llms(book: Book) -> str:
    """The site on one page for language models, as https://llmstxt.org proposes; links are relative to the site."""

    def line(title: str, path: str, says: str) -> str:
        return f"- [{title}]({markup.address(path)}): {says}"

    paths = sorted(
        (book.root / "docs/chapters").glob("*.md"), key=lambda path: chapter_pages.order(path, book.root)
    )  # fmt: skip
    written = [(f"chapters/{path.stem}.md", chapter_pages.read(path, book.root)[0]) for path in paths]
    sections = {
        "Chapters": [line(matter["title"], page, matter["question"]) for page, matter in written],
        "Things": [
            line(TITLES[collection], f"{collection}/index.md", f"one page each, {len(records)} in all")
            for collection in (*ENTITIES, "examples")
            if (records := book.library.collections[collection])
        ],
        "Reference": [line(title, f"reference/{page}.md", holds) for page, title, holds in CONTENTS],
        "Data": [
            line("API", "api/v1/index.json", "what there is as JSON, each with its schema"),
            line("All results", RESULTS, "value, unit, kind, formula and inputs of every published number"),
            line("All results as CSV", RESULTS_CSV, "the same without formula and inputs"),
            line("How to cite each thing", "api/v1/citations.json", "one line, BibTeX, CSL-JSON"),
        ],
    }
    head = (
        f"# {TITLE}\n\n> {LEAD.partition('. ')[0]}. Every number is computed from sourced data.\n\n"
        f"Release {book.release}. A number has an id, a base unit and a kind (exact, bound, reference, calibrated, "
        "simulated, measured); cite it by its id, with its kind and the release. Text and data are under CC BY 4.0.\n"
    )
    return head + "".join(f"\n## {title}\n\n" + "\n".join(lines) + "\n" for title, lines in sections.items() if lines)

"""Whatever can be cited is found under the address of its citation, and each form of a citation is well formed."""

from __future__ import annotations

import json
import re
import shutil
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from generator import __version__, citations
from generator.citations import Citable, Edition
from generator.examples import work
from generator.pages import cite
from generator.published import digest
from generator.specs.load import load

ROOT = Path(__file__).resolve().parent.parent
EDITION = Edition("2026.11", "2026-11-29")
AWKWARD = Citable(
    "figure", "chapters/a_b/c", "100 % of $2 & {more} #1_2 ~3 ^4 \\5", "chapters/a_b.html#fig-c", "0123456789ab"
)

# --- BibTeX ----------------------------------------------------------------------------------------------------------


def parsed(text: str) -> list[tuple[str, str, dict[str, str]]]:
    """Entries of a BibTeX file as type, key and fields. Strict: anything else than what BibTeX reads is an error."""
    found, at = [], 0
    entry = re.compile(r"@([a-z]+)\{([a-z0-9-]+),\n")
    field = re.compile(r"  ([a-z]+) *= \{")
    while at < len(text):
        head = entry.match(text, at)
        assert head, f"no entry begins at {text[at : at + 40]!r}"
        at, fields = head.end(), {}
        while not text.startswith("}\n", at):
            name = field.match(text, at)
            assert name, f"no field begins at {text[at : at + 40]!r}"
            end = closing(text, name.end())
            assert name[1] not in fields, f"{name[1]} is given twice"
            fields[name[1]] = text[name.end() : end]
            assert text.startswith("},\n", end)
            at = end + len("},\n")
        found.append((head[1], head[2], fields))
        at += len("}\n")
    return found


def closing(text: str, at: int) -> int:
    """Place of the brace that closes a group; as BibTeX does, it counts braces behind a backslash too."""
    depth = 1
    while depth:
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
    return at - 1


LATEX = {
    r"\textbackslash{}": "\\",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    **{f"\\{mark}": mark for mark in "&%$#_{}"},
}


def read_by_tex(text: str) -> str:
    """What TeX prints; a special character that is not escaped is an error."""
    out, at = [], 0
    while at < len(text):
        for written, printed in LATEX.items():
            if text.startswith(written, at):
                out.append(printed)
                at += len(written)
                break
        else:
            assert text[at] not in "\\&%$#_~^", f"{text[at]!r} is not escaped in {text!r}"
            out.append("" if text[at] in "{}" else text[at])
            at += 1
    return "".join(out)


def test_special_characters_reach_the_reader_of_a_bibtex_entry_as_they_are():
    [(_, _, fields)] = parsed(citations.bibtex(AWKWARD, EDITION))
    assert read_by_tex(fields["title"]) == f"Figure {AWKWARD.id}: {AWKWARD.title}"
    assert fields["title"][0] == "{"
    assert read_by_tex(fields["note"]).endswith(AWKWARD.address)


def test_every_bibtex_entry_can_be_read_and_has_a_key_of_its_own(book):
    entries = parsed("".join(one["bibtex"] for one in items(book)))
    assert len(entries) == len(items(book))
    assert len({key for _, key, _ in entries}) == len(entries)
    for (kind, _, fields), item in zip(entries, items(book), strict=True):
        assert kind == "misc"
        assert set(fields) == {"author", "title", "howpublished", "year", "note"}
        assert re.fullmatch(r"\d{4}", fields["year"])
        for text in fields.values():
            read_by_tex(text)
        assert item["release"] if "release" in item else __version__ in fields["howpublished"]
        assert item["digest"] in fields["note"]
        assert read_by_tex(fields["note"]).endswith(item["address"])


# --- CSL-JSON --------------------------------------------------------------------------------------------------------

CSL_TYPES = {"book", "chapter"}
CSL_STRINGS = {"title", "container-title", "version", "note", "URL"}


def csl_faults(item: dict[str, Any]) -> list[str]:
    """What of the CSL data schema an item breaks, for the variables that are used here."""
    found = []
    if not isinstance(item.get("id"), str):
        found.append("id is missing")
    if item.get("type") not in CSL_TYPES:
        found.append(f"type {item.get('type')!r}")
    for name, value in item.items():
        if name in CSL_STRINGS:
            found += [] if isinstance(value, str) and value else [f"{name} is no text"]
        elif name == "author":
            found += [f"author {one!r}" for one in value if set(one) - {"family", "given", "literal"} or not one]
        elif name == "issued":
            parts = value["date-parts"]
            try:
                date(*parts[0])
            except (TypeError, ValueError):
                found.append(f"issued {value!r}")
            found += [] if set(value) == {"date-parts"} and len(parts) == 1 else [f"issued {value!r}"]
        elif name not in {"id", "type"}:
            found.append(f"{name} is no variable that is used here")
    return found


def test_every_csl_item_keeps_to_the_schema(book):
    for item in items(book):
        assert csl_faults(item["csl"]) == [], item["id"]
        assert item["csl"].get("URL", "") == item["address"]
        assert item["csl"]["version"] == __version__
    assert len({item["csl"]["id"] for item in items(book)}) == len(items(book))


# --- one line --------------------------------------------------------------------------------------------------------


def test_one_line_says_release_id_digest_and_address():
    assert citations.one_line(AWKWARD, EDITION) == (
        "LLM Capacity Handbook contributors (2026). The LLM Capacity Handbook, release 2026.11, figure chapters/a_b/c: "
        f"{AWKWARD.title}. Digest 0123456789ab. chapters/a_b.html#fig-c"
    )


def test_every_line_says_release_id_digest_and_address(book):
    for item in items(book):
        assert f"release {__version__}" in item["one_line"]
        if item["kind"] != "handbook":
            assert item["id"] in item["one_line"]
            assert item["one_line"].endswith(f" Digest {item['digest']}. {item['address']}")
            assert " " not in item["address"], "the page splits the line at its last space"
            assert re.fullmatch(r"[0-9a-f]{12}", item["digest"])


# --- what is cited ---------------------------------------------------------------------------------------------------


def items(book) -> list[dict[str, Any]]:
    return json.loads(book.files[cite.CITATIONS])["items"]


def test_every_address_is_a_page_with_that_anchor(book):
    pages = {path: set(re.findall(r'\bid="([^"]+)"', text.decode())) for path, text in book.files.items()
             if path.endswith(".md")}  # fmt: skip
    for item in items(book):
        page, _, anchor = item["address"].partition("#")
        if item["kind"] == "handbook":
            assert not page
            continue
        source = page.removesuffix(".html") + ".md"
        assert source in pages, item["address"]
        assert (anchor in pages[source]) if anchor else item["kind"] == "example", item["address"]


def test_every_chart_table_example_and_run_is_among_the_citations(book):
    cited = {(item["kind"], item["address"]) for item in items(book)}
    figures = tables = 0
    for path, content in book.files.items():
        if not path.endswith(".md"):
            continue
        text, page = content.decode(), path.removesuffix(".md") + ".html"
        for anchor in re.findall(r'<figure class="chart" id="([^"]+)"', text):
            assert ("figure", f"{page}#{anchor}") in cited
            figures += 1
        for anchor in re.findall(r'<div class="table" id="([^"]+)"', text):
            assert ("table", f"{page}#{anchor}") in cited
            tables += 1
    assert figures == sum(kind == "figure" for kind, _ in cited) > 100
    assert tables == sum(kind == "table" for kind, _ in cited) > 100
    examples = {item["id"] for item in items(book) if item["kind"] == "example"}
    assert examples == {f"{one.record.id} revision {one.record.revision:g}" for one in book.examples.values()}
    runs = {item["id"] for item in items(book) if item["kind"] == "run"}
    assert runs == set(book.simulations)


def test_ids_are_unique_and_made_from_page_and_name_alone(book):
    named = [(item["kind"], item["id"]) for item in items(book)]
    assert len(set(named)) == len(named)
    for item in items(book):
        if item["kind"] in ("figure", "table"):
            page, _, anchor = item["address"].partition("#")
            name = anchor.partition("-")[2]
            assert item["id"] == f"{page.removesuffix('.html')}/{name}"
    assert ("figure", "chapters/batching/step-time") in named or any(one[1].startswith("chapters/batching/") for one in
                                                                     named)  # fmt: skip


def test_two_things_do_not_share_an_id(book):
    thing = next(iter(book.citables.values()))
    other = Citable(thing.kind, thing.id, "Something else", thing.address, thing.digest)
    with pytest.raises(ValueError, match="two things want to be cited as"):
        book.cite(other)
    assert book.cite(thing) == citations.one_line(thing, book.edition)


# --- digests ---------------------------------------------------------------------------------------------------------


def digest_after(folder: Path, file: str, before: str, after: str) -> str:
    """Digest of WX-050 in a copy of the specs with one edit."""
    shutil.copytree(ROOT / "specs", folder / "specs")
    path = folder / "specs" / file
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after), encoding="utf-8")
    library = load(folder)
    return digest(work(library.examples["WX-050"], library).answer)


def test_the_digest_of_an_example_changes_with_a_datum_and_not_with_text(library, tmp_path):
    now = digest(work(library.examples["WX-050"], library).answer)
    assert digest_after(tmp_path / "datum", "accelerators/h200.yaml", "4.8 TB/s", "4.9 TB/s") != now
    assert digest_after(tmp_path / "text", "examples/WX-050.yaml", "title: ", "title: About the ") == now
    assert digest_after(tmp_path / "note", "accelerators/h200.yaml", "The same compute", "Much the same compute") == now


def test_the_digest_of_a_table_is_that_of_its_published_csv(book):
    for item in items(book):
        if item["kind"] in ("figure", "table"):
            content = book.files[f"data/{item['id']}.csv"]
            assert item["digest"] == citations.digest_of(content)


# --- CITATION.cff ----------------------------------------------------------------------------------------------------

CFF_REQUIRED = {"cff-version", "message", "title", "authors"}
CFF_KNOWN = CFF_REQUIRED | {
    "abstract", "type", "version", "date-released", "license", "keywords", "url", "repository-code", "doi", "contact",
    "identifiers", "references", "preferred-citation", "commit", "license-url", "repository", "repository-artifact",
}  # fmt: skip


def test_citation_cff_keeps_to_its_schema():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    # As the schema wants them, dates and versions are text.
    content = yaml.load(text, Loader=yaml.BaseLoader)
    assert content.keys() >= CFF_REQUIRED
    assert content.keys() <= CFF_KNOWN
    assert content["cff-version"] == "1.2.0"
    assert content["type"] in ("software", "dataset")
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", content["date-released"])
    date.fromisoformat(content["date-released"])
    assert all(set(author) <= {"name", "family-names", "given-names", "orcid"} for author in content["authors"])
    assert all(isinstance(one, str) and one for one in [content["message"], content["title"], *content["keywords"]])
    assert set(content["license"]) == {"MIT", "CC-BY-4.0"}
    assert content["title"] == citations.TITLE
    assert [author["name"] for author in content["authors"]] == [citations.AUTHORS]


def test_version_is_the_same_wherever_it_stands():
    cff = yaml.load((ROOT / "CITATION.cff").read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert cff["version"] == __version__ == newest[1]

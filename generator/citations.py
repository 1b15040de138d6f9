"""How one thing of the handbook is cited: one line, BibTeX, CSL-JSON, with its release and the digest behind it.

Addresses are those below the site, so that the same specs give the same bytes wherever the site is published; the page
puts its own address before them (`docs/assets/cite.js`).
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Any

TITLE = "The LLM Capacity Handbook"
AUTHORS = "LLM Capacity Handbook contributors"
NAMED = {"example": "example", "figure": "figure", "table": "table", "run": "simulation"}
"""Kind of thing -> the word for it in a citation."""
KINDS = ("handbook", *NAMED)


@dataclass(frozen=True)
class Edition:
    """A release, and the date of its newest datum: the date that citations carry."""

    release: str
    date: str

    @property
    def year(self) -> str:
        return self.date[:4]


@dataclass(frozen=True)
class Citable:
    """One thing that can be cited.

    id: permanent, such as `WX-007 revision 1` or `chapters/batching/gap`; address: page and anchor below the site;
    digest: twelve hexadecimal digits that stand for what is behind it, empty for the handbook as a whole.
    """

    kind: str
    id: str
    title: str
    address: str
    digest: str = ""

    @property
    def key(self) -> str:
        """Key of the BibTeX and CSL entries; a chart and a table may share a name."""
        return "llm-capacity-handbook" + (f"-{self.kind}-{slug(self.id)}" if self.kind != "handbook" else "")

    @property
    def name(self) -> str:
        """What the thing is called in a list of references: `figure chapters/batching/gap: Its caption`."""
        return f"{NAMED[self.kind]} {self.id}: {self.title.rstrip('.')}" if self.kind != "handbook" else TITLE


def slug(text: str) -> str:
    """Lower case, with single hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def digest_of(content: bytes) -> str:
    """Twelve hexadecimal digits of published data."""
    return hashlib.sha256(content).hexdigest()[:12]


def one_line(thing: Citable, edition: Edition) -> str:
    """One entry of a list of references; of a thing it ends with the address."""
    whole = f"{AUTHORS} ({edition.year}). {TITLE}, release {edition.release}"
    if thing.kind == "handbook":
        return f"{whole}."
    return f"{whole}, {thing.name}. Digest {thing.digest}. {thing.address}"


def bibtex(thing: Citable, edition: Edition) -> str:
    """A BibTeX entry that every style prints in full: `misc` has no field that a style leaves out.

    Inner braces keep capitals; the release stands in `howpublished`, digest and address in `note`.
    """
    release = f"release {edition.release}" if thing.kind == "handbook" else f"{TITLE}, release {edition.release}"
    note = f"Data as of {edition.date}"
    if thing.kind != "handbook":
        note += f"; digest {thing.digest}; {thing.address}"
    fields = {
        "author": f"{{{escaped(AUTHORS)}}}",
        "title": f"{{{escaped(thing.name[:1].upper() + thing.name[1:])}}}",
        "howpublished": escaped(release),
        "year": edition.year,
        "note": escaped(note),
    }
    lines = "".join(f"  {name:<12} = {{{value}}},\n" for name, value in fields.items())
    return f"@misc{{{thing.key},\n{lines}}}\n"


_ESCAPES = {
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
}


def escaped(text: str) -> str:
    """Text for LaTeX: what TeX would read as a command stands as it is."""
    return "".join(_ESCAPES.get(mark, mark) for mark in text)


def csl(thing: Citable, edition: Edition) -> dict[str, Any]:
    """A CSL-JSON item; its `URL` is the address below the site."""
    item: dict[str, Any] = {"id": thing.key, "type": "book" if thing.kind == "handbook" else "chapter"}
    item["title"] = thing.name[:1].upper() + thing.name[1:]
    if thing.kind != "handbook":
        item["container-title"] = TITLE
    item |= {
        "author": [{"literal": AUTHORS}],
        "version": edition.release,
        "issued": {"date-parts": [[int(part) for part in edition.date.split("-")]]},
        "note": f"Data as of {edition.date}" + (f"; digest {thing.digest}" if thing.digest else ""),
    }
    return item | ({"URL": thing.address} if thing.address else {})

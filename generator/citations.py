"""How one thing of the handbook is cited: one line, BibTeX, CSL-JSON, with its release and the digest behind it."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Any

TITLE = "The LLM Capacity Handbook"
AUTHORS = "LLM Capacity Handbook contributors"
KINDS = ("handbook", "example", "figure", "table", "run")


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

    id: permanent, such as `WX-007 revision 1` or `fig-batching-gap`; address: page and anchor below the site; digest:
    twelve hexadecimal digits that stand for what is behind it, empty for the handbook as a whole.
    """

    kind: str
    id: str
    title: str
    address: str
    digest: str = ""

    @property
    def key(self) -> str:
        """Key of the BibTeX and CSL entries."""
        return "llm-capacity-handbook" + (f"-{slug(self.id)}" if self.kind != "handbook" else "")


def slug(text: str) -> str:
    """Lower case, with single hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def digest_of(content: bytes) -> str:
    """Twelve hexadecimal digits of published data."""
    return hashlib.sha256(content).hexdigest()[:12]


def one_line(thing: Citable, edition: Edition) -> str:
    """One entry of a list of references."""
    whole = f"{AUTHORS} ({edition.year}). {TITLE}, release {edition.release}"
    if thing.kind == "handbook":
        return f"{whole}."
    named = {"example": "example", "figure": "figure", "table": "table", "run": "simulation"}[thing.kind]
    return f"{whole}, {named} {thing.id}: {thing.title.rstrip('.')}. Digest {thing.digest}. {thing.address}"


def bibtex(thing: Citable, edition: Edition) -> str:
    """A BibTeX entry; braces keep capitals."""
    fields = {"title": f"{{{TITLE}}}", "author": f"{{{AUTHORS}}}", "year": edition.year}
    kind = "book"
    if thing.kind != "handbook":
        kind = "inbook"
        fields["chapter"] = _escaped(f"{thing.id}: {thing.title.rstrip('.')}")
    fields["edition"] = f"release {edition.release}"
    fields["note"] = f"Data as of {edition.date}" + (f"; digest {thing.digest}" if thing.digest else "")
    if thing.address:
        fields["howpublished"] = _escaped(thing.address)
    lines = "".join(f"  {name:<12} = {{{value}}},\n" for name, value in fields.items())
    return f"@{kind}{{{thing.key},\n{lines}}}\n"


def _escaped(text: str) -> str:
    for mark in ("\\", "&", "%", "$", "#", "_", "{", "}"):
        text = text.replace(mark, "\\textbackslash{}" if mark == "\\" else f"\\{mark}")
    return text.replace("\\textbackslash\\{\\}", "\\textbackslash{}")


def csl(thing: Citable, edition: Edition) -> dict[str, Any]:
    """A CSL-JSON item."""
    item: dict[str, Any] = {
        "id": thing.key,
        "type": "book" if thing.kind == "handbook" else "chapter",
        "title": TITLE if thing.kind == "handbook" else f"{thing.id}: {thing.title.rstrip('.')}",
    }
    if thing.kind != "handbook":
        item["container-title"] = TITLE
    item |= {
        "author": [{"literal": AUTHORS}],
        "edition": f"release {edition.release}",
        "issued": {"date-parts": [[int(part) for part in edition.date.split("-")]]},
        "note": f"Data as of {edition.date}" + (f"; digest {thing.digest}" if thing.digest else ""),
    }
    return item

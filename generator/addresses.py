"""Ids and addresses that have been published stay: an id as an alias of what it became, a page as a redirect.

`specs/published/ids.json` is written by `handbook release`, never by hand; `docs/redirects.yaml` is written by people.
"""

from __future__ import annotations

import html
import json
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from generator.specs import positions
from generator.specs.library import Library
from generator.specs.validate import suggestion

IDS = Path("specs/published/ids.json")
REDIRECTS = "docs/redirects.yaml"
COLLECTIONS = ("accelerators", "systems", "models")

Record = dict[str, Any]
"""`release`, and the ids of each collection and the `pages` of all releases so far."""

_STEPS = re.compile(r"(.+)-steps(?:-\d+)?\.html")
_REDIRECT = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<title>Moved</title>
<meta http-equiv="refresh" content="0; url={there}">
<link rel="canonical" href="{there}">
</head>
<body><p>This page has moved: <a href="{there}">{shown}</a></p></body>
</html>
"""


@dataclass(frozen=True)
class Kept:
    """What is done about published addresses: old page -> new page, and a fault for each that would be lost."""

    redirects: dict[str, str]
    faults: tuple[str, ...]


def read(root: Path) -> Record:
    """What has been published so far; nothing before the first release."""
    path = root / IDS
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def with_release(record: Record, release: str, site: Path) -> Record:
    """The record with the ids and pages of a built site; what it has stays."""
    whole: Record = {"release": release}
    for collection in COLLECTIONS:
        index = json.loads((site / f"api/v1/{collection}/index.json").read_text(encoding="utf-8"))
        whole[collection] = sorted({*record.get(collection, ()), *(item["id"] for item in index["items"])})
    pages = {path.relative_to(site).as_posix() for path in site.rglob("*.html")} - {"404.html"}
    whole["pages"] = sorted({*record.get("pages", ()), *pages})
    return whole


def text_of(record: Record) -> str:
    """The file: one line for each id and page."""
    return json.dumps(record, ensure_ascii=False, indent=1) + "\n"


def keep(root: Path, library: Library, is_page: Callable[[str], bool]) -> Kept:
    """Redirects of a project, and what is lost without one.

    is_page: whether an address, `models/llama-3-8b.html`, is a page of the site as it is now.
    """
    record = read(root)
    asked, faults = _asked(root, is_page)
    faults += _lost_ids(record, library)
    redirects = {old: new for old, new in asked.items() if not is_page(old)}
    lost = []
    for page in record.get("pages", ()):
        if is_page(page) or page in redirects:
            continue
        heir = _heir(page, library, is_page, redirects)
        if heir is None:
            lost.append(page)
        else:
            redirects[page] = heir
    ids = {f"{collection}/{one}.html" for collection, one in _unknown_ids(record, library)}
    faults += [
        f"{REDIRECTS}:1:1: {page} was published in {record['release']} or before and is gone; add the line "
        f"`{page}: ` with the page that it became"
        for page in lost
        # The alias that is asked for already brings the redirect.
        if page not in ids and _without_steps(page) not in ids
    ]
    return Kept(dict(sorted(redirects.items())), tuple(faults))


def redirect_page(old: str, new: str, language: str = "en") -> str:
    """A small page that leads from an old address to the new one, with or without scripts."""
    page, _, anchor = new.partition("#")
    there = posixpath.relpath(page, posixpath.dirname(old) or ".") + (f"#{anchor}" if anchor else "")
    return _REDIRECT.format(there=html.escape(there, quote=True), shown=html.escape(new), language=language)


def _without_steps(page: str) -> str:
    found = _STEPS.fullmatch(page)
    return f"{found[1]}.html" if found else page


def _heir(page: str, library: Library, is_page: Callable[[str], bool], redirects: Mapping[str, str]) -> str | None:
    """Where a page went that no line of the file names: to the thing that has its id as an alias, or, for derivations
    that had a page of their own, to the page they belong to."""
    whole = _without_steps(page)
    if whole != page and is_page(whole):
        return whole
    if whole in redirects:
        return redirects[whole]
    collection, _, name = whole.removesuffix(".html").rpartition("/")
    if collection in COLLECTIONS:
        for identifier, thing in library.collections[collection].items():
            if name in getattr(thing, "aliases", ()):
                return f"{collection}/{identifier}.html"
    return None


def _unknown_ids(record: Record, library: Library) -> Iterator[tuple[str, str]]:
    for collection in COLLECTIONS:
        things = library.collections[collection]
        known = {*things, *(alias for thing in things.values() for alias in getattr(thing, "aliases", ()))}
        yield from ((collection, one) for one in record.get(collection, ()) if one not in known)


def _lost_ids(record: Record, library: Library) -> list[str]:
    return [
        f"specs/{collection}: `{one}` was published in {record['release']} or before and is neither an id nor an alias "
        f"any more; add `aliases: [{one}]` to the file that it became{_near(one, library.collections[collection])}"
        for collection, one in _unknown_ids(record, library)
    ]


def _near(identifier: str, known: Iterable[str]) -> str:
    said = suggestion(identifier, list(known))
    return said if "did you mean" in said else ""


def _asked(root: Path, is_page: Callable[[str], bool]) -> tuple[dict[str, str], list[str]]:
    """The lines of the file, and what is wrong with them."""
    path = root / REDIRECTS
    if not path.exists():
        return {}, []
    file = positions.read(path.read_text(encoding="utf-8"), REDIRECTS)
    if file.faults:
        return {}, list(map(str, file.faults))
    if file.data is None:
        return {}, []
    if not isinstance(file.data, dict):
        return {}, [f"{REDIRECTS}:1:1: must be lines of `old/page.html: new/page.html`"]
    asked, faults = {}, []
    for old, new in file.data.items():
        line, column = file.mark((old,))
        said = f"{REDIRECTS}:{line}:{column}: `{old}: {new}`"
        page = str(new).partition("#")[0]
        if not _is_address(str(old)) or not _is_address(page):
            faults.append(f"{said}: both must be pages as the site addresses them, such as `chapters/batching.html`")
        elif is_page(old):
            faults.append(f"{said}: {old} is a page of the site; only an address that is gone can be redirected")
        elif not is_page(page):
            faults.append(f"{said}: {page} is no page of the site; name the page that it became")
        else:
            asked[old] = new
    return asked, faults


def _is_address(text: str) -> bool:
    return re.fullmatch(r"(?:[\w.\-]+/)*[\w.\-]+\.html", text) is not None and ".." not in text.split("/")

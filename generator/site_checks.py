"""Reads a built site as a browser would and lists what is wrong with it; standard library only.

MkDocs in strict mode checks the links in Markdown.  It sees neither raw HTML, nor duplicate ids, nor what the theme
adds, so everything here works on the finished files.
"""

from __future__ import annotations

import html
import json
import os
import posixpath
import re
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_all_start_methods, get_context
from pathlib import Path
from urllib.parse import unquote, urlsplit

from generator.workers import end_with_parent

LARGEST_PAGE_BYTES = 500_000
FEWEST_PAGES_FOR_SEVERAL_CORES = 60

# Regular expressions rather than html.parser: five times as fast, and the input is our own well-formed output.
_TAG = re.compile(r"""<([a-zA-Z][\w:-]*)((?:[^<>"']|"[^"]*"|'[^']*')*)>""")
_ATTRIBUTE = re.compile(r"""([^\s"'=<>/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?""")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_SCRIPT_BODY = re.compile(r"(<(script|style)\b[^>]*>).*?(</\2>)", re.DOTALL | re.IGNORECASE)
_NOT_PROSE = re.compile(r"<(code|pre|annotation|textarea|head)\b.*?</\1>", re.DOTALL | re.IGNORECASE)
_ANY_TAG = re.compile(r"</?[a-zA-Z](?:[^<>\"']|\"[^\"]*\"|'[^']*')*>")
_RAW_TEX = re.compile(r"\\[()\[\]]|\\[a-zA-Z]{2,}|\$\$")
_TEMPLATE_MARK = re.compile(r"\{\{|\}\}|\{%|%\}")
_SUSPICIOUS = re.compile(r"\\|\$\$|\{[{%]|[%}]\}")
_EXTERNAL = re.compile(r"(?:https?:)?//", re.IGNORECASE)
_EXTERNAL_IN_CSS = re.compile(r"""(?:url\(\s*["']?|@import\s+["'])((?:https?:)?//[^"')\s]+)""", re.IGNORECASE)
_CANONICAL = re.compile(r'<link rel="canonical" href="([^"]+)"')

_LOADED = {
    "script": ("src",),
    "img": ("src", "srcset"),
    "iframe": ("src",),
    "source": ("src", "srcset"),
    "video": ("src", "poster"),
    "audio": ("src",),
    "track": ("src",),
    "embed": ("src",),
    "object": ("data",),
    "input": ("src",),
    "image": ("href", "xlink:href"),
    "use": ("href", "xlink:href"),
    "form": ("action",),
}
_LINK_RELATIONS_NOT_LOADED = {"alternate", "author", "canonical", "license", "next", "prev"}
_FAULTY_WITHOUT_ATTRIBUTES = {"img", "merror"}
_LISTS_OF_IDS = ("aria-controls", "aria-describedby", "aria-labelledby", "data-card")

# Material's scripts create these, or use them only when a feature is on.
_ANCHORS_MADE_BY_THE_THEME = {"", "__comments", "__consent"}


@dataclass
class Page:
    """What the checks need to know of one HTML file."""

    ids: Counter[str] = field(default_factory=Counter)
    links: list[tuple[int, str]] = field(default_factory=list)
    references: list[tuple[int, str, str]] = field(default_factory=list)
    problems: list[tuple[int, str]] = field(default_factory=list)


def check_site(root: Path, beside: tuple[str, ...] = ()) -> list[str]:
    """Every problem of the site below `root` as `file:line: what`, in the order of the files.

    beside: folders that will stand beside the site where it is published; links into them are not followed.
    """
    root = root.resolve()
    files = {path.relative_to(root).as_posix(): path for path in sorted(root.rglob("*")) if path.is_file()}
    texts = {name: path.read_text(encoding="utf-8") for name, path in files.items() if name.endswith(".html")}
    pages = dict(zip(texts, _read_all(list(texts.values())), strict=True))
    base = _base_path(texts.get("index.html", ""))

    problems: list[str] = []
    for name, path in files.items():
        if name in pages:
            page = pages[name]
            found = [*page.problems, *_size(path), *_ids(page), *_links(name, page, pages, files, base, beside)]
        elif name.endswith(".css"):
            found = list(_external_in_css(path.read_text(encoding="utf-8")))
        elif name.endswith(".json"):
            found = list(_json(path))
        else:
            continue
        problems += [f"{name}:{line}: {what}" if line else f"{name}: {what}" for line, what in sorted(found)]
    return problems


def _read_all(texts: list[str]) -> list[Page]:
    """Pages read on all cores; a small site is read faster by one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if cores == 1 or len(texts) < FEWEST_PAGES_FOR_SEVERAL_CORES or "fork" not in get_all_start_methods():
        return [read_page(text) for text in texts]
    with ProcessPoolExecutor(cores, mp_context=get_context("fork"), initializer=end_with_parent) as pool:
        return list(pool.map(read_page, texts, chunksize=8))


def read_page(text: str) -> Page:
    """Collects ids and links of a page, and the problems that can be seen without the other pages."""
    text = _COMMENT.sub(_same_lines, text)
    text = _SCRIPT_BODY.sub(lambda found: found[1] + "\n" * found[0].count("\n") + found[3], text)
    page = Page()
    lines = _LineNumbers(text)
    for found in _TAG.finditer(text):
        if found[2] or found[1] in _FAULTY_WITHOUT_ATTRIBUTES:
            _read_tag(page, found[1].lower(), _attributes(found[2]), lines.at(found.start()))
    if _SUSPICIOUS.search(text):
        page.problems += _raw_text(text)
    return page


def _read_tag(page: Page, tag: str, attributes: dict[str, str], line: int) -> None:
    if "id" in attributes:
        page.ids[attributes["id"]] += 1
    if tag == "a" and "name" in attributes and attributes["name"] != attributes.get("id"):
        page.ids[attributes["name"]] += 1

    loaded = _LOADED.get(tag, ())
    if tag == "link" and not _LINK_RELATIONS_NOT_LOADED & set(attributes.get("rel", "").split()):
        loaded = ("href",)
    for name, value in attributes.items():
        if name in loaded and _EXTERNAL.match(value):
            page.problems.append((line, f"<{tag} {name}> loads {value} from elsewhere"))
        elif name in {"href", "src", "xlink:href", "poster"} or name in loaded:
            page.links.append((line, value))
        elif name in _LISTS_OF_IDS:
            page.references += [(line, name, target) for target in value.split()]

    if tag == "img" and "alt" not in attributes:
        page.problems.append((line, f"<img src={attributes.get('src', '')}> has no alt text"))
    if tag == "svg" and attributes.get("role") == "img" and not {"aria-label", "aria-labelledby"} & set(attributes):
        page.problems.append((line, "<svg role=img> has no label"))
    if tag == "merror":
        page.problems.append((line, "a formula that could not be typeset"))


def _attributes(text: str) -> dict[str, str]:
    return {
        name.lower(): html.unescape(double or single or bare) for name, double, single, bare in _ATTRIBUTE.findall(text)
    }


def _raw_text(text: str) -> Iterator[tuple[int, str]]:
    prose = _ANY_TAG.sub(_same_lines, _NOT_PROSE.sub(_same_lines, text))
    lines = _LineNumbers(prose)
    for pattern, what in ((_RAW_TEX, "raw TeX"), (_TEMPLATE_MARK, "template mark")):
        for found in pattern.finditer(prose):
            around = " ".join(prose[max(0, found.start() - 20) : found.end() + 20].split())
            yield lines.at(found.start()), f"{what} left in the text: …{around}…"


def _size(path: Path) -> Iterator[tuple[int, str]]:
    size = path.stat().st_size
    if size > LARGEST_PAGE_BYTES:
        yield 0, f"{size} bytes, more than {LARGEST_PAGE_BYTES}: too heavy for a phone"


def _ids(page: Page) -> Iterator[tuple[int, str]]:
    for name, count in page.ids.items():
        if count > 1:
            yield 0, f"id `{name}` occurs {count} times"
    for line, attribute, target in page.references:
        if target not in page.ids:
            yield line, f"{attribute} names the id `{target}`, which does not exist"


def _links(
    name: str, page: Page, pages: dict[str, Page], files: dict[str, Path], base: str, beside: tuple[str, ...]
) -> Iterator[tuple[int, str]]:
    for line, link in page.links:
        if link.lower().startswith("javascript:"):
            if link != "javascript:void(0)":
                yield line, f"link {link} runs a script"
            continue
        try:
            parts = urlsplit(link)
        except ValueError:
            yield line, f"link {link} is not an address"
            continue
        if parts.scheme or parts.netloc or _leads_beside(name, unquote(parts.path), base, beside):
            continue
        target = _target(name, unquote(parts.path), files, base)
        if target is None:
            yield line, f"link {link} leads nowhere"
        elif target in pages:
            anchor = unquote(parts.fragment)
            if anchor not in _ANCHORS_MADE_BY_THE_THEME and anchor not in pages[target].ids:
                yield line, f"link {link}: there is no `#{anchor}` in {target}"


def _leads_beside(page: str, path: str, base: str, beside: tuple[str, ...]) -> bool:
    """Whether a path leaves the site for one of the folders beside it."""
    if path.startswith("/"):
        whole = posixpath.normpath(path)
        above = posixpath.dirname(base.rstrip("/"))
    else:
        whole = posixpath.normpath(posixpath.join("/public/site", posixpath.dirname(page), path))
        above = "/public"
    return any(whole.startswith(posixpath.join(above, one) + "/") for one in beside)


def _target(page: str, path: str, files: dict[str, Path], base: str) -> str | None:
    """The file a relative or absolute path leads to, seen from a page."""
    if not path:
        return page
    if path.startswith("/"):
        if not path.startswith(base):
            return None
        parts: list[str] = []
        path = path[len(base) :]
    else:
        parts = page.split("/")[:-1]
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    target = "/".join(parts)
    if target in files:
        return target
    index = f"{target}/index.html" if target else "index.html"
    return index if index in files else None


def _base_path(home: str) -> str:
    """The path the site is published under; 404.html is served at any depth and so has absolute links."""
    canonical = _CANONICAL.search(home)
    return urlsplit(canonical[1]).path.removesuffix("index.html") or "/" if canonical else "/"


def _external_in_css(text: str) -> Iterator[tuple[int, str]]:
    for found in _EXTERNAL_IN_CSS.finditer(text):
        yield text.count("\n", 0, found.start()) + 1, f"loads {found[1]} from elsewhere"


def _json(path: Path) -> Iterator[tuple[int, str]]:
    try:
        json.loads(path.read_bytes())
    except ValueError as error:
        yield getattr(error, "lineno", 0), f"not JSON: {error}"


def _same_lines(found: re.Match[str]) -> str:
    """A blank of as many lines as the match, so that line numbers stay true."""
    return " " + "\n" * found[0].count("\n")


class _LineNumbers:
    """Line numbers of rising positions in a text, counted once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._line = 1

    def at(self, position: int) -> int:
        if position < self._position:
            self._position, self._line = 0, 1
        self._line += self._text.count("\n", self._position, position)
        self._position = position
        return self._line


def main(arguments: list[str]) -> int:
    """`python -m generator.site_checks DIRECTORY`"""
    problems = check_site(Path(arguments[0]))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

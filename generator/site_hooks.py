"""What MkDocs itself must be told for a reproducible, accessible site that `mkdocs serve` keeps fresh.

No content comes from here: the same pages can be published by another tool without these hooks.
"""

from __future__ import annotations

import os
import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

LABELS = {
    "en": {"search": "Search", "path": "Breadcrumbs"},
    "ko": {"search": "검색", "path": "현재 위치"},
}

_SEEN = re.compile(r"\bseen:\s*['\"]?(\d{4}-\d{2}-\d{2})")
_SEARCH_DIALOG = 'data-md-component="search" role="dialog"'
_AS_IS = re.compile(r"<!--as-is-->(.*?)<!--/as-is-->", re.DOTALL)
_MARK = re.compile(r"<!--as-is (\d+)-->")
_NODE_NAME = re.compile(r"(\b(\w)=\2\+\w\+\w\.id)(\}return \2\})")
_PATH = re.compile(r'(<nav class="md-path" aria-label=)"[^"]*"')

# Python-Markdown keeps the class it loaded, so a second copy of this module would only confuse tracebacks.
_KEPT_ON_RELOAD = frozenset({"generator.markdown_math"})

_serving = False


def on_startup(command: str, **_: Any) -> None:
    global _serving
    _serving = command == "serve"


def on_config(config: Any) -> Any:
    """The date in the site map is the date of the newest datum, never the day of the build."""
    if not os.environ.get("SOURCE_DATE_EPOCH"):
        specs = Path(config.config_file_path).parent / "specs"
        os.environ["SOURCE_DATE_EPOCH"] = str(newest_datum_epoch(specs))
    return config


def on_pre_build(**_: Any) -> None:
    """gen-files runs in this process again and again; without this, `serve` goes on with the code it started with."""
    if _serving:
        forget_generator()


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Finished HTML goes around the Markdown parser and the search index: most of a page is derivations and charts."""
    page.as_is = []
    return set_aside(markdown, page.as_is)


def on_post_page(output: str, page: Any, config: Any, **_: Any) -> str:
    return put_back(label_landmarks(output, config.theme["language"]), getattr(page, "as_is", []))


def on_post_template(output_content: str, template_name: str, config: Any) -> str:
    """404.html is a template, not a page, and has the same search dialog."""
    if not template_name.endswith(".html"):
        return output_content
    return label_landmarks(output_content, config.theme["language"])


def on_post_build(config: Any) -> None:
    """Make the search worker tell apart nodes of its word graph that look alike once digits are strung together."""
    for worker in (Path(config["site_dir"]) / "assets/javascripts/workers").glob("search.*.min.js"):
        worker.write_text(separate_nodes(worker.read_text("utf-8")), "utf-8", newline="")


def separate_nodes(script: str) -> str:
    """Lunr names a node by its letters and numbers without a separator, so `1` + `23` and `12` + `3` are one node.

    With many numbers in the index such nodes are merged, and queries such as `8b` fail.
    """
    mended, places = _NODE_NAME.subn(r'\1+","\3', script)
    if places != 1:
        raise ValueError(f"the search worker names the nodes of its word graph in {places} places instead of one")
    return mended


def set_aside(markdown: str, kept: list[str]) -> str:
    """The text with a mark in place of each fenced block; the blocks are added to `kept`."""

    def mark(found: re.Match[str]) -> str:
        kept.append(found[1])
        return f"<!--as-is {len(kept) - 1}-->"

    return _AS_IS.sub(mark, markdown)


def put_back(output: str, kept: list[str]) -> str:
    """The page with each block where its mark stands."""
    return _MARK.sub(lambda found: kept[int(found[1])], output) if kept else output


def newest_datum_epoch(specs: Path) -> int:
    """Seconds since 1970 of the latest `seen:` date below `specs`; 0 when there is none.

    A regular expression instead of the YAML loader: this runs before anything is validated.
    """
    dates = (
        found[1] for file in sorted(specs.rglob("*.yaml")) for found in _SEEN.finditer(file.read_text(encoding="utf-8"))
    )
    newest = max(dates, default="1970-01-01")
    return int(datetime.fromisoformat(newest).replace(tzinfo=UTC).timestamp())


def forget_generator() -> None:
    """Makes the next import of the package read its files again."""
    for name in [name for name in sys.modules if name == "generator" or name.startswith("generator.")]:
        if name not in _KEPT_ON_RELOAD:
            del sys.modules[name]


def label_landmarks(page: str, language: str) -> str:
    """Names for a screen reader: Material gives its search dialog none, and its breadcrumbs that of the navigation."""
    labels = LABELS.get(language, LABELS["en"])
    page = page.replace(_SEARCH_DIALOG, f'{_SEARCH_DIALOG} aria-label="{labels["search"]}"')
    return _PATH.sub(rf'\1"{labels["path"]}"', page)

"""A small site as the theme builds it: enough for the zip and the book, without MkDocs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

PAGE = """<!doctype html>
<html lang="en"><head>
<link rel="canonical" href="https://handbook.example/{path}">
{following}<link rel="stylesheet" href="{up}assets/handbook.css">
</head><body data-md-color-scheme="default">
<article class="md-content__inner md-typeset">
<h1 id="top">{title}<a class="headerlink" href="#top">&para;</a></h1>
{body}
<details class="derivations" data-search-exclude><summary>How</summary><section id="d-{title}"><details>inner</details>
</section></details>
<footer class="page-foot">foot</footer>
</article>
<script id="__config" type="application/json">{{"base": "{up}.", "version": {version}}}</script>
<script src="{up}assets/javascripts/bundle.a5f9d56c.min.js"></script>
</body></html>
"""
PAGES = {
    "index.html": ("Home", "<p>welcome</p>", "chapters/index.html"),
    "chapters/index.html": ("Chapters", "<p>list</p>", "one.html"),
    "chapters/one.html": (
        "One",
        '<p id="here"><a class="num" href="#d-One">50</a> <a href="two.html#figure">there</a> <a href="#here">here</a> '
        '<a href="../examples/wx-001.html">WX-001</a> <a href="https://arxiv.org/abs/1?a=1&amp;b=2">paper</a> '
        '<a href="index.html">all</a></p>',
        "two.html",
    ),
    "chapters/two.html": (
        "Two",
        '<figure id="figure" data-chart="{}"><svg role="img" aria-labelledby="figure-title"><title id="figure-title">T'
        '</title><clipPath id="clip"></clipPath><g clip-path="url(#clip)"></g></svg><figcaption>caption '
        '<span class="files"><a href="../data/x.csv">CSV</a></span> · <a class="cite" href="#figure">cite</a>'
        "</figcaption></figure>",
        "../examples/index.html",
    ),
    "examples/index.html": ("Worked examples", "<p>list</p>", "../reference/index.html"),
    "examples/wx-001.html": ("WX-001", "<p>an example</p>", ""),
    "examples/wx-001-steps.html": ("Steps", "<p>steps</p>", ""),
    "reference/index.html": ("Reference", "<p>list</p>", "links.html"),
    "reference/links.html": ("Links", "<p>a table</p>", ""),
    "404.html": ("Not found", "<p>nothing</p>", ""),
}
INDEX = {
    "title": "The LLM Capacity Handbook",
    "release": "2026.11",
    "data_as_of": "2026-11-29",
    "licence": {"text_and_data": "CC-BY-4.0", "code": "MIT"},
}


def lay_site(folder: Path, version: object = None) -> Path:
    """Write the site into a new folder."""
    for path, (title, body, following) in PAGES.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        text = PAGE.format(
            path=path, title=title, body=body, up="../" * path.count("/"), version=json.dumps(version),
            following=f'<link rel="next" href="{following}">\n' if following else "",
        )  # fmt: skip
        place.write_text(text, encoding="utf-8")
    files = {
        "api/v1/index.json": json.dumps(INDEX),
        "api/v1/results.json": '{"results": [], "steps": {}}',
        "api/v1/citations.json": '{"items": [{"kind": "handbook", "one_line": "Contributors (2026). Handbook."}]}',
        "search/search_index.json": '{"docs": [{"text": "line \\u2028 end"}]}',
        "assets/iframe-worker.js": "// frame",
        "assets/handbook.css": "p { color: red }",
        "sitemap.xml": "<urlset/>",
        "downloads/handbook.pdf": "an earlier one",
    }
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content, encoding="utf-8")
    return folder


@pytest.fixture
def small_site(tmp_path: Path) -> Path:
    return lay_site(tmp_path / "site")

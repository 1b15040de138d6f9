"""Each fault that a finished site can have is found, and a sound site has none."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.site_checks import LARGEST_PAGE_BYTES, check_site

SOUND = """<!doctype html><html><head><link rel="canonical" href="https://example.org/handbook/">
<link rel="stylesheet" href="a.css"><style>p::after { content: "{{"; }</style></head><body>
<p id="top">50 &lt; 60 <code>\\frac{{x}}</code> <a href="#top" aria-describedby="top">up</a>
<a href="part/#one">one</a> <a href="https://example.com/">source</a>
<svg role="img" aria-label="chart"><title>\u2013</title></svg></p>
<script>if (a < b) { x = "{% raw %} \\\\(" }</script></body></html>"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "part").mkdir()
    (tmp_path / "index.html").write_text(SOUND, encoding="utf-8")
    (tmp_path / "part" / "index.html").write_text('<h2 id="one">One</h2><a href="..">home</a>', encoding="utf-8")
    (tmp_path / "404.html").write_text('<a href="/handbook/part/">one</a>', encoding="utf-8")
    (tmp_path / "a.css").write_text("p { background: url(a.css) }", encoding="utf-8")
    (tmp_path / "x.json").write_text("{}", encoding="utf-8")
    return tmp_path


def test_a_sound_site_has_no_problem(site: Path) -> None:
    assert check_site(site) == []


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ('<a href="gone/">x</a>', "leads nowhere"),
        ('<a href="../../x">x</a>', "leads nowhere"),
        ('<a href="/part/">x</a>', "leads nowhere"),
        ('<a href="../#nope">x</a>', "there is no `#nope` in index.html"),
        ('<a href="../x.json" href="../gone.csv">x</a>', "leads nowhere"),
        ('<p id="a"></p><p id="a"></p>', "id `a` occurs 2 times"),
        ('<a data-card="d-gone" href="#">x</a>', "names the id `d-gone`"),
        ('<script src="https://cdn.example/x.js"></script>', "loads https://cdn.example/x.js"),
        ('<link rel="stylesheet" href="//cdn.example/x.css">', "loads //cdn.example/x.css"),
        ('<img src="../a.css">', "has no alt text"),
        ('<svg role="img"></svg>', "has no label"),
        ("<p>the ratio \\(x\\)</p>", "raw TeX"),
        ("<p>$$ x $$</p>", "raw TeX"),
        ("<p>\\frac{1}{2}</p>", "raw TeX"),
        ("<p>{{ value }}</p>", "template mark"),
        ("<p>{% if x %}</p>", "template mark"),
        ("<math><merror><mtext>x</mtext></merror></math>", "could not be typeset"),
        ("x" * (LARGEST_PAGE_BYTES + 1), "too heavy"),
    ],
)
def test_a_fault_is_found(site: Path, body: str, problem: str) -> None:
    (site / "part" / "index.html").write_text(f'<h2 id="one">One</h2>\n{body}\n', encoding="utf-8")
    problems = check_site(site)
    assert problems
    assert all(line.startswith("part/index.html:") for line in problems)
    assert problem in "\n".join(problems)


def test_the_line_of_a_fault_is_given(site: Path) -> None:
    page = '<h2 id="one">One</h2>\n<!-- a\ncomment -->\n<script>\nx\n</script>\n<a href="gone">x</a>'
    (site / "part" / "index.html").write_text(page, encoding="utf-8")
    assert check_site(site) == ["part/index.html:7: link gone leads nowhere"]


def test_a_style_sheet_must_not_load_from_elsewhere(site: Path) -> None:
    (site / "a.css").write_text('p { color: red }\n@import "https://fonts.example/x.css";', encoding="utf-8")
    assert check_site(site) == ["a.css:2: loads https://fonts.example/x.css from elsewhere"]


def test_json_must_parse(site: Path) -> None:
    (site / "x.json").write_text("{]", encoding="utf-8")
    [problem] = check_site(site)
    assert problem.startswith("x.json:1: not JSON")

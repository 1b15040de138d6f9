"""A real browser on a built site: a local server, Chromium, axe, and a record of every request.

The site under test is the directory named by HANDBOOK_SITE, else `site/` of the project.  Without a site, Chromium or
the `browser` extra the tests are skipped and say what is missing.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

PROJECT_ROOT = Path(__file__).resolve().parents[2]
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# Chromium's own traffic must not be taken for a page's.
CHROMIUM_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def built_site() -> Path:
    """The site to test, or a skip that says how to get one."""
    site = Path(os.environ.get("HANDBOOK_SITE") or PROJECT_ROOT / "site")
    if not (site / "index.html").is_file():
        pytest.skip(f"no built site in {site.name}/: run `handbook build`, or set HANDBOOK_SITE to its directory")
    return site


def one_page_of_each_kind(site: Path) -> list[str]:
    """Addresses of the home page, of the overview and the first page of every folder, and of the page for a 404."""
    pages = {"": "index.html"}
    for file in sorted(site.rglob("index.html")):
        folders = file.relative_to(site).parts[:-1]
        if folders:
            kind = "/".join(folders[:-1]) or f"{folders[0]}/ itself"
            pages.setdefault(kind, "/".join(folders) + "/")
    return [*pages.values(), "404.html"]


@contextmanager
def served(site: Path, prefix: str = "/handbook") -> Iterator[str]:
    """Serves a directory on a free local port under a path prefix, as a project site is; yields its address."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def translate_path(self, path: str) -> str:
            return super().translate_path(path.removeprefix(prefix))

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}{prefix}/"
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def chromium() -> Iterator[Any]:
    """Playwright's handle of a headless Chromium that the system provides."""
    api = pytest.importorskip("playwright.sync_api", reason="needs the `browser` extra")
    executable = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    if executable is None:
        pytest.skip("no Chromium found: install it, or set CHROMIUM to its path")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=list(CHROMIUM_ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()


def axe_source() -> str:
    """The axe-core script that the `browser` extra brings."""
    pytest.importorskip("axe_playwright_python", reason="needs the `browser` extra")
    return files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def axe_violations(page: Any) -> list[str]:
    """What axe finds wrong with the page as it stands, one line for each element."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe_source())
    result = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{violation['id']}: {node['target']}: {' '.join(node['failureSummary'].split())}"
        for violation in result["violations"]
        for node in violation["nodes"]
    ]

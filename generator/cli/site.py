"""build, serve, check, render."""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from generator import pages, published
from generator.pages.chapters import ChapterFault
from generator.publish import build_site, publish
from generator.releases import LATEST
from generator.site_hooks import newest_datum_epoch

__all__ = ["ChapterFault", "add_commands"]


def add_commands(commands: Any) -> None:
    """Add the commands that make the site."""
    build = commands.add_parser("build", help="build the whole site, check it, publish it in one step")
    build.add_argument("--out", type=Path, metavar="DIR", help="where to publish (default: site/ of the project)")
    build.set_defaults(run=run_build)
    serve = commands.add_parser("serve", help="show the site in a browser and rebuild it when a file changes")
    serve.add_argument("--port", type=int, default=8000)
    serve.set_defaults(run=run_serve)
    check = commands.add_parser(
        "check", help="specs, examples, pages, links: every fault listed, exit 1 if there is one"
    )
    check.set_defaults(run=run_check)
    render = commands.add_parser("render", help="write the pages as Markdown, without MkDocs")
    render.add_argument("--out", type=Path, required=True, metavar="DIR")
    render.set_defaults(run=run_render)


def _config(root: Path, **settings: Any) -> Any:
    from mkdocs.config import load_config

    os.environ.setdefault("SOURCE_DATE_EPOCH", str(newest_datum_epoch(root / "specs")))
    return load_config(str(root / "mkdocs.yml"), **settings)


def build_with(root: Path, release: str = "") -> Callable[[Path], None]:
    """What fills a directory with the built site; that of a release knows the releases beside it."""

    def run(directory: Path) -> None:
        from mkdocs.commands.build import build

        config = _config(root, site_dir=str(directory))
        if release:
            config.extra |= {"release": release, "version": {"provider": "mike", "default": LATEST}}
            config.extra_javascript.append("assets/versions.js")
            config.site_url = f"{config.site_url.rstrip('/')}/{release}/"
        config.plugins.on_startup(command="build", dirty=False)
        build(config)

    return run


def _progress(message: str) -> None:
    if sys.stderr.isatty():
        print(message, file=sys.stderr)


def run_build(given: argparse.Namespace, root: Path) -> int:
    """Build, check, publish. What was published before stays until the new site is whole."""
    started = time.monotonic()
    # One build a process: looking for garbage among objects that all stay in use costs a tenth of the time.
    gc.disable()
    written = pages.site(root)
    if written.moved:
        print("\n".join(filter(None, (*written.moved, published.advice(written.moved)))), file=sys.stderr)
        return 1
    destination = given.out or root / "site"
    _progress("specs and examples are sound; building the pages")
    build_site(root, destination, build_with(root))
    print(f"published {destination} in {time.monotonic() - started:.1f} s")
    return 0


def run_check(given: argparse.Namespace, root: Path) -> int:
    """All checks of a build, without publishing."""
    import tempfile

    found = pages.site(root).moved
    with tempfile.TemporaryDirectory() as folder:
        build_site(root, Path(folder) / "site", build_with(root))
    if found:
        print("\n".join(filter(None, (*found, published.advice(found)))), file=sys.stderr)
        return 1
    print("specs, examples, pages and links are sound")
    return 0


def run_serve(given: argparse.Namespace, root: Path) -> int:
    """MkDocs's own server with reload."""
    from mkdocs.commands.serve import serve

    os.environ.setdefault("SOURCE_DATE_EPOCH", str(newest_datum_epoch(root / "specs")))
    with contextlib.suppress(KeyboardInterrupt):
        serve(str(root / "mkdocs.yml"), dev_addr=f"127.0.0.1:{given.port}")
    return 0


def run_render(given: argparse.Namespace, root: Path) -> int:
    """The pages as files: Markdown, JSON and CSV."""
    files = pages.render(root)

    def fill(directory: Path) -> None:
        for path, content in files.items():
            place = directory / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)

    publish(fill, given.out)
    print(f"wrote {len(files)} files to {given.out}")
    return 0

"""release VERSION: lay a version of the site beside the earlier ones, and record what it moved and published."""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from generator import __version__, addresses, exports, moved, pages, published, releases
from generator.cli.differences import PUBLIC
from generator.cli.site import build_with
from generator.differences import Difference, as_text, difference
from generator.examples import work_all
from generator.ledger import RESULTS, Ledger
from generator.publish import SiteFault, build_site, write_file
from generator.specs.load import load

DOWNLOADS = "downloads"
"""Folder of a release with the whole of it as a database, an offline copy and, where Chromium is installed, a book."""


def add_commands(commands: Any) -> None:
    """Add the command."""
    release = commands.add_parser("release", help="lay a version of the site beside the earlier ones, for ever")
    release.add_argument("version", metavar="VERSION", help=releases.RULE)
    release.add_argument("--public", type=Path, metavar="DIR", help=f"folder of the releases (default: {PUBLIC}/)")
    release.add_argument("--dry-run", action="store_true", help="say what moved since the last one; write nothing")
    release.add_argument(
        "--most", type=int, default=20, metavar="N", help="lines for each cause, 0 for all (default: 20)"
    )
    release.set_defaults(run=run_release)


def run_release(given: argparse.Namespace, root: Path) -> int:
    """Compare with the last release, record, build, check, lay it in its place."""
    public = (given.public or root / PUBLIC).resolve()
    version = given.version
    _refuse_elsewhere(public, root)
    if given.dry_run:
        releases.refuse(version, public)
        _, found = _compared(root, public, version)
        print(_said(found, releases.released(public), given.most))
        return 0
    with releases.held(public):
        finished = [*releases.settle(public), *_record_ids(root, public)]
        if finished and version in releases.released(public):
            print("\n".join([f"{version} is in its place; an earlier run had not finished:", *finished]))
            return 0
        releases.refuse(version, public)
        _release(version, public, root, given.most)
    return 0


def _release(version: str, public: Path, root: Path, most: int) -> None:
    started = time.monotonic()
    gc.disable()
    earlier = releases.released(public)
    document, found = _compared(root, public, version)
    library = load(root)
    record = published.with_new(published.read(root), work_all(library).values())
    folder = root / moved.FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    # A run that was killed may have left what a version that never came would have moved.
    never_came = [path for path in folder.glob("*.json") if releases.is_version(path.stem) and path.stem not in earlier]
    files: dict[Path, bytes | None] = {path: None for path in never_came if _is_later(path.stem, earlier)}
    files[root / published.EXAMPLES] = published.text_of(record).encode()
    files[folder / f"{version}.json"] = moved.text_of(document).encode()
    with _replaced(files, unless=lambda: version in releases.released(public)):
        beside = (releases.LATEST,)
        run_mkdocs = build_with(root, version)

        def build(directory: Path) -> None:
            run_mkdocs(directory)
            exports.write_all(directory, directory / DOWNLOADS)

        build_site(root, public / version, build, beside=beside, replace=False)
    releases.settle(public)
    _record_ids(root, public)
    print(_said(found, earlier, most))
    print(f"released {public / version} in {time.monotonic() - started:.1f} s; commit specs/published/")
    if version != __version__:
        print(f"generator/__init__.py says {__version__}: set it to {version}, so that plain builds say so too")


def _refuse_elsewhere(public: Path, root: Path) -> None:
    """The folder must hold the last release, else what it moved is not known and an old version could come twice."""
    if root.is_relative_to(public):
        raise SiteFault([f"{public}: contains the project itself; choose a folder for releases alone"])
    last = addresses.read(root).get("release")
    if last is not None and last not in releases.released(public):
        raise SiteFault(
            [f"{last} was released last ({addresses.IDS}) and is not in {public}; --public must name its folder"]
        )


def _compared(root: Path, public: Path, version: str) -> tuple[moved.Document, Difference | None]:
    """What moved since the last release. Raises SiteFault while a fixed value or a published id is not what it was."""
    opened = pages.open_book(root, release=version)
    opened.draws = False
    written = pages.write_book(opened)
    if written.moved:
        raise SiteFault(list(written.moved))
    earlier = releases.released(public)
    if not earlier:
        return moved.document(version, None, None), None
    before = Ledger.read((public / earlier[0] / RESULTS).read_bytes())
    found = difference(before, Ledger.read(written.files[RESULTS]))
    return moved.document(version, earlier[0], found), found


def _said(found: Difference | None, earlier: tuple[str, ...], most: int) -> str:
    if found is None:
        return "the first release: nothing to compare with"
    return f"since {earlier[0]}: {as_text(found, most)}"


def _record_ids(root: Path, public: Path) -> list[str]:
    """Record ids and pages of the newest release, unless that is done; what was put right, in words."""
    known = releases.released(public)
    record = addresses.read(root)
    if not known or record.get("release") == known[0]:
        return []
    path = root / addresses.IDS
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, addresses.text_of(addresses.with_release(record, known[0], public / known[0])).encode())
    return [f"{addresses.IDS} has what {known[0]} published"]


def _is_later(version: str, earlier: tuple[str, ...]) -> bool:
    return not earlier or releases.order(version) > releases.order(earlier[0])


@contextmanager
def _replaced(files: dict[Path, bytes | None], unless: Callable[[], bool]) -> Iterator[None]:
    """Files written, or removed where there is no content; as they were again when what follows fails, unless it had
    done its work by then."""
    before = {path: path.read_bytes() if path.exists() else None for path in files}

    def put(contents: dict[Path, bytes | None]) -> None:
        for path, content in contents.items():
            if content is None:
                path.unlink(missing_ok=True)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                write_file(path, content)

    try:
        put(files)
        yield
    except BaseException:
        if not unless():
            put(before)
        raise

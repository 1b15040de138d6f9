"""export: the numbers, the site and the book as one file each."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from generator import pages
from generator.cli.site import build_with
from generator.exports import chromium, database, offline, printed
from generator.exports.published import ExportFault, Published, rendered, site_of
from generator.pages.downloads import DATABASE, OFFLINE, PRINTED, RESULTS_CSV
from generator.publish import build_site, write_file

KINDS: dict[str, tuple[str, str]] = {
    "sqlite": (DATABASE, "results, data, sources and what rests on what, as one SQLite file"),
    "csv": ("results.csv", "all results, one a line"),
    "offline": (OFFLINE, "the site as a zip that works without a server, with search"),
    "pdf": (PRINTED, "chapters and reference as a book; needs Chromium"),
}
"""Kind -> file it is written to unless another one is given, and what it is."""


def add_commands(commands: Any) -> None:
    """Add the command."""
    command = commands.add_parser("export", help="all numbers, the site or the book as one file")
    kinds = command.add_subparsers(dest="kind", required=True, metavar="KIND")
    for kind, (name, what) in KINDS.items():
        one = kinds.add_parser(kind, help=what)
        one.add_argument("--out", type=Path, metavar="FILE", default=Path(name), help=f"default: {name}")
        one.add_argument("--site", type=Path, metavar="DIR", help="a built site (default: made from the specs)")
        if kind == "pdf":
            one.add_argument("--all", action="store_true", help="worked examples, accelerators, systems, models too")
    command.set_defaults(run=run)


def run(given: argparse.Namespace, root: Path) -> int:
    """Write one file, whole or not at all."""
    _refuse(given)
    write_file(given.out, _MAKE[given.kind](given, root))
    print(f"wrote {given.out} ({given.out.stat().st_size / 1e6:.1f} MB)")
    return 0


def _refuse(given: argparse.Namespace) -> None:
    """Everything that is wrong with the arguments, before any work."""
    faults = []
    if given.out.is_dir():
        faults.append(f"--out {given.out}: is a folder; give the name of a file")
    elif not given.out.absolute().parent.is_dir():
        faults.append(f"--out {given.out}: there is no folder {given.out.parent}")
    if given.site is not None:
        try:
            site_of(given.site)
        except ExportFault as fault:
            faults.append(f"--site {fault}")
    if given.kind == "pdf" and chromium.found() is None:
        faults.append(chromium.MISSING)
    if faults:
        raise ExportFault("\n".join(faults))


def _published(given: argparse.Namespace, root: Path) -> Published:
    return site_of(given.site) if given.site is not None else rendered(_sound(root).files)


def _sound(root: Path) -> pages.Site:
    """The pages made from the specs. Raises ExportFault if a worked example is not what it was published with."""
    made = pages.site(root)
    if made.moved:
        raise ExportFault("\n".join(made.moved))
    return made


@contextmanager
def _site(given: argparse.Namespace, root: Path) -> Iterator[Path]:
    """The built site that was named, or one built and checked for the purpose."""
    if given.site is not None:
        yield given.site
        return
    _sound(root)
    with tempfile.TemporaryDirectory(prefix="handbook-") as folder:
        site = Path(folder) / "site"
        build_site(root, site, build_with(root))
        yield site


def _sqlite(given: argparse.Namespace, root: Path) -> bytes:
    return database.as_sqlite(_published(given, root))


def _csv(given: argparse.Namespace, root: Path) -> bytes:
    return _published(given, root).file(RESULTS_CSV)


def _offline(given: argparse.Namespace, root: Path) -> bytes:
    with _site(given, root) as site:
        return offline.archive(site)


def _pdf(given: argparse.Namespace, root: Path) -> bytes:
    with _site(given, root) as site:
        return printed.book(site, everything=given.all)


_MAKE: dict[str, Callable[[argparse.Namespace, Path], bytes]] = {
    "sqlite": _sqlite,
    "csv": _csv,
    "offline": _offline,
    "pdf": _pdf,
}

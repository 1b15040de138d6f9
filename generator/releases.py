"""Releases beside each other: `2026.11/`, `2026.12/`, `latest/`, `versions.json` and the page that leads to the newest.

A release is built in a hidden directory and put in its place by one rename; what follows (the list of versions, the
copy `latest/`, the front page) is made from it, each in one step, by `settle`. What a killed run did not come to, the
next one does. A release that is in its place is never written to.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from generator.ledger import RESULTS
from generator.publish import SiteFault, clean_up_after_killed_builds, locked, publish, write_file

LATEST = "latest"
VERSIONS = "versions.json"
FRONT = "index.html"
RULE = "YYYY.MM, or YYYY.MM.N for a correction of it, such as 2026.11 or 2026.11.1"

_VERSION = re.compile(r"(\d{4})\.(0[1-9]|1[0-2])(?:\.([1-9]\d*))?")
_MARKS_OF_A_SITE = (RESULTS, "404.html", "sitemap.xml")
_FRONT_PAGE = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>LLM Capacity Handbook</title>
<meta http-equiv="refresh" content="0; url={LATEST}/index.html">
<link rel="canonical" href="{LATEST}/index.html">
</head>
<body><p><a href="{LATEST}/index.html">The newest release of the LLM Capacity Handbook</a></p></body>
</html>
"""


def is_version(text: str) -> bool:
    """Whether a text is the name of a release."""
    return _VERSION.fullmatch(text) is not None


def order(version: str) -> tuple[int, int, int]:
    """What releases are sorted by: 2026.11 before 2026.11.1 before 2026.12."""
    found = _VERSION.fullmatch(version)
    if found is None:
        raise SiteFault([f"`{version}` is no version; valid: {RULE}"])
    return int(found[1]), int(found[2]), int(found[3] or 0)


def released(public: Path) -> tuple[str, ...]:
    """Releases below a folder, newest first."""
    if not public.is_dir():
        return ()
    names = [one.name for one in public.iterdir() if is_version(one.name) and _is_whole(one)]
    return tuple(sorted(names, key=order, reverse=True))


def refuse(version: str, public: Path) -> None:
    """Raise SiteFault, with every reason, if this version must not be laid into this folder."""
    problems = []
    if not is_version(version):
        problems.append(f"`{version}` is no version; valid: {RULE}")
    if public.exists() and not public.is_dir():
        raise SiteFault([*problems, f"{public}: is a file, not a folder for releases"])
    known = released(public)
    if version in known:
        problems.append(f"{version} is published in {public} and is never written again; choose a later version")
    elif problems == [] and known and order(version) < order(known[0]):
        problems.append(f"{version} is older than {known[0]}, the newest release in {public}; choose a later version")
    problems += _foreign(public)
    if problems:
        raise SiteFault(problems)


def lay(version: str, public: Path, build: Callable[[Path], None]) -> list[str]:
    """Publish a release that `build` fills a directory with, and settle what belongs beside it.

    Raises SiteFault for a version that is there already, or older than the newest; nothing is changed then.
    """
    refuse(version, public)
    publish(build, public / version, replace=False)
    return settle(public)


def settle(public: Path) -> list[str]:
    """Make what belongs beside the releases what it should be; returns what was put right, in words.

    In this order: leftovers of killed runs go, then the list of versions, the copy of the newest, the front page. Each
    appears whole or not at all, and a second call finds nothing to do.
    """
    done = []
    _sweep(public)
    known = released(public)
    if not known:
        return done
    if _read(public / VERSIONS) != (wanted := _versions(known)):
        write_file(public / VERSIONS, wanted)
        done.append(f"{VERSIONS} lists {', '.join(known)}")
    if _release_of(public / LATEST) != known[0]:
        publish(lambda fresh: _copy(public / known[0], fresh), public / LATEST)
        done.append(f"{LATEST}/ is a copy of {known[0]}/")
    if _read(public / FRONT) != (front := _FRONT_PAGE.encode()):
        write_file(public / FRONT, front)
        done.append(f"{FRONT} leads to {LATEST}/")
    return done


@contextmanager
def held(public: Path) -> Iterator[None]:
    """Nobody else lays a release into the folder meanwhile. Raises SiteFault if somebody does."""
    public.mkdir(parents=True, exist_ok=True)
    try:
        with locked(public):
            yield
    except BlockingIOError:
        raise SiteFault([f"{public}: another release is being made there; wait until it is done"]) from None


def _is_whole(folder: Path) -> bool:
    return all((folder / mark).is_file() for mark in _MARKS_OF_A_SITE)


def _foreign(public: Path) -> Iterator[str]:
    """What lies where something of a release belongs, and is nothing of a release."""
    if not public.is_dir():
        return
    for one in sorted(public.iterdir()):
        if is_version(one.name) and not _is_whole(one):
            yield f"{one}: has the name of a release and is none; move it away"
    if _read(public / FRONT) not in (None, _FRONT_PAGE.encode()):
        yield f"{public / FRONT}: is another page; choose a folder for releases alone"
    latest = public / LATEST
    if latest.exists() and not (latest.is_dir() and not latest.is_symlink() and _is_whole(latest)):
        yield f"{latest}: is not a copy of a release; move it away"


def _sweep(public: Path) -> None:
    """Remove what killed runs left: hidden directories of half-built releases, halves of small files."""
    for leftover in sorted(public.glob(".*.new-*")):
        name = leftover.name[1:].rpartition(".new-")[0]
        if is_version(name) or name == LATEST:
            clean_up_after_killed_builds(public / name)
    for name in (VERSIONS, FRONT):
        for leftover in public.glob(f".{name}.*"):
            leftover.unlink()


def _versions(known: tuple[str, ...]) -> bytes:
    """The list that the version switch of the theme reads."""
    entries: list[dict[str, Any]] = [
        {"version": one, "title": one, "aliases": [LATEST] if one == known[0] else []} for one in known
    ]
    return ("[\n " + ",\n ".join(map(json.dumps, entries)) + "\n]\n").encode()


def _release_of(folder: Path) -> str | None:
    """Release that the site in a folder says it is."""
    index = _read(folder / "api/v1/index.json")
    return None if index is None else json.loads(index).get("release")


def _copy(release: Path, fresh: Path) -> None:
    shutil.copytree(release, fresh, dirs_exist_ok=True)


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None

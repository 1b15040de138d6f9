"""diff and impact: what moved between two builds, and what an edit of a spec would move."""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from generator import pages
from generator.differences import Difference, as_json, as_text, difference
from generator.ledger import RESULTS, Ledger, file_of, paths_within
from generator.overlay import overlay, replace_value
from generator.specs.library import UnknownId
from generator.specs.validate import suggestion

PUBLIC = "public"
"""Folder of the releases below the project, unless another one is given."""


def add_commands(commands: Any) -> None:
    """Add both commands."""
    diff = commands.add_parser(
        "diff",
        help="results that moved between two builds; exit 1 if any did",
        description="Every result that changed, appeared or went, by cause, largest first. Exit 1 if any did.",
        epilog="for instance: handbook diff 2026.11 . (a release, this project), handbook diff HEAD~1 HEAD",
    )
    for name in ("old", "new"):
        diff.add_argument(name, help="a built or rendered site, a project, a release, or a git revision")
    diff.set_defaults(run=run_diff)
    impact = commands.add_parser(
        "impact",
        help="results that an edit of a spec moves, or that rest on it",
        description="What rests on a spec file or a datum; with --set or --against what an edit moves. Writes nothing.",
        epilog='for instance: handbook impact accelerators/h200 --set "memory.bandwidth=5 TB/s"',
    )
    impact.add_argument(
        "what", help="specs/accelerators/h200.yaml, accelerators/h200, or accelerators/h200#memory.bandwidth"
    )
    impact.add_argument(
        "--set", action="append", default=[], metavar="FIELD=VALUE", dest="edits",
        help='an edit that is not made yet: --set "memory.bandwidth=5 TB/s"',
    )  # fmt: skip
    impact.add_argument("--against", metavar="REVISION", help="the file as it is now, against this git revision of it")
    impact.set_defaults(run=run_impact)
    for one in (diff, impact):
        one.add_argument("--json", action="store_true", help="one JSON object")
        one.add_argument(
            "--most", type=int, default=20, metavar="N", help="lines for each cause, 0 for all (default: 20)"
        )
    diff.add_argument("--public", type=Path, metavar="DIR", help=f"folder of the releases (default: {PUBLIC}/)")


def run_diff(given: argparse.Namespace, root: Path) -> int:
    """Compare two builds; exit code 1 says that something moved."""
    public = given.public or root / PUBLIC
    found = difference(ledger_of(given.old, root, public), ledger_of(given.new, root, public))
    _say(found, given)
    return 1 if found.moves else 0


def run_impact(given: argparse.Namespace, root: Path) -> int:
    """What an edit moves; without an edit, everything that rests on the file."""
    place, _, field = given.what.partition("#")
    name = f"specs/{place.removeprefix('specs/').removesuffix('.yaml')}.yaml"
    path = root / name
    if not path.is_file():
        near = suggestion(path.stem, [one.stem for one in path.parent.glob("*.yaml")])
        things = [one.relative_to(root / "specs") for one in sorted((root / "specs").rglob(f"{path.stem}.yaml"))]
        named = " or ".join(f"`{one.with_suffix('').as_posix()}`" for one in things)
        raise UnknownId(f"no spec file `{name}`{f'; did you mean {named}?' if named else near}")
    text = path.read_text(encoding="utf-8")
    if given.edits:
        changed = text
        for edit in given.edits:
            named, equals, value = edit.partition("=")
            if not equals:
                raise UnknownId(f"--set wants FIELD=VALUE, got `{edit}`")
            changed = replace_value(changed, name, named.strip(), value.strip())
        _say(moved_by(root, {name: changed}), given)
        return 0
    if given.against:
        before = _git(root, "show", f"{given.against}:./{name}").decode()
        _say(difference(rendered(root, {name: before}), rendered(root)), given)
        return 0
    ledger = rendered(root)
    paths = list(paths_within(ledger, given.what))
    if field and not paths:
        known = [one for one in ledger.dependents if file_of(one) == name]
        raise UnknownId(f"no result rests on `{given.what}`; data of this file with results: {', '.join(known)}")
    print(_dependents_json(ledger, paths) if given.json else _dependents_text(ledger, paths, name, given.most))
    return 0


def moved_by(root: Path, replaced: dict[str, str]) -> Difference:
    """What moves when these texts take the place of spec files of a project."""
    return difference(rendered(root), rendered(root, replaced))


def rendered(root: Path, replaced: dict[str, str] | None = None) -> Ledger:
    """The ledger of a project as it is, or with some files replaced; nothing is written."""
    if not replaced:
        return Ledger.read(pages.ledger(root))
    with overlay(root, replaced) as copy:
        return Ledger.read(pages.ledger(copy))


def ledger_of(name: str, root: Path, public: Path) -> Ledger:
    """The results of a site, a project, a release or a git revision. Raises UnknownId if it is none of them."""
    for folder in (Path(name), public / name):
        if (folder / RESULTS).is_file():
            return Ledger.read((folder / RESULTS).read_bytes())
    if (Path(name) / "mkdocs.yml").is_file() and (Path(name) / "specs").is_dir():
        return rendered(Path(name).resolve())
    try:
        with _checked_out(root, name) as folder:
            return Ledger.read((folder / RESULTS).read_bytes())
    except (subprocess.CalledProcessError, tarfile.TarError) as error:
        said = (getattr(error, "stderr", None) or str(error).encode()).decode().strip().splitlines()
        releases = ", ".join(sorted(one.name for one in public.glob("*/") if (one / RESULTS).is_file())) or "none"
        raise UnknownId(
            f"`{name}` is no site, no project, no release ({releases}) and no git revision that renders"
            + (f": {said[-1]}" if said else "")
        ) from None


@contextmanager
def _checked_out(root: Path, revision: str) -> Iterator[Path]:
    """The pages of a git revision, rendered by the code of that revision."""
    archive = _git(root, "archive", "--format=tar", revision)
    with tempfile.TemporaryDirectory(prefix="handbook-") as folder:
        project, out = Path(folder) / "project", Path(folder) / "out"
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            tar.extractall(project, filter="data")
        if (root / ".cache").is_dir():
            # Named by content, so what this revision needs and has been made already need not be made again.
            (project / ".cache").symlink_to((root / ".cache").resolve())
        subprocess.run(
            [sys.executable, "-m", "generator", "render", "--out", str(out)],
            cwd=project, env={**os.environ, "PYTHONPATH": str(project)}, check=True, capture_output=True,
        )  # fmt: skip
        yield out


def _git(root: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True).stdout


def _say(found: Difference, given: argparse.Namespace) -> None:
    print(json.dumps(as_json(found), indent=1, ensure_ascii=False) if given.json else as_text(found, given.most))


def _dependents_json(ledger: Ledger, paths: list[str]) -> str:
    data = {path: list(ledger.dependents[path]) for path in paths}
    results = sorted({one for ids in data.values() for one in ids})
    return json.dumps({"data": data, "results": results}, indent=1)


def _dependents_text(ledger: Ledger, paths: list[str], name: str, most: int) -> str:
    if not paths:
        return f"no published result rests on {name}"
    results = {one for path in paths for one in ledger.dependents[path]}
    lines = [f"{len(results)} results rest on {name}; give an edit with --set to see which of them it moves"]
    for path in paths:
        ids = ledger.dependents[path]
        lines.append(f"{path}: {len(ids)} result{'s' if len(ids) > 1 else ''}")
        shown = ids[:most] if most else ids
        lines += [f"  {one}: {ledger.entries[one].title}" for one in shown]
        if len(shown) < len(ids):
            lines.append(f"  and {len(ids) - len(shown)} more")
    return "\n".join(lines)

"""How long a rebuild after one spec edit takes, against MkDocs alone on the same pages already written.

Prints both times and their ratio from one run on a copy of the project:

    python benchmarks/rebuild.py
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
EDITED = "specs/accelerators/mi325x.yaml"
"""A spec that tables, charts and pages show and no worked example has fixed."""
QUIET = {"NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"}


def timed(command: list[str], folder: Path) -> float:
    """Seconds of a command, start-up of the interpreter included."""
    started = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, env=os.environ | QUIET, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def written_pages(project: Path, folder: Path) -> None:
    """The same pages as plain files, with a configuration that needs no generator."""
    from generator.pages import open_book, write_book

    site = write_book(open_book(project))
    shutil.copytree(project / "docs" / "assets", folder / "docs" / "assets")
    for path, content in site.files.items():
        place = folder / "docs" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    text = (project / "mkdocs.yml").read_text(encoding="utf-8")
    settings = yaml.load(text.replace("!ENV", ""), Loader=yaml.SafeLoader)
    settings["site_url"] = "https://example.org/"
    settings["plugins"].pop("gen-files")
    settings["nav"] = site.nav
    for key in ("hooks", "watch"):
        settings.pop(key, None)
    (folder / "mkdocs.yml").write_text(yaml.safe_dump(settings, sort_keys=False, allow_unicode=True), encoding="utf-8")


def edit(project: Path) -> None:
    """One number of one spec, by a per mille: pages and charts that show it must be made again."""
    path = project / EDITED
    text = path.read_text(encoding="utf-8")
    assert "bandwidth: 6 TB/s" in text
    path.write_text(text.replace("bandwidth: 6 TB/s", "bandwidth: 6.006 TB/s", 1), encoding="utf-8")


def main() -> None:
    """Measure on a copy, so that the project itself stays as it is."""
    with tempfile.TemporaryDirectory() as temporary:
        project = Path(temporary) / "project"
        shutil.copytree(ROOT, project, ignore=shutil.ignore_patterns(".git", ".venv", "site", ".cache", "tests"))
        handbook = [sys.executable, "-m", "generator"]
        cold = timed([*handbook, "build"], project)
        alone_folder = Path(temporary) / "alone"
        alone_folder.mkdir()
        written_pages(project, alone_folder)
        edit(project)
        rebuilt = timed([*handbook, "build"], project)
        alone = timed([sys.executable, "-m", "mkdocs", "build", "-q"], alone_folder)
    print(f"cold build, empty cache          {cold:6.1f} s")
    print(f"rebuild after one spec edit      {rebuilt:6.1f} s")
    print(f"MkDocs alone on written pages    {alone:6.1f} s")
    print(f"rebuild / MkDocs alone           {rebuilt / alone:6.2f}   (at most 1.3 wanted)")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()

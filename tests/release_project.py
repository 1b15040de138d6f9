"""The small project, with what a site needs beside its numbers, so that MkDocs can build it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.small_project import ROOT, small_project

ENVIRONMENT = {
    **os.environ,
    "CHROMIUM": "/nowhere",
    "PYTHONPATH": str(ROOT),
    "NO_MKDOCS_2_WARNING": "1",
    "DISABLE_MKDOCS_2_WARNING": "true",
}
CHAPTER = """\
---
title: Memory
question: How much does it hold?
answer: One cache entry.
order: 1
steps:
  kv: {value: models/llama-3-8b#kv_bytes_per_token}
---

A token takes {{ n("kv") }}.
"""


def release_project(folder: Path) -> Path:
    """Make the project in a new folder and return it."""
    small_project(folder)
    (folder / "specs/systems").mkdir()
    shutil.copy(ROOT / "specs/systems/hgx-h200-8.yaml", folder / "specs/systems")
    shutil.copytree(ROOT / "docs/assets", folder / "docs/assets")
    (folder / "docs/chapters/memory.md").write_text(CHAPTER, encoding="utf-8")
    (folder / "generator").symlink_to(ROOT / "generator")
    return folder


def release(project: Path, *arguments: str) -> int:
    """`handbook release ...` in a process of its own, as MkDocs and the caches of a process want it; its exit code."""
    return handbook(project, "release", *arguments).returncode


def handbook(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command of the handbook in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "generator", *arguments], cwd=project, env=ENVIRONMENT, capture_output=True, text=True,
        check=False,
    )  # fmt: skip

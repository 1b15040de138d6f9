"""A copy of the project that a test may break."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Specs, prose and configuration in a folder of their own."""
    for name in ("specs", "docs"):
        shutil.copytree(ROOT / name, tmp_path / "project" / name)
    shutil.copy(ROOT / "mkdocs.yml", tmp_path / "project" / "mkdocs.yml")
    # Figures that the project has drawn already need not be drawn again; what they show is in their names.
    (ROOT / ".cache").mkdir(exist_ok=True)
    (tmp_path / "project" / ".cache").symlink_to(ROOT / ".cache")
    return tmp_path / "project"

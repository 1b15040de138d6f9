"""Chromium as a printer: a local page without scripts goes in, a PDF comes out."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from generator.exports.published import ExportFault

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
LONGEST_S = 900
MISSING = (
    "no Chromium found, which the PDF is printed with: install it (Debian and Ubuntu: `apt-get install chromium`; "
    "macOS: `brew install --cask chromium`), or set CHROMIUM to the path of Chromium or Chrome"
)
# The page is our own and holds no script, so the sandbox, which fails for root and in most containers, guards nothing.
ARGUMENTS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--no-pdf-header-footer",
    "--generate-pdf-document-outline",
)  # fmt: skip

_PAGE = re.compile(rb"\n(\d+) 0 obj\n<</Type /Page\b(?!s)")
_PLACE = re.compile(rb"/([\w.-]+) \[(\d+) 0 R /XYZ ")


def found() -> str | None:
    """Path of Chromium: CHROMIUM if that is set, else the first of its usual names; None where there is none."""
    given = os.environ.get("CHROMIUM")
    if given:
        return shutil.which(given)
    return next(filter(None, map(shutil.which, NAMES)), None)


def print_to_pdf(page: str) -> bytes:
    """A page as PDF; what it loads must be named by file addresses. Raises ExportFault."""
    executable = found()
    if executable is None:
        raise ExportFault(MISSING)
    with tempfile.TemporaryDirectory(prefix="handbook-pdf-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        source, target = folder / "book.html", folder / "book.pdf"
        source.write_text(page, encoding="utf-8")
        command = [
            executable, *ARGUMENTS, f"--user-data-dir={folder / 'profile'}", f"--print-to-pdf={target}",
            source.as_uri(),
        ]  # fmt: skip
        try:
            run = subprocess.run(command, capture_output=True, timeout=LONGEST_S, check=False)
        except subprocess.TimeoutExpired:
            raise ExportFault(f"{executable} did not print the book within {LONGEST_S} s") from None
        if run.returncode or not target.is_file():
            said = run.stderr.decode(errors="replace").strip().splitlines()
            raise ExportFault(f"{executable} printed nothing" + (f": {said[-1]}" if said else ""))
        return target.read_bytes()


def places(pdf: bytes) -> dict[str, int]:
    """Anchor -> number of its page in a PDF of Chromium, which writes its pages in order and leaves objects readable.

    Empty for a PDF that is written in another way: contents without page numbers are no fault.
    """
    pages = {found[1]: number for number, found in enumerate(_PAGE.finditer(pdf), 1)}
    return {found[1].decode(): pages[found[2]] for found in _PLACE.finditer(pdf) if found[2] in pages}

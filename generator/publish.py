"""Puts a freshly built site in place of the old one in a single step.

The site is built and checked in a hidden directory beside its destination and then exchanged with it.  A reader, or a
build killed at any moment, finds the old site or the new one, never half of either.
"""

from __future__ import annotations

import ctypes
import errno
import logging
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from generator.site_checks import check_site

try:
    import fcntl
except ImportError:  # Windows has no advisory locks; leftovers of killed builds stay there until someone deletes them.
    fcntl = None

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_LOCK_ATTEMPTS = 11
_LOCK_PAUSE_S = 0.1


class SiteFault(Exception):
    """A site that must not be published; `problems` has one line for each reason."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        super().__init__("\n".join([f"{len(problems)} problem(s), nothing was published:", *problems]))


def build_site(
    project_root: Path,
    destination: Path,
    run_mkdocs: Callable[[Path], None],
    *,
    strict: bool = True,
    beside: tuple[str, ...] = (),
    replace: bool = True,
) -> None:
    """Builds the site of `project_root`, checks it, and publishes it at `destination`.

    `run_mkdocs(directory)` fills a directory with the built site; the command line supplies it, because nothing else
    imports MkDocs.  It need not be strict itself: every warning that MkDocs logs is collected here and counts as a
    problem when `strict`, so that one run lists all of them together with the findings of `site_checks`.

    `beside` names folders that the site will have beside it, which its links may lead to. `replace` is false for a site
    that must not take the place of another.

    Raises SiteFault with every problem; what was published before then stays.
    """
    refuse_foreign_directory(destination, project_root)

    def build(directory: Path) -> None:
        with _mkdocs_warnings() as warnings:
            run_mkdocs(directory)
        problems = (warnings if strict else []) + check_site(directory, beside)
        if problems:
            raise SiteFault(problems)

    publish(build, destination, replace=replace)


def publish(build: Callable[[Path], None], destination: Path, *, replace: bool = True) -> None:
    """Lets `build` fill a new directory and puts that in the place of `destination`.

    When `build` raises, the new directory is removed and the destination is left as it was; so too when something is
    there already and `replace` is false.
    """
    destination = destination.resolve()
    destination.parent.mkdir(parents=True, exist_ok=True)
    clean_up_after_killed_builds(destination)

    fresh = Path(tempfile.mkdtemp(prefix=_prefix(destination, "new"), dir=destination.parent))
    lock = _lock(fresh)
    try:
        fresh.chmod(0o755)
        build(fresh)
        _put_in_place(fresh, destination, replace)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
        _unlock(lock)


def write_file(path: Path, content: bytes) -> None:
    """Write one file whole or not at all: what was there before stays until the new content is complete."""
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "No such directory", str(path.parent))
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def clean_up_after_killed_builds(destination: Path) -> None:
    """Removes what killed builds left beside the destination; directories of builds that still run are locked."""
    parked = sorted(destination.parent.glob(_prefix(destination, "old") + "*"))
    if parked and not destination.exists():
        parked.pop().rename(destination)
    abandoned = [*parked, *destination.parent.glob(_prefix(destination, "new") + "*")]
    for directory in abandoned:
        try:
            lock = _lock(directory)
        except (BlockingIOError, FileNotFoundError):
            continue
        shutil.rmtree(directory, ignore_errors=True)
        _unlock(lock)


def refuse_foreign_directory(destination: Path, project_root: Path) -> None:
    """Publishing replaces a whole directory, so it must be a new one, an empty one or an earlier site."""
    destination, project_root = destination.resolve(), project_root.resolve()
    if project_root.is_relative_to(destination):
        raise SiteFault([f"{destination}: contains the project itself; choose a directory for the site alone"])
    if not destination.exists():
        return
    if not destination.is_dir():
        raise SiteFault([f"{destination}: is a file, not a directory"])
    earlier_site = (destination / "404.html").exists() and (destination / "sitemap.xml").exists()
    if not earlier_site and any(destination.iterdir()):
        raise SiteFault([f"{destination}: holds files that are not a site; choose a new or an empty directory"])


def _put_in_place(fresh: Path, destination: Path, replace: bool) -> None:
    if not replace and destination.exists():
        raise SiteFault([f"{destination}: is there already and is never written again"])
    if not destination.exists() or not replace:
        # Should something appear there just now, the system refuses to rename a directory over one that is not empty.
        fresh.rename(destination)
    elif not _exchange(fresh, destination):
        # Two renames leave an instant without a site; if the build dies there, the next one restores the parked site.
        parked = Path(tempfile.mkdtemp(prefix=_prefix(destination, "old"), dir=destination.parent))
        destination.rename(parked)
        fresh.rename(destination)
        shutil.rmtree(parked, ignore_errors=True)


def _exchange(first: Path, second: Path) -> bool:
    """Swaps two directories atomically; False where the system or the file system cannot."""
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    return renameat2(_AT_FDCWD, os.fsencode(first), _AT_FDCWD, os.fsencode(second), _RENAME_EXCHANGE) == 0


def _prefix(destination: Path, role: str) -> str:
    return f".{destination.name}.{role}-"


def _lock(directory: Path) -> int | None:
    """A lock that the kernel lets go when its process dies; BlockingIOError if another process has it."""
    if fcntl is None:
        return None
    handle = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise
    return handle


def _lock_patiently(directory: Path) -> int | None:
    """The lock, asked for during a second: the helpers of a killed process have it a moment longer."""
    for _ in range(_LOCK_ATTEMPTS - 1):
        try:
            return _lock(directory)
        except BlockingIOError:
            time.sleep(_LOCK_PAUSE_S)
    return _lock(directory)


def _unlock(handle: int | None) -> None:
    if handle is not None:
        os.close(handle)


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Holds a directory; the lock goes with the process. Raises BlockingIOError if another process holds it."""
    lock = _lock_patiently(directory)
    try:
        yield
    finally:
        _unlock(lock)


@contextmanager
def _mkdocs_warnings() -> Iterator[list[str]]:
    """Collects what MkDocs and its plugins log as a warning or worse."""
    messages: list[str] = []

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            messages.append(f"mkdocs: {record.getMessage()}")

    collector = Collector(logging.WARNING)
    logger = logging.getLogger("mkdocs")
    logger.addHandler(collector)
    try:
        yield messages
    finally:
        logger.removeHandler(collector)

"""Content-addressed cache: a figure or a result is made again only when what it is made from has changed."""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parent


@functools.cache
def source_digest(*patterns: str) -> str:
    """Digest of the package's own source files that match the patterns."""
    digest = hashlib.sha256()
    for path in sorted({path for pattern in patterns for path in PACKAGE.glob(pattern)}):
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


@functools.cache
def code_digest(module: str, leave_out: tuple[str, ...] = ()) -> str:
    """Digest of a module of the package and of every module that it imports, directly or through others.

    A package stands for those of its modules that are named. leave_out: beginnings of the names of modules that do not
    matter. Empty for a module of someone else.
    """
    found: dict[str, bytes] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        path = PACKAGE.parent / Path(*name.split(".")).with_suffix(".py")
        if name in found or name.startswith(leave_out) or not path.is_file() or PACKAGE not in path.parents:
            continue
        found[name] = path.read_bytes()
        waiting += _imports(found[name])
    digest = hashlib.sha256()
    for name, text in sorted(found.items()):
        digest.update(name.encode() + b"\0" + text + b"\0")
    return digest.hexdigest() if found else ""


@functools.cache
def _imports(source: bytes) -> list[str]:
    """Names of modules that a source text may import; what is no module is among them as well."""
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return names


class Cache:
    """JSON values under a folder, named by what they were made from. Without a folder nothing is kept."""

    def __init__(self, folder: Path | None):
        self.folder = folder

    def get(self, what: str, inputs: Any, make: Callable[[], Any]) -> Any:
        """The value for these inputs, made if it is not there; equal whether it was there or not."""
        known, path = self._find(what, inputs)
        if known is not None:
            return known
        text = json.dumps(make(), allow_nan=False)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=path.parent)
            with os.fdopen(handle, "w") as file:
                file.write(text)
            Path(temporary).replace(path)
        return json.loads(text)

    def known(self, what: str, inputs: Any) -> Any:
        """The value for these inputs if it is there, else None."""
        return self._find(what, inputs)[0]

    def _find(self, what: str, inputs: Any) -> tuple[Any, Path | None]:
        """The value, if it is there, and the file for it, if values are kept."""
        if self.folder is None:
            return None, None
        key = json.dumps([what, inputs], sort_keys=True, ensure_ascii=False, allow_nan=False, default=str)
        name = hashlib.sha256(key.encode()).hexdigest()
        path = self.folder / name[:2] / f"{name}.json"
        with contextlib.suppress(FileNotFoundError, ValueError):
            return json.loads(path.read_bytes()), path
        return None, path

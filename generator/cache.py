"""Content-addressed cache: a figure or a result is made again only when what it is made from has changed."""

from __future__ import annotations

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


class Cache:
    """JSON values under a folder, named by what they were made from. Without a folder nothing is kept."""

    def __init__(self, folder: Path | None):
        self.folder = folder

    def get(self, what: str, inputs: Any, make: Callable[[], Any]) -> Any:
        """The value for these inputs, made if it is not there; equal whether it was there or not."""
        key = json.dumps([what, inputs], sort_keys=True, ensure_ascii=False, allow_nan=False, default=str)
        if self.folder is None:
            return json.loads(json.dumps(make(), allow_nan=False))
        name = hashlib.sha256(key.encode()).hexdigest()
        path = self.folder / name[:2] / f"{name}.json"
        with contextlib.suppress(FileNotFoundError, ValueError):
            return json.loads(path.read_bytes())
        text = json.dumps(make(), allow_nan=False)
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "w") as file:
            file.write(text)
        Path(temporary).replace(path)
        return json.loads(text)

"""What a build published, read from its files: a built site of any age, or pages rendered just now."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from generator.ledger import RESULTS

API = "api/v1/"


class ExportFault(Exception):
    """What keeps an export from being made; the message says how to put it right."""


@dataclass(frozen=True)
class Published:
    """The files of a build. `read` gives the bytes of one, or raises KeyError or OSError."""

    read: Callable[[str], bytes]

    def file(self, path: str) -> bytes:
        """A file of the site. Raises ExportFault when the build has none of that name."""
        try:
            return self.read(path)
        except (KeyError, OSError):
            raise ExportFault(f"the site has no {path}: it was built by an earlier version; build it again") from None

    def api(self, path: str) -> Any:
        """A document of the API."""
        return json.loads(self.file(API + path))

    def items(self, collection: str) -> list[dict[str, Any]]:
        """The things of a collection: those of its one document, or each from a document of its own.

        Empty for a document that lists no things.
        """
        if collection in {one["path"].removesuffix("/index.json") for one in self.endpoints("listing")}:
            return [self.api(one["path"]) for one in self.api(f"{collection}/index.json")["items"]]
        return self.api(f"{collection}.json").get("items", [])

    def endpoints(self, schema: str = "") -> Iterator[dict[str, Any]]:
        """What the API has, of one schema if wanted."""
        for one in self.api("index.json")["endpoints"]:
            if not schema or one["schema"] == f"schema/{schema}.schema.json":
                yield one


def site_of(folder: Path) -> Published:
    """A built site. Raises ExportFault if the folder is none."""
    if not (folder / RESULTS).is_file():
        raise ExportFault(f"{folder}: no built site (it has no {RESULTS}); `handbook build --out DIR` makes one")
    return Published(lambda path: (folder / path).read_bytes())


def rendered(files: Mapping[str, bytes]) -> Published:
    """Pages rendered just now."""
    return Published(files.__getitem__)

"""All specs of one project, by collection and id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from generator.specs.records import COLLECTIONS


class UnknownId(LookupError):
    """An id that no spec has; the message names the collection and the nearest ids."""


class NotKnown(UnknownId):
    """A value that its spec leaves out, because nobody published it."""


@dataclass(frozen=True)
class Library:
    """Collection name -> id -> record. Aliases resolve to the record they belong to."""

    collections: Mapping[str, Mapping[str, Any]]
    files: Mapping[str, str] = field(default_factory=dict)
    """`collection/id` -> path of the file below the project."""
    root: Path | None = None
    """Folder of the project, for tables that stand beside a spec file."""
    derived: dict[Any, Any] = field(default_factory=dict, compare=False)
    """What estimates worked out once for a record of this library, so that equal questions share one derivation."""

    def find(self, collection: str, identifier: str) -> Any:
        """The record with this id or alias; raises UnknownId with a suggestion."""
        records = self.collections[collection]
        if identifier in records:
            return records[identifier]
        for record in records.values():
            if identifier in getattr(record, "aliases", ()):
                return record
        import difflib

        near = difflib.get_close_matches(identifier, records, 3, 0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(sorted(records))}"
        raise UnknownId(f"no {collection.split('/')[0].rstrip('s')} is called `{identifier}`; {hint}")

    def table(self, collection: str, identifier: str, what: str = "") -> Path:
        """The table beside the file of a record, such as the requests of a trace; `what` names a further one."""
        record = self.find(collection, identifier)
        assert self.root is not None, "a library that was not read from files has no tables"
        file = self.root / self.files[f"{collection}/{record.id}"]
        return file.with_name(f"{file.stem}.{what}.csv" if what else f"{file.stem}.csv")

    def datum(self, path: str) -> Any:
        """The value at `collection/id#field.field`; raises UnknownId."""
        place, _, dotted = path.partition("#")
        collection, _, identifier = place.rpartition("/")
        if collection not in self.collections:
            raise UnknownId(f"no collection `{collection}`; known: {', '.join(COLLECTIONS)}")
        value: Any = self.find(collection, identifier)
        for step in dotted.split("."):
            if value is None:
                raise NotKnown(f"`{path}` is not known: the file leaves it out")
            if isinstance(value, list) and step.isdigit() and int(step) < len(value):
                value = value[int(step)]
            elif hasattr(value, step):
                value = getattr(value, step)
            else:
                raise UnknownId(f"`{place}` has no field `{dotted}`")
        if value is None:
            raise NotKnown(f"`{path}` is not known: the file leaves it out")
        return value

    def __getattr__(self, name: str) -> Mapping[str, Any]:
        """A collection as an attribute: `library.models`."""
        if name != "collections" and name in self.collections:
            return self.collections[name]
        raise AttributeError(name)

    def assume(self, identifier: str) -> float:
        """The value of an assumption."""
        return self.find("assumptions", identifier).value

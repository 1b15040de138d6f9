"""YAML with positions: plain data, and the line and column of every key and value.

Scalars follow YAML 1.2, so `80e9` is a number, `010` is ten, `1:30` and `no` are words; dates stay text; a key given
twice is a fault.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import yaml

Path = tuple[str | int, ...]


@dataclass(frozen=True, order=True, slots=True)
class Fault:
    """One fault of one file: where, and what is wrong with it."""

    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    pass


_REPLACED = tuple(f"tag:yaml.org,2002:{name}" for name in ("float", "int", "bool", "timestamp"))
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in _REPLACED]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), list("tf"))
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^[-+]?(?:0|[1-9][\d_]*)$"), list("-+0123456789"))
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?$|^[-+]?\.inf$|^\.nan$"),
    list("-+0123456789."),
)


@dataclass(frozen=True)
class Positioned:
    """Plain data of one file and the (line, column) of each path; a key's own position is under `path + (KEY,)`."""

    file: str
    data: Any
    marks: dict[Path, tuple[int, int]]
    faults: tuple[Fault, ...]

    def mark(self, path: Path) -> tuple[int, int]:
        """Line and column of a path, or of the nearest thing that holds it."""
        while path and path not in self.marks:
            path = path[:-1]
        return self.marks.get(path, (1, 1))

    def fault(self, path: Path, message: str, *, at_key: bool = False) -> Fault:
        """A fault located at a value, or at its key."""
        line, column = self.marks.get((*path, KEY)) if at_key and (*path, KEY) in self.marks else self.mark(path)
        return Fault(self.file, line, column, message)


KEY = "\0key"


def read(text: str, file: str) -> Positioned:
    """Parse one YAML document; syntax faults are returned, not raised."""
    try:
        root = yaml.compose(text, Loader=_Loader)
    except yaml.YAMLError as error:
        place = getattr(error, "problem_mark", None)
        line, column = (place.line + 1, place.column + 1) if place else (1, 1)
        problem = getattr(error, "problem", None) or getattr(error, "context", None) or "not valid YAML"
        return Positioned(file, None, {}, (Fault(file, line, column, f"YAML: {problem}"),))
    if root is None:
        return Positioned(file, None, {}, (Fault(file, 1, 1, "the file is empty"),))
    marks: dict[Path, tuple[int, int]] = {}
    faults: list[Fault] = []
    loader = _Loader("")

    def place(node: Any) -> tuple[int, int]:
        return node.start_mark.line + 1, node.start_mark.column + 1

    def walk(node: Any, path: Path) -> Any:
        marks[path] = place(node)
        if isinstance(node, yaml.MappingNode):
            result: dict[str, Any] = {}
            for key_node, value_node in node.value:
                if not isinstance(key_node, yaml.ScalarNode):
                    faults.append(Fault(file, *place(key_node), "YAML: a field name must be plain text"))
                    continue
                key = str(key_node.value)
                if key in result:
                    first = marks[(*path, key, KEY)][0]
                    faults.append(Fault(file, *place(key_node), f"`{key}` is given twice, first on line {first}"))
                    continue
                marks[(*path, key, KEY)] = place(key_node)
                result[key] = walk(value_node, (*path, key))
            return result
        if isinstance(node, yaml.SequenceNode):
            return [walk(child, (*path, index)) for index, child in enumerate(node.value)]
        try:
            return loader.construct_object(node, deep=True)
        except (yaml.YAMLError, ValueError, LookupError, AttributeError) as error:
            wanted = node.tag.rpartition(":")[2]
            problem = getattr(error, "problem", None) or f"cannot read `{str(node.value)[:40]}` as {wanted}"
            faults.append(Fault(file, *place(node), f"YAML: {problem}"))
            return None

    try:
        data = walk(root, ())
    except RecursionError:
        return Positioned(file, None, {}, (Fault(file, 1, 1, "YAML: an alias refers to itself"),))
    finally:
        loader.dispose()
    return Positioned(file, data, marks, tuple(faults))

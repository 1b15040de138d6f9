"""A project with some spec files replaced: what an edit would do, without making it."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from generator.specs import positions
from generator.specs.library import UnknownId
from generator.specs.validate import suggestion

SHARED = ("docs", "mkdocs.yml", ".cache")


@contextmanager
def overlay(root: Path, replaced: Mapping[str, str]) -> Iterator[Path]:
    """The project below `root` with these texts in the place of its files, removed afterwards. The rest are links.

    replaced: path below the project, `specs/accelerators/h200.yaml` -> text.
    """
    with tempfile.TemporaryDirectory(prefix="handbook-") as folder:
        copy = Path(folder) / "project"
        shutil.copytree((root / "specs").resolve(), copy / "specs", copy_function=os.symlink)
        for name in SHARED:
            if (root / name).exists():
                (copy / name).symlink_to((root / name).resolve())
        for name, text in replaced.items():
            # A link would lead the writing to the project itself.
            (copy / name).unlink(missing_ok=True)
            (copy / name).write_text(text, encoding="utf-8")
        yield copy


def replace_value(text: str, file: str, field: str, value: str) -> str:
    """The text of a spec file with one value replaced; the rest, comments included, stays as it is.

    field: `memory.bandwidth`, `config.ffn.1.top_k`. Raises UnknownId for a field that the file does not have.
    """
    read = positions.read(text, file)
    path: list[str | int] = []
    node = read.data
    for step in field.split("."):
        key: str | int = int(step) if isinstance(node, list) and step.isdigit() else step
        known = list(range(len(node))) if isinstance(node, list) else list(node) if isinstance(node, dict) else []
        if key not in known:
            hint = suggestion(str(step), [str(one) for one in known])
            raise UnknownId(f"{file}: no field `{field}`{hint}; `{step}` is none of {', '.join(map(str, known))}")
        path.append(key)
        node = node[key]
    if isinstance(node, (dict, list)):
        raise UnknownId(f"{file}: `{field}` holds more than one value; name one of {', '.join(map(str, node))}")
    return _replaced(text, read.mark(tuple(path)), value)


def _replaced(text: str, place: tuple[int, int], value: str) -> str:
    """The scalar that begins at a line and a column, replaced."""
    import yaml

    lines = text.splitlines(keepends=True)
    start = sum(map(len, lines[: place[0] - 1])) + place[1] - 1
    for event in yaml.parse(text):
        if isinstance(event, yaml.ScalarEvent) and event.start_mark.index == start:
            return text[:start] + value + text[event.end_mark.index :]
    raise ValueError(f"no value begins at line {place[0]}, column {place[1]}")

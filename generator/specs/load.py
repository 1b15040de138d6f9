"""Read all of `specs/`: validate every file, trace every quantity, check what files say about each other.

A collection is a folder of YAML files, one a thing. `load` returns the library or raises `SpecFaults` with every
fault of every file.
"""

from __future__ import annotations

from pathlib import Path

from generator.specs import consistency, positions, validate
from generator.specs.library import Library
from generator.specs.positions import Fault
from generator.specs.records import COLLECTIONS

KIND_OF_COLLECTION = {
    "assumptions": "reference",
    "measurements": "measured",
    "engine_runs": "measured",
    "calibrations": "calibrated",
    "measurements/tables": "measured",
}
"""Kind of the leaves; all other data are exact statements of their source."""


PUBLISHED = "published"
"""Folder of what commands write about publications; no spec."""
COMPANIONS = {"traces": ".csv", "engine_runs": ".csv", "measurements/tables": ".csv", "measurements/names": ".csv"}
"""Collections whose files have a table of the same name beside them, and perhaps more, `<name>.<what>.csv`."""


class SpecFaults(Exception):
    """Every fault of the specs, in order of file and line."""

    def __init__(self, faults: list[Fault]):
        self.faults = sorted(set(faults))
        super().__init__("\n".join(map(str, self.faults)))


def load_file(path: Path, root: Path, collection: str) -> tuple[object | None, list[Fault], positions.Positioned]:
    """One file as a traced record, or None, and its faults."""
    name = path.relative_to(root).as_posix()
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        file = positions.Positioned(name, None, {}, (Fault(name, 1, 1, f"not UTF-8: {error.reason}"),))
        return None, list(file.faults), file
    file = positions.read(text, name)
    record, faults = validate.validate(file, COLLECTIONS[collection])
    if record is None:
        return None, faults, file
    if record.id != path.stem:
        faults.append(file.fault(("id",), f"`id` must be the file name, `{path.stem}`, got {record.id!r}"))
    record, untraced = validate.trace(record, file, collection, KIND_OF_COLLECTION.get(collection, "exact"))
    return record, [*faults, *untraced], file


def load(root: Path) -> Library:
    """All specs below `root`/specs. Raises SpecFaults."""
    collections: dict[str, dict[str, object]] = {}
    files: dict[str, positions.Positioned] = {}
    broken: set[str] = set()
    faults = _strays(root)
    for collection in COLLECTIONS:
        records = collections.setdefault(collection, {})
        for path in sorted((root / "specs" / collection).glob("*.yaml")):
            record, found, file = load_file(path, root, collection)
            faults += found
            if record is None:
                broken.add(f"{collection}/{path.stem}")
            else:
                records[record.id] = record
                files[f"{collection}/{record.id}"] = file
    if not files and not faults:
        faults.append(Fault("specs", 1, 1, f"no spec file found below {root}"))
    library = Library(collections, {key: file.file for key, file in files.items()}, root)
    faults += consistency.check(library, files, broken)
    if faults:
        raise SpecFaults(faults)
    return library


def _strays(root: Path) -> list[Fault]:
    """Files below `specs/` that no collection reads: a misspelt folder or ending must not hide a spec."""
    found = []
    for path in sorted((root / "specs").rglob("*")):
        if path.is_file() and not path.name.startswith("."):
            folder = path.parent.relative_to(root / "specs").as_posix()
            name = path.relative_to(root).as_posix()
            if folder.partition("/")[0] == PUBLISHED:
                continue
            if folder not in COLLECTIONS:
                hint = validate.suggestion(folder, list(COLLECTIONS))
                found.append(Fault(name, 1, 1, f"no collection is called `{folder}`{hint}"))
            elif path.suffix == COMPANIONS.get(folder) and any(
                f"{path.stem}.".startswith(f"{spec.stem}.") for spec in path.parent.glob("*.yaml")
            ):
                continue
            elif path.suffix == ".yaml" and folder in COMPANIONS:
                table = path.with_suffix(COMPANIONS[folder])
                if not table.exists():
                    found.append(Fault(name, 1, 1, f"its table `{table.name}` is missing beside it"))
            elif path.suffix != ".yaml":
                found.append(Fault(name, 1, 1, f"a spec file ends in `.yaml`, got `{path.name}`"))
    return found

"""Who may import whom. Read from the syntax of the package, so that an import inside a function counts too."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "generator"
STANDARD = sys.stdlib_module_names


class Import(NamedTuple):
    """One import: from which module, of what, and whether it runs when the module is loaded."""

    importer: str
    imported: str
    on_load: bool


def _module(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _only_for_type_checkers(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def _imports(path: Path) -> Iterator[Import]:
    name = _module(path)

    def walk(node: ast.AST, on_load: bool) -> Iterator[Import]:
        if _only_for_type_checkers(node):
            return
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(name, alias.name, on_load)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}: relative import; name the whole module"
            for alias in node.names:
                inner = PACKAGE.parent / Path(*f"{node.module}.{alias.name}".split("."))
                whole = inner.with_suffix(".py").exists() or inner.is_dir()
                yield Import(name, f"{node.module}.{alias.name}" if whole else str(node.module), on_load)
        inside = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        for child in ast.iter_child_nodes(node):
            yield from walk(child, on_load and not inside)

    yield from walk(ast.parse(path.read_text(encoding="utf-8")), True)


MODULES = sorted(PACKAGE.rglob("*.py"))
IMPORTS = [found for path in MODULES for found in _imports(path)]


def _within(module: str, *packages: str) -> bool:
    return any(module == package or module.startswith(package + ".") for package in packages)


def _offenders(importers: tuple[str, ...], allowed: tuple[str, ...]) -> list[str]:
    """Imports of the given modules that are neither of the standard library nor allowed."""
    return [
        f"{one.importer} imports {one.imported}"
        for one in IMPORTS
        if _within(one.importer, *importers)
        and one.imported.partition(".")[0] not in STANDARD
        and not _within(one.imported, *importers, *allowed)
    ]


def test_units_import_nothing_of_ours():
    assert _offenders(("generator.units",), ()) == []


def test_formatting_provenance_and_studies_import_the_standard_library_only():
    modules = ("generator.formatting", "generator.provenance", "generator.intervals", "generator.study")
    assert _offenders(modules, ("generator.units",)) == []


def test_formulas_import_nothing_above_them():
    lazily = {
        ("generator.formulas.elementary", "numpy"),
        ("generator.formulas.elementary", "generator.tracing"),
    }
    allowed = ("generator.units", "generator.provenance")
    found = [
        one
        for one in IMPORTS
        if _within(one.importer, "generator.formulas")
        and one.imported.partition(".")[0] not in STANDARD
        and not _within(one.imported, "generator.formulas", *allowed)
    ]
    assert {(one.importer, one.imported) for one in found} <= lazily
    assert not any(one.on_load for one in found), "only inside a function, when such a value comes in"


def test_specs_never_import_formulas_or_estimates():
    allowed = ("generator.units", "generator.provenance", "pydantic", "pydantic_core", "yaml")
    assert _offenders(("generator.specs",), allowed) == []


def test_records_and_library_load_on_the_standard_library():
    found = [
        f"{one.importer} imports {one.imported}"
        for one in IMPORTS
        if _within(one.importer, "generator.specs.records", "generator.specs.library")
        and one.on_load
        and not _within(one.imported, "generator.units", "generator.provenance", "generator.specs")
        and one.imported.partition(".")[0] not in STANDARD
    ]
    assert found == []


def test_estimates_import_formulas_and_records_and_no_library_of_others():
    allowed = (
        "generator.formulas", "generator.specs.records", "generator.specs.library", "generator.units",
        "generator.formatting", "generator.provenance", "generator.study",
    )  # fmt: skip
    found = [
        f"{one.importer} imports {one.imported}"
        for one in IMPORTS
        if _within(one.importer, "generator.estimates")
        and one.imported.partition(".")[0] not in STANDARD
        and not _within(one.imported, "generator.estimates", *allowed)
        and (one.on_load or one.imported != "numpy")
    ]
    assert found == []


def test_simulations_stand_on_estimates_and_formulas_and_nothing_above_them():
    allowed = (
        "generator.estimates", "generator.formulas", "generator.specs.records", "generator.specs.library",
        "generator.units", "generator.provenance", "generator.intervals", "generator.cache", "generator.workers",
    )  # fmt: skip
    found = [
        f"{one.importer} imports {one.imported}"
        for one in IMPORTS
        if _within(one.importer, "generator.simulation")
        and one.imported.partition(".")[0] not in STANDARD
        and not _within(one.imported, "generator.simulation", *allowed)
        and (one.on_load or one.imported.partition(".")[0] != "numpy")
    ]
    assert found == []


def test_formulas_and_estimates_know_no_simulation():
    found = [
        one.importer
        for one in IMPORTS
        if _within(one.importer, "generator.formulas", "generator.estimates")
        and _within(one.imported, "generator.simulation")
    ]
    assert found == []


def test_validation_stands_on_estimates_and_nothing_that_shows_it():
    allowed = (
        "generator.estimates", "generator.formulas", "generator.simulation", "generator.specs", "generator.units",
        "generator.provenance", "generator.cache", "numpy", "yaml",
    )  # fmt: skip
    lazily = {("generator.validation.fit", "scipy.optimize")}
    found = [
        one
        for one in IMPORTS
        if _within(one.importer, "generator.validation")
        and one.imported.partition(".")[0] not in STANDARD
        and not _within(one.imported, "generator.validation", *allowed)
    ]
    assert {(one.importer, one.imported) for one in found} == lazily
    assert not any(one.on_load for one in found), "a build never refits, so it needs no SciPy"


def test_nothing_below_knows_the_validation():
    below = ("generator.formulas", "generator.estimates", "generator.simulation", "generator.specs")
    assert [
        one for one in IMPORTS if _within(one.importer, *below) and _within(one.imported, "generator.validation")
    ] == []


def test_charts_and_pages_take_results_and_never_formulas():
    found = [
        f"{one.importer} imports {one.imported}"
        for one in IMPORTS
        if _within(one.importer, "generator.charts", "generator.pages")
        and _within(one.imported, "generator.formulas")
        and one.imported != "generator.formulas.nomenclature"
    ]
    assert found == []


def test_only_the_adapter_imports_mkdocs_gen_files():
    assert {one.importer for one in IMPORTS if _within(one.imported, "mkdocs_gen_files")} <= {"generator.adapter"}


def test_only_the_command_line_imports_mkdocs():
    found = {one.importer for one in IMPORTS if _within(one.imported, "mkdocs")}
    assert {name for name in found if not name.startswith("generator.cli")} == set()


@pytest.mark.parametrize("path", MODULES, ids=_module)
def test_a_module_is_short_enough_to_read(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


_WITHOUT_OTHERS = """
import importlib, pkgutil, sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        root = name.partition(".")[0]
        if root != "generator" and root not in sys.stdlib_module_names:
            raise ImportError(f"{name} is not in the standard library")
sys.meta_path.insert(0, Blocked())
for package in ("generator.formulas", "generator.estimates"):
    module = importlib.import_module(package)
    for one in pkgutil.iter_modules(module.__path__, package + "."):
        importlib.import_module(one.name)
from generator.formulas import FORMULAS, memory
assert memory.grouped_query_kv_bytes(n_kv_heads=8, head_dim=128, bits_per_value=16) == 4096
print(len(FORMULAS))
"""


def test_formulas_and_estimates_run_on_the_standard_library_alone():
    """They will run in the reader's browser as they are."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        [sys.executable, "-S", "-c", _WITHOUT_OTHERS], cwd=ROOT, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) > 100

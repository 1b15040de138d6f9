"""The same bytes on any machine: no hash order, no last bit, in what is published."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

_EQUATIONS = """
import hashlib
from generator import equations
from generator.formulas import FORMULAS
text = "\\n".join(equations.equation(formula) for formula in FORMULAS.values())
print(len(FORMULAS), hashlib.sha256(text.encode()).hexdigest())
"""

_NUMBERS = """
import hashlib, pathlib
from generator.estimates.architecture import describe
from generator.estimates.serving import serving
from generator.specs.load import load
from generator.units import round_significant
library = load(pathlib.Path("."))
lines = []
for name in sorted(library.models):
    model = library.models[name]
    one = describe(model, library)
    numbers = [one.total_params, one.active_params, one.weights_bytes, one.kv_bytes_per_token]
    for card in ("h200", "mi300x"):
        found = serving(model, library.accelerators[card], library, gpus=8, tp=8, batch=16)
        numbers += [value for value in vars(found).values() if isinstance(value, (int, float))]
    lines.append(name + " ".join(repr(round_significant(float(number))) for number in numbers))
print(hashlib.sha256("\\n".join(lines).encode()).hexdigest())
"""


def _run(script: str, seed: str, root) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(root)}
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=root, env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.parametrize("script", [_EQUATIONS, _NUMBERS], ids=["equations", "published numbers"])
def test_hash_seed_changes_nothing(script, root):
    assert _run(script, "1", root) == _run(script, "2", root)

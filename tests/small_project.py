"""A project small enough to be rendered hundreds of times: a few things of the specs, their examples, no chapter."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
KEPT = {
    "accelerators": {"h100-sxm", "h200", "h800"},
    "models": {"llama-3-8b", "llama-3.1-8b", "llama-3.1-70b", "deepseek-v3"},
}
"""What stays of the collections that are cut down; of those below nothing does."""
EMPTIED = ("systems", "measurements", "prices/apis", "traces", "engine_runs", "grids", "published")
MOST_EXAMPLES = 25
PROSE = {
    "planned.yaml": "chapters: []\nmissing: []\n",
    "home.yaml": "steps:\n  kv: {value: models/llama-3-8b#kv_bytes_per_token}\nnumbers:\n  - {label: KV, number: kv}\n",
    "playground.yaml": """\
models: [llama-3-8b, deepseek-v3]
accelerators: [h100-sxm, h200]
tp: [1, 8]
domains: []
weights: [native]
workloads: [chat]
batches: [1, 16]
start: {model: llama-3-8b, workload: chat}
least_tokens_per_s_per_user: 20
frontiers: {}
""",
}
_NAMED = re.compile(r"(accelerators|models|systems|measurements|traces|prices/\w+)/([\w.\-]+)#")


def small_project(folder: Path) -> Path:
    """Make the project in a new folder and return it."""
    shutil.copytree(ROOT / "specs", folder / "specs")
    shutil.copy(ROOT / "mkdocs.yml", folder)
    for collection in EMPTIED:
        shutil.rmtree(folder / "specs" / collection, ignore_errors=True)
    _keep_one_calibration(folder / "specs")
    for collection, kept in KEPT.items():
        for path in (folder / "specs" / collection).iterdir():
            if path.stem not in kept:
                path.unlink()
    for path in (folder / "specs/prices/gpus").iterdir():
        if yaml.safe_load(path.read_text(encoding="utf-8"))["accelerator"] not in KEPT["accelerators"]:
            path.unlink()
    examples = sorted((folder / "specs/examples").iterdir())
    usable = [path for path in examples if _usable(path.read_text(encoding="utf-8"))]
    for path in set(examples) - set(usable[:MOST_EXAMPLES]):
        path.unlink()
    (folder / "docs/chapters").mkdir(parents=True)
    shutil.copytree(ROOT / "docs/simulations", folder / "docs/simulations")
    for path in (folder / "docs/simulations").iterdir():
        # There is no grid, so there is no atlas to lead to.
        path.write_text(path.read_text(encoding="utf-8").replace("(../atlas.md)", "(../index.md)"), encoding="utf-8")
    for name, text in PROSE.items():
        (folder / "docs" / name).write_text(text, encoding="utf-8")
    (ROOT / ".cache").mkdir(exist_ok=True)
    (folder / ".cache").symlink_to(ROOT / ".cache")
    return folder


def _keep_one_calibration(specs: Path) -> None:
    """Of what is measured the products of matrices stay: a family with rows that count and rows that do not."""
    for path in (specs / "calibrations").iterdir():
        if path.stem != "matmul":
            path.unlink()
    tables = specs / "measurements/tables"
    tables.mkdir(parents=True)
    source = ROOT / "specs/measurements/tables"
    header, *lines = (source / "engine-throughput.csv").read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if "achievable_matmul" in line]
    (tables / "engine-throughput.csv").write_text("\n".join([header, *kept]) + "\n", encoding="utf-8")
    record = (source / "engine-throughput.yaml").read_text(encoding="utf-8")
    counted = re.sub(r"^rows: \d+$", f"rows: {len(kept)}", record, flags=re.M)
    (tables / "engine-throughput.yaml").write_text(counted, encoding="utf-8")


def _usable(text: str) -> bool:
    """The example needs nothing that is not there."""
    if any(identifier not in KEPT.get(collection, ()) for collection, identifier in _NAMED.findall(text)):
        return False
    example = yaml.safe_load(text)
    if example.get("measured"):
        return False
    steps = example["steps"].values()
    return all(
        "simulate" not in step
        and step.get("model", "llama-3-8b") in KEPT["models"]
        and step.get("accelerator", "h200") in KEPT["accelerators"]
        for step in steps
    )

"""How long a million serving configurations take in one call of `sweep`, beside single calls of `serving`.

Run from the project: `python -m benchmarks.sweep [--rows N] [--singles N]`. Both run one after the other in the same
process, on one core, and the sample of single calls is drawn from the rows of the sweep.
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path

from generator.estimates.serving import serving
from generator.estimates.sweep import sweep
from generator.specs.load import load

ROOT = Path(__file__).resolve().parent.parent
MODELS = ("llama-3.1-8b", "llama-3.1-70b", "deepseek-v3", "gpt-oss-120b", "gemma-3-27b")
ACCELERATORS = ("h100-sxm", "h200", "b200", "mi300x", "l40s")
DEGREES = (1, 2, 4, 8)
OUTPUTS = (64, 256, 1024, 4096)


def main() -> None:
    """Print seconds, rates and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--singles", type=int, default=1000)
    options = parser.parse_args()
    library = load(ROOT)
    models = [library.models[name] for name in MODELS]
    accelerators = [library.accelerators[name] for name in ACCELERATORS]
    each = len(models) * len(accelerators) * len(DEGREES) * len(OUTPUTS)
    batches = [2**n for n in range(10)]
    prompts = [128 * n for n in range(1, max(options.rows // (each * len(batches)), 1) + 1)]
    start = time.perf_counter()
    columns = sweep(models, accelerators, library, tp=DEGREES, batches=batches, prompts=prompts, outputs=OUTPUTS)
    swept = time.perf_counter() - start
    rows = len(columns["tp"])
    print(f"sweep    {rows:>9,} configurations in {swept:.2f} s   {rows / swept:>12,.0f} a second")
    sample = random.Random(0).sample(range(rows), min(options.singles, rows))
    picked = [{name: columns[name][row].item() for name in columns} for row in sample]
    start = time.perf_counter()
    for row in picked:
        serving(
            models[row["model"]],
            accelerators[row["accelerator"]],
            library,
            gpus=row["gpus"],
            tp=row["tp"],
            batch=row["batch"],
            prompt_tokens=row["prompt"],
            output_tokens=row["output"],
        )
    single = time.perf_counter() - start
    print(f"serving  {len(picked):>9,} configurations in {single:.2f} s   {len(picked) / single:>12,.0f} a second")
    print(f"ratio    {(rows / swept) / (len(picked) / single):,.0f}")


if __name__ == "__main__":
    main()

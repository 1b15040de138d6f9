"""How many requests a second each policy simulates, beside the step-by-step twin; memory; growth with the requests.

Run from the project: `python -m benchmarks.simulation [--requests N] [--most N]`. Llama 3 8B in BF16 on H100s, 4
requests a second, prompt median 1,024, output median 256; times include the metrics. One core, and its time is counted,
not that of the clock, which other work on the machine would lengthen more.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

from generator.simulation.costs import Costs, costs
from generator.simulation.iterations import Iterations, gaps
from generator.simulation.records import metrics
from generator.simulation.requests import Requests, generator_of, synthetic
from generator.simulation.serving import Setup, serve
from generator.specs.load import load

ROOT = Path(__file__).resolve().parent.parent
SETUPS = {
    "colocated": Setup("colocated"),
    "chunked": Setup("chunked"),
    "disaggregated": Setup("disaggregated", instances=2, prefill_instances=1, link_bytes_per_s=50e9),
}
OF_THE_TWIN = 200
TIMES = 5


def prepare() -> Costs:
    """Costs of one accelerator."""
    library = load(ROOT)
    return costs(library.models["llama-3-8b"], library.accelerators["h100-sxm"], library)


def drawn(requests: int) -> Requests:
    """The requests of the benchmark."""
    return synthetic(
        generator_of(1), requests=requests, rate_per_s=4.0, prompt_median_tokens=1024, output_median_tokens=256
    )


def per_second(prepared: Costs, requests: Requests, setup: Setup, times: int = TIMES, log: bool = False) -> float:
    """Requests a second of the fastest of some runs, metrics included."""
    best = float("inf")
    for _ in range(times):
        logs: list[Iterations] | None = [] if log else None
        start = time.process_time()
        metrics(serve(prepared, requests, setup, logs=logs), ttft_limit_s=1.0, tpot_limit_s=0.05)
        if logs is not None:
            gaps(logs)
        best = min(best, time.process_time() - start)
    return len(requests) / best


def twin_per_second(prepared: Costs, setup: Setup) -> float:
    """The same of the twin, which is slow: fewer requests."""
    from tests.simulation.twins.serving import twin

    requests = drawn(OF_THE_TWIN)
    start = time.process_time()
    twin(prepared, requests, setup)
    return OF_THE_TWIN / (time.process_time() - start)


def peak_bytes() -> int:
    """Largest memory of this process so far."""
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def peak_of(requests: int, policy: str) -> int:
    """Largest memory of a process that does nothing but one run."""
    code = (
        "from benchmarks.simulation import *; prepared = prepare(); "
        f"metrics(serve(prepared, drawn({requests}), SETUPS[{policy!r}])); print(peak_bytes())"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return int(run.stdout)


def main() -> None:
    """Print rates, ratios, memory and growth."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--most", type=int, default=1_000_000, help="most requests of the growth")
    options = parser.parse_args()
    prepared, requests = prepare(), drawn(options.requests)
    print(f"{options.requests:,} requests               a second   with gaps   twin   ratio   peak at 100,000")
    for name, setup in SETUPS.items():
        fast, logged = (per_second(prepared, requests, setup, log=log) for log in (False, True))
        slow = twin_per_second(prepared, setup)
        peak = peak_of(100_000, name)
        print(f"  {name:<24}{fast:>12,.0f}{logged:>12,.0f}{slow:>7,.0f}{fast / slow:>8,.0f}{peak / 1e6:>15,.0f} MB")
    count, before = 10_000, None
    print("growth, time a request       10 times the requests take")
    while count <= options.most:
        each = 1e6 / per_second(prepared, drawn(count), SETUPS["colocated"], times=3 if count < 10**6 else 1)
        times = f"{10 * each / before:.1f} times as long" if before else ""
        print(f"  {count:>12,}{each:>10.2f} us   {times}")
        count, before = count * 10, each


if __name__ == "__main__":
    main()

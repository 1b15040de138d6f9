"""Times calibrated on measurements, beside an estimate: of a serving engine, or of a training step."""

from __future__ import annotations

import argparse
from typing import Any

from generator import formatting
from generator.results import published
from generator.specs.library import Library
from generator.specs.records import Model
from generator.units import round_significant
from generator.validation import asked
from generator.validation.rows import Uncovered

WORDS = {
    "tpot_s": "time per output token, with that many requests at once",
    "ttft_s": "time to first token, with that many requests at once",
    "step_s": "time of one training step",
}


def add_arguments(serving: argparse.ArgumentParser, training: argparse.ArgumentParser) -> None:
    """What asks for calibrated times, and what only they need."""
    serving.add_argument(
        "--engine", choices=asked.ENGINES, help="add times calibrated on measurements of this engine, with 80 %% bands"
    )
    serving.add_argument("--engine-version", default="", metavar="V", help="release of the engine (default: any)")
    training.add_argument(
        "--software", choices=asked.SOFTWARE,
        help="add the step time of this layout, calibrated on measurements of this software; needs --sequence and "
        "--global-batch",
    )  # fmt: skip
    training.add_argument("--global-batch", type=float, metavar="N", help="sequences of a step")
    training.add_argument("--virtual-stages", type=int, default=1, metavar="N", help="pipeline chunks of a stage")
    training.add_argument("--context-parallel", type=int, default=1, metavar="N", help="context-parallel degree")
    training.add_argument("--ep", type=int, default=1, metavar="N", dest="expert_parallel", help="expert parallel")
    training.add_argument("--format", default="bf16", metavar="FMT", help="of the matrices: bf16, fp8, mxfp8, nvfp4")


def times(given: argparse.Namespace, library: Library, model: Model) -> dict[str, Any] | None:
    """Times with the ends of their bands, or why there are none; None where none is asked for."""
    of = getattr(given, "engine", None) or getattr(given, "software", None)
    if of is None:
        return None
    version = getattr(given, "engine_version", "")
    said: dict[str, Any] = {"of": of, "version": version or None}
    try:
        found = _serving(given, library, model) if given.kind == "serving" else _training(given, library, model)
    except Uncovered as reason:
        return {**said, "reason": str(reason)}
    for name, one in found.items():
        said |= {
            name: published(one.value), name.replace("_s", "_low_s"): round_significant(one.low),
            name.replace("_s", "_high_s"): round_significant(one.high),
        }  # fmt: skip
    return {**said, "alike": all(one.alike for one in found.values())}


def _serving(given: argparse.Namespace, library: Library, model: Model) -> dict[str, asked.Banded]:
    names = ("tp", "pp", "gpus", "ep", "weights", "kv", "batch", "prompt_tokens", "output_tokens")
    card = library.find("accelerators", given.accelerator).id
    return asked.serving(
        library, model, card, engine=given.engine, version=given.engine_version,
        **{name: getattr(given, name) for name in names},
    )  # fmt: skip


def _training(given: argparse.Namespace, library: Library, model: Model) -> dict[str, asked.Banded]:
    if given.sequence_tokens is None or given.global_batch is None:
        raise Uncovered("a step has a length: give --sequence and --global-batch")
    return asked.training(
        library, model, library.find("accelerators", given.accelerator).id, software=given.software, gpus=given.gpus,
        sequence_tokens=given.sequence_tokens, global_batch=given.global_batch, micro_batch=given.micro_batch or 1,
        tp=given.tp or 1, pp=given.pp or 1, ep=given.expert_parallel, cp=given.context_parallel,
        virtual_stages=given.virtual_stages, recompute=given.recompute or "selective", number_format=given.format,
        zero=3 if given.zero is None else given.zero,
    )  # fmt: skip


def text(found: dict[str, Any]) -> list[str]:
    """The same for people."""
    name = " ".join(filter(None, (found["of"], found["version"])))
    if "reason" in found:
        return [f"no calibrated time of {name}: {found['reason']}"]
    lines = [f"calibrated on measurements of {name}, with the 80 % band:"]
    for quantity, words in WORDS.items():
        if quantity in found:
            ends = (quantity, quantity.replace("_s", "_low_s"), quantity.replace("_s", "_high_s"))
            value, low, high = (formatting.plain(found[one], "s") for one in ends)
            lines.append(f"  {quantity}  {value} ({low} to {high})  {words}")
    if not found["alike"]:
        lines.append("  nothing like it was measured, hence the wide band")
    return lines

"""MLPerf Inference: output rate of whole systems, offline or within a limit on the time per token."""

from __future__ import annotations

import math
from typing import Any

from generator.estimates.architecture import Architecture
from generator.formulas import decode, memory
from generator.formulas import offline as formulas
from generator.specs.library import Library, UnknownId
from generator.specs.records import Accelerator, Workload
from generator.validation import names
from generator.validation.calibration import constant_of
from generator.validation.families import offline_cases as cases
from generator.validation.family import Aim, Case, Family, Inputs, Number
from generator.validation.leaves import stated
from generator.validation.rows import Row, Uncovered

ID = "mlperf"
BEAM_SEARCHES = ("gpt-j",)
"""Benchmarks that search with several beams, as their rules say."""
SCENARIOS = {"mlperf_offline": "offline", "mlperf_server": "server", "mlperf_interactive": "interactive"}
CONSTANTS = (
    *(name for name in cases.CONSTANTS if name != "offline_request_s"),
    "request_host_s", "deadline_share", "release_speedup", "token_limit_s",
)  # fmt: skip


def task_of(row: Row, library: Library) -> tuple[str, Workload]:
    """The benchmark of a row and its mean request; its accuracy class does not matter. Raises Uncovered."""
    name = row.text("model").lower().removesuffix("-99.9").removesuffix("-99").removesuffix("-interactive")
    name = name.replace("gptj", "gpt-j")
    try:
        return name, library.find("workloads", f"{ID}-{name}")
    except UnknownId:
        raise Uncovered(f"benchmark `{name}` is not described") from None


def weights_spelt(row: Row, accelerator: Accelerator) -> str:
    """Format in which matrices run: the first rounds name that of the checkpoint, and run in the narrowest one."""
    told = row.text("precision_weights").lower()
    if told not in ("fp16", "bf16"):
        return told
    peaks = accelerator.dense_peak
    if peaks.fp4 is not None:
        return "nvfp4"
    return "fp8" if peaks.fp8 is not None else told


def layout(
    library: Library, model: Architecture, accelerator: Accelerator, gpus: float, limit_s: float
) -> tuple[float, float]:
    """Accelerators that split the layers of a copy, and its stages: as few as leave room and keep the limit."""
    size = float(model.weights_bytes)
    memory_share, read_share = library.assume("mlperf-memory-share"), library.assume("mlperf-read-share")
    room = size / (float(accelerator.memory.visible or accelerator.memory.capacity) * memory_share)
    speed = size / (float(accelerator.memory.bandwidth or math.inf) * limit_s * read_share)
    wanted = min(2.0 ** math.ceil(math.log2(max(room, speed, 1.0))), gpus)
    split = min(wanted, float(library.assume("gpus-per-host")))
    return split, max(wanted // split, 1.0)


def _tokens_of(row: Row, output: float, bound: float) -> float:
    """Tokens of one unit of the row. Round 5.1 prints interactive tokens as queries: so many queries beat the bound."""
    queries = row.unit.startswith(("Queries", "Samples"))
    return output if queries and row.value * output <= bound else 1.0


def _express(row: Row, library: Library) -> Case:
    name, task = task_of(row, library)
    scenario = SCENARIOS[row.metric]
    if "maxq" in row.text("note").lower():
        raise Uncovered("an accelerator at reduced power")
    accelerator = names.accelerator(library, row.text("gpu"))
    weights = cases.number_format(library, weights_spelt(row, accelerator))
    model = cases.architecture_of(library, row.text("model"), weights, "fp8", windows=False)
    gpus = row.needed("n_gpus")
    beams = float(library.assume("mlperf-gpt-j-beams")) if name in BEAM_SEARCHES else 1.0
    limit = constant_of(library.find("calibrations", ID), "token_limit_s", {"benchmark": name, "scenario": scenario})
    tp, pp = layout(library, model, accelerator, gpus, float(limit))
    output = row.number("osl") or task.output
    run = cases.Run(
        architecture=model,
        number_format=weights,
        accelerator=accelerator,
        prompt_tokens=task.prompt / beams,
        output_tokens=output,
        requests=stated(row, cases.AT_ONCE, "queued_requests", "count"),
        tp=tp,
        pp=pp,
        attention_ranks=tp if model.moe is not None else 1.0,
        block_tokens=float(library.assume("kv-block-tokens")),
    )
    inputs: dict[str, Any] = cases.inputs_of(row, run, library)
    # Beams of a request share the cache of its prompt, and read it together.
    mean = decode.mean_context_tokens(prompt_tokens=inputs["prompt_tokens"], output_tokens=inputs["output_tokens"])
    inputs["kv_read_bytes_per_request"] = model.read_bytes_per_request(mean)
    inputs["kv_bytes_per_request"] = memory.kv_bytes_per_request(
        kv_fixed_bytes_per_request=0.0,
        kv_bytes_per_token=model.kv_bytes_per_token,
        context_tokens=mean,
        block_tokens=run.block_tokens,
    )
    copies = gpus / (tp * pp)
    inputs |= {
        "copies": stated(row, copies, "copies", "count"),
        "rate_per_sequence": stated(row, 1 / beams, "rate_per_sequence"),
    }
    stack = row.text("engine").split(" ")[0].rstrip(";").lower()
    keys = {
        "engine": stack,
        "version": row.text("engine_version").split(" ")[-1],
        "scenario": scenario,
        "benchmark": name,
        "beams": f"{beams:g}",
        "backend": "pytorch" if stack == "vllm" else "compiled",
        **cases.card_keys(library, accelerator, weights, model),
    }
    own = {**inputs, "kv_read_bytes_per_request": inputs["kv_bytes_per_request"]}
    bound = formulas.all_copies_tokens_per_s(offline_bound_tokens_per_s=cases.bound(own), copies=copies)
    return Case(
        row=row,
        inputs=inputs,
        keys=keys,
        group=f"{name} | {accelerator.id} | {keys['version']}",
        bound=bound,
        reference=formulas.all_copies_tokens_per_s(
            offline_bound_tokens_per_s=cases.reference(inputs, library), copies=copies / beams
        ),
        per_unit=_tokens_of(row, float(output), float(bound)),
        identity=(name, accelerator.id, gpus, stack, keys["version"], scenario, weights.id),
        remark="the format is that of the run; the table names that of the checkpoint"
        if weights.id != row.text("precision_weights").lower() and weights.id != "nvfp4"
        else "",
    )


def predict(inputs: Inputs, constants: Inputs) -> Number:
    """Output tokens per second of the whole system."""
    given = {**inputs, **constants}
    given["offline_request_s"] = cases.taken(given, formulas.sequence_request_s)
    batch = cases.batch_of(given)
    timely = cases.taken(
        given,
        formulas.timely_batch,
        offline_batch=batch,
        lone_step_s=cases.mixed_step(given, 1.0),
        full_step_s=cases.mixed_step(given, decode.stage_batch(replica_batch=batch, pp=given["pp"])),
    )
    step = cases.mixed_step(given, decode.stage_batch(replica_batch=timely, pp=given["pp"]))
    return cases.taken(given, formulas.steady_tokens_per_s, timely_batch=timely, offline_step_total_s=step)


def _explain(row: Row, case: Case, error: float) -> str:
    """What the model leaves out that this row is likely to show."""
    if case.keys["scenario"] == "interactive":
        return "a tight limit on the time per token: the split of the model decides, and the table does not tell it"
    if case.keys["link"] == "pcie" and float(case.inputs["tp"]) > 1:
        return "whether a bridge joins the cards is not in the table"
    if case.keys["benchmark"] == "llama3.1-405b" and case.keys["scenario"] == "server":
        return "the limit on the time to first token binds before the one on the time per token"
    return "how the submission split the model is not in the table"


FAMILY = Family(
    id=ID,
    name="MLPerf Inference",
    what="Output tokens per second of a system in MLPerf: copies of the model on as few accelerators as hold it well,"
    " the batch that memory holds, or the one that keeps the scenario's limit on the time per token.",
    unit="token/s",
    claims=lambda row: row.metric in SCENARIOS,
    express=_express,
    predict=predict,
    constants=CONSTANTS,
    bound_is="most",
    alike_by=("benchmark", "accelerator"),
    banded_by=("scenario",),
    explain=_explain,
    aims=(Aim(0.08, 0.20, {"moe": "no"}), Aim(0.12, None, {"moe": "yes"})),
)

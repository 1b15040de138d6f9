"""Time to first token of serving runs: entry, steps in progress, waiting, and prompts up to its own."""

from __future__ import annotations

from generator.formulas import engine_step as formulas
from generator.specs.library import Library
from generator.validation import calibration as lookup
from generator.validation.families import reasons, serving_tpot
from generator.validation.families.serving_cases import case_of, engine_of
from generator.validation.family import Case, Family, Inputs, Number
from generator.validation.rows import Row, Uncovered

METRICS = ("mean_ttft", "median_ttft")
CONSTANTS = ("request_entry_s", "steps_in_progress", "handover_entry_s", "prompts_together", "prompts_ahead_share")


def _claims(row: Row) -> bool:
    """A prompt alone is a step of its own unless the row describes a serving run."""
    if row.metric not in METRICS or engine_of(row) is None:
        return False
    return row.number("batch_or_concurrency") != 1 or row.text("note").startswith(("agg;", "disagg;"))


def _express(row: Row, library: Library) -> Case:
    found = case_of(row, library)
    per_unit = 1e-3 if row.unit == "ms" else 1.0
    calibrated = library.collections["calibrations"].get(serving_tpot.FAMILY.id)
    if calibrated is None:
        raise Uncovered("the time per output token is not calibrated")
    step = Case(row=row, inputs=found.inputs, keys=found.keys, group=found.group)
    constants = lookup.constants_of(serving_tpot.FAMILY, calibrated, step)
    kernels, reductions = serving_tpot.prompt_s(found.inputs, constants)
    tpot = serving_tpot.predict(found.inputs, constants)
    work = kernels + reductions
    impossible = row.value * per_unit < float(found.busy)
    requests, ranks = found.inputs["requests_in_all"], found.inputs["prompt_ranks"]
    return Case(
        row=row,
        inputs={
            "colocated": found.inputs["colocated"],
            "serving_tpot_s": tpot,
            "prompt_work_s": work,
            "requests_in_all": requests,
            "prompt_ranks": ranks,
            "requests_per_prompt_rank": requests / ranks,
            "rank_batch": found.rank_batch,
            "admitted_requests": found.inputs["admitted_requests"],
            "output_tokens": found.inputs["output_tokens"],
        },
        keys=found.keys,
        group=found.group,
        bound=None if impossible else found.busy,
        reference=_reference(library, found.busy),
        per_unit=per_unit,
        fitted=not impossible,
        remark="faster than the prompt at the peak: cached, or another length" if impossible else "",
        identity=serving_tpot.identity(row, found),
    )


def _reference(library: Library, floor: Number) -> Number:
    """One prompt alone at the reference efficiency."""
    return formulas.lone_prompt_s(prompt_floor_s=floor, compute_efficiency=library.assume("compute-efficiency"))


def predict(inputs: Inputs, constants: Inputs) -> Number:
    """Seconds to the first token."""
    backlog = formulas.prompt_stage_wait_s(
        **{
            name: inputs[name]
            for name in ("requests_in_all", "prompt_ranks", "prompt_work_s", "output_tokens", "serving_tpot_s")
        }
    )
    full = formulas.memory_wait_s(
        **{name: inputs[name] for name in ("rank_batch", "admitted_requests", "output_tokens", "serving_tpot_s")}
    )
    return formulas.serving_ttft_s(
        prompt_stage_wait_s=backlog,
        memory_wait_s=full,
        **{name: inputs[name] for name in ("colocated", "serving_tpot_s", "prompt_work_s", "requests_per_prompt_rank")},
        **{name: constants[name] for name in CONSTANTS},
    )


FAMILY = Family(
    id="serving-ttft",
    name="Serving TTFT",
    what="Seconds to the first token of a run with a given number of requests at once: entering the engine, steps in"
    " progress, waiting for memory or for the cards that take prompts in, and the prompts up to its own.",
    unit="s",
    claims=_claims,
    express=_express,
    predict=predict,
    constants=CONSTANTS,
    bound_is="least",
    alike_by=("engine", "accelerator", "weights"),
    banded_by=("apart",),
    explain=reasons.of_ttft,
)

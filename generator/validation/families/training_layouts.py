"""Training steps of a sweep over layouts, most of them poor on purpose: nanotron on nodes of eight H100."""

from __future__ import annotations

import math

from generator.formulas import training_step as formulas
from generator.specs.library import Library
from generator.specs.records import Model
from generator.validation.families import training_cases as cases
from generator.validation.families.training_time import CONSTANTS, METRICS, held, predict, step_inputs
from generator.validation.family import Aim, Case, Family
from generator.validation.rows import Row, Uncovered

MOST_GPUS = 256
"""Accelerators up to which the sweep's steps follow from the layout: seen in its rows, not documented."""


def claims(row: Row) -> bool:
    return row.metric in METRICS and row.text("engine").lower().startswith("nanotron")


def first_stage_layers(model: Model, layout: cases.Layout, work: cases.Work) -> float:
    """Layers of the first stage: nanotron fills it until it has more than its share of layers and head together."""
    layers = float(model.config.layers)
    if layout.pp == 1:
        return layers
    head_layers = work.head_params / (work.matrix_params / layers)
    return min(float(math.floor((layers + head_layers) / layout.pp) + 1), layers)


def express(row: Row, library: Library) -> Case:
    if row.metric not in ("tokens_per_s_per_gpu", "step_time"):
        raise Uncovered(f"`{row.metric}` of nanotron")
    architecture, accelerator = cases.described(row, library)
    layout, remark = cases.layout_of(row, architecture.model)
    domain = float(accelerator.scale_up.domain_gpus) if accelerator.scale_up else 0.0
    if layout.pp > 1 and layout.gpus > domain:
        raise Uncovered(
            "a nanotron pipeline over several nodes: in this sweep the same layout takes up to ten times as long from "
            "one run to the next"
        )
    if layout.gpus > MOST_GPUS:
        raise Uncovered(
            f"nanotron on more than {MOST_GPUS} accelerators: every step of this sweep lost a second or more there, to "
            "what is not told"
        )
    work = cases.work_of(architecture, layout.sequence_tokens, 0.0, library.assume("activation-bytes"))
    layers = float(architecture.model.config.layers)
    stage = first_stage_layers(architecture.model, layout, work) * layout.pp / layers, float(layout.pp == 1)
    inputs, floor = step_inputs(
        row, layout, work, accelerator, cases.format_of(row), stage, 1.0, held(architecture, layout), library
    )
    keys = cases.keys_of(row, architecture, accelerator)
    keys["span"] = "one node" if layout.tp <= domain else "several nodes"
    return Case(
        row,
        inputs,
        keys=keys,
        group=f"{architecture.model.id} | tp {layout.tp:g}",
        bound=floor,
        reference=formulas.step_at_mfu_s(step_floor_s=floor, mfu=library.assume("training-mfu")),
        per_unit=layout.tokens_per_gpu if row.metric == "tokens_per_s_per_gpu" else 1.0,
        inverted=row.metric == "tokens_per_s_per_gpu",
        fitted=not remark,
        remark=remark,
    )  # fmt: skip


def explain(row: Row, case: Case, error: float) -> str:
    """Why a row is far off."""
    if case.keys["span"] == "several nodes":
        return "tensor parallelism over the network: some runs of it collapse"
    return "memory close to full, or a run that collapsed"


FAMILY = Family(
    id="training-layouts",
    name="Training layouts",
    what="Time of one training step of nanotron, whatever the layout; where the launches of a layer outlast its work, "
    "they set the time.",
    unit="s",
    claims=claims,
    express=express,
    predict=predict,
    constants=CONSTANTS,
    alike_by=("engine", "accelerator"),
    banded_by=("span",),
    aims=(Aim(0.06, 0.2),),
    explain=explain,
)

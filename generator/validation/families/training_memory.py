"""Most memory that a training run allocates on one accelerator: state, activations in flight, logits, process."""

from __future__ import annotations

from typing import Any

from generator.formulas import training_step as formulas
from generator.specs.library import Library
from generator.validation.families import training_cases as cases
from generator.validation.families.training_layouts import first_stage_layers
from generator.validation.family import Aim, Case, Family, Inputs, Number
from generator.validation.leaves import stated
from generator.validation.rows import Row, Uncovered

COLUMNS = {"mem_gb_per_gpu": "GB", "mem_gib_per_gpu": "GiB"}
METRIC = "memory_per_gpu"
UNITS = {"GB": 1e9, "GiB": 2.0**30}


def claims(row: Row) -> bool:
    return row.metric == METRIC or row.metric in COLUMNS


def derives(row: Row) -> Row | None:
    """The memory that stands in a column beside the rate of a run."""
    if claims(row):
        return None
    for column, unit in COLUMNS.items():
        value = row.number(column)
        if value is not None and value > 0:
            fields = {**row.fields, "metric": METRIC, "unit": unit, "value": f"{value}"}
            return Row(f"{row.id}-memory", value, fields, row.place)
    return None


def express(row: Row, library: Library) -> Case:
    if cases.engine_of(row) != "nanotron":
        raise Uncovered("memory is worked out for nanotron alone: too few rows tell what other software keeps")
    architecture, accelerator = cases.described(row, library)
    layout, remark = cases.layout_of(row, architecture.model)
    work = cases.work_of(architecture, layout.sequence_tokens, 0.0, library.assume("activation-bytes"))
    config = architecture.model.config
    layers = first_stage_layers(architecture.model, layout, work)
    tables = 1.0 if layout.pp > 1 or config.tied_embeddings else 2.0
    params = layers * work.matrix_params / float(config.layers) + tables * work.head_params
    flight = min(layout.pp, layout.micro_batches)

    def given(value: float, name: str, unit: str = "1") -> Number:
        return stated(row, float(value), name, unit)

    inputs = {
        "stage_params": given(params / layout.tp, "stage_params", "param"),
        "shard_degree": given(layout.replicas if row.text("zero") not in ("", "0") else 1, "shard_degree", "count"),
        "kept_layer_tokens": given(layout.message_tokens * layers * flight, "kept_layer_tokens", "token"),
        "layer_kept_bytes_per_token": given(work.kept_bytes / work.layers, "layer_kept_bytes_per_token", "B/token"),
        "tp": given(layout.tp, "tp", "count"),
        "logit_values": given(
            layout.message_tokens * float(config.vocab) if layout.pp == 1 else 0.0, "logit_values", "count"
        ),
        "device_memory_bytes": accelerator.memory.capacity,
    }
    return Case(
        row,
        inputs,
        keys=cases.keys_of(row, architecture, accelerator),
        group=f"{architecture.model.id} | tp {layout.tp:g}",
        bound=None,
        reference=formulas.stage_state_bytes(
            stage_params=inputs["stage_params"],
            shard_degree=inputs["shard_degree"],
            replicated_state_bytes_per_param=given(
                library.assume("training-weight-bytes") + library.assume("training-gradient-bytes"),
                "replicated_state_bytes_per_param",
                "B",
            ),
            sharded_state_bytes_per_param=given(
                library.assume("master-weight-bytes") + library.assume("adam-moments-bytes"),
                "sharded_state_bytes_per_param",
                "B",
            ),
        ),
        per_unit=UNITS.get(row.unit.split("/")[0], 1e9),
        fitted=not remark,
        remark=remark,
    )  # fmt: skip


def predict(inputs: Inputs, constants: Inputs) -> Number:
    """State, activations of the micro-batches in flight, logits and what every process takes."""
    whole = {**inputs, **constants}

    def of(formula: Any, **more: Number) -> Number:
        return formula(**{name: whole[name] for name in formula.arguments if name not in more}, **more)

    return of(
        formulas.peak_training_bytes,
        stage_state_bytes=of(formulas.stage_state_bytes),
        stage_activation_bytes=of(formulas.stage_activation_bytes),
        stage_logit_bytes=of(formulas.stage_logit_bytes),
    )


def explain(row: Row, case: Case, error: float) -> str:
    """Why a row is far off."""
    if row.number("grad_accum") == 1:
        return "with one micro-batch a step, the gradients of the first are added to nothing and less is held at once"
    return "gathered inputs of tensor-parallel layers are freed at another time than the sum assumes"


FAMILY = Family(
    id="training-memory",
    name="Training memory",
    what="Most memory that a training process allocates on one accelerator: weights, gradients, optimiser, "
    "activations of the micro-batches in flight, logits.",
    unit="B",
    claims=claims,
    express=express,
    predict=predict,
    derives=derives,
    constants=(
        "replicated_state_bytes_per_param", "sharded_state_bytes_per_param", "activation_growth", "logit_copy_bytes",
        "process_bytes", "fill_share",
    ),
    alike_by=("engine", "accelerator"),
    aims=(Aim(0.1),),
    explain=explain,
)  # fmt: skip

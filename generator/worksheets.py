"""Steps written as data: formulas, estimates, simulations and spec values put together without code.

A worked example and a chapter both consist of named steps. A step calls one formula, one estimate or one simulation;
its arguments are

    models/llama-3-8b#total_params     a spec value, or a number derived from one model
    $weights, $served.tpot_s           an earlier step, or one number of an earlier estimate
    8192 tokens, 0.5, 16               a choice of this worksheet, in the unit of the argument
    [..., ...]                         several of these, for arguments that take a tuple
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from generator import units
from generator.estimates.architecture import Architecture, NotSupported, describe
from generator.estimates.memory import memory
from generator.estimates.mixing import chunked
from generator.estimates.selection import selection
from generator.estimates.serving import serving
from generator.estimates.speculation import speculation
from generator.estimates.training import training
from generator.formulas import FORMULAS, NOMENCLATURE
from generator.provenance import Traced, choice
from generator.simulation.catalogue import SIMULATORS, simulate
from generator.simulation.traces import STATISTICS, statistic
from generator.specs.library import Library, UnknownId
from generator.specs.validate import suggestion

ESTIMATES = ("serving", "chunked", "speculation", "training", "memory", "architecture", "selection")
_LOAD = {"input": "prompt_tokens", "output": "output_tokens"}
UNITS = {
    "prompt_tokens": "token",
    "output_tokens": "token",
    "tokens": "token",
    "usd_per_gpu_hour": "USD/h",
    "mfu": "1",
    "memory_utilization": "1",
    "visible_bytes": "B",
    "step_tokens": "token",
    "token_limit_s": "s",
    "ttft_limit_s": "s",
    "token_budget": "token",
    "new_prompt_tokens": "token",
    "acceptance": "1",
    "draft_cost_ratio": "1",
}
"""Unit of an argument of an estimate that may be written with one."""
_WORDS = ("model", "accelerator", "weights", "kv", "workload", "recompute", "number_format")


class WorksheetFault(ValueError):
    """A step that cannot be computed: which one, and what would be right."""


@dataclass(frozen=True)
class Worksheet:
    """Computed steps by name: traced numbers, or estimates with traced fields."""

    name: str
    steps: Mapping[str, Any]

    def number(self, path: str) -> Traced:
        """The number of a step, or of a field of an estimate: `weights`, `served.tpot_s`."""
        step, _, fields = path.partition(".")
        if step not in self.steps:
            raise WorksheetFault(f"{self.name}: no step is called `{step}`{suggestion(step, list(self.steps))}")
        value = self.steps[step]
        if value is None:
            return value
        for field in filter(None, fields.split(".")):
            if not hasattr(value, field):
                known = [*getattr(value, "numbers", ()), *getattr(value, "__dataclass_fields__", ())]
                raise WorksheetFault(f"{self.name}: step `{step}` has no `{field}`{suggestion(field, known)}")
            value = getattr(value, field)
        return value


def lookup(library: Library, path: str) -> Any:
    """A spec value by `collection/id#field`; also the numbers of a model's `Architecture`, and of a trace's table.

    Raises UnknownId.
    """
    place, _, field = path.partition("#")
    collection, _, identifier = place.rpartition("/")
    if collection == "models" and field in Architecture.__dataclass_fields__:
        return getattr(describe(library.find("models", identifier), library), field)
    if collection == "traces" and field in STATISTICS:
        return statistic(library, identifier, field)
    return library.datum(path)


class _Evaluator:
    def __init__(self, name: str, library: Library):
        self.name = name
        self.library = library
        self.done: dict[str, Any] = {}

    def fault(self, step: str, message: str) -> WorksheetFault:
        return WorksheetFault(f"{self.name}: step `{step}`: {message}")

    def chosen(self, given: Any, name: str, unit: str, step: str) -> Traced:
        plain = isinstance(given, (int, float)) and not isinstance(given, bool)
        try:
            value = float(given) if plain else units.parse(given, unit)
        except (ValueError, KeyError) as error:
            raise self.fault(step, f"`{name}`: {error}") from None
        return choice(value, name=name, unit=unit, reason=f"chosen in {self.name}")

    def value(self, given: Any, name: str, unit: str, step: str) -> Any:
        """An argument: reference, earlier step, or choice."""
        if isinstance(given, list):
            return tuple(self.value(one, name, unit, step) for one in given)
        if isinstance(given, str) and given.startswith("$"):
            number = Worksheet(self.name, self.done).number(given[1:])
            if number is None:
                raise self.fault(step, f"`{name}`: `{given}` is not known")
            return number
        if isinstance(given, str) and "#" in given:
            try:
                return lookup(self.library, given)
            except UnknownId as error:
                raise self.fault(step, f"`{name}`: {error}") from None
        return self.chosen(given, name, unit, step)

    def formula(self, step: str, call: Mapping[str, Any]) -> Any:
        name = call["formula"]
        if name not in FORMULAS:
            raise self.fault(step, f"no formula is called `{name}`{suggestion(name, list(FORMULAS))}")
        function = FORMULAS[name]
        given = {key: value for key, value in call.items() if key != "formula"}
        for key in given:
            if key not in function.arguments:
                raise self.fault(step, f"{name} takes no `{key}`{suggestion(key, list(function.arguments))}")
        missing = [key for key in function.arguments if key not in given]
        if missing:
            raise self.fault(step, f"{name} needs {', '.join(missing)}")
        return function(**{key: self.value(value, key, NOMENCLATURE[key].unit, step) for key, value in given.items()})

    def estimate(self, step: str, call: Mapping[str, Any]) -> Any:
        kind = call["estimate"]
        if kind not in ESTIMATES:
            raise self.fault(step, f"no estimate is called `{kind}`{suggestion(kind, list(ESTIMATES))}")
        given = {_LOAD.get(key, key): value for key, value in call.items() if key != "estimate"}
        arguments = {
            key: value if key in _WORDS else self.value(value, key, UNITS.get(key, "count"), step)
            for key, value in given.items()
        }
        try:
            if "workload" in arguments:
                shape = self.library.find("workloads", arguments.pop("workload"))
                arguments = {"prompt_tokens": shape.prompt, "output_tokens": shape.output} | arguments
            return run_estimate(kind, self.library, **arguments)
        except (NotSupported, UnknownId, TypeError) as error:
            raise self.fault(step, str(error)) from None

    def simulation(self, step: str, call: Mapping[str, Any]) -> Any:
        name = call["simulate"]
        if name not in SIMULATORS:
            raise self.fault(step, f"no simulation is called `{name}`{suggestion(name, list(SIMULATORS))}")
        units_of = {**SIMULATORS[name].numbers, "seed": "count", "runs": "count"}
        arguments = {
            key: self.value(value, key, units_of[key], step) if key in units_of else value
            for key, value in call.items()
            if key != "simulate"
        }
        try:
            return simulate(name, self.library, **arguments)
        except (NotSupported, UnknownId, TypeError, ValueError) as error:
            raise self.fault(step, str(error)) from None


def run_estimate(kind: str, library: Library, *, model: Any, accelerator: Any = None, **arguments: Any) -> Any:
    """One estimate by name; `model` is an id or a record."""
    record = library.find("models", model) if isinstance(model, str) else model
    if kind == "architecture":
        return describe(record, library, **arguments)
    card = library.find("accelerators", accelerator) if isinstance(accelerator, str) else accelerator
    if kind == "selection":
        return selection(record, card, library, **arguments)
    degrees = {
        name: int(arguments.pop(name)) for name in ("gpus", "tp", "pp", "ep", "zero") if arguments.get(name) is not None
    }
    functions = {
        "serving": serving, "chunked": chunked, "speculation": speculation, "memory": memory, "training": training,
    }  # fmt: skip
    return functions[kind](record, card, library, **degrees, **arguments)


def evaluate(name: str, steps: Mapping[str, Mapping[str, Any]], library: Library) -> Worksheet:
    """Compute the steps in order. Raises WorksheetFault naming the step and what would be right."""
    evaluator = _Evaluator(name, library)
    for step, call in steps.items():
        evaluator.done[step] = _compute(evaluator, step, call)
    return Worksheet(name, evaluator.done)


def _compute(evaluator: _Evaluator, step: str, call: Mapping[str, Any]) -> Any:
    if "formula" in call:
        return evaluator.formula(step, call)
    if "estimate" in call:
        return evaluator.estimate(step, call)
    if "simulate" in call:
        return evaluator.simulation(step, call)
    if "value" in call:
        return evaluator.value(call["value"], step, call.get("unit", "count"), step)
    raise evaluator.fault(step, "want `formula:`, `estimate:`, `simulate:` or `value:`")


def filled(steps: Any, row: Mapping[str, Any]) -> Any:
    """The steps with the fields of a row put in; nothing but `{field}` becomes that field, number or text."""
    if isinstance(steps, Mapping):
        return {key: filled(value, row) for key, value in steps.items()}
    if isinstance(steps, list):
        return [filled(value, row) for value in steps]
    if not isinstance(steps, str) or "{" not in steps:
        return steps
    return row[steps[1:-1]] if steps[1:-1] in row and steps[0] + steps[-1] == "{}" else steps.format_map(row)


def needed(steps: Mapping[str, Any], wanted: str) -> dict[str, Any]:
    """The steps that lead to one of them, in their order."""
    kept, waiting = {wanted}, [wanted]
    while waiting:
        for value in steps.get(waiting.pop(), {}).values():
            for one in value if isinstance(value, list) else [value]:
                step = one[1:].partition(".")[0] if isinstance(one, str) and one.startswith("$") else None
                if step and step not in kept:
                    kept.add(step)
                    waiting.append(step)
    return {step: call for step, call in steps.items() if step in kept}

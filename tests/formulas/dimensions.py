"""Formulas run on quantities with units, and the few literals that carry a unit of their own.

Bytes, FLOPs, seconds, joules and dollars are dimensions; tokens, parameters, layers and other counts are not. A
literal in a formula is a pure number unless `LITERALS` names it: 8 bits in a byte, 2 FLOPs in a multiply-add, 3600
seconds in an hour. For the check such a literal is replaced by a quantity, so a forgotten one does not pass.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

import pint

from generator.formulas import NOMENCLATURE

REGISTRY = pint.UnitRegistry(None)
for _definition in (
    "B = [information]", "bit = B / 8", "FLOP = [work]", "s = [time]", "h = 3600 * s", "USD = [currency]",
    "J = [energy]", "W = J / s", "Hz = 1 / s", "Mtok = 1e6", "kWh = 3.6e6 * J", "token = []", "param = []",
    "layer = []", "count = []", "request = []",
):  # fmt: skip
    REGISTRY.define(_definition)

PER_BYTE = {(8, 0): "bit / B"}
MULTIPLY_ADD = {(2, 0): "FLOP"}
DOLLARS = {(1_000_000, 0): "1 / Mtok", (3600, 0): "s / h"}

LITERALS: dict[str, dict[tuple[int, int], str]] = {
    # Formula -> (literal, which of its occurrences) -> unit.
    "weights_bytes": PER_BYTE,
    "uniform_weights_bytes": PER_BYTE,
    "grouped_query_kv_bytes": PER_BYTE,
    "latent_kv_bytes": PER_BYTE,
    "expanded_latent_kv_bytes": PER_BYTE,
    "index_key_bytes": PER_BYTE,
    "compressed_entry_bytes": PER_BYTE,
    "linear_state_bytes": PER_BYTE,
    "weight_intensity": {(16, 0): "FLOP * bit / B"},
    "attention_intensity": {(16, 0): "FLOP * bit / B"},
    "latent_attention_intensity": {(16, 0): "FLOP * bit / B"},
    "batch_at_ridge": {(16, 0): "FLOP * bit / B"},
    "grouped_query_attention_flops": {(4, 0): "FLOP"},
    "latent_decode_flops": MULTIPLY_ADD,
    "latent_prefill_flops": MULTIPLY_ADD,
    "index_flops": MULTIPLY_ADD,
    "linear_attention_flops": {(6, 0): "FLOP"},
    "mamba_flops": {(5, 0): "FLOP"},
    "decode_flops": MULTIPLY_ADD,
    "prefill_flops": MULTIPLY_ADD,
    "rank_product_flops": MULTIPLY_ADD,
    "expert_product_flops": MULTIPLY_ADD,
    "expert_activation_bytes": {(2, 0): "B"},
    "dispatch_bytes": {(1.5, 0): "B"},
    "compute_time_s": MULTIPLY_ADD,
    "decode_intensity_limit": MULTIPLY_ADD,
    "chunked_compute_time_s": MULTIPLY_ADD,
    "verify_compute_time_s": MULTIPLY_ADD,
    "break_even_context_tokens": {(2, 1): "FLOP"},
    "compute_bound_context_tokens": MULTIPLY_ADD,
    "matmul_flops": MULTIPLY_ADD,
    "training_flops": {(6, 0): "FLOP"},
    "attention_training_flops": {(12, 0): "FLOP"},
    "recomputed_flops": MULTIPLY_ADD,
    "usd_per_million_tokens": DOLLARS,
    "usd_per_million_tokens_mixed": DOLLARS,
    "usd_per_million_input_tokens": DOLLARS,
    "api_request_usd": {(1_000_000, 0): "1 / Mtok"},
    "own_request_usd": {(3600, 0): "s / h"},
    "break_even_requests_per_s": {(3600, 0): "s / h"},
    "api_usd_per_hour": {(3600, 0): "s / h"},
    "fleet_usd": {(3600, 0): "s / h"},
    "parameter_flops_per_token": {(6, 0): "FLOP"},
    "attention_flops_per_trained_token": {(12, 0): "FLOP"},
    "lora_training_flops": {(4, 0): "FLOP"},
    "request_usd": {(1_000_000, 0): "1 / Mtok"},
    "sales_usd": {(1_000_000, 0): "1 / Mtok"},
    "tokens_per_usd": {(3600, 0): "s / h"},
    "flops_per_usd": {(3600, 0): "s / h"},
    "bytes_per_usd": {(3600, 0): "s / h"},
    "energy_usd_per_million_tokens": {(1_000_000, 0): "1 / Mtok", (3_600_000, 0): "J / kWh"},
    "energy_usd_per_gpu_hour": {(1000, 0): "W * h / kWh"},
    "bytes_per_param": PER_BYTE,
    "format_crossover_batch": MULTIPLY_ADD,
    "implied_kv_bytes_per_token": MULTIPLY_ADD,
    "training_gpu_hours": {(3600, 0): "s / h"},
    "traffic_usd": {(3600, 0): "s / h"},
    "work_usd": {(3600, 0): "s / h"},
    "implied_mfu": {(3600, 0): "s / h"},
    "tensor_flops_per_s": MULTIPLY_ADD,
    "split_matmul_width": MULTIPLY_ADD,
    "data_parallel_ridge_tokens": MULTIPLY_ADD,
    "tensor_parallel_limit": MULTIPLY_ADD,
    "prefill_mfu": MULTIPLY_ADD,
    "usd_per_million_billed": {(1_000_000, 0): "1 / Mtok"},
    "usd_per_million_prefilled": DOLLARS,
    # 10 and 24 bytes a value of the transformer of the paper.
    "parallel_activation_bytes": {(10, 0): "B", (24, 0): "B"},
    # Activations of an engine, and of the transformer of the paper, are 16-bit numbers and dropout masks of one byte.
    "communication_bound_degree": MULTIPLY_ADD,
    "hidden_prompt_tokens": MULTIPLY_ADD,
    "largest_model_params": PER_BYTE,
    "engine_expert_workspace_bytes": {(2, 0): "B"},
    "early_expert_workspace_bytes": {(2, 0): "B"},
    "kept_surplus_bytes": PER_BYTE,
    "copied_bytes": PER_BYTE,
    "offline_activation_bytes": {(2, 0): "B"},
    "token_row_bytes": {(2, 0): "B"},
    "body_matmul_s": MULTIPLY_ADD,
    "head_s": MULTIPLY_ADD,
    "offline_floor_s": MULTIPLY_ADD,
    "body_exchange_s": {(2, 1): "B"},
    "stage_handover_wire_s": {(2, 0): "B"},
    "transformer_activation_bytes": {(34, 0): "B", (5, 0): "B"},
}


def unit_of(name: str) -> str:
    """The unit of a name, for the registry: accelerators are counted, so a GPU-hour is an hour."""
    unit = NOMENCLATURE[name].unit
    return {"GPU-h": "h", "1": ""}.get(unit, unit)


def quantity(name: str, value: float) -> Any:
    return REGISTRY.Quantity(value, unit_of(name))


class _WithUnits(ast.NodeTransformer):
    def __init__(self, literals: dict[tuple[int, int], str]):
        self.literals, self.seen, self.used = literals, {}, set()

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        occurrence = self.seen.get(node.value, 0)
        self.seen[node.value] = occurrence + 1
        unit = self.literals.get((node.value, occurrence))
        if unit is None:
            return node
        self.used.add((node.value, occurrence))
        call = f"_quantity({node.value}, {unit!r})"
        return ast.copy_location(ast.parse(call, mode="eval").body, node)


def dimensioned(formula: Callable[..., Any]) -> Callable[..., Any]:
    """The function behind a formula with a unit at each literal that has one."""
    plain = inspect.unwrap(formula)
    literals = LITERALS.get(plain.__name__)
    if literals is None:
        return plain
    tree = ast.parse(textwrap.dedent(inspect.getsource(plain)))
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list, definition.body = [], definition.body[1:]
    walker = _WithUnits(literals)
    walker.visit(definition)
    assert walker.used == set(literals), f"{plain.__name__} no longer has the literals {set(literals) - walker.used}"
    names = dict(plain.__globals__, _quantity=REGISTRY.Quantity)
    exec(compile(ast.fix_missing_locations(tree), plain.__name__, "exec"), names)
    return names[plain.__name__]

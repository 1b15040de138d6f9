"""Number formats: what scales cost in memory, and where a wider format that computes faster overtakes a narrow one."""

from __future__ import annotations

from generator.formulas.formula import formula


@formula(reference="rouhani-2023-microscaling")
def bytes_per_param(*, value_bits, scale_bits, group_values):
    """Bytes of one value whose group shares a scale.

    8 is the bits of a byte.
    """
    return (value_bits + scale_bits / group_values) / 8


@formula(reference="definition")
def mean_bytes_per_param(*, weights_bytes, total_params):
    """Bytes of a checkpoint for each of its parameters, whatever format each part is in."""
    return weights_bytes / total_params


@formula(reference="pope-2022-scaling-inference")
def format_crossover_batch(
    *, weights_read_bytes, active_params, attention_flops_per_token, kv_read_bytes_per_request, ridge_point
):
    """Batch beyond which weights that are read in more bytes but multiplied at a higher peak take the shorter step.

    There the narrower format is limited by computing at the ridge of its own, lower peak, and takes as long as reading
    the wider weights and the caches. Negative where the cache alone keeps the step memory bound: then never.
    """
    return (
        weights_read_bytes
        * ridge_point
        / (2 * active_params + attention_flops_per_token - kv_read_bytes_per_request * ridge_point)
    )


@formula(reference="definition", kind="bound")
def read_step_ratio(*, narrow_bytes, wide_bytes):
    """Memory-bound step in a narrower format over that in a wider one: bytes over bytes."""
    return narrow_bytes / wide_bytes

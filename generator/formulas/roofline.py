"""Memory bound or compute bound: intensity, ridge point, and the floors no system can beat."""

from __future__ import annotations

from generator.formulas.elementary import maximum, minimum
from generator.formulas.formula import formula


@formula(reference="williams-2009-roofline")
def ridge_point(*, peak_flops_per_s, bandwidth_bytes_per_s):
    """Intensity at which computing and moving bytes take equally long."""
    return peak_flops_per_s / bandwidth_bytes_per_s


@formula(reference="williams-2009-roofline")
def arithmetic_intensity(*, work_flops, traffic_bytes):
    """FLOPs done for each byte moved."""
    return work_flops / traffic_bytes


@formula(reference="williams-2009-roofline", kind="bound")
def attainable_flops_per_s(*, peak_flops_per_s, bandwidth_bytes_per_s, intensity):
    """Most FLOP/s that an operation of this intensity can reach."""
    return minimum(peak_flops_per_s, bandwidth_bytes_per_s * intensity)


@formula(reference="williams-2009-roofline", kind="bound")
def roofline_seconds(*, work_flops, traffic_bytes, peak_flops_per_s, bandwidth_bytes_per_s):
    """Least time of an operation: the slower of computing and moving bytes."""
    return maximum(work_flops / peak_flops_per_s, traffic_bytes / bandwidth_bytes_per_s)


@formula(reference="definition", kind="reference")
def achieved_bandwidth_bytes_per_s(*, bandwidth_bytes_per_s, bandwidth_efficiency):
    """Bandwidth that an operation reaches."""
    return bandwidth_bytes_per_s * bandwidth_efficiency


@formula(reference="definition", kind="reference")
def achieved_flops_per_s(*, peak_flops_per_s, compute_efficiency):
    """FLOP/s that an operation reaches."""
    return peak_flops_per_s * compute_efficiency


@formula(reference="definition")
def matmul_flops(*, matrix_rows, matrix_inner, matrix_columns):
    """A multiply and an add for each row, column and inner element."""
    return 2 * matrix_rows * matrix_inner * matrix_columns


@formula(reference="definition")
def matmul_bytes(*, matrix_rows, matrix_inner, matrix_columns, bytes_per_value):
    """Both factors are read once and the product is written once."""
    return bytes_per_value * (matrix_rows * matrix_inner + matrix_inner * matrix_columns + matrix_rows * matrix_columns)


@formula(reference="pope-2022-scaling-inference")
def weight_intensity(*, batch, bits_per_param):
    """Decode multiplies each weight by one vector a request: 2 FLOPs a weight and request, read once.

    16 is 2 FLOPs times 8 bits a byte.
    """
    return 16 * batch / bits_per_param


@formula(reference="shazeer-2019-mqa")
def attention_intensity(*, n_heads, n_kv_heads, bits_per_value):
    """Decode attention does 2 FLOPs for each query head and cached value, whatever the batch and the context.

    16 is 2 FLOPs times 8 bits a byte.
    """
    return 16 * (n_heads / n_kv_heads) / bits_per_value


@formula(reference="pope-2022-scaling-inference")
def batch_at_ridge(*, ridge_point, bits_per_param):
    """Batch from which reading the weights takes less time than computing with them: weight intensity at the ridge."""
    return ridge_point * bits_per_param / 16


@formula(reference="deepseek-2024-v2")
def latent_attention_intensity(*, n_heads, kv_lora_rank, qk_rope_head_dim, bits_per_value):
    """Every query head works on the same latent: scores over latent and rotary key, values over the latent.

    16 is 2 FLOPs times 8 bits a byte.
    """
    return 16 * n_heads * (2 * kv_lora_rank + qk_rope_head_dim) / (bits_per_value * (kv_lora_rank + qk_rope_head_dim))


@formula(reference="definition", kind="reference")
def achieved_ridge_point(*, ridge_point, compute_efficiency, bandwidth_efficiency):
    """The ridge of what a device reaches instead of what its data sheet promises."""
    return ridge_point * compute_efficiency / bandwidth_efficiency


@formula(reference="pope-2022-scaling-inference")
def decode_intensity_limit(*, active_params, attention_flops_per_token, kv_read_bytes_per_request):
    """Intensity of the decode step of a very large batch: weights cost nothing more, every request reads its cache."""
    return (2 * active_params + attention_flops_per_token) / kv_read_bytes_per_request


@formula(reference="pope-2022-scaling-inference")
def compute_bound_context_tokens(*, active_params, kv_bytes_per_token, ridge_point, attention_intensity):
    """Context beyond which decode stays memory bound at any batch: each request alone reads too much cache.

    For caches that grow with every token; below an attention intensity at the ridge.
    """
    return 2 * active_params / (kv_bytes_per_token * (ridge_point - attention_intensity))


@formula(reference="definition")
def implied_bandwidth_bytes_per_s(*, traffic_bytes, step_s):
    """Bandwidth at which the bytes of a step move in its time."""
    return traffic_bytes / step_s


@formula(reference="pope-2022-scaling-inference", kind="bound")
def batch_one_floor_s(*, weights_bytes, bandwidth_bytes_per_s):
    """No decode step is shorter than reading the weights once."""
    return weights_bytes / bandwidth_bytes_per_s


@formula(reference="pope-2022-scaling-inference", kind="bound")
def batch_one_tokens_per_s(*, batch_one_floor_s):
    """No single request decodes faster than one token for each reading of the weights."""
    return 1 / batch_one_floor_s


@formula(reference="definition", kind="bound")
def drain_seconds(*, memory_bytes, bandwidth_bytes_per_s):
    """Time to read a whole memory once: the longest useful decode step of a full device."""
    return memory_bytes / bandwidth_bytes_per_s

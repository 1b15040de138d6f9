"""One decode step: the slower of reading and computing, and communication after it."""

from __future__ import annotations

from generator.formulas.elementary import maximum
from generator.formulas.formula import formula


@formula(reference="definition")
def mean_context_tokens(*, prompt_tokens, output_tokens):
    """Context of a request half-way through its output."""
    return prompt_tokens + output_tokens / 2


@formula(reference="definition")
def replica_batch(*, batch, dp):
    """Requests of the busiest replica when a balancer spreads them evenly: at least one."""
    return maximum(batch / dp, 1)


@formula(reference="definition")
def stage_batch(*, replica_batch, pp):
    """Requests in one micro-batch, at least one: a pipeline keeps a micro-batch in each stage."""
    return maximum(replica_batch / pp, 1)


@formula(reference="pope-2022-scaling-inference")
def decode_flops(*, batch, active_params, attention_flops_per_token):
    """FLOPs of one decode step: one token of every request. FLOPs count active parameters."""
    return batch * (2 * active_params + attention_flops_per_token)


@formula(reference="pope-2022-scaling-inference")
def decode_bytes(*, weights_read_bytes, batch, kv_read_bytes_per_request):
    """Bytes of one decode step: the weights once, the cache of every request."""
    return weights_read_bytes + batch * kv_read_bytes_per_request


@formula(reference="pope-2022-scaling-inference", kind="bound")
def memory_time_s(
    *, weights_read_bytes, stage_batch, kv_read_bytes_per_request, kv_replication, tp, bandwidth_bytes_per_s,
    bandwidth_efficiency,
):  # fmt: skip
    """Time to read the weights once and the cache of every request. Decode bytes count the experts read."""
    return (weights_read_bytes + stage_batch * kv_read_bytes_per_request * kv_replication) / (
        tp * bandwidth_bytes_per_s * bandwidth_efficiency
    )


@formula(reference="pope-2022-scaling-inference", kind="bound")
def compute_time_s(*, stage_batch, active_params, attention_flops_per_token, tp, peak_flops_per_s, compute_efficiency):
    """Time to compute one token of every request. FLOPs count active parameters."""
    return stage_batch * (2 * active_params + attention_flops_per_token) / (tp * peak_flops_per_s * compute_efficiency)


@formula(reference="pope-2022-scaling-inference")
def tpot_s(*, memory_time_s, compute_time_s, communication_time_s):
    """Time per output token: reading and computing overlap, communication does not."""
    return maximum(memory_time_s, compute_time_s) + communication_time_s


@formula(reference="definition")
def tokens_per_s(*, batch, tpot_s):
    """Output tokens per second of all requests together."""
    return batch / tpot_s


@formula(reference="definition")
def tokens_per_s_per_user(*, tpot_s):
    """Output tokens per second of one request, also called interactivity."""
    return 1 / tpot_s


@formula(reference="definition")
def tokens_per_s_per_gpu(*, tokens_per_s, gpus):
    """Output tokens per second and accelerator."""
    return tokens_per_s / gpus


@formula(reference="pope-2022-scaling-inference")
def batch_cache_equals_weights(*, weights_read_bytes, kv_read_bytes_per_request):
    """Batch whose caches are as many bytes as the weights: a step then takes twice as long as for one request."""
    return weights_read_bytes / kv_read_bytes_per_request


@formula(reference="pope-2022-scaling-inference", kind="bound")
def cache_limit_tokens_per_s(*, gpus, bandwidth_bytes_per_s, bandwidth_efficiency, kv_read_bytes_per_request):
    """Output rate that no batch passes: every token reads the cache of its request, however well weights are shared."""
    return gpus * bandwidth_bytes_per_s * bandwidth_efficiency / kv_read_bytes_per_request


@formula(reference="definition")
def step_residual_s(*, step_s, tpot_s):
    """Measured time of a step beyond the predicted one: what the prediction leaves out."""
    return step_s - tpot_s


@formula(reference="definition")
def power_share(*, power_w, gpus, tdp_w):
    """Drawn power over the design power of all accelerators."""
    return power_w / (gpus * tdp_w)


@formula(reference="definition")
def tokens_per_s_from_energy(*, power_w, measured_j_per_token):
    """Tokens per second of a run of which power and energy per token are known."""
    return power_w / measured_j_per_token


@formula(reference="definition", kind="bound")
def request_energy_j_per_token(*, tdp_w, gpus, tokens_per_s):
    """Energy of one output token if every accelerator draws its design power."""
    return tdp_w * gpus / tokens_per_s

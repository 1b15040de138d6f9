"""All requests queued at once: the batch that memory holds, a step that decodes and prefills, and the whole run."""

from __future__ import annotations

from generator.formulas.elementary import ceiling, either, floor, logarithm, maximum, minimum
from generator.formulas.formula import formula


@formula(reference="definition")
def offline_weights_bytes_per_gpu(
    *, body_bytes, expert_bytes, table_bytes, tp, pp, attention_tp,
):  # fmt: skip
    """Weights on one accelerator: attention split over `attention_tp`, experts over `tp`, tables not over stages."""
    return (body_bytes / attention_tp + expert_bytes / tp) / pp + table_bytes / attention_tp


@formula(reference="definition")
def offline_request_bytes(*, kv_bytes_per_request, kv_replication, attention_tp, pp):
    """Cache of one whole request on one accelerator."""
    return kv_bytes_per_request * kv_replication / (attention_tp * pp)


@formula(reference="nvidia-tensorrt-llm-performance", kind="calibrated")
def offline_pool_requests(
    *, offline_memory_share, device_visible_bytes, offline_weights_bytes_per_gpu, offline_reserve_bytes,
    offline_activation_bytes, offline_request_bytes,
):  # fmt: skip
    """Requests that the cache holds when each keeps room for all of its tokens until it ends: at least one."""
    return maximum(
        floor(
            offline_memory_share
            * (device_visible_bytes - offline_weights_bytes_per_gpu - offline_reserve_bytes - offline_activation_bytes)
            / offline_request_bytes
        ),
        1,
    )


@formula(reference="nvidia-tensorrt-llm-performance")
def offline_step_limit_tokens(*, offline_pool_requests, batch_limit, pp, prompt_tokens, output_tokens):
    """Tokens for which the engine is built: what a full batch needs, from 2048 to 8192."""
    return minimum(
        maximum(minimum(offline_pool_requests, batch_limit) / pp * (1 + prompt_tokens / output_tokens), 2048), 8192
    )


@formula(reference="korthikanti-2022-activation-recomputation")
def offline_activation_bytes(*, offline_step_limit_tokens, d_model, active_intermediate, tp):
    """Activations of a step of that many tokens: four vectors of the width and three of the feed-forward network."""
    return offline_step_limit_tokens * 2 * (4 * d_model + 3 * active_intermediate / tp)


@formula(reference="nvidia-tensorrt-llm-performance")
def offline_batch(*, offline_pool_requests, batch_limit, queued_requests, attention_ranks):
    """Requests that decode at once on one attention rank: what the cache, the engine and the queue allow."""
    return minimum(offline_pool_requests, minimum(batch_limit, ceiling(queued_requests / attention_ranks)))


@formula(reference="definition")
def pass_tokens(*, stage_batch, prompt_tokens, output_tokens):
    """Tokens of one step: one of each request, and the prompts of those that take the places of finished ones."""
    return stage_batch * (1 + prompt_tokens / output_tokens)


@formula(reference="definition")
def prompt_pass_tokens(*, stage_batch, prompt_tokens, output_tokens):
    """Prompt tokens of one step: those of the requests that take the places of finished ones."""
    return stage_batch * prompt_tokens / output_tokens


@formula(reference="definition")
def fixed_prompt_tokens(*, stage_batch, prompt_tokens):
    """Prompt tokens of a fixed batch, taken in one step."""
    return stage_batch * prompt_tokens


@formula(reference="definition")
def gathered_tokens(*, pass_tokens, attention_ranks):
    """Tokens that meet at the experts: those of all attention ranks."""
    return pass_tokens * attention_ranks


@formula(reference="pope-2022-scaling-inference", kind="calibrated")
def body_read_s(
    *, body_bytes, attention_tp, expert_bytes, expert_share_read, tp, pp, bandwidth_bytes_per_s,
    offline_weights_efficiency,
):  # fmt: skip
    """Time to read the layers of one stage on one accelerator: of the experts, those that are picked."""
    return (body_bytes / attention_tp + expert_bytes * expert_share_read / tp) / (
        pp * bandwidth_bytes_per_s * offline_weights_efficiency
    )


@formula(reference="pope-2022-scaling-inference", kind="calibrated")
def body_matmul_s(
    *, body_params, attention_tp, pass_tokens, offline_matmul_efficiency, routed_active_params, gathered_tokens, tp,
    offline_expert_efficiency, pp, peak_flops_per_s,
):  # fmt: skip
    """Time of the matrix products of one stage; those of experts are many small ones and reach less of the peak."""
    return (
        2
        * (
            body_params * pass_tokens / (attention_tp * offline_matmul_efficiency)
            + routed_active_params * gathered_tokens / (tp * offline_expert_efficiency)
        )
        / (pp * peak_flops_per_s)
    )


@formula(reference="williams-2009-roofline", kind="calibrated")
def body_s(*, body_read_s, body_matmul_s, overlap_exponent):
    """Reading and computing together: exponent 1 is one after the other, a large one full overlap."""
    return (body_read_s**overlap_exponent + body_matmul_s**overlap_exponent) ** (1 / overlap_exponent)


@formula(reference="definition")
def token_row_bytes(*, layers, d_model, routed_copies, active_intermediate, expert_tp):
    """Activations that kernels hand each other for one token, two bytes a value."""
    return 2 * layers * (4 * d_model + 2 * routed_copies * d_model + 3 * active_intermediate / expert_tp)


@formula(reference="definition", kind="calibrated")
def token_rows_s(*, pass_tokens, token_row_bytes, pp, bandwidth_bytes_per_s, row_bandwidth_efficiency):
    """Time to write and read the activations of a step on one stage."""
    return pass_tokens * token_row_bytes / (pp * bandwidth_bytes_per_s * row_bandwidth_efficiency)


@formula(reference="definition", kind="calibrated")
def head_s(
    *, head_bytes, tp, bandwidth_bytes_per_s, offline_weights_efficiency, head_params, sampled_rows, attention_ranks,
    plain_flops_per_s, head_matmul_efficiency,
):  # fmt: skip
    """Time of the output head on the last stage, in 16 bits: of a prompt only the last token is sampled."""
    return head_bytes / (tp * bandwidth_bytes_per_s * offline_weights_efficiency) + 2 * head_params * sampled_rows * (
        attention_ranks
    ) / (tp * plain_flops_per_s * head_matmul_efficiency)


@formula(reference="definition")
def sampled_rows(*, stage_batch, output_tokens):
    """Tokens sampled in a step: one of each request, and the first of each new one."""
    return stage_batch * (1 + 1 / output_tokens)


@formula(reference="shoeybi-2019-megatron", kind="calibrated")
def body_exchange_s(
    *, layers, tp, pp, d_model, pass_tokens, exchanged_copies, link_bytes_per_s, offline_link_efficiency,
    offline_reduction_s, rank_doublings,
):  # fmt: skip
    """Two exchanges a layer over the tensor-parallel group, 16-bit values: volume, and a latency for each doubling."""
    return (
        2
        * layers
        / pp
        * (
            (tp - 1) / tp * 2 * d_model * exchanged_copies * pass_tokens / (link_bytes_per_s * offline_link_efficiency)
            + offline_reduction_s * rank_doublings
        )
    )


@formula(reference="definition")
def rank_doublings(*, tp):
    """Doublings from one accelerator to the tensor-parallel group: the least rounds in which all hear of all."""
    return logarithm(tp) / logarithm(2.0)


@formula(reference="narayanan-2021-megatron", kind="calibrated")
def stage_handover_wire_s(*, pass_tokens, d_model, pp, link_bytes_per_s, offline_link_efficiency):
    """Time to hand the tokens of a step to the next stage, 16-bit values; none without stages."""
    return pass_tokens * d_model * 2 * minimum(pp - 1, 1) / (link_bytes_per_s * offline_link_efficiency)


@formula(reference="pope-2022-scaling-inference", kind="calibrated")
def batch_cache_s(
    *, stage_batch, kv_read_bytes_per_request, kv_replication, attention_tp, pp, bandwidth_bytes_per_s,
    offline_kv_efficiency,
):  # fmt: skip
    """Time to read the caches of a micro-batch on one stage."""
    return (
        stage_batch
        * kv_read_bytes_per_request
        * kv_replication
        / (attention_tp * pp * bandwidth_bytes_per_s * offline_kv_efficiency)
    )


@formula(reference="definition", kind="calibrated")
def scalar_attention_s(
    *, stage_batch, scalar_attention_flops, attention_tp, pp, plain_flops_per_s, scalar_attention_share
):
    """Time of decode attention without tensor cores: each query head works through the cache by itself."""
    return stage_batch * scalar_attention_flops / (attention_tp * pp * plain_flops_per_s * scalar_attention_share)


@formula(reference="dao-2022-flashattention", kind="calibrated")
def prompt_attention_s(
    *, prompt_pass_tokens, attention_flops_per_token, attention_tp, pp, plain_flops_per_s, prompt_attention_efficiency
):
    """Time of attention over the prompt tokens of a step."""
    return (
        prompt_pass_tokens
        * attention_flops_per_token
        / (attention_tp * pp * plain_flops_per_s * prompt_attention_efficiency)
    )


@formula(reference="definition", kind="calibrated")
def pass_fixed_s(*, layers, offline_layer_s, moe_layers, offline_expert_layer_s, pp, offline_step_s):
    """Time of a step that does not depend on its tokens: kernels of each layer, and the engine's own loop."""
    return (layers * offline_layer_s + moe_layers * offline_expert_layer_s) / pp + offline_step_s


@formula(reference="definition", kind="calibrated")
def pass_requests_s(*, stage_batch, offline_sequence_s, output_tokens, offline_request_s):
    """Time of the host for each request in a step, and for each one that enters: sampling, bookkeeping, answers."""
    return stage_batch * (offline_sequence_s + offline_request_s / output_tokens)


@formula(reference="definition", kind="calibrated")
def offline_step_total_s(
    *, body_s, token_rows_s, head_s, body_exchange_s, stage_handover_wire_s, batch_attention_s, prompt_attention_s,
    pass_fixed_s, pass_requests_s,
):  # fmt: skip
    """One step of one stage; its parts follow each other."""
    return (
        body_s + token_rows_s + head_s + body_exchange_s + stage_handover_wire_s + batch_attention_s
        + prompt_attention_s + pass_fixed_s + pass_requests_s
    )  # fmt: skip


@formula(reference="definition", kind="calibrated")
def batch_attention_s(*, batch_cache_s, scalar_attention_s):
    """Decode attention of a step: the slower of reading the caches and of scalar work on them."""
    return maximum(batch_cache_s, scalar_attention_s)


@formula(reference="definition")
def batch_wave_s(*, pp, output_tokens, offline_step_total_s):
    """Time in which a full batch makes all of its tokens; each stage works on a micro-batch of its own."""
    return pp * output_tokens * offline_step_total_s


@formula(reference="definition")
def full_waves(*, queued_requests, attention_ranks, offline_batch):
    """Times that the queue fills the batch."""
    return floor(queued_requests / (attention_ranks * offline_batch))


@formula(reference="definition")
def rest_requests(*, queued_requests, attention_ranks, full_waves, offline_batch):
    """Requests of one attention rank that are left for the last, smaller batch."""
    return maximum(queued_requests / attention_ranks - full_waves * offline_batch, 0)


@formula(reference="definition", kind="calibrated")
def offline_run_s(*, full_waves, batch_wave_s, rest_requests, rest_wave_s):
    """Time of the whole queue: full batches, then the rest."""
    return either(rest_requests > 0, full_waves * batch_wave_s + rest_wave_s, full_waves * batch_wave_s)


@formula(reference="definition", kind="calibrated")
def static_run_s(*, pp, prompt_pass_s, output_tokens, decode_pass_s):
    """Time of one fixed batch: its prompts, then its tokens, stage after stage."""
    return pp * (prompt_pass_s + output_tokens * decode_pass_s)


@formula(reference="little-1961-queuing-formula")
def arrived_batch(*, arrival_rate_per_s, output_tokens, offline_step_total_s, offline_batch):
    """Requests in flight at an arrival rate: rate times the time of a request, at least one, at most the batch."""
    return minimum(maximum(arrival_rate_per_s * output_tokens * offline_step_total_s, 1), offline_batch)


@formula(reference="definition", kind="calibrated")
def paced_run_s(*, queued_requests, arrival_rate_per_s, output_tokens, offline_step_total_s):
    """Time until the last of the requests that arrive at a rate is done."""
    return queued_requests / arrival_rate_per_s + output_tokens * offline_step_total_s


@formula(reference="definition", kind="calibrated")
def run_s(*, fixed_batch, static_run_s, offline_run_s, paced_run_s):
    """Time of a run: of a fixed batch, or of a queue, which cannot end before its last request has arrived."""
    return either(fixed_batch > 0, static_run_s, maximum(offline_run_s, paced_run_s))


@formula(reference="definition", kind="calibrated")
def offline_tokens_per_s(*, queued_requests, output_tokens, run_s):
    """Output tokens per second of the whole run."""
    return queued_requests * output_tokens / run_s


@formula(reference="definition", kind="calibrated")
def timely_batch(*, token_limit_s, deadline_share, offline_batch, pp, lone_step_s, full_step_s):
    """Largest batch whose mean time per token keeps a share of the limit: a step grows along a line with its batch."""
    return minimum(
        maximum(
            1
            + (offline_batch - 1)
            * (token_limit_s * deadline_share / pp - lone_step_s)
            / maximum(full_step_s - lone_step_s, lone_step_s / 1_000_000),
            1,
        ),
        offline_batch,
    )


@formula(reference="definition", kind="calibrated")
def sequence_request_s(*, request_host_s, rate_per_sequence):
    """Time of the host for a request, over its beams."""
    return request_host_s * rate_per_sequence


@formula(reference="definition", kind="calibrated")
def steady_tokens_per_s(
    *, copies, attention_ranks, timely_batch, pp, offline_step_total_s, rate_per_sequence, release_speedup
):
    """Output tokens per second of all copies of the model; of several beams only the best one counts."""
    return copies * attention_ranks * timely_batch * rate_per_sequence * release_speedup / (pp * offline_step_total_s)


@formula(reference="definition")
def body_params(*, attention_params, ffn_params, norm_params, other_params):
    """Parameters of the layers outside the routed experts: attention, dense and shared feed-forward parts, norms."""
    return attention_params + ffn_params + norm_params + other_params


@formula(reference="definition")
def active_intermediate(*, routed_active_params, ffn_params, d_model, layers):
    """Mean width of the feed-forward network that one token passes, of three matrices a layer."""
    return (routed_active_params + ffn_params) / (3 * d_model * layers)


@formula(reference="definition")
def routed_copies(*, top_k, moe_layers, layers):
    """Copies of a token that go to experts, mean over the layers."""
    return top_k * moe_layers / layers


@formula(reference="definition")
def offline_cache_limit_requests(*, gpus, device_visible_bytes, total_weights_bytes, kv_read_bytes_per_request):
    """Requests beyond which the mean cache would not fit, even if nothing but weights took memory: at least one."""
    return maximum((gpus * device_visible_bytes - total_weights_bytes) / kv_read_bytes_per_request, 1)


@formula(reference="definition")
def total_weights_bytes(*, body_bytes, expert_bytes, table_bytes):
    """Weights of one copy of the model."""
    return body_bytes + expert_bytes + table_bytes


@formula(reference="pope-2022-scaling-inference", kind="bound")
def offline_floor_s(
    *, batch, weights_read_bytes, kv_read_bytes_per_request, gpus, bandwidth_bytes_per_s, body_params,
    routed_active_params, prompt_tokens, output_tokens, peak_flops_per_s,
):  # fmt: skip
    """Least time of a step of all requests: reading weights and caches at the bandwidth, or computing at the peak."""
    return maximum(
        (weights_read_bytes + batch * kv_read_bytes_per_request) / (gpus * bandwidth_bytes_per_s),
        2 * batch * (1 + prompt_tokens / output_tokens) * (body_params + routed_active_params)
        / (gpus * peak_flops_per_s),
    )  # fmt: skip


@formula(reference="pope-2022-scaling-inference", kind="bound")
def offline_bound_tokens_per_s(*, batch, offline_floor_s):
    """Output rate of a batch at the least time of its step."""
    return batch / offline_floor_s


@formula(reference="definition")
def all_copies_tokens_per_s(*, offline_bound_tokens_per_s, copies):
    """Output rate of several copies of the model."""
    return offline_bound_tokens_per_s * copies

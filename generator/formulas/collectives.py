"""What splitting a model costs and where it stops to pay: all-reduces, their latency, context parallelism."""

from __future__ import annotations

from generator.formulas.formula import formula


@formula(reference="thakur-2005-collectives", kind="bound")
def all_reduce_s(*, buffer_bytes, degree, link_bytes_per_s, link_latency_s):
    """Time of one ring all-reduce: what each accelerator sends over its link, and the fixed time."""
    return 2 * (degree - 1) / degree * buffer_bytes / link_bytes_per_s + link_latency_s


@formula(reference="shoeybi-2019-megatron")
def tensor_parallel_bytes(*, layers, all_reduce_bytes):
    """Bytes that each accelerator sends for all all-reduces of one pass."""
    return 2 * layers * all_reduce_bytes


@formula(reference="definition", kind="reference")
def break_even_latency_s(*, single_step_s, degree, layers, all_reduce_bytes, link_bytes_per_s):
    """Fixed time of an all-reduce at which a step on n accelerators takes as long as on one.

    Splitting saves the step time but for 1/n of it, and adds two all-reduces a layer. Beyond this latency it loses.
    """
    return single_step_s * (1 - 1 / degree) / (2 * layers) - all_reduce_bytes / link_bytes_per_s


@formula(reference="definition", kind="reference")
def communication_bound_degree(
    *, active_params, layers, d_model, activation_bytes_per_value, link_bytes_per_s, peak_flops_per_s,
    compute_efficiency,
):  # fmt: skip
    """Tensor-parallel degree at which a long prompt spends as much time on all-reduces as on its matrices.

    Computing shrinks with the degree; what each accelerator sends grows towards twice the activations.
    """
    return (
        2
        * active_params
        * link_bytes_per_s
        / (4 * layers * d_model * activation_bytes_per_value * peak_flops_per_s * compute_efficiency)
    )


@formula(reference="definition")
def domain_scale_out_bytes_per_s(*, domain_gpus, scale_out_bytes_per_s):
    """Network of a whole domain: each accelerator fetches its part, and the domain shares it inside."""
    return domain_gpus * scale_out_bytes_per_s


@formula(reference="definition")
def token_time_s(*, tokens_per_s):
    """Time of one token at a rate."""
    return 1 / tokens_per_s


@formula(reference="definition")
def transfer_s(*, traffic_bytes, link_bytes_per_s):
    """Time to send bytes over a link, its fixed time left out."""
    return traffic_bytes / link_bytes_per_s


@formula(reference="huang-2019-gpipe")
def stage_bytes(*, message_tokens, d_model, activation_bytes_per_value):
    """Activations that one pipeline stage hands to the next."""
    return message_tokens * d_model * activation_bytes_per_value


@formula(reference="liu-2023-ring-attention")
def context_parallel_kv_bytes(*, kv_bytes_per_request, cp):
    """Cache of one request on one accelerator when its tokens are spread over CP of them."""
    return kv_bytes_per_request / cp


@formula(reference="liu-2023-ring-attention")
def ring_attention_bytes(*, cp, prompt_tokens, kv_bytes_per_token):
    """Keys and values that each accelerator passes on: every part of the prompt visits all the others."""
    return (cp - 1) / cp * prompt_tokens * kv_bytes_per_token


@formula(reference="liu-2023-ring-attention", kind="reference")
def hidden_prompt_tokens(
    *, cp, kv_bytes_per_token, layers, n_heads, head_dim, link_bytes_per_s, peak_flops_per_s, compute_efficiency
):
    """Prompt from which passing keys and values takes less time than causal attention, so that it can be hidden.

    Attention grows with the square of the prompt, the bytes passed on only with the prompt.
    """
    return (
        (cp - 1)
        * kv_bytes_per_token
        * peak_flops_per_s
        * compute_efficiency
        / (2 * layers * n_heads * head_dim * link_bytes_per_s)
    )


@formula(reference="definition", kind="reference")
def replica_gain(*, replicas, group_step_s, replica_step_s, fixed_step_s):
    """Output of several small replicas over that of one large group when each of them decodes the same batch.

    The fixed time of a step does not shrink with the group, so it is spent once for each replica's tokens.
    """
    return replicas * (group_step_s + fixed_step_s) / (replica_step_s + fixed_step_s)


@formula(reference="patarasuk-2009-all-reduce")
def ring_bytes(*, buffer_bytes, degree):
    """Bytes that each accelerator sends to sum a buffer in a ring."""
    return 2 * (degree - 1) / degree * buffer_bytes

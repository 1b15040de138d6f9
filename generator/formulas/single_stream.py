"""One request alone: a decode step of an engine without batching, and a prompt that passes layers on several cards."""

from __future__ import annotations

from generator.formulas.elementary import ceiling, maximum, minimum, square_root
from generator.formulas.formula import formula


@formula(reference="definition")
def streamed_weights_bytes(*, weights_read_bytes, lookup_bytes):
    """Weights that a step reads: of the input table only the rows of its tokens, which do not count."""
    return weights_read_bytes - lookup_bytes


@formula(reference="definition")
def half_accumulating_flops_per_s(*, integer_ops_per_s):
    """Peak of FP16 tensor cores that add in FP16 too: half the INT8 rate, on consumer cards twice the usual peak."""
    return integer_ops_per_s / 2


@formula(reference="williams-2009-roofline", kind="bound")
def single_stream_floor_s(*, streamed_weights_bytes, kv_read_bytes_per_request, bandwidth_bytes_per_s):
    """Least time of a token of a lone request: card after card reads its layers, so their times add up."""
    return (streamed_weights_bytes + kv_read_bytes_per_request) / bandwidth_bytes_per_s


@formula(reference="definition", kind="calibrated")
def weights_stream_s(*, streamed_weights_bytes, bandwidth_bytes_per_s, weights_bandwidth_share):
    """Time to read the weights for one token, at the share of the bandwidth that these reads reach."""
    return streamed_weights_bytes / (bandwidth_bytes_per_s * weights_bandwidth_share)


@formula(reference="definition", kind="calibrated")
def vector_products_s(*, matrix_flops, vector_flops_per_s, vector_share):
    """Part of unpacking and multiplying weights by one vector that reading them does not hide."""
    return matrix_flops / (vector_flops_per_s * vector_share)


@formula(reference="definition", kind="calibrated")
def lone_attention_s(
    *, attention_flops_per_token, vector_flops_per_s, attention_vector_share, attention_limit_flops_per_s
):
    """Time of attention for one token without a fused kernel: each query head reads the cache for itself."""
    return attention_flops_per_token / (vector_flops_per_s * attention_vector_share) + (
        attention_flops_per_token / attention_limit_flops_per_s
    )


@formula(reference="definition", kind="calibrated")
def layer_launches_s(*, layers, launch_layer_s):
    """Fixed time of all layers: launches, norms and other small work."""
    return layers * launch_layer_s


@formula(reference="definition", kind="calibrated")
def stage_handovers_s(*, gpus, stage_handover_s):
    """Fixed time of handing one token from card to card."""
    return (gpus - 1) * stage_handover_s


@formula(reference="definition", kind="calibrated")
def single_stream_s(*, weights_stream_s, vector_products_s, lone_attention_s, layer_launches_s, stage_handovers_s):
    """Time of one token of a lone request; nothing overlaps but what the shares hide."""
    return weights_stream_s + vector_products_s + lone_attention_s + layer_launches_s + stage_handovers_s


@formula(reference="definition")
def single_stream_tokens_per_s(*, single_stream_s):
    """Output tokens per second of a lone request."""
    return 1 / single_stream_s


@formula(reference="definition")
def prompt_pieces(*, prompt_tokens, piece_tokens):
    """Pieces that an engine cuts a prompt into."""
    return ceiling(prompt_tokens / piece_tokens)


@formula(reference="huang-2019-gpipe")
def pipeline_turns(*, prompt_pieces, pieces_in_flight, gpus):
    """Turns until all pieces have passed all cards, if the pipeline drains after every few pieces."""
    return (
        prompt_pieces / minimum(prompt_pieces, pieces_in_flight) * (minimum(prompt_pieces, pieces_in_flight) + gpus - 1)
    )


@formula(reference="definition", kind="calibrated")
def prompt_products_s(*, prompt_matrix_flops, peak_flops_per_s, prompt_compute_share):
    """Time of the matrix products of one prompt on one card."""
    return prompt_matrix_flops / (peak_flops_per_s * prompt_compute_share)


@formula(reference="definition", kind="calibrated")
def widening_s(*, prompt_pieces, widened_bytes, widening_passes, bandwidth_bytes_per_s):
    """Time to widen quantised weights to 16 bits in memory, once for each piece of the prompt."""
    return prompt_pieces * widened_bytes * widening_passes / bandwidth_bytes_per_s


@formula(reference="dao-2022-flashattention", kind="calibrated")
def score_traffic_s(*, prompt_scores, score_bytes, bandwidth_bytes_per_s):
    """Time to write and read the attention scores where no fused kernel keeps them on the chip."""
    return prompt_scores * score_bytes / bandwidth_bytes_per_s


@formula(reference="definition")
def masked_prompt_tokens(*, prompt_tokens, piece_tokens):
    """Prompt whose mean context is that of whole pieces: a piece scores masked tokens up to its end too."""
    return prompt_tokens + piece_tokens


@formula(reference="definition")
def prompt_scores(*, prompt_tokens, prompt_attention_flops_per_token, score_flops):
    """Attention scores of one prompt over all heads and layers."""
    return prompt_tokens * prompt_attention_flops_per_token / score_flops


@formula(reference="definition")
def widened_bytes(*, streamed_weights_bytes, wide_weights_bytes):
    """Bytes of widening all weights once: read packed, written in 16 bits."""
    return streamed_weights_bytes + wide_weights_bytes


@formula(reference="definition")
def piece_bytes(*, piece_tokens, d_model, residual_bytes_per_value):
    """Residual stream of one piece of a prompt, which goes from card to card."""
    return piece_tokens * d_model * residual_bytes_per_value


@formula(reference="definition", kind="calibrated")
def piece_handover_s(*, piece_bytes, gpus, handover_bytes_per_s):
    """Time to hand one piece to the next card, if there is one."""
    return piece_bytes * minimum(gpus - 1, 1) / handover_bytes_per_s


@formula(reference="huang-2019-gpipe", kind="calibrated")
def layered_prompt_s(
    *, prompt_products_s, widening_s, score_traffic_s, prompt_pieces, gpus, pipeline_turns, piece_handover_s
):
    """Time of one prompt whose pieces pass the layers card after card."""
    return pipeline_turns * (
        (prompt_products_s + widening_s + score_traffic_s) / (prompt_pieces * gpus) + piece_handover_s
    )


@formula(reference="definition")
def prompt_tokens_per_s(*, prompt_tokens, layered_prompt_s):
    """Prompt tokens per second of a lone request."""
    return prompt_tokens / layered_prompt_s


@formula(reference="williams-2009-roofline", kind="bound")
def prompt_rate_ceiling_tokens_per_s(*, prompt_tokens, prefill_flops, gpus, peak_flops_per_s):
    """Most prompt tokens per second: every card computes at its peak all the time."""
    return prompt_tokens * gpus * peak_flops_per_s / prefill_flops


@formula(reference="definition")
def profile_tokens(*, batch, prompt_tokens):
    """Tokens of a step that takes in the prompts of a batch."""
    return batch * prompt_tokens


@formula(reference="definition", kind="calibrated")
def profile_compute_s(*, profile_flops, tp, peak_flops_per_s, profile_compute_share):
    """Time of the matrix products of one step of a tensor-parallel group."""
    return profile_flops / (tp * peak_flops_per_s * profile_compute_share)


@formula(reference="definition", kind="calibrated")
def profile_read_s(*, profile_bytes, tp, bandwidth_bytes_per_s, profile_bandwidth_share):
    """Time to read weights and caches in one step of a tensor-parallel group."""
    return profile_bytes / (tp * bandwidth_bytes_per_s * profile_bandwidth_share)


@formula(reference="definition", kind="calibrated")
def blended_s(*, profile_compute_s, profile_read_s):
    """Computing and reading overlap in part: the root of the sum of squares."""
    return square_root(profile_compute_s**2 + profile_read_s**2)


@formula(reference="shoeybi-2019-megatron", kind="calibrated")
def reductions_s(
    *, layers, reductions_per_layer, tp, all_reduce_bytes, link_bytes_per_s, reduction_link_share, reduction_latency_s
):
    """Time of the all-reduces of one step: a fixed part each, and bytes over the share of the link that they reach."""
    return (
        layers
        * reductions_per_layer
        * (minimum(tp - 1, 1) * reduction_latency_s + all_reduce_bytes / (link_bytes_per_s * reduction_link_share))
    )


@formula(reference="definition", kind="calibrated")
def profile_fixed_s(*, layers, profile_layer_s, batch, profile_request_s, prompt_passes, profile_prompt_s):
    """Time of one step that does not depend on its tokens: by layer, by request, and once more with a prompt."""
    return layers * profile_layer_s + batch * profile_request_s + prompt_passes * profile_prompt_s


@formula(reference="definition", kind="calibrated")
def profile_step_s(*, blended_s, reductions_s, profile_fixed_s):
    """Time of one step: computing and reading, then the all-reduces, then what is fixed."""
    return blended_s + reductions_s + profile_fixed_s


@formula(reference="williams-2009-roofline", kind="bound")
def profile_floor_s(*, profile_flops, profile_bytes, tp, peak_flops_per_s, bandwidth_bytes_per_s):
    """Least time of one step: the slower of computing at the peak and reading at the bandwidth."""
    return maximum(profile_flops / peak_flops_per_s, profile_bytes / bandwidth_bytes_per_s) / tp


@formula(reference="definition", kind="calibrated")
def paced_prompt_s(*, profile_compute_s, reductions_s, paced_request_s):
    """Time that the prompt of one request keeps the engine from everything else."""
    return profile_compute_s + reductions_s + paced_request_s


@formula(reference="definition", kind="calibrated")
def paced_sequence_s(*, kv_read_bytes_per_request, tp, bandwidth_bytes_per_s, profile_bandwidth_share, sequence_s):
    """Time that one running request adds to a step: its cache, and its share of sampling and of small work."""
    return kv_read_bytes_per_request / (tp * bandwidth_bytes_per_s * profile_bandwidth_share) + sequence_s


@formula(reference="little-1961-queuing-formula", kind="calibrated")
def steady_itl_s(*, profile_step_s, paced_prompt_s, paced_sequence_s, output_tokens, arrival_gap_s, idle_share):
    """Time between tokens when requests keep coming: a step, stretched by what arrives while it runs."""
    return profile_step_s / maximum(1 - (paced_prompt_s + output_tokens * paced_sequence_s) / arrival_gap_s, idle_share)


@formula(reference="definition", kind="calibrated")
def mixed_steps(*, sent_requests, prompt_tokens, step_budget_tokens, output_tokens):
    """Steps with prompts that a request lives through when all were sent at once: on average over when it got in."""
    return minimum(output_tokens, sent_requests * prompt_tokens / step_budget_tokens) * (
        1
        - minimum(output_tokens, sent_requests * prompt_tokens / step_budget_tokens)
        / (2 * sent_requests * prompt_tokens / step_budget_tokens)
    )


@formula(reference="definition", kind="calibrated")
def burst_itl_s(
    *,
    mixed_steps,
    step_budget_tokens,
    prompt_tokens,
    output_tokens,
    paced_prompt_s,
    profile_step_s,
    paced_sequence_s,
    sent_requests,
):
    """Time between tokens when all requests were sent at once: steps full of prompts first, then full steps."""
    return (
        mixed_steps * step_budget_tokens / prompt_tokens * paced_prompt_s / output_tokens
        + (1 - mixed_steps / output_tokens) * (profile_step_s + sent_requests * paced_sequence_s)
    )  # fmt: skip


@formula(reference="definition", kind="calibrated")
def paced_itl_s(*, steady_itl_s, burst_itl_s):
    """Time between tokens: steady, as long as that is better than all requests at once."""
    return minimum(steady_itl_s, burst_itl_s)


@formula(reference="definition", kind="calibrated")
def paced_backlog_s(*, sent_requests, paced_prompt_s, arrival_gap_s):
    """Mean wait of so many requests that come faster than their prompts are done."""
    return sent_requests / 2 * maximum(paced_prompt_s - arrival_gap_s, 0)


@formula(reference="pollaczek-1930-mg1", kind="calibrated")
def prompt_queue_s(*, paced_prompt_s, arrival_gap_s, idle_share):
    """Mean wait for the prompts of others at random arrivals, all prompts alike."""
    return paced_prompt_s / 2 * (1 / maximum(1 - paced_prompt_s / arrival_gap_s, idle_share) - 1)


@formula(reference="little-1961-queuing-formula", kind="calibrated")
def decoding_share(*, output_tokens, paced_itl_s, arrival_gap_s):
    """Share of the time in which some request decodes: all of it if more than one runs on average."""
    return minimum(output_tokens * paced_itl_s / arrival_gap_s, 1)


@formula(reference="definition", kind="calibrated")
def paced_ttft_s(
    *, front_s, paced_prompt_s, paced_itl_s, waited_steps, decoding_share, prompt_queue_s, paced_backlog_s
):
    """Time to first token: the server's front, the steps in progress, the prompts before it, its own prompt."""
    return front_s + waited_steps * decoding_share * paced_itl_s + prompt_queue_s + paced_backlog_s + paced_prompt_s


@formula(reference="definition", kind="calibrated")
def paced_latency_s(*, is_first_token, paced_ttft_s, paced_itl_s):
    """The latency that a row gives: to the first token, or between tokens."""
    return is_first_token * paced_ttft_s + (1 - is_first_token) * paced_itl_s

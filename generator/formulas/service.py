"""What users see and how long they wait: rates, Little's law, budgets, backlogs, goodput."""

from __future__ import annotations

from generator.formulas.elementary import ceiling, floor, maximum, weighted_total
from generator.formulas.formula import formula


@formula(reference="definition")
def requests_per_s(*, requests, makespan_s):
    """Requests over the time from the first arrival to the last token."""
    return requests / makespan_s


@formula(reference="little-1961-queuing-formula")
def requests_in_system(*, requests_per_s, request_s):
    """Little's law: rate times mean time inside, whatever the order of service and the distributions."""
    return requests_per_s * request_s


@formula(reference="little-1961-queuing-formula")
def closed_loop_requests_per_s(*, clients, request_s, think_s):
    """Little's law for clients that wait for their answers: each sends one request in the time of answer and pause."""
    return clients / (request_s + think_s)


@formula(reference="definition")
def input_tokens_per_s(*, requests_per_s, prompt_tokens):
    """Prompt tokens per second of all requests."""
    return requests_per_s * prompt_tokens


@formula(reference="definition")
def output_tokens_per_s(*, requests_per_s, output_tokens):
    """Output tokens per second of all requests, prefills and pauses in the time."""
    return requests_per_s * output_tokens


@formula(reference="definition")
def total_tokens_per_s(*, requests_per_s, prompt_tokens, output_tokens):
    """Prompt and output tokens per second of all requests."""
    return requests_per_s * (prompt_tokens + output_tokens)


@formula(reference="definition")
def measured_tpot_s(*, request_s, ttft_s, output_tokens):
    """Time after the first token over the tokens after the first."""
    return (request_s - ttft_s) / (output_tokens - 1)


@formula(reference="definition")
def tpot_budget_s(*, budget_s, ttft_s, output_tokens):
    """What a time for the whole answer leaves for each token after the first."""
    return (budget_s - ttft_s) / (output_tokens - 1)


@formula(reference="pope-2022-scaling-inference", kind="bound")
def batch_in_tpot(
    *, tpot_budget_s, gpus, bandwidth_bytes_per_s, bandwidth_efficiency, weights_read_bytes, kv_read_bytes_per_request
):
    """Largest batch whose weights and caches are read within the time, communication and computing left out."""
    return maximum(
        floor(
            (tpot_budget_s * gpus * bandwidth_bytes_per_s * bandwidth_efficiency - weights_read_bytes)
            / kv_read_bytes_per_request
        ),
        0,
    )


@formula(reference="definition")
def backlog_tokens(*, requests_by_group, prompt_tokens_by_group):
    """Prompt tokens of all requests that wait."""
    return weighted_total(requests_by_group, prompt_tokens_by_group)


@formula(reference="definition")
def prefill_tokens_per_s(*, prompt_tokens, prefill_s):
    """Prompt tokens over the time in which they were processed."""
    return prompt_tokens / prefill_s


@formula(reference="definition")
def backlog_s(*, backlog_tokens, prefill_tokens_per_s):
    """Time to process all prompts that wait: what the last one of them waits."""
    return backlog_tokens / prefill_tokens_per_s


@formula(reference="agrawal-2024-sarathi-serve")
def prefill_steps(*, prompt_tokens, step_tokens, batch):
    """Steps of one prompt when a step has room for so many tokens and each decoding request takes one of them."""
    return ceiling(prompt_tokens / maximum(step_tokens - batch, 1))


@formula(reference="agrawal-2024-sarathi-serve")
def chunked_prefill_s(*, prefill_s, prefill_steps, prefill_memory_time_s, step_overhead_s):
    """The work of the prompt stays the same; each step reads the weights again and has its fixed time."""
    return maximum(prefill_s, prefill_steps * prefill_memory_time_s) + prefill_steps * step_overhead_s


@formula(reference="agrawal-2024-sarathi-serve")
def budget_step_s(*, chunked_prefill_s, prefill_steps):
    """Mean time of a step while a prompt fills the budget: the time between two tokens of everybody else."""
    return chunked_prefill_s / prefill_steps


@formula(reference="definition")
def stalled_tpot_s(*, tpot_s, stall_s, output_tokens):
    """Time per output token of a request that is held up once: the stall is spread over all its tokens."""
    return tpot_s + stall_s / (output_tokens - 1)


@formula(reference="definition")
def load_ratio(*, requests_per_s, service_s):
    """Work that arrives in a second over the work that is done in a second: the queue grows without end from 1 on."""
    return requests_per_s * service_s


@formula(reference="kingman-1961-heavy-traffic")
def single_server_wait_s(*, load_ratio, arrival_variation, service_variation, service_s):
    """Kingman's mean wait; exact for Poisson arrivals (variation 1), where it is the formula of Pollaczek."""
    return load_ratio / (1 - load_ratio) * (arrival_variation**2 + service_variation**2) / 2 * service_s


@formula(reference="zhong-2024-distserve")
def goodput_requests_per_s(*, requests_per_s, attainment):
    """Requests per second that meet the limits on the first token and on every further one."""
    return requests_per_s * attainment

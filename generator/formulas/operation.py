"""Operating a service: requests in flight, servers of each kind, income and cost."""

from __future__ import annotations

from generator.formulas.formula import formula


@formula(reference="definition")
def node_gpus(*, nodes, gpus_per_node):
    """Accelerators of all nodes."""
    return nodes * gpus_per_node


@formula(reference="little-1961-queuing-formula")
def requests_at_rate(*, tokens_per_s, tokens_per_s_per_user):
    """Requests that decode at once: the rate of all over the rate of one."""
    return tokens_per_s / tokens_per_s_per_user


@formula(reference="definition")
def expert_slots(*, ep, expert_copies_per_gpu):
    """Places for routed experts of one layer over all accelerators; copies of busy experts take some of them."""
    return ep * expert_copies_per_gpu


@formula(reference="definition")
def answers_per_s_per_gpu(*, batch, tpot_s, output_tokens, gpus):
    """Requests finished per second and accelerator while a batch of this size decodes all the time."""
    return batch / (tpot_s * output_tokens * gpus)


@formula(reference="definition")
def prefill_servers_per_decode_server(*, prefill_s, batch, tpot_s, output_tokens):
    """Prefill servers that keep the slots of one decode server filled."""
    return prefill_s * batch / (tpot_s * output_tokens)


@formula(reference="definition")
def missed_share(*, missed_tokens, prompt_tokens_in_all):
    """Share of the prompt tokens that no cache holds."""
    return missed_tokens / prompt_tokens_in_all


@formula(reference="chowdhery-2022-palm")
def prefill_mfu(*, prefill_tokens_per_s_per_gpu, missed_share, active_params, peak_flops_per_s):
    """FLOPs of the computed prompt tokens over the peak. FLOPs count active parameters; attention is left out."""
    return prefill_tokens_per_s_per_gpu * missed_share * 2 * active_params / peak_flops_per_s


@formula(reference="definition")
def cache_tokens(*, kv_capacity_bytes, kv_bytes_per_token):
    """Tokens that a cache has room for, not rounded to blocks."""
    return kv_capacity_bytes / kv_bytes_per_token


@formula(reference="deepseek-2025-open-infra")
def cost_profit_margin(*, income_usd, cost_usd):
    """Profit over cost."""
    return income_usd / cost_usd - 1


@formula(reference="definition")
def gross_margin(*, income_usd, cost_usd):
    """Profit over income."""
    return 1 - cost_usd / income_usd


@formula(reference="definition")
def usd_per_million_billed(*, cost_usd, billed_output_tokens):
    """Price of a million output tokens if they alone had to pay all of the cost."""
    return 1_000_000 * cost_usd / billed_output_tokens


@formula(reference="definition")
def usd_per_million_prefilled(*, gpus, usd_per_gpu_hour, node_tokens_per_s):
    """Price of a million prompt tokens while the accelerators of a node prefill at this rate."""
    return 1_000_000 * gpus * usd_per_gpu_hour / (3600 * node_tokens_per_s)

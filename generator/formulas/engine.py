"""What the lines of an engine's start-up log add up to."""

from __future__ import annotations

from generator.formulas.formula import formula


@formula(reference="vllm-docs")
def engine_budget_bytes(*, memory_utilization, device_visible_bytes):
    """Memory that an engine allows itself on one accelerator: a share of what the driver reports, free or not."""
    return memory_utilization * device_visible_bytes


@formula(reference="vllm-docs")
def pool_tokens_of_blocks(*, pool_blocks, block_tokens):
    """Tokens of a cache that the log counts in blocks."""
    return pool_blocks * block_tokens


@formula(reference="vllm-docs")
def longest_requests(*, kv_capacity_tokens, context_tokens):
    """Requests of the longest admitted length that the cache holds: the log's maximum concurrency."""
    return kv_capacity_tokens / context_tokens


@formula(reference="vllm-docs")
def engine_taken_bytes(*, engine_budget_bytes, graph_bytes):
    """Memory that an engine of before 0.21 takes in the end: captured graphs come on top of its budget."""
    return engine_budget_bytes + graph_bytes

"""Where links begin to bind: the batch, the width and the degree below or beyond which a pass waits for them."""

from __future__ import annotations

from generator.formulas.formula import formula


@formula(reference="thakur-2005-collectives", kind="bound")
def ring_gather_s(*, gathered_bytes, degree, link_bytes_per_s):
    """All-gather or reduce-scatter on a ring: each accelerator receives what it does not hold itself."""
    return gathered_bytes * (degree - 1) / degree / link_bytes_per_s


@formula(reference="austin-2025-scaling-book")
def split_matmul_width(*, degree, peak_flops_per_s, link_bytes_per_s, bytes_per_value):
    """Inner width at which a product split along it takes as long to compute as to exchange its partial sums."""
    return bytes_per_value * degree * peak_flops_per_s / (2 * link_bytes_per_s)


@formula(reference="austin-2025-scaling-book")
def data_parallel_ridge_tokens(*, peak_flops_per_s, link_bytes_per_s, bytes_per_value):
    """Tokens per accelerator below which a step of data parallelism waits for its gradients.

    Each weight does 2 FLOPs a token and crosses the link once for each time it is used.
    """
    return bytes_per_value * peak_flops_per_s / (2 * link_bytes_per_s)


@formula(reference="austin-2025-scaling-book")
def tensor_parallel_limit(*, intermediate, mesh_axes, peak_flops_per_s, link_bytes_per_s, bytes_per_value):
    """Tensor-parallel degree beyond which exchanging activations takes longer than the feed-forward products."""
    return 2 * intermediate * mesh_axes * link_bytes_per_s / (bytes_per_value * peak_flops_per_s)


@formula(reference="definition")
def link_share(*, reached_bytes_per_s, link_bytes_per_s):
    """Share of the link that a collective reached."""
    return reached_bytes_per_s / link_bytes_per_s


@formula(reference="definition")
def batch_tokens_per_gpu(*, batch_tokens, gpus):
    """Tokens of a training batch on each accelerator."""
    return batch_tokens / gpus

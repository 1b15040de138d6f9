"""Mixture of experts: which experts a batch reads, and how many tokens each of them gets."""

from __future__ import annotations

from generator.formulas.elementary import maximum, minimum, total
from generator.formulas.formula import formula


@formula(reference="definition")
def moe_layers(*, layers_by_group):
    """Layers with routed experts, over all groups of such layers."""
    return total(layers_by_group)


@formula(reference="definition")
def expert_share_read(*, top_k, experts, batch):
    """Share of the routed experts that at least one of b tokens picks, when routing is uniform."""
    return 1 - (1 - top_k / experts) ** batch


@formula(reference="lepikhin-2020-gshard")
def expert_bytes_of_replica(*, expert_bytes, tp, ep):
    """Expert weights that the accelerators of one tensor-parallel group hold, when experts are spread over more."""
    return expert_bytes * tp / maximum(ep, tp)


@formula(reference="lepikhin-2020-gshard")
def expert_batch(*, stage_batch, batch, tp, ep):
    """Requests whose tokens meet at the same experts: those of all replicas that share them, never more than all."""
    return minimum(stage_batch * maximum(ep / tp, 1), batch)


@formula(reference="lepikhin-2020-gshard")
def expert_prompt_tokens(*, prompt_tokens, tp, ep):
    """Prompt tokens that meet at the same experts when each replica that shares them prefills one prompt."""
    return prompt_tokens * maximum(ep / tp, 1)


@formula(reference="definition")
def weights_read_bytes(*, always_read_bytes, expert_bytes, expert_share_read):
    """Weights that one decode step reads: everything outside the experts, and the experts that the batch picks."""
    return always_read_bytes + expert_bytes * expert_share_read


@formula(reference="definition")
def experts_per_gpu(*, experts, ep):
    """Routed experts of one layer on one accelerator."""
    return experts / ep


@formula(reference="definition")
def tokens_per_expert(*, batch, top_k, experts):
    """Tokens that one routed expert gets in a step, on average: the batch that its weights see."""
    return batch * top_k / experts


@formula(reference="definition")
def tokens_per_step(*, wanted_tokens_per_expert, experts, top_k):
    """Tokens that a step needs so that each routed expert gets the wanted number."""
    return wanted_tokens_per_expert * experts / top_k


@formula(reference="definition")
def remote_share(*, racks):
    """Share of the expert traffic that leaves its rack when experts and tokens are spread evenly."""
    return 1 - 1 / racks


@formula(reference="clark-2022-routed-scaling")
def most_total_params(*, active_params, experts):
    """Parameters if every expert were a copy of the whole network: the most that E experts can hold, one a token."""
    return active_params * experts

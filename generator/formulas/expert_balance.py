"""Expert balance: how unevenly accelerators are loaded, what copies cost, and how far a token has to travel."""

from __future__ import annotations

from generator.formulas.elementary import logarithm, maximum, square_root
from generator.formulas.formula import formula


@formula(reference="definition")
def single_expert_bytes(*, expert_bytes, moe_layers, experts):
    """Weights of one routed expert of one layer."""
    return expert_bytes / (moe_layers * experts)


@formula(reference="definition")
def single_expert_params(*, routed_expert_params, moe_layers, experts):
    """Parameters of one routed expert of one layer."""
    return routed_expert_params / (moe_layers * experts)


@formula(reference="definition")
def unrouted_active_params(*, active_params, routed_active_params):
    """Parameters that every token uses, whichever experts it takes."""
    return active_params - routed_active_params


@formula(reference="raab-1998-balls-into-bins", kind="reference")
def uniform_load_ratio(*, tokens_per_gpu, top_k, ep):
    """Busiest accelerator over the mean when every expert is equally popular: chance alone, to leading order."""
    return 1 + square_root(2 * logarithm(ep) / (tokens_per_gpu * top_k))


@formula(reference="definition", kind="bound")
def least_load_ratio(*, hottest_expert_ratio, experts, ep, expert_copies):
    """No placement gets below this: the hottest expert, split over its copies, sits on some accelerator."""
    return maximum(1, hottest_expert_ratio * ep / (experts * expert_copies))


@formula(reference="definition")
def copies_to_balance(*, hottest_expert_ratio, experts, ep, expert_load_ratio):
    """Copies that the hottest expert needs so that one of them alone does not pass a load ratio."""
    return hottest_expert_ratio * ep / (experts * expert_load_ratio)


@formula(reference="definition")
def popularity_sigma(*, expert_load_variation, experts, ep):
    """Sigma of lognormal popularity that gives accelerators of E/EP experts each a variation of load."""
    return square_root(logarithm(1 + expert_load_variation**2 * experts / ep))


@formula(reference="deepseek-2024-v3")
def redundant_bytes_per_gpu(*, expert_bytes, redundant_experts, experts, ep):
    """Weights of the copies that one accelerator holds, in all layers."""
    return expert_bytes * redundant_experts / (experts * ep)


@formula(reference="definition")
def lost_expert_bytes(*, expert_bytes, redundant_experts, experts, ep):
    """Experts that exist nowhere else when one accelerator fails and each copy is of another expert."""
    return expert_bytes * (experts - redundant_experts) / (experts * ep)


@formula(reference="definition", kind="bound")
def replacement_s(*, lost_expert_bytes, gpus, link_bytes_per_s):
    """Time to bring lost experts back when so many accelerators load a part of them at once."""
    return lost_expert_bytes / (gpus * link_bytes_per_s)


@formula(reference="definition")
def copies_leaving(*, racks, domain_limit, top_k):
    """Other domains that a token of k experts is sent to, if one copy a domain is enough and it may enter this many."""
    return (1 - 1 / racks) * domain_limit * (1 - (1 - 1 / domain_limit) ** top_k)


@formula(reference="definition")
def experts_leaving(*, remote_share, top_k):
    """Experts of a token that live in other domains."""
    return remote_share * top_k

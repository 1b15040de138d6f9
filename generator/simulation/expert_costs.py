"""What a step costs each accelerator when experts are spread over many, from the formulas of the estimates.

An accelerator runs attention and everything outside the experts for its own tokens, and its experts for the tokens
of all. The simulation adds up numbers of this module and computes none of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from generator.estimates.architecture import Architecture, NotSupported, describe
from generator.estimates.devices import device
from generator.estimates.layouts import chosen_number
from generator.formulas import decode, expert_balance, expert_exchange, memory
from generator.provenance import Traced
from generator.specs.library import Library
from generator.specs.records import Accelerator, Model


@dataclass(frozen=True)
class ExpertCosts:
    """Times in s. A layer takes, on each accelerator, the larger of reading its experts and computing its tokens."""

    rest_s: float
    """Everything outside the routed experts, in all layers."""
    read_s: float
    """To read one expert."""
    token_s: float
    """To compute one token in one expert."""
    hop_s: float
    """Fixed time of a dispatch and a combine."""
    inside_token_s: float
    """To send one token to one expert and back over the scale-up link."""
    outside_token_s: float
    """The same over the network between scale-up domains."""


def _numbers(
    model: Model, accelerator: Accelerator, library: Library, weights: str
) -> tuple[Architecture, Any, dict[str, Any], dict[str, Any]]:
    architecture = describe(model, library, weights=weights)
    if architecture.moe is None:
        raise NotSupported(f"{model.id} has no routed experts; choose a mixture of experts")
    card = device(accelerator, library, architecture.compute_format)
    needed = {
        "memory bandwidth": card.bandwidth_bytes_per_s,
        "peak": card.peak_flops_per_s,
        "scale-up link": card.scale_up_bytes_per_s,
        "network": card.scale_out_bytes_per_s,
    }
    for what, value in needed.items():
        if value is None:
            raise NotSupported(f"the {what} of {accelerator.name} is not published")
    reading = {
        "tp": chosen_number(1, "tp"),
        "bandwidth_bytes_per_s": card.bandwidth_bytes_per_s,
        "bandwidth_efficiency": library.assume("bandwidth-efficiency"),
    }
    computing = {
        "tp": chosen_number(1, "tp"),
        "peak_flops_per_s": card.peak_flops_per_s,
        "compute_efficiency": library.assume("compute-efficiency"),
    }
    return architecture, card, reading, computing


def inputs_of(
    model: Model, accelerator: Accelerator, library: Library, *, weights: str = "native"
) -> dict[str, Traced]:
    """The traced numbers behind the costs, for the derivation of what a run comes to."""
    architecture, card, reading, computing = _numbers(model, accelerator, library, weights)
    moe = architecture.moe
    assert moe is not None
    del reading["tp"], computing["tp"]
    return {
        "expert_bytes": architecture.expert_bytes,
        "active_params": architecture.active_params,
        "experts": moe.experts,
        "top_k": moe.top_k,
        "scale_up_bytes_per_s": card.scale_up_bytes_per_s,
        "scale_out_bytes_per_s": card.scale_out_bytes_per_s,
        "hop_latency_s": library.assume("hop-latency"),
        **reading,
        **computing,
    }


def expert_costs(
    model: Model, accelerator: Accelerator, library: Library, *, slots: int, batch: float, context: float, phase: str,
    dispatch_bytes: float, combine_bytes: float, weights: str = "native",
) -> ExpertCosts:  # fmt: skip
    """Costs of one accelerator that holds `slots` experts of each layer and runs attention for `batch` tokens.

    context: tokens that each token sees; phase: tokens that decode read a cache each, those of a prefill read none.
    Raises NotSupported if the weights and caches do not fit, or a number that is needed is not published.
    """
    architecture, card, reading, computing = _numbers(model, accelerator, library, weights)
    moe = architecture.moe
    assert moe is not None
    one_bytes = expert_balance.single_expert_bytes(
        expert_bytes=architecture.expert_bytes, moe_layers=architecture.moe_layers, experts=moe.experts
    )
    one_params = expert_balance.single_expert_params(
        routed_expert_params=architecture.routed_expert_params, moe_layers=architecture.moe_layers, experts=moe.experts
    )
    caches = architecture.request_bytes(context, library.assume("kv-block-tokens")) if phase == "decode" else 0
    _check_room(
        architecture, card, library, float(one_bytes) * slots * float(architecture.moe_layers), batch * float(caches)
    )

    def memory_s(weights_bytes: Any, tokens: float, cache_bytes: Any) -> float:
        return float(
            decode.memory_time_s(
                weights_read_bytes=weights_bytes, stage_batch=tokens, kv_read_bytes_per_request=cache_bytes,
                kv_replication=1, **reading,
            )
        )  # fmt: skip

    def compute_s(params: Any, tokens: float, attention_flops: Any) -> float:
        return float(
            decode.compute_time_s(
                stage_batch=tokens, active_params=params, attention_flops_per_token=attention_flops, **computing
            )
        )

    cache_read = architecture.read_bytes_per_request(context) if phase == "decode" else 0
    unrouted = expert_balance.unrouted_active_params(
        active_params=architecture.active_params, routed_active_params=architecture.routed_active_params
    )

    def sent_s(bytes_per_value: float, inside: float, outside: float) -> float:
        return float(
            expert_exchange.exchange_s(
                exchange_bytes=expert_exchange.exchange_bytes(
                    tokens_per_gpu=1, top_k=1, d_model=model.config.d_model, bytes_per_value=bytes_per_value
                ),
                inside_share=inside,
                outside_share=outside,
                scale_up_bytes_per_s=card.scale_up_bytes_per_s,
                scale_out_bytes_per_s=card.scale_out_bytes_per_s,
                hop_latency_s=0,
            )
        )

    both = (dispatch_bytes, combine_bytes)
    return ExpertCosts(
        rest_s=max(
            memory_s(architecture.always_read_bytes, batch, cache_read),
            compute_s(
                unrouted,
                batch,
                architecture.decode_attention_flops(context)
                if phase == "decode"
                else architecture.prefill_attention_flops(context),
            ),
        ),
        read_s=memory_s(one_bytes, 0, 0),
        token_s=compute_s(one_params, 1, 0),
        hop_s=float(expert_exchange.expert_hops_s(moe_layers=1, hop_latency_s=library.assume("hop-latency"))),
        inside_token_s=sum(sent_s(one, 1, 0) for one in both),
        outside_token_s=sum(sent_s(one, 0, 1) for one in both),
    )


def _check_room(architecture: Architecture, card: Any, library: Library, experts_bytes: float, caches: float) -> None:
    """Raises NotSupported if one accelerator cannot hold its experts, everything else, and the caches of its tokens."""
    usable = float(
        memory.usable_memory_bytes(
            memory_utilization=library.assume("memory-utilization"),
            gpu_memory_share=card.memory_share,
            device_memory_bytes=card.memory_bytes,
        )
    ) - float(library.assume("workspace-per-gpu"))
    needed = float(architecture.always_read_bytes) + experts_bytes + caches
    if needed > usable:
        raise NotSupported(
            f"each {card.accelerator.name} needs {needed / 1e9:.0f} GB for experts, other weights and caches, offers "
            f"{usable / 1e9:.0f} GB; spread over more accelerators, or take fewer tokens or a shorter context"
        )

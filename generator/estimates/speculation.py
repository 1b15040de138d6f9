"""Speculative decoding of one configuration: tokens of a round, its time, and the speedup over plain decoding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from generator.estimates.devices import device
from generator.estimates.layouts import chosen_number, one_group
from generator.estimates.serving import Serving, serving
from generator.formulas import decode, speculative
from generator.specs.library import Library
from generator.specs.records import Accelerator, Model

Number = Any


@dataclass(frozen=True)
class Speculation:
    """One configuration with drafts; `plain` is the same without."""

    plain: Serving
    tokens_per_round: Number
    verified_tokens: Number
    memory_time_s: Number
    verify_compute_time_s: Number
    communication_time_s: Number
    verify_step_s: Number
    draft_step_s: Number
    round_s: Number
    speculative_tpot_s: Number
    speculative_speedup: Number
    break_even_tokens_per_round: Number
    tokens_per_s: Number
    feasible: bool = True
    reasons: tuple[str, ...] = ()


def speculation(
    model: Model,
    accelerator: Accelerator,
    library: Library,
    *,
    batch: float = 1,
    draft_tokens: float = 3,
    acceptance: float | None = None,
    draft_cost_ratio: float | None = None,
    **configuration: Any,
) -> Speculation:
    """Decode with `draft_tokens` drafts a round. The weights of a verification are read for all drafts of the batch.

    Acceptance and the cost of a draft step, as a share of a plain step, are assumptions unless they are given.
    """
    plain = serving(model, accelerator, library, batch=batch, **configuration)
    one_group(plain.layout)
    k = chosen_number(draft_tokens, "draft_tokens", "count")
    a = library.assume("draft-acceptance") if acceptance is None else chosen_number(acceptance, "acceptance", "1")
    ratio = draft_cost_ratio
    ratio = library.assume("draft-cost-ratio") if ratio is None else chosen_number(ratio, "draft_cost_ratio", "1")
    architecture, layout = plain.architecture, plain.layout
    card = device(accelerator, library, architecture.compute_format)
    verified = speculative.verified_tokens(batch=plain.load.batch, draft_tokens=k)
    wide = serving(model, accelerator, library, batch=verified, **configuration)
    memory_time = decode.memory_time_s(
        weights_read_bytes=wide.weights_read_bytes,
        stage_batch=plain.load.batch,
        kv_read_bytes_per_request=plain.kv_read_bytes_per_request,
        kv_replication=plain.kv_replication,
        tp=layout.tp,
        bandwidth_bytes_per_s=card.bandwidth_bytes_per_s,
        bandwidth_efficiency=library.assume("bandwidth-efficiency"),
    )
    compute_time = speculative.verify_compute_time_s(
        verified_tokens=verified,
        active_params=architecture.active_params,
        attention_flops_per_token=plain.attention_flops_per_token,
        tp=layout.tp,
        peak_flops_per_s=card.peak_flops_per_s,
        compute_efficiency=library.assume("compute-efficiency"),
    )
    verify = speculative.verify_step_s(
        memory_time_s=memory_time,
        verify_compute_time_s=compute_time,
        communication_time_s=wide.communication_time_s,
    )
    draft = speculative.draft_step_s(draft_cost_ratio=ratio, tpot_s=plain.tpot_s)
    length = speculative.tokens_per_round(acceptance=a, draft_tokens=k)
    whole = speculative.round_s(draft_tokens=k, draft_step_s=draft, verify_step_s=verify)
    tpot = speculative.speculative_tpot_s(round_s=whole, tokens_per_round=length)
    return Speculation(
        plain=plain,
        tokens_per_round=length,
        verified_tokens=verified,
        memory_time_s=memory_time,
        verify_compute_time_s=compute_time,
        communication_time_s=wide.communication_time_s,
        verify_step_s=verify,
        draft_step_s=draft,
        round_s=whole,
        speculative_tpot_s=tpot,
        speculative_speedup=speculative.speculative_speedup(tpot_s=plain.tpot_s, speculative_tpot_s=tpot),
        break_even_tokens_per_round=speculative.break_even_tokens_per_round(round_s=whole, tpot_s=plain.tpot_s),
        tokens_per_s=decode.tokens_per_s(batch=plain.load.batch, tpot_s=tpot),
        feasible=plain.feasible,
        reasons=plain.reasons,
    )

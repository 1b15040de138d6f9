"""A step that mixes decodes with a piece of a prompt: chunked prefill with a token budget, in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from generator.estimates.architecture import NotSupported
from generator.estimates.devices import device
from generator.estimates.layouts import chosen_number, one_group
from generator.estimates.serving import Serving, serving
from generator.formulas import attention, disaggregation
from generator.specs.library import Library
from generator.specs.records import Accelerator, Model

Number = Any


@dataclass(frozen=True)
class Chunked:
    """One configuration of chunked prefill; `plain` is the same without a prompt in the step."""

    plain: Serving
    piece_tokens: Number
    piece_steps: Number
    chunked_memory_time_s: Number
    chunked_compute_time_s: Number
    communication_time_s: Number
    chunked_step_s: Number
    pieced_prefill_s: Number
    feasible: bool = True
    reasons: tuple[str, ...] = ()


def chunked(
    model: Model,
    accelerator: Accelerator,
    library: Library,
    *,
    token_budget: float = 512,
    batch: float = 1,
    prompt_tokens: float = 1024,
    output_tokens: float = 256,
    new_prompt_tokens: float | None = None,
    **configuration: Any,
) -> Chunked:
    """Step time and prompt time when every step holds `batch` decodes and prompt tokens up to `token_budget`.

    The prompt is one of `new_prompt_tokens`, or as long as those of the decodes.
    The weights of a step are read for all its tokens, and communication carries all of them. Raises NotSupported if
    the decodes leave no room for a prompt.
    """
    if token_budget <= batch:
        raise NotSupported(f"token_budget must be above the batch, got {token_budget:g} for {batch:g} decodes")
    configuration |= {"prompt_tokens": prompt_tokens, "output_tokens": output_tokens}
    plain = serving(model, accelerator, library, batch=batch, **configuration)
    one_group(plain.layout)
    budget = chosen_number(token_budget, "token_budget", "token")
    full = serving(model, accelerator, library, batch=budget, **configuration)
    architecture, layout = plain.architecture, plain.layout
    card = device(accelerator, library, architecture.compute_format)
    prompt, decodes = plain.load.prompt_tokens, plain.load.batch
    if new_prompt_tokens is not None:
        prompt = chosen_number(new_prompt_tokens, "prompt_tokens", "token")
    piece = disaggregation.piece_tokens(token_budget=budget, batch=decodes)
    steps = disaggregation.piece_steps(prompt_tokens=prompt, piece_tokens=piece)
    memory_time = disaggregation.chunked_memory_time_s(
        weights_read_bytes=full.weights_read_bytes,
        batch=decodes,
        kv_read_bytes_per_request=plain.kv_read_bytes_per_request,
        piece_read_bytes=architecture.read_bytes_per_request(attention.mean_full_tokens(prompt_tokens=prompt)),
        kv_replication=plain.kv_replication,
        tp=layout.tp,
        bandwidth_bytes_per_s=card.bandwidth_bytes_per_s,
        bandwidth_efficiency=library.assume("bandwidth-efficiency"),
    )
    compute_time = disaggregation.chunked_compute_time_s(
        batch=decodes,
        piece_tokens=piece,
        active_params=architecture.active_params,
        attention_flops_per_token=plain.attention_flops_per_token,
        prompt_attention_flops_per_token=architecture.prefill_attention_flops(prompt),
        tp=layout.tp,
        peak_flops_per_s=card.peak_flops_per_s,
        compute_efficiency=library.assume("compute-efficiency"),
    )
    step = disaggregation.chunked_step_s(
        chunked_memory_time_s=memory_time,
        chunked_compute_time_s=compute_time,
        communication_time_s=full.communication_time_s,
    )
    return Chunked(
        plain=plain,
        piece_tokens=piece,
        piece_steps=steps,
        chunked_memory_time_s=memory_time,
        chunked_compute_time_s=compute_time,
        communication_time_s=full.communication_time_s,
        chunked_step_s=step,
        pieced_prefill_s=disaggregation.pieced_prefill_s(piece_steps=steps, chunked_step_s=step),
        feasible=plain.feasible,
        reasons=plain.reasons,
    )

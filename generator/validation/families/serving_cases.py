"""What the families of serving runs share: bytes and FLOPs of one accelerator for the layout and load of a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from generator.estimates.architecture import Architecture, describe
from generator.estimates.devices import Device, device, peak
from generator.formulas import decode, memory, moe
from generator.formulas import engine_step as formulas
from generator.specs.library import Library
from generator.specs.records import NumberFormat
from generator.validation import names
from generator.validation.families.cards import keys_of
from generator.validation.families.serving_layouts import ServingLayout, Worker, layout_of
from generator.validation.leaves import stated
from generator.validation.rows import Row, Uncovered

ENGINES = {
    "vllm": "vllm",
    "vllm fa3": "vllm",
    "sglang": "sglang",
    "trtllm": "tensorrt-llm",
    "tensorrt-llm": "tensorrt-llm",
    "lmdeploy turbomind": "lmdeploy",
}
"""How rows write engines -> key."""
_FORMATS = ("bf16", "fp16", "fp8", "fp8-block", "mxfp8", "int8", "nvfp4", "mxfp4", "int4-g128")
_FAMILIES = {
    "bf16": "bf16", "fp16": "bf16", "fp8": "fp8", "fp8-block": "fp8", "nvfp4": "nvfp4", "mxfp4": "mxfp4",
    "int4-g128": "int4", "int4-g32": "int4", "mxfp8": "fp8", "int8": "fp8",
}  # fmt: skip
"""Number format -> key of the constants."""
CLOSED_LOOP = "src 2026-"
"""In the note of rows that come from InferenceX itself, which draws lengths; the others have fixed lengths."""
UNSTATED = "unstated"
NOT_STATED = ("", "nan")

Number = Any


@dataclass(frozen=True)
class ServingCase:
    """A row as numbers: what one accelerator reads and computes, for a step and for a prompt."""

    layout: ServingLayout
    architecture: Architecture
    card: Device
    inputs: dict[str, Number]
    keys: dict[str, str]
    floor: Number
    reference: Number
    busy: Number
    """Least time of one prompt."""
    engine: str
    rank_batch: Number

    @property
    def group(self) -> str:
        """What is held out together: all loads of one model on one layout."""
        told = (self.architecture.model.id, self.card.accelerator.id, self.engine, self.keys["weights"])
        return " | ".join((*told, self.layout.words))


def engine_of(row: Row) -> str | None:
    """Key of the engine of a row, if it is one that these families know."""
    return ENGINES.get(row.text("engine").lower())


def formats_of(
    row: Row, architecture: Architecture, library: Library, implied: str | None = None
) -> dict[str, NumberFormat]:
    """Number format of each part of the weights.

    A checkpoint with MXFP4 experts is taken as it is. In other 4-bit checkpoints of models with experts attention
    stays in 16 bits, in INT4 ones everything but the routed experts. Embedding and head are 16 bits.
    """
    native, given = architecture.formats, names.format_spelt(row.text("precision_weights"))
    if not given and implied and not native["experts"].id.startswith(implied):
        given = implied
    if not given or native["experts"].id == "mxfp4":
        return native
    if given not in _FORMATS:
        raise Uncovered(f"weights in `{row.text('precision_weights')}` have no number format")
    chosen, wide = library.find("number_formats", given), library.find("number_formats", "bf16")
    spread = architecture.moe is not None
    return {
        "attention": wide if spread and chosen.id in ("nvfp4", "int4-g128") else chosen,
        "ffn": wide if spread and chosen.id == "int4-g128" else chosen,
        "experts": chosen,
        "embedding": wide,
        "head": wide,
    }


def cache_format(row: Row, formats: dict[str, NumberFormat]) -> str:
    """Format of the cache: as stated, else 8 bits beside quantised weights and 16 bits beside others."""
    given = names.format_spelt(row.text("precision_kv"))
    if given:
        return "fp8" if "8" in given else "bf16"
    return "bf16" if formats["experts"].id in ("bf16", "fp16") else "fp8"


def case_of(row: Row, library: Library) -> ServingCase:
    """The numbers of a row. Raises Uncovered."""
    engine = engine_of(row)
    if engine is None:
        raise Uncovered(f"engine `{row.text('engine')}` is not part of this family")
    named = names.model(library, row.text("model"))
    plain = describe(named.model, library)
    formats = formats_of(row, plain, library, named.weights)
    architecture = describe(named.model, library, kv=cache_format(row, formats))
    layout = layout_of(row)
    accelerator = names.accelerator(library, row.text("gpu"))
    card = device(accelerator, library, formats["experts" if architecture.moe else "ffn"])
    dense_peak, _ = peak(accelerator, formats["attention"])
    if card.bandwidth_bytes_per_s is None or card.peak_flops_per_s is None or dense_peak is None:
        raise Uncovered(f"bandwidth or peak of `{accelerator.id}` is not published")
    if layout.decoder.gpus > 1 and card.scale_up_bytes_per_s is None:
        raise Uncovered(f"no link of `{accelerator.id}` is published")
    keys = {
        "model": architecture.model.id,
        "engine": engine,
        "version": UNSTATED if row.text("engine_version") in NOT_STATED else row.text("engine_version"),
        "weights": formats["experts"].id.removesuffix("-block"),
        "dense_format": _FAMILIES.get(formats["attention"].id, formats["attention"].id),
        "expert_format": _FAMILIES.get(formats["experts"].id, formats["experts"].id) if architecture.moe else "none",
        "attention": "latent" if _layers(architecture, "latent") else "heads",
        "protocol": "closed-loop" if CLOSED_LOOP in row.text("note") else "sweep",
        "apart": "yes" if layout.apart else "no",
        "moe": "no" if architecture.moe is None else "yes",
        **keys_of(accelerator),
    }
    return _Builder(row, library, architecture, formats, layout, card, dense_peak, keys, engine).build()


def _layers(architecture: Architecture, kind: str) -> float:
    return float(sum(group.layers for group in architecture.model.config.attention if group.kind == kind))


@dataclass(frozen=True)
class _Builder:
    """The steps from a row to a case."""

    row: Row
    library: Library
    architecture: Architecture
    formats: dict[str, NumberFormat]
    layout: ServingLayout
    card: Device
    dense_peak: Number
    keys: dict[str, str]
    engine: str

    def build(self) -> ServingCase:
        row, layout, model = self.row, self.layout, self.architecture.model
        requests = row.needed("batch_or_concurrency")
        if requests < 1:
            raise Uncovered("less than one request at once")
        drawn = float(self.library.assume("drawn-length-share")) if self.keys["protocol"] == "closed-loop" else 1.0
        prompt = stated(row, row.needed("isl") * drawn, "prompt_tokens", "token")
        output = stated(row, row.needed("osl") * drawn, "output_tokens", "token")
        worker = layout.decoder
        rank_batch = stated(row, max(requests / layout.decoders / worker.dp, 1.0), "rank_batch", "count")
        admitted = self._admitted(worker, rank_batch, prompt, output)
        step = self._products(worker, admitted, admitted * worker.dp)
        context = decode.mean_context_tokens(prompt_tokens=prompt, output_tokens=output)
        cache = formulas.rank_cache_bytes(
            kv_read_bytes_per_request=self.architecture.read_bytes_per_request(context),
            kv_replication=self._replication(worker),
            tp=worker.tp,
            admitted_requests=admitted,
        )
        rates = {
            "bandwidth_bytes_per_s": self.card.bandwidth_bytes_per_s,
            "dense_peak_flops_per_s": self.dense_peak,
            "expert_peak_flops_per_s": self.card.peak_flops_per_s,
        }
        prompts = self._prompt(layout.prompter, prompt)
        sixteen, _ = peak(self.card.accelerator, self.library.find("number_formats", "bf16"))
        prompt_rates = {"attention_peak_flops_per_s": sixteen or self.card.peak_flops_per_s}
        width, linked = model.config.d_model, self.card.scale_up_bytes_per_s
        bytes_each = self.library.assume("activation-bytes")
        split = model.config.layers * 2.0 if worker.tp > 1 else 0.0
        exchanging = worker.dp > 1 and self.architecture.moe is not None
        inputs = {
            "layers": model.config.layers,
            "moe_layers": self.architecture.moe_layers,
            "latent_layers": _layers(self.architecture, "latent"),
            "linear_layers": _layers(self.architecture, "linear"),
            "index_layers": float(
                sum(group.layers for group in model.config.attention if getattr(group, "indexer", None) is not None)
            ),
            **step,
            "cache_part_bytes": cache,
            **rates,
            **prompts,
            **prompt_rates,
            "admitted_requests": admitted,
            "step_requests": admitted * worker.dp,
            "reductions": split,
            "tp": float(worker.tp),
            "reduction_bytes": admitted * width * bytes_each,
            "exchanges": self.architecture.moe_layers * 2.0 if exchanging else 0.0,
            "exchanged_bytes": formulas.dispatch_bytes(
                rank_tokens=admitted, d_model=width, top_k=self._top_k, replica_gpus=max(worker.gpus, 2)
            ),
            "link_bytes_per_s": linked if linked is not None else 1e9,
            "prompt_tp": float(layout.prompter.tp),
            "prompt_reductions": model.config.layers * 2.0 if layout.prompter.tp > 1 else 0.0,
            "prompt_reduction_bytes": prompt * width * bytes_each,
            "colocated": float(not layout.apart),
            "output_tokens": output,
            "requests_in_all": stated(row, requests, "requests_in_all", "count"),
            "prompt_ranks": float(layout.prompters * layout.prompter.dp),
        }
        reads = {name: inputs[name] for name in ("dense_part_bytes", "expert_read_bytes", "cache_part_bytes")}
        flops = {name: inputs[name] for name in ("dense_flops", "expert_flops")}
        floor = formulas.engine_floor_s(**reads, **flops, **rates)
        reference = formulas.engine_reference_s(
            **reads,
            **flops,
            **rates,
            bandwidth_efficiency=self.library.assume("bandwidth-efficiency"),
            compute_efficiency=self.library.assume("compute-efficiency"),
            communication_time_s=split * float(self.card.scale_up_latency_s),
        )
        own = {name: value for name, value in rates.items() if name != "bandwidth_bytes_per_s"}
        busy = formulas.prompt_floor_s(**prompts, **own, **prompt_rates)
        return ServingCase(
            layout, self.architecture, self.card, inputs, self.keys, floor, reference, busy, self.engine, rank_batch
        )

    @property
    def _top_k(self) -> Number:
        return self.architecture.moe.top_k if self.architecture.moe else 1.0

    def _bytes(self, **params: Number) -> Number:
        return memory.weights_bytes(
            params_by_component=tuple(params.values()),
            bits_by_component=tuple(self.formats[part].bits for part in params),
        )

    def _replication(self, worker: Worker) -> Number:
        return memory.kv_replication(tp=float(worker.tp), n_kv_heads=self.architecture.kv_replicas_limit)

    def _admitted(self, worker: Worker, rank_batch: Number, prompt: Number, output: Number) -> Number:
        one = self.architecture
        dense = formulas.rank_part_bytes(
            whole_bytes=self._bytes(
                attention=one.attention_params, ffn=one.ffn_params, head=one.head_params, embedding=one.embedding_params
            ),
            tp=float(worker.tp),
        )
        held = formulas.held_weights_bytes(
            dense_part_bytes=dense,
            expert_bytes=self._bytes(experts=one.routed_expert_params) if one.moe else 0.0,
            replica_gpus=float(worker.gpus),
        )
        visible = self.card.accelerator.memory.visible or self.card.memory_bytes
        if float(held) > float(visible):
            raise Uncovered("the weights do not fit into the memory of the accelerators")
        room = formulas.cache_room_bytes(
            usable_memory_bytes=memory.usable_memory_bytes(
                memory_utilization=self.library.assume("memory-utilization"),
                gpu_memory_share=self.card.memory_share,
                device_memory_bytes=visible,
            ),
            held_weights_bytes=held,
            workspace_bytes=self.library.assume("workspace-per-gpu"),
        )
        context = decode.mean_context_tokens(prompt_tokens=prompt, output_tokens=output)
        whole = one.request_bytes(context, self.library.assume("kv-block-tokens")) * self._replication(worker)
        return formulas.admitted_requests(
            rank_batch=rank_batch,
            cache_room_bytes=room,
            rank_cache_bytes_per_request=formulas.rank_part_bytes(whole_bytes=whole, tp=float(worker.tp)),
        )

    def _products(self, worker: Worker, tokens: Number, meeting: Number) -> dict[str, Number]:
        """Bytes and FLOPs of one step with so many tokens a rank."""
        one, gpus = self.architecture, float(worker.gpus)
        read = {"attention": one.attention_params, "ffn": one.ffn_params, "head": one.head_params}
        if one.model.config.tied_embeddings:
            read["embedding"] = one.embedding_params
        found = {
            "dense_part_bytes": formulas.rank_part_bytes(whole_bytes=self._bytes(**read), tp=float(worker.tp)),
            "dense_flops": formulas.rank_product_flops(
                rank_tokens=tokens, dense_params=sum(read.values()), tp=float(worker.tp)
            ),
            "expert_read_bytes": 0.0,
            "expert_flops": 0.0,
            "expert_traffic_bytes": 0.0,
        }
        if one.moe is None:
            return found
        share = moe.expert_share_read(top_k=one.moe.top_k, experts=one.moe.experts, batch=meeting)
        return found | {
            "expert_read_bytes": formulas.expert_part_bytes(
                expert_bytes=self._bytes(experts=one.routed_expert_params),
                expert_share_read=share,
                expert_peak_load=formulas.expert_peak_load(
                    ep=float(worker.ep), expert_share_read=share, experts=one.moe.experts
                ),
                replica_gpus=gpus,
            ),
            "expert_flops": self._expert_flops(worker, tokens),
            "expert_traffic_bytes": formulas.expert_activation_bytes(
                rank_tokens=tokens,
                dp=float(worker.dp),
                top_k=one.moe.top_k,
                d_model=one.model.config.d_model,
                expert_intermediate=one.moe.expert_intermediate,
                moe_layers=one.moe_layers,
                replica_gpus=gpus,
            ),
        }

    def _expert_flops(self, worker: Worker, tokens: Number) -> Number:
        return formulas.expert_product_flops(
            rank_tokens=tokens,
            dp=float(worker.dp),
            routed_active_params=self.architecture.routed_active_params,
            replica_gpus=float(worker.gpus),
        )

    def _prompt(self, worker: Worker, prompt: Number) -> dict[str, Number]:
        """FLOPs of one prompt on each rank."""
        one = self.architecture
        split = float(worker.tp)
        return {
            "prompt_dense_flops": formulas.rank_product_flops(
                rank_tokens=prompt, dense_params=one.attention_params + one.ffn_params, tp=split
            ),
            "prompt_expert_flops": self._expert_flops(worker, prompt) if one.moe else 0.0,
            "prompt_attention_flops": prompt * one.prefill_attention_flops(prompt) / split,
        }

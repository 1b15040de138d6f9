"""Sections of a model page: parameters, weights, cache, its chart, and training."""

from __future__ import annotations

from generator import formatting
from generator.estimates.entities import CONVENTIONS, ModelNumbers
from generator.estimates.studies import request_cache
from generator.pages import facts, markup
from generator.pages.writer import Writer
from generator.provenance import Traced
from generator.specs.records import Attention, Model

_PARTS = {
    "attention_params": "Attention",
    "ffn_params": "Feed-forward",
    "routed_expert_params": "Routed experts",
    "embedding_params": "Input embedding",
    "head_params": "Output head",
    "norm_params": "Norms",
}
_CONVENTION_WORDS = {
    "all": "both vocabulary tables counted",
    "no_input_embedding": "without the input embedding",
    "no_embeddings": "without both vocabulary tables",
}
_PEERS = ("llama-3.1-70b", "deepseek-v3", "llama-3.1-8b")


def parameters(writer: Writer, model: Model, numbers: ModelNumbers) -> str:
    """Parameters by component, the extras beside them, the three ways to count active ones, and what is published."""
    own = numbers.architecture
    rows = []
    for name, words in _PARTS.items():
        value = getattr(own, name)
        if name == "ffn_params" and own.routed_expert_params:
            words = "Dense and shared feed-forward, routers"
        if value:
            active = own.routed_active_params if name == "routed_expert_params" else value
            rows.append([words, _params(writer, value), _params(writer, active)])
        elif name == "head_params":
            rows.append(["Output head", "shared with the embedding", "–"])
    if model.config.other_params:
        words = f"Other: {markup.text(model.config.other_note)}" if model.config.other_note else "Other"
        rows.append([words, *[_params(writer, model.config.other_params)] * 2])
    totals = ("All", _params(writer, own.total_params), _params(writer, own.active_params))
    rows.append([f"<strong>{cell}</strong>" for cell in totals])
    for extra in model.extra_params:
        place = "in the published total" if extra.in_published_total else "beside the published total"
        rows.append([f"{markup.text(extra.name)} ({place})", _params(writer, extra.params), "–"])
    table = facts.grid(("Component", "Parameters", "Used by one token"), rows, right=(1, 2))
    parts = ["## Parameters {#parameters}", table, _published(writer, model, numbers), _active(writer, model, numbers)]
    return "\n\n".join(parts)


def _params(writer: Writer, value: Traced) -> str:
    """A count without its unit, which the header names."""
    digits = formatting.grouped(value)
    return writer.number(value, written=digits) if isinstance(value, Traced) else digits


def _active(writer: Writer, model: Model, numbers: ModelNumbers) -> str:
    """Active parameters by the three conventions in use."""
    rows = []
    published = model.published
    for convention, name in CONVENTIONS.items():
        row = [_CONVENTION_WORDS[convention], _params(writer, getattr(numbers.architecture, name))]
        if published.active is not None:
            used = (published.active_convention or "all") == convention
            row.append(formatting.short(published.active, "param") if used else "")
            row.append(writer.number(numbers.active_difference, percent=True) if used else "")
        rows.append(row)
    headers = ("Parameters one token uses", "Computed", "Published", "Published against computed")[: len(rows[0])]
    return "### Active parameters {#active-parameters}\n\n" + facts.grid(headers, rows, right=(1, 2, 3))


def _published(writer: Writer, model: Model, numbers: ModelNumbers) -> str:
    """What the publisher prints, and how far it is from the count."""
    published, own = model.published, numbers.architecture.checkpoint_params
    difference = writer.number(numbers.total_difference, percent=True)
    if published.exact is not None and numbers.total_difference == 0:
        text = f"The checkpoint has {_params(writer, published.exact)}, as many as the shape gives: nothing is missing."
    elif published.exact is not None:
        text = (
            f"The checkpoint has {_params(writer, published.exact)}; the shape gives {_params(writer, own)}, "
            f"a difference of {difference}."
        )
    else:
        text = (
            f"The publisher says {writer.number(published.total, short=True)}; the shape gives "
            f"{_params(writer, numbers.counted_params)}, a difference of {difference}."
        )
    return facts.paragraph(text, markup.text(published.note))


def weights(writer: Writer, numbers: ModelNumbers) -> str:
    """Weights in the formats of the checkpoint, and in one format for everything."""
    own = numbers.architecture
    library = writer.book.library
    names = list(dict.fromkeys(markup.text(form.name.partition(" (")[0]) for form in own.formats.values()))
    rows = [[f"<strong>as published</strong>: {', '.join(names)}", "", *_sizes(writer, own.weights_bytes)]]
    for name, value in numbers.weights_by_format.items():
        form = library.find("number_formats", name)
        bits = formatting.text(form.bits, form.bits.unit, 4)
        rows.append([markup.text(form.name), bits, *_sizes(writer, value)])
    caption = "All weights in one format, block scales included; real checkpoints keep tables and norms in 16 bits."
    table = facts.grid(("Format", "Per value", "Weights", "In binary units"), rows, right=(1, 2, 3), caption=caption)
    return f"## Weights {{#weights}}\n\n{table}"


def _sizes(writer: Writer, value: Traced) -> list[str]:
    return [writer.number(value), facts.binary(value)]


def cache(writer: Writer, model: Model, numbers: ModelNumbers) -> str:
    """The cache by groups of layers, and of requests of several lengths; what others print about it."""
    own = numbers.architecture
    rows = []
    for group, seen in zip(model.config.attention, own.attention, strict=True):
        growing = seen.kv_bytes_per_token
        window, state = seen.window_bytes_per_token, seen.state_bytes
        fixed = "–"
        if window is not None:
            most = formatting.grouped(seen.window_tokens)
            fixed = f"{formatting.grouped(window)}\u00a0B a token, {most} tokens at most"
        if state is not None:
            fixed = f"state of {writer.number(state)}"
        rows.append(
            [
                _kind(group),
                formatting.grouped(seen.layers),
                f"{formatting.significant(growing, 4)}\u00a0B" if growing is not None else "nothing",
                fixed,
            ]
        )
    headers = ("Attention", "Layers", "One token adds, per layer", "Fixed, per layer")
    by_layer = facts.grid(headers, rows, right=(1, 2, 3), caption=_cache_format(writer, model, numbers))
    lengths = [
        [f"{formatting.grouped(length)} tokens", writer.number(value), facts.binary(value)]
        for length, value in numbers.requests.items()
    ]
    by_request = facts.grid(("One request of", "KV cache", "In binary units"), lengths, right=(1, 2))
    parts = ["## KV cache {#kv-cache}", by_layer, by_request, _chart(writer, model)]
    if model.published_kv:
        items = [
            f"{markup.text(one.statement)} ({writer.source(one.source)}): {markup.text(one.verdict)}"
            for one in model.published_kv
        ]
        parts += ["### Printed elsewhere {#kv-printed-elsewhere}", facts.listed(items)]
    return "\n\n".join(parts)


def _cache_format(writer: Writer, model: Model, numbers: ModelNumbers) -> str:
    own, other = numbers.architecture, numbers.other_cache
    name = own.kv_format.name.partition(" (")[0]
    deployed = model.kv_layout is not None and model.kv_layout.format == own.kv_format.id
    layout = f", laid out as {model.kv_layout.name}" if deployed else ""
    text = f"The cache is in {markup.text(name)}{markup.text(layout)}."
    if other is None:
        return text
    if other.kv_bytes_per_token:
        value, what = other.kv_bytes_per_token, "a token would add"
    else:
        value, what = other.kv_fixed_bytes_per_request, "a request would keep"
    return f"{text} In {markup.text(other.kv_format.name.partition(' (')[0])} {what} {writer.number(value)}."


def _kind(group: Attention) -> str:
    """A kind of attention in words."""
    index = getattr(group, "indexer", None)
    sparse = f", sparse: an index picks {formatting.grouped(index.top_k)}" if index is not None else ""
    if group.kind in ("full", "sliding", "chunked", "indexed"):
        words = {"full": "full", "indexed": "full", "sliding": "sliding window", "chunked": "chunked"}[group.kind]
        heads = f"{group.n_heads:g} query heads, {group.n_kv_heads:g} key-value heads of {group.head_dim:g}"
        return f"{words}, {heads}{sparse}"
    if group.kind == "latent":
        shared = f"{group.kv_lora_rank:g} + {group.qk_rope_head_dim:g} values"
        return f"latent, {group.n_heads:g} heads over {shared}{sparse}"
    if group.kind == "linear":
        shape = f"{group.n_value_heads:g} states of {group.key_head_dim:g} × {group.value_head_dim:g}"
        rule = {"gated-delta": "gated delta", "mamba-2": "Mamba-2"}[group.update]
        return f"linear ({rule}), {shape}"
    every = f"one entry for {group.compress:g} tokens" if group.compress else "no compressed entries"
    return f"compressed, {every} of {group.head_dim:g} values{sparse}"


def _chart(writer: Writer, model: Model) -> str:
    """Cache of one request over its context, beside models of other kinds."""
    library = writer.book.library
    peers = [name for name in _PEERS if name != model.id][:2]
    last = int(model.max_context)
    span = {"from": min(1024, last // 2), "to": last, "per_octave": 1}
    study = request_cache(library, models=[model.id, *peers], contexts=span)
    own, peer = study.series[0], study.series[1]
    mine, other = own.values[-1], peer.values[-1]
    text = (
        f"One request of {formatting.grouped(study.x[-1])} tokens keeps {formatting.significant(mine)} GB with "
        f"{model.name}; "
    )
    if mine > other:
        text += f"that is {_times(mine / other)} {peer.label} would."
    else:
        text += f"{peer.label} would keep {_times(other / mine).removesuffix(' as')}."
    return writer.chart(f"cache-{model.id}", "lines", study, text)


def _times(ratio: float) -> str:
    """A ratio from 1 on as `4.2 times as much as`."""
    words = formatting.compared(ratio)
    return f"{words} as" if words.endswith("same") else f"{words} as much as"


def training(writer: Writer, model: Model, numbers: ModelNumbers) -> str:
    """What was published about training, and the utilisation that follows from it."""
    run, computed = model.training, numbers.run
    if run is None:
        return ""
    rows = [["Tokens", writer.number(run.tokens)]]
    if run.gpu_hours is not None:
        rows.append(["Accelerator hours", writer.number(run.gpu_hours)])
    if run.accelerator is not None:
        rows.append(["Accelerator", writer.entity("accelerators", run.accelerator)])
    if run.gpus is not None:
        rows.append(["Accelerators", writer.number(run.gpus)])
    if computed is not None and computed.training_flops is not None:
        rows.append(["FLOPs, 6 for each active parameter and token", writer.number(computed.training_flops)])
    if computed is not None and computed.implied_mfu is not None:
        rows.append(["MFU that the hours imply, of dense BF16", writer.number(computed.implied_mfu, percent=True)])
    if run.reported_mfu is not None:
        rows.append(["MFU as reported", writer.number(run.reported_mfu, percent=True)])
    table = facts.grid(("Training", "Published or computed"), rows, right=(1,))
    return "\n\n".join(["## Training {#training}", table, facts.paragraph(markup.text(run.note)) if run.note else ""])

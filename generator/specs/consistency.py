"""What must hold between the fields of a file and between files: references, ratios of peaks, sums of layers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import date
from itertools import pairwise
from typing import Any

from generator.specs.library import Library
from generator.specs.positions import Fault, Path, Positioned
from generator.specs.records import (
    FORMATS,
    Accelerator,
    Attention,
    Grid,
    Link,
    Model,
    NumberFormat,
    Reference,
    System,
)
from generator.specs.validate import suggestion

Complaint = tuple[Path, str]

PEAK_RATIOS = (("bf16", "fp16", 1.0), ("bf16", "fp8", 2.0), ("bf16", "int8", 2.0), ("fp8", "fp4", 2.0))
"""Pairs of formats whose dense peaks stand in a fixed ratio on tensor cores, unless the file names an exception."""


REASONED = ("estimate", "assumption", "choice")
"""Statuses whose source may be a reason in words instead of an address."""


def _near(value: float, wanted: float, tolerance: float) -> bool:
    return abs(value - wanted) <= tolerance * abs(wanted)


def accelerator(record: Accelerator) -> Iterator[Complaint]:
    """Dense peaks are dense: sparse ones beside them are twice as high, narrower formats twice as fast."""
    dense, sparse, exceptions = record.dense_peak, record.sparse_peak, record.peak_exceptions
    for name in exceptions:
        if name not in FORMATS:
            hint = suggestion(name, list(FORMATS))
            yield ("peak_exceptions", name), f"`peak_exceptions`: unknown number format `{name}`{hint}"
    if sparse != "none":
        for name in FORMATS:
            low, high = getattr(dense, name), getattr(sparse, name)
            if low and high and name not in exceptions and not _near(high, 2 * low, 0.01):
                rule = "a sparse peak is twice the dense one; is a sparse figure given as dense?"
                yield ("dense_peak", name), f"`dense_peak.{name}` {low:g} against sparse {high:g} FLOP/s: {rule}"
    for slow, fast, ratio in PEAK_RATIOS:
        low, high = getattr(dense, slow), getattr(dense, fast)
        if low and high and fast not in exceptions and not _near(high, ratio * low, 0.02):
            rule = f"{fast} runs {ratio:g} times as fast as {slow}, unless `peak_exceptions.{fast}` says why not"
            yield ("dense_peak", fast), f"`dense_peak.{fast}` {high:g} against {slow} {low:g} FLOP/s: {rule}"
    link = record.scale_up
    if link and link.bandwidth and link.bidirectional and not _near(link.bidirectional, 2 * link.bandwidth, 0.01):
        yield ("scale_up", "bandwidth"), "`scale_up.bandwidth` is per direction: half of `bidirectional`"
    memory = record.memory
    if memory.visible and not _near(memory.visible, memory.capacity, 0.12):
        yield ("memory", "visible"), "`memory.visible` is over 12 % away from `memory.capacity`; GB and GiB mixed up?"


def system(record: System, library: Library) -> Iterator[Complaint]:
    """Memory of a system is that of its accelerators."""
    card = library.accelerators.get(record.accelerator)
    if card and not _near(record.memory, record.gpus * card.memory.capacity, 0.1):
        wanted = record.gpus * card.memory.capacity
        yield ("memory",), f"`memory` {record.memory:g} B, but {record.gpus:g} accelerators hold {wanted:g} B"


def link(record: Link) -> Iterator[Complaint]:
    """Links are per direction, and no test is faster than the link."""
    if record.bidirectional and not _near(record.bidirectional, 2 * record.bandwidth, 0.01):
        yield ("bandwidth",), "`bandwidth` is per direction: half of `bidirectional`"
    if record.nominal and record.nominal < record.bandwidth:
        yield ("bandwidth",), "`bandwidth` is above `nominal`, the rate before encoding"
    if record.measured and record.measured > record.bandwidth:
        yield ("measured",), "`measured` is above `bandwidth`; is it the sum of both directions?"


def ordered(record: Any, *names: str) -> Iterator[Complaint]:
    """Fields that must not decrease; those left out do not matter."""
    given = [(name, getattr(record, name)) for name in names if getattr(record, name) is not None]
    for (low, least), (high, most) in pairwise(given):
        if least > most:
            yield (high,), f"`{high}` {most:g} is below `{low}` {least:g}"


def reference(record: Reference) -> Iterator[Complaint]:
    """A work has an address and a year."""
    if not record.address.startswith("https://"):
        yield ("address",), f"`address` must begin with https://, got {record.address!r}"
    if not 1900 <= record.year <= 2100:
        yield ("year",), f"`year` must lie between 1900 and 2100, got {record.year}"


def dates(record: Any) -> Iterator[Complaint]:
    """Dates exist in the calendar; a year or a month alone stands for its first day."""
    given: dict[Path, str | None] = {(name,): getattr(record, name, None) for name in ("released", "date", "checked")}
    given |= {("sources", index, "seen"): note.seen for index, note in enumerate(getattr(record, "sources", []))}
    for path, text in given.items():
        try:
            date.fromisoformat(((text or "2000") + "-01-01")[:10])
        except ValueError:
            yield path, f"`{'.'.join(map(str, path))}`: no such date, got {text!r}"


def _attention(group: Attention, at: Path) -> Iterator[Complaint]:
    if group.kind in ("full", "indexed") and group.window is not None:
        yield (*at, "window"), f"{group.kind} attention has no `window`; kinds that have one: sliding, chunked"
    if group.kind in ("full", "sliding", "chunked") and group.indexer is not None:
        yield (*at, "indexer"), f"{group.kind} attention has no `indexer`; the kind with one is indexed"
    if group.kind == "latent" and group.indexer is not None and group.q_lora_rank is None:
        yield at, "latent attention with an `indexer` needs `q_lora_rank`: index queries come from the query latent"
    if group.kind == "compressed" and group.indexer is not None and not group.compress:
        yield (*at, "compress"), "an `indexer` picks compressed entries: `compress` must be above 0"


def model(record: Model) -> Iterator[Complaint]:
    """Groups add up to the layers; heads divide; each kind of attention has what it needs."""
    config = record.config
    layers = {part: sum(group.layers for group in getattr(config, part)) for part in ("attention", "ffn")}
    if config.alternating:
        layers = {"attention": sum(layers.values())}
    for part, count in layers.items():
        if count != config.layers:
            named = "`config.attention` and `config.ffn`" if config.alternating else f"`config.{part}`"
            yield (
                ("config", part),
                f"groups of {named} have {count:g} layers, `config.layers` says {config.layers:g}",
            )
    for index, group in enumerate(config.attention):
        at: Path = ("config", "attention", index)
        if group.kind in ("sliding", "chunked") and group.window is None:
            yield at, f"`kind: {group.kind}` needs `window`"
        if group.kind == "indexed" and group.indexer is None:
            yield at, "`kind: indexed` needs `indexer`"
        if group.kind in ("full", "sliding", "chunked", "indexed") and group.n_heads % group.n_kv_heads:
            heads = int(group.n_heads)
            valid = ", ".join(str(n) for n in range(1, min(heads, 1024) + 1) if heads % n == 0)
            yield (
                (*at, "n_kv_heads"),
                f"n_kv_heads {group.n_kv_heads:g} does not divide n_heads {heads}; valid: {valid}",
            )
        if group.kind == "linear" and group.n_value_heads % group.n_key_heads:
            yield (
                (*at, "n_key_heads"),
                f"n_key_heads {group.n_key_heads:g} does not divide n_value_heads {group.n_value_heads:g}",
            )
        yield from _attention(group, at)
    for index, group in enumerate(config.ffn):
        if group.kind == "moe" and group.top_k > group.experts:
            yield ("config", "ffn", index, "top_k"), f"top_k {group.top_k:g} is above the {group.experts:g} experts"
    routing = {(group.experts, group.top_k) for group in config.ffn if group.kind == "moe"}
    if len(routing) > 1:
        yield ("config", "ffn"), "all groups of `config.ffn` with experts must have the same `experts` and `top_k`"
    if any(group.kind == "moe" for group in config.ffn) and record.formats.experts is None:
        yield ("formats",), "a model with routed experts needs `formats.experts`"
    if record.published.active is not None and record.published.active > record.published.total:
        yield ("published", "active"), "`published.active` is above `published.total`"
    if record.published.active is not None and record.published.active_convention is None:
        yield ("published", "active"), "`published.active` needs `active_convention`: which tables does it count?"


def references(record: Any, collection: str, library: Library, broken: Collection[str]) -> Iterator[Complaint]:
    """Ids that a record names exist, and sources can be looked up."""

    def known(path: Path, identifier: str | None, target: str) -> Iterator[Complaint]:
        if identifier is None or f"{target}/{identifier}" in broken:
            return
        if identifier not in library.collections[target]:
            hint = suggestion(identifier, sorted(library.collections[target]))
            yield path, f"`{'.'.join(map(str, path))}`: no {target} file is called `{identifier}`{hint}"

    if collection == "models":
        for part in ("attention", "ffn", "experts", "embedding", "head"):
            yield from known(("formats", part), getattr(record.formats, part), "number_formats")
        yield from known(("kv_format",), record.kv_format, "number_formats")
        if record.kv_layout:
            yield from known(("kv_layout", "format"), record.kv_layout.format, "number_formats")
        for index, note in enumerate(record.published_kv):
            if not note.source.startswith("https://"):
                yield from known(("published_kv", index, "source"), note.source, "references")
        if record.training:
            yield from known(("training", "accelerator"), record.training.accelerator, "accelerators")
    if collection in ("systems", "prices/gpus", "measurements", "engine_runs"):
        yield from known(("accelerator",), record.accelerator, "accelerators")
    if collection == "grids":
        for part in ("models", "accelerators", "workloads"):
            for index, identifier in enumerate(getattr(record, part)):
                yield from known((part, index), identifier, part)
        yield from known(("link",), record.link, "links")
    if collection == "calibrations":
        for index, table in enumerate(record.tables):
            yield from known(("tables", index), table, "measurements/tables")
    if collection == "examples":
        for index, measurement in enumerate(record.measured):
            yield from known(("measured", index), measurement, "measurements")
    if collection in ("prices/apis", "measurements", "engine_runs"):
        yield from known(("model",), record.model, "models")
    for index, note in enumerate(getattr(record, "sources", [])):
        address = note.source
        looked_up = note.confirmed and note.status not in REASONED
        if looked_up and not address.startswith(("https://", "http://")):
            yield from known(("sources", index, "source"), address, "references")
        if not address.strip():
            yield ("sources", index, "source"), "a source needs an address or a bibliography id"


def number_format(record: NumberFormat) -> Iterator[Complaint]:
    """A format computes in at least one way."""
    if not record.computes_as:
        yield ("computes_as",), f"`computes_as` names the peaks it can use, best first; valid: {', '.join(FORMATS)}"


def grid(record: Grid) -> Iterator[Complaint]:
    """Every list names something, once; fleets have accelerators, and intervals take two seeds."""
    for part in ("models", "accelerators", "workloads", "limits", "gpus", "policies"):
        given = [getattr(one, "id", one) for one in getattr(record, part)]
        if not given:
            yield (part,), f"`{part}` is empty"
        if len(set(given)) < len(given):
            yield (part,), f"`{part}` names something twice: {', '.join(map(str, given))}"
    if any(one < 1 for one in record.gpus):
        yield ("gpus",), f"`gpus` are fleets of at least 1, got {min(record.gpus)}"
    if record.seeds < 2:
        yield ("seeds",), f"`seeds` must be at least 2, got {record.seeds:g}"


def check(library: Library, files: Mapping[str, Positioned], broken: Collection[str] = ()) -> list[Fault]:
    """Faults between fields and between files, each at the field that is most likely wrong.

    `broken` are the `collection/id` of files that exist but could not be read: naming them is no fault of another file.
    """
    faults: list[Fault] = []
    own: dict[str, Callable[[Any], Iterator[Complaint]]] = {
        "number_formats": number_format,
        "accelerators": accelerator,
        "systems": lambda record: system(record, library),
        "models": model,
        "links": link,
        "references": reference,
        "grids": grid,
        "assumptions": lambda record: ordered(record, "low", "value", "high"),
        "prices/gpus": lambda record: ordered(record, "low", "typical", "high"),
    }
    for collection, records in library.collections.items():
        taken: dict[str, str] = {}
        for identifier, record in records.items():
            file = files[f"{collection}/{identifier}"]
            complaints = [*references(record, collection, library, broken), *dates(record)]
            if collection in own:
                complaints += own[collection](record)
            for alias in getattr(record, "aliases", []):
                if alias in records or alias in taken:
                    complaints.append((("aliases",), f"`aliases`: `{alias}` is taken by {taken.get(alias, alias)}"))
                taken[alias] = identifier
            faults += [file.fault(path, message) for path, message in complaints]
    return faults

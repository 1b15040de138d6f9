"""Time to move the cache of a request from a prefill to a decode instance: fixed times and bytes over the network."""

from __future__ import annotations

import re

from generator.estimates.architecture import describe
from generator.formulas import measured_links
from generator.specs.library import Library
from generator.specs.records import Accelerator, Model
from generator.validation import names
from generator.validation.family import Case, Family, Inputs, Number
from generator.validation.leaves import stated
from generator.validation.rows import Row, Uncovered

MB, GB, MIB, GIB = 1e6, 1e9, 2**20, 2**30
BINARY = "binary"
"""Word of a note that says that sizes and rates are in binary units."""


def claims(row: Row) -> bool:
    return row.metric == "kv_transfer_bandwidth"


def express(row: Row, library: Library) -> Case:
    named = names.model(library, row.text("model"))
    accelerator = names.accelerator(library, row.text("gpu"))
    request = _sent(row, named.model, library)
    link = stated(row, _network(row, accelerator), "link_bytes_per_s", "B/s")
    unit = GIB if BINARY in row.text("note") or row.unit.startswith("GiB") else GB
    engine = re.split(r"[\s+]", row.text("engine"))[0].lower()
    return Case(
        row,
        {
            "layers": named.model.config.layers,
            "kv_bytes_per_request": request,
            "link_bytes_per_s": link,
        },
        keys={"model": named.model.id, "accelerator": accelerator.id, "engine": engine},
        group=f"{named.model.id} | {engine}",
        bound=measured_links.kv_transfer_floor_s(kv_bytes_per_request=request, link_bytes_per_s=link),
        reference=measured_links.measured_kv_transfer_s(
            layers=named.model.config.layers,
            kv_layer_s=0.0,
            kv_bytes_per_request=request,
            link_bytes_per_s=link,
            kv_link_efficiency=library.assume("kv-transfer-efficiency"),
        ),
        per_unit=float(request) / unit,
        inverted=True,
    )


def _sent(row: Row, model: Model, library: Library) -> Number:
    """Bytes that are sent: as stated, copies that several ranks hold included; else the cache of the prompt."""
    told = row.number("kv_bytes")
    if told:
        binary = (GIB / GB if told >= GB else MIB / MB) if BINARY in row.text("note") else 1.0
        return stated(row, told * binary, "kv_bytes_per_request", "B")
    described = describe(model, library, weights="native", kv=row.text("precision_kv") or "bf16")
    return described.request_bytes(
        stated(row, row.needed("isl"), "context_tokens", "token"), library.assume("kv-block-tokens")
    )


def _network(row: Row, accelerator: Accelerator) -> float:
    """Rate of the network of one instance: as stated, else the cards of its accelerators together."""
    told = re.search(r"(\d+(?:\.\d+)?) GB/s aggregate", row.text("note"))
    if told:
        return float(told[1]) * 1e9
    cards = row.number("tp") or row.number("n_gpus")
    if cards is None or accelerator.scale_out is None:
        raise Uncovered("the rate of the network is not stated")
    return cards * float(accelerator.scale_out.bandwidth)


def predict(inputs: Inputs, constants: Inputs) -> Number:
    """Fixed times of the layers and the bytes."""
    return measured_links.measured_kv_transfer_s(**inputs, **constants)


def explain(row: Row, case: Case, error: float) -> str:
    """Why a row is far off."""
    return "the fixed time decides, and it differs between engines" if case.measured < 5e-3 else ""


FAMILY = Family(
    id="kv-transfer",
    name="KV transfer",
    what="Time to move the cache of one request between instances: a fixed time for each layer, and the bytes over the "
    "share of the network that is reached.",
    unit="s",
    claims=claims,
    express=express,
    predict=predict,
    constants=("kv_layer_s", "kv_link_efficiency"),
    alike_by=("engine", "accelerator"),
    explain=explain,
)

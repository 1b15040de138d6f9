"""Time of a collective inside one scale-up domain: fixed times, hops, bytes over the link, cutting into pieces."""

from __future__ import annotations

import re

from generator.estimates.devices import device
from generator.formulas import measured_links
from generator.specs.library import Library
from generator.specs.records import Accelerator
from generator.validation import names
from generator.validation.family import Case, Family, Inputs, Number
from generator.validation.leaves import stated
from generator.validation.rows import Row, Uncovered

PASSES = {"all_reduce": 2, "all_gather": 1, "reduce_scatter": 1, "alltoall": 0}
"""How often a buffer goes around the ring, by collective: a sum goes around once to add and once to hand out."""
OPERATIONS = {"alltoall": "all-to-all"}
ENGINES = {"trtllm", "vllm", "sglang"}
"""Engines with an all-reduce of their own, as the table spells them; its other callers measure NCCL."""
PAIRS = {"vllm", "sglang"}
"""Engines whose rows show it between two cards without a link of their own, too."""
ADDING = re.compile(r"NVLink [4-9]")
"""Links whose switch can add what passes through it, from the switch of the H100 on."""


def claims(row: Row) -> bool:
    return bool(row.text("collective")) and row.metric in ("latency", "busbw") and row.text("collective") in PASSES


def express(row: Row, library: Library) -> Case:
    collective = row.text("collective")
    accelerator = names.accelerator(library, row.text("gpu"))
    degree = row.needed("n_gpus")
    if degree < 2:
        raise Uncovered("fewer than two accelerators")
    link, medium = link_of(accelerator)
    described = device(accelerator, library, library.find("number_formats", "bf16"))
    if _nodes(row, degree) > 1 or degree > described.domain_gpus:
        raise Uncovered("a collective across nodes: the network and its start-up differ from site to site")
    if described.scale_up_bytes_per_s is None:
        raise Uncovered("the link between accelerators is not known")
    message = stated(row, row.needed("message_bytes"), "message_bytes", "B")
    count = stated(row, degree, "degree", "count")
    passes = stated(row, PASSES[collective], "ring_passes", "count")
    library_kernel = row.text("engine") not in ENGINES or "nccl_perf" in row.text("source_address")
    adds = collective == "all_reduce" and bool(ADDING.match(link)) and described.domain_gpus > 2
    ring = re.search(r"NVLS off|\bRing\b", row.text("note")) is not None
    reads = medium == "nvlink" or (degree == 2 and row.text("engine") in PAIRS)
    fewest = library.assume("switch-sum-least-gpus")
    own = collective == "all_reduce" and not library_kernel and reads and accelerator.vendor == "NVIDIA"
    inputs = {
        "message_bytes": message,
        "degree": count,
        "ring_passes": passes,
        "link_bytes_per_s": described.scale_up_bytes_per_s,
        "switch_sums": stated(row, float(adds and degree >= fewest and not ring), "switch_sums", "count"),
        "own_kernel": stated(row, float(own), "own_kernel", "count"),
    }
    sent = measured_links.collective_sent_bytes(ring_passes=passes, message_bytes=message, degree=count)
    least = measured_links.collective_least_bytes(
        collective_sent_bytes=sent,
        message_bytes=message,
        degree=count,
        switch_sums=stated(row, float(adds), "switch_sums", "count"),
    )
    engine = "nccl" if library_kernel else row.text("engine")
    rate = row.metric == "busbw"
    return Case(
        row,
        inputs,
        keys={
            "model": "",
            "accelerator": accelerator.id,
            "vendor": accelerator.vendor.lower(),
            "engine": engine,
            "version": row.text("engine_version"),
            "link": link.lower().replace(" ", "-"),
            "medium": medium,
            "operation": OPERATIONS.get(collective, collective.replace("_", "-")),
            "gpus": f"{degree:g}",
            "caller": row.text("engine").split()[0] if row.text("engine") else "",
        },
        group=f"{accelerator.id} | {row.text('engine')} {row.text('engine_version')}",
        bound=measured_links.collective_floor_s(
            collective_least_bytes=least, link_bytes_per_s=described.scale_up_bytes_per_s
        ),
        reference=measured_links.reference_collective_s(
            collective_sent_bytes=sent,
            link_bytes_per_s=described.scale_up_bytes_per_s,
            link_latency_s=described.scale_up_latency_s,
        ),
        per_unit=float(sent) / 1e9 if rate else 1e-6,
        inverted=rate,
        identity=(
            accelerator.id, degree, row.text("engine"), row.text("engine_version"), engine, collective, float(message),
            ring, row.text("source_address"),
        ),
    )  # fmt: skip


def link_of(accelerator: Accelerator) -> tuple[str, str]:
    """The link between accelerators of one host, `NVLink 4` or `PCIe 5`, and its kind."""
    found = accelerator.scale_up or accelerator.host_link
    if found is None:
        raise Uncovered("the link between accelerators is not known")
    generation = re.match(r"(NVLink|PCIe) \d", found.link)
    if generation is None:
        return found.link.split(",")[0], "other"
    return generation[0], generation[1].lower()


def _nodes(row: Row, degree: float) -> float:
    """Nodes that take part, as far as the row says so."""
    per_node = re.search(r"devices_per_node (\d+)", row.text("note"))
    if per_node:
        return degree / float(per_node[1])
    return row.number("nodes") or 1


def predict(inputs: Inputs, constants: Inputs) -> Number:
    """The better of the engine's own kernel and the communication library."""
    whole = {**inputs, **constants}

    def given(*wanted: str) -> dict[str, Number]:
        return {name: whole[name] for name in wanted}

    sent = measured_links.collective_sent_bytes(**given("ring_passes", "message_bytes", "degree"))
    ring = measured_links.ring_transfer_s(collective_sent_bytes=sent, **given("link_bytes_per_s", "ring_efficiency"))
    switch = measured_links.switch_transfer_s(**given("message_bytes", "link_bytes_per_s", "switch_efficiency"))
    common = measured_links.library_collective_s(
        collective_hops=measured_links.collective_hops(**given("ring_passes", "degree")),
        collective_transfer_s=measured_links.collective_transfer_s(
            ring_transfer_s=ring, switch_transfer_s=switch, **given("switch_sums")
        ),
        **given(
            "collective_call_s", "collective_launch_s", "collective_exchange_s", "collective_hop_s", "collective_ramp_s"
        ),
    )
    direct = given("direct_launch_s", "link_bytes_per_s", "direct_efficiency")
    return measured_links.measured_collective_s(
        one_shot_s=measured_links.one_shot_s(**direct, **given("message_bytes", "degree")),
        two_shot_s=measured_links.two_shot_s(**direct, collective_sent_bytes=sent, **given("direct_barrier_s")),
        library_collective_s=common,
        **given("own_kernel"),
    )


def explain(row: Row, case: Case, error: float) -> str:
    """Why a row is far off."""
    if case.keys["engine"] == "vllm" and error < -0.3:
        return "launched from the host instead of a CUDA graph; the table does not tell the two apart"
    if case.keys["medium"] == "pcie" and case.inputs["degree"] > 2:
        return "between cards of several sockets the path through the host decides"
    if case.keys["engine"] in ENGINES:
        return "the engine changes its algorithm at another size"
    return "the library changes its protocol at another size"


FAMILY = Family(
    id="collectives",
    name="Collectives",
    what="Time of an all-reduce, all-gather, reduce-scatter or all-to-all inside one scale-up domain: launch, hops, "
    "bytes over the link, and the loss of cutting a buffer into pieces.",
    unit="s",
    claims=claims,
    express=express,
    predict=predict,
    constants=(
        "collective_call_s", "collective_launch_s", "collective_exchange_s", "collective_hop_s", "collective_ramp_s",
        "ring_efficiency", "switch_efficiency", "direct_launch_s", "direct_barrier_s", "direct_efficiency",
    ),
    alike_by=("engine", "accelerator"),
    banded_by=("medium",),
    explain=explain,
)  # fmt: skip

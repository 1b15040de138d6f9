"""Seeded runs of expert routing: from the choices of a worksheet or of the command line to metrics."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from generator.estimates.architecture import NotSupported, describe
from generator.estimates.layouts import MOST_GPUS, check_range, chosen_number
from generator.formulas import expert_balance
from generator.provenance import Traced
from generator.simulation.expert_costs import ExpertCosts, expert_costs, inputs_of
from generator.simulation.experts import Setup, metrics, run, times
from generator.simulation.outcomes import Experiment
from generator.simulation.placement import PLACEMENTS
from generator.simulation.requests import generator_of
from generator.simulation.routing import SKEWS
from generator.specs.library import Library
from generator.specs.records import Accelerator, Model

NUMBERS = {
    "ep": "count",
    "batch": "token",
    "tokens": "token",
    "exponent": "1",
    "sigma": "1",
    "redundant": "count",
    "foreign": "1",
    "concentration": "1",
    "steps": "count",
    "layers": "layer",
    "racks": "count",
    "limit": "count",
    "context": "token",
    "dispatch_bytes": "B",
    "combine_bytes": "B",
}
"""Arguments that are numbers, with the unit in which a worksheet may write them."""
PHASES = ("decode", "prefill")
SENT = ("expert", "domain")
WORDS = {
    "model": (),
    "accelerator": (),
    "skew": SKEWS,
    "placement": PLACEMENTS,
    "stale": ("yes", "no"),
    "phase": PHASES,
    "sent": SENT,
    "weights": (),
}
"""Arguments that are words; where only some are valid, these."""
MEASURED_VARIATION = "expert-load-variation-deepseek-r1-ep32"
"""The measurement from which the spread of measured-like popularity comes."""
MEASURED_MODEL, MEASURED_EP = "deepseek-r1", 32
_PUBLISHED_NAMES = {
    "ep": "ep",
    "batch": "tokens_per_gpu",
    "redundant": "redundant_experts",
    "foreign": "foreign_share",
    "concentration": "foreign_concentration",
    "exponent": "popularity_exponent",
    "sigma": "popularity_sigma",
    "steps": "simulated_steps",
    "racks": "racks",
    "limit": "domain_limit",
    "context": "context_tokens",
    "dispatch_bytes": "dispatch_bytes_per_value",
    "combine_bytes": "combine_bytes_per_value",
}
"""Argument -> name in the nomenclature, for the derivation of a published run."""


def measured_sigma(library: Library) -> Traced:
    """Sigma of lognormal popularity that the published variation of load asks for."""
    group = describe(library.find("models", MEASURED_MODEL), library).moe
    assert group is not None
    return expert_balance.popularity_sigma(
        expert_load_variation=library.find("measurements", MEASURED_VARIATION).value,
        experts=group.experts,
        ep=chosen_number(MEASURED_EP, "ep"),
    )


def experiment(
    library: Library,
    *,
    model: str | Model,
    accelerator: str | Accelerator,
    ep: float = 32,
    batch: float = 128,
    tokens: float | None = None,
    skew: str | None = None,
    exponent: float | None = None,
    sigma: float | None = None,
    redundant: float = 0,
    placement: str = "round-robin",
    stale: str | bool = "no",
    foreign: float = 0.0,
    concentration: float = 4.0,
    steps: float = 20,
    layers: float | None = None,
    racks: float | None = None,
    limit: float = 0,
    context: float = 2048,
    phase: str = "decode",
    sent: str = "expert",
    dispatch_bytes: float = 1,
    combine_bytes: float = 2,
    weights: str = "native",
) -> Experiment:
    """Routing of one configuration.

    skew: measured-like unless said otherwise, Zipf if there is an exponent; sigma: of measured-like popularity; batch:
    tokens of one accelerator in a step; tokens: of all of them, instead; stale: the placement was made for other
    traffic; foreign: mean share of tokens from other traffic, and how alike the steps are in it (concentration);
    layers: how many to simulate, all if left out; racks: scale-up domains, as many as the accelerators need if left
    out; limit: domains that a token may be sent to; sent: one copy for each expert, or for each domain.
    """
    record = library.find("models", model) if isinstance(model, str) else model
    card = library.find("accelerators", accelerator) if isinstance(accelerator, str) else accelerator
    group = describe(record, library, weights=weights).moe
    if group is None:
        raise NotSupported(f"{record.id} has no routed experts; choose a mixture of experts")
    experts, all_layers = int(group.experts), int(describe(record, library, weights=weights).moe_layers)
    skew = skew or ("measured" if exponent is None else "zipf")
    exponent = 1.0 if exponent is None else exponent
    check_range("ep", ep, 1, MOST_GPUS)
    check_range("redundant", redundant, 0, 16 * experts)
    if ep > experts + redundant:
        raise NotSupported(
            f"ep {ep:g} leaves accelerators without an expert: there are {experts + redundant:g}, copies included"
        )
    for name, value in (("foreign", foreign), ("exponent", exponent), ("sigma", sigma)):
        if value is not None:
            check_range(name, value, 0, 1 if name == "foreign" else 10)
    for name, value in (("dispatch_bytes", dispatch_bytes), ("combine_bytes", combine_bytes)):
        check_range(name, value, 0)
    check_range("limit", limit, 0, MOST_GPUS)
    check_range("concentration", concentration, 1e-3)
    check_range("context", context, 1)
    check_range("steps", steps, 1, 100_000)
    layers = all_layers if layers is None else layers
    check_range("layers", layers, 1, all_layers)
    for name, value, valid in (("phase", phase, PHASES), ("sent", sent, SENT)):
        if value not in valid:
            raise NotSupported(f"no {name} is called `{value}`; valid: {', '.join(valid)}")
    if tokens is None:
        tokens = batch * ep
    check_range("tokens", tokens, 1, 10**8)
    if racks is None:
        domain = int(card.scale_up.domain_gpus) if card.scale_up else 8
    else:
        check_range("racks", racks, 1, ep)
        domain = int(-(-ep // racks))
    spread = measured_sigma(library) if sigma is None else sigma
    setup = Setup(
        layers=int(layers), experts=experts, top_k=int(group.top_k), gpus=int(ep), tokens=round(float(tokens)),
        skew=skew, exponent=float(exponent), sigma=float(spread), redundant=int(redundant), placement=placement,
        stale=stale in ("yes", True), foreign=float(foreign), concentration=float(concentration), steps=int(steps),
        domain_gpus=domain, domain_limit=int(limit),
    )  # fmt: skip
    each = {"batch": float(tokens) / float(ep), "context": float(context), "phase": phase, "weights": weights}

    @cache
    def prepared() -> ExpertCosts:
        return expert_costs(
            record, card, library, slots=-(-(experts + setup.redundant) // setup.gpus),
            dispatch_bytes=float(dispatch_bytes), combine_bytes=float(combine_bytes), **each,
        )  # fmt: skip

    def seeded(seed: int) -> Mapping[str, float]:
        records = run(setup, generator_of(seed))
        return metrics(
            setup, records, times(setup, records, prepared(), copies_each=sent, all_layers=float(all_layers))
        )

    unused = {"exponent": skew != "zipf", "sigma": skew != "measured", "foreign": not foreign}
    unused |= {"concentration": not foreign, "redundant": not redundant, "limit": not limit, "racks": racks is None}
    given = {
        "ep": ep, "batch": each["batch"], "redundant": redundant, "foreign": foreign, "concentration": concentration,
        "exponent": exponent, "sigma": spread, "steps": steps, "racks": racks, "limit": limit, "context": context,
        "dispatch_bytes": dispatch_bytes, "combine_bytes": combine_bytes,
    }  # fmt: skip
    chosen = {
        published: chosen_number(given[name], published, NUMBERS[name])
        for name, published in _PUBLISHED_NAMES.items()
        if not unused.get(name)
    }
    words = {"model": record.id, "accelerator": card.id, "skew": skew, "placement": placement, "phase": phase}
    if setup.stale:
        words["stale"] = "yes"
    if sent != "expert":
        words["sent"] = sent
    if weights != "native":
        words["weights"] = weights
    return Experiment(
        "experts",
        inputs=inputs_of(record, card, library, weights=weights) | chosen,
        settings=words,
        identity=[repr(record.config), repr(record.formats), repr(setup), each["context"], sent, weights],
        run=seeded,
    )

"""Cells of a goodput atlas: from ids and limits to a search, or to the reason why there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from generator.estimates.architecture import NotSupported, describe
from generator.estimates.devices import device
from generator.estimates.entities import once
from generator.estimates.fitting import smallest_group
from generator.estimates.layouts import MOST_GPUS, check_range, chosen_number
from generator.formulas import disaggregation
from generator.simulation.atlas import LONGEST_TOKENS, Case, Search
from generator.simulation.costs import Costs, costs, inputs_of
from generator.simulation.outcomes import Experiment
from generator.simulation.serving import POLICIES
from generator.specs.library import Library
from generator.specs.records import Accelerator, Grid, Model

NUMBERS = {
    "ttft_limit": "s",
    "tpot_limit": "s",
    "target": "1",
    "gpus": "count",
    "prefill_gpus": "count",
    "link": "B/s",
}
"""Choices that are numbers, with the unit in which a worksheet may write them."""
WORDS = {"model": (), "accelerator": (), "workload": (), "policy": POLICIES, "weights": (), "kv": ()}
"""Choices that are words; where only some are valid, these."""
DEFAULT_LINK = "links/ib-ndr400#bandwidth"
SIMULATOR = "goodput"
ROOM = 8
"""Longest requests that the cache of an instance holds at least; with room for fewer it would wait for memory."""


@dataclass(frozen=True)
class Prepared:
    """A cell that can be searched: its experiment, and its case in plain numbers for another process."""

    experiment: Experiment
    case: Callable[[], Case]


@dataclass(frozen=True)
class Cell:
    """One cell of a grid by its ids. `prepared` is None where the cell is impossible, and `why` says why."""

    model: str
    accelerator: str
    workload: str
    limits: str
    gpus: int
    policy: str
    prepared: Prepared | None
    why: str = ""

    @property
    def id(self) -> str:
        """Permanent id of the cell."""
        return "/".join((self.model, self.accelerator, self.workload, self.limits, f"x{self.gpus}", self.policy))


def cells(grid: Grid, library: Library) -> Iterator[Cell]:
    """Every cell of a grid; policies last, so that the cells of one question follow each other."""
    link = library.find("links", grid.link).bandwidth
    for model in grid.models:
        for accelerator in grid.accelerators:
            for workload in grid.workloads:
                for limits in grid.limits:
                    for gpus in grid.gpus:
                        for policy in grid.policies:
                            names = (model, accelerator, workload, limits.id, gpus, policy)
                            try:
                                found = prepare(
                                    library, model=model, accelerator=accelerator, workload=workload, policy=policy,
                                    gpus=gpus, ttft_limit=limits.ttft, tpot_limit=limits.tpot, target=grid.target,
                                    link=link,
                                )  # fmt: skip
                            except NotSupported as error:
                                yield Cell(*names, None, str(error))
                            else:
                                yield Cell(*names, found)


def experiment(library: Library, **choices: Any) -> Experiment:
    """The search for the highest rate of one configuration; see `prepare` for the choices."""
    return prepare(library, **choices).experiment


def prepare(
    library: Library,
    *,
    model: str | Model,
    accelerator: str,
    workload: str = "chat",
    policy: str = "colocated",
    ttft_limit: float = 0.5,
    tpot_limit: float = 0.03,
    target: float = 0.9,
    gpus: float = 4,
    prefill_gpus: float = 0,
    link: float | None = None,
    weights: str = "native",
    kv: str = "native",
) -> Prepared:
    """A configuration to be searched: instances are the smallest groups that hold several of the longest requests.

    ttft_limit, tpot_limit: the service level, in s; target: share of the requests that has to stay within it;
    prefill_gpus: 0 for the best split; link: bytes per second of the network link of one accelerator.
    Raises NotSupported for what cannot be served.
    """
    record = library.find("models", model) if isinstance(model, str) else model
    card = library.find("accelerators", accelerator)
    shape = library.find("workloads", workload)
    for name, value in (("ttft_limit", ttft_limit), ("tpot_limit", tpot_limit)):
        check_range(name, value, 1e-6)
    check_range("gpus", gpus, 1, MOST_GPUS)
    check_range("prefill_gpus", prefill_gpus, 0, MOST_GPUS)
    check_range("target", target, 0.01, 1)
    check_range("prompt of the workload", shape.prompt, 1)
    tp = _group(record, card, library, weights, kv)
    instances = _instances(card, int(gpus), tp, policy, prefill_gpus)
    link = library.datum(DEFAULT_LINK) if link is None else link
    check_range("link", link, 1)
    apart = policy == "disaggregated"
    inputs = dict(_inputs(record, card, library, tp, weights, kv)) | {
        "prompt_median_tokens": shape.prompt,
        "output_median_tokens": shape.output,
        "ttft_limit_s": chosen_number(ttft_limit, "ttft_limit_s", "s"),
        "tpot_limit_s": chosen_number(tpot_limit, "tpot_limit_s", "s"),
        "attainment_target": chosen_number(target, "attainment_target", "1"),
        "gpus": chosen_number(gpus, "gpus"),
    }
    if apart:
        inputs |= {
            "link_bytes_per_s": chosen_number(link, "link_bytes_per_s", "B/s"),
            "transfer_efficiency": library.assume("kv-transfer-efficiency"),
            "handover_overhead_s": library.assume("kv-handover-overhead"),
        }
        if prefill_gpus:
            inputs["prefill_gpus"] = chosen_number(prefill_gpus, "prefill_gpus")

    @cache
    def case() -> Case:
        # Time to send one byte over the links of an instance, which send at once.
        byte_s = disaggregation.kv_transfer_s(
            kv_bytes_per_request=1.0, transfer_links=tp, link_bytes_per_s=float(link),
            transfer_efficiency=float(library.assume("kv-transfer-efficiency")),
        )  # fmt: skip
        return Case(
            costs=_costs(record, card, library, tp, weights, kv),
            policy=policy,
            instances=instances,
            gpus=int(gpus),
            prompt_median_tokens=float(shape.prompt),
            output_median_tokens=float(shape.output),
            ttft_limit_s=float(ttft_limit),
            tpot_limit_s=float(tpot_limit),
            target=float(target),
            prefill_instances=int(prefill_gpus) // tp if apart else 0,
            link_bytes_per_s=1.0 / float(byte_s) if apart else None,
            handover_s=float(library.assume("kv-handover-overhead")) if apart else 0.0,
        )

    search = cache(lambda: Search(case()))
    settings = {"model": record.id, "accelerator": card.id, "workload": shape.id, "policy": policy}
    settings |= {name: value for name, value in (("weights", weights), ("kv", kv)) if value != "native"}
    made = Experiment(
        SIMULATOR,
        inputs=inputs,
        settings=settings,
        identity=[repr(record.config), repr(record.formats), record.kv_format],
        run=lambda seed: search().metrics(seed),
    )
    return Prepared(made, case)


def _group(model: Model, card: Accelerator, library: Library, weights: str, kv: str) -> int:
    """Accelerators of one instance: the smallest group whose cache holds so many of the longest requests."""

    def make() -> int | None:
        architecture = describe(model, library, weights=weights, kv=kv)
        return smallest_group(
            architecture, device(card, library, architecture.compute_format), library, ROOM * LONGEST_TOKENS
        )

    if model.max_context < LONGEST_TOKENS:
        raise NotSupported(
            f"{model.name} takes {model.max_context:g} tokens; the longest request that is drawn has {LONGEST_TOKENS}"
        )
    tp = once(library, ("atlas group", id(model), card.id, weights, kv), make)
    if tp is None:
        raise NotSupported(f"no group of {card.name} holds {model.name} and a cache of {ROOM * LONGEST_TOKENS} tokens")
    return tp


def _instances(card: Accelerator, gpus: int, tp: int, policy: str, prefill_gpus: float) -> int:
    if policy not in POLICIES:
        raise NotSupported(f"no policy is called `{policy}`; valid: {', '.join(POLICIES)}")
    if gpus < tp:
        raise NotSupported(
            f"one instance takes {tp} {card.name}: weights and a cache of {ROOM * LONGEST_TOKENS} tokens"
        )
    if gpus % tp:
        raise NotSupported(f"{gpus} {card.name} do not divide into instances of {tp}")
    if policy == "disaggregated":
        if gpus < 2 * tp:
            raise NotSupported(f"a split takes two instances of {tp} {card.name}, so {2 * tp}")
        if prefill_gpus % tp or prefill_gpus >= gpus:
            raise NotSupported(f"prefill_gpus must be a multiple of {tp} below {gpus}, got {prefill_gpus:g}")
    return gpus // tp


def _inputs(model: Model, card: Accelerator, library: Library, tp: int, weights: str, kv: str) -> Mapping[str, Any]:
    return once(
        library,
        ("atlas inputs", id(model), card.id, tp, weights, kv),
        lambda: inputs_of(model, card, library, tp=tp, weights=weights, kv=kv),
    )


def _costs(model: Model, card: Accelerator, library: Library, tp: int, weights: str, kv: str) -> Costs:
    return once(
        library,
        ("atlas costs", id(model), card.id, tp, weights, kv),
        lambda: costs(model, card, library, tp=tp, weights=weights, kv=kv, longest_prompt_tokens=LONGEST_TOKENS),
    )

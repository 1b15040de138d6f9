"""How a model is spread and what is asked of it: degrees of parallelism, requests, prices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from generator.estimates.architecture import NotSupported
from generator.formulas import parallelism
from generator.provenance import choice
from generator.specs.library import Library
from generator.specs.records import Accelerator, Model

Number = Any

MOST = 10**12
"""More requests, users or tokens of a request than anybody asks for: larger numbers are slips of the pen."""
MOST_GPUS = 10**7


@dataclass(frozen=True)
class Layout:
    """How a model is spread: accelerators in all, tensor-parallel degree, pipeline stages, expert spread."""

    gpus: Number
    tp: Number
    pp: Number
    ep: Number

    @property
    def dp(self) -> Number:
        """Replicas behind a balancer."""
        return parallelism.replicas(gpus=self.gpus, tp=self.tp, pp=self.pp)


@dataclass(frozen=True)
class Load:
    """What is asked: requests decoded at once, tokens of each, and the price of an accelerator hour."""

    batch: Number
    prompt_tokens: Number
    output_tokens: Number
    users: Number | None = None
    usd_per_gpu_hour: Number | None = None


def chosen_number(value: float, name: str, unit: str = "count") -> Number:
    """A number picked for one configuration as a traced leaf; one that is traced already stays what it is."""
    if hasattr(value, "origin"):
        return value
    return choice(value, name=name, unit=unit, reason="chosen for this configuration")


def check_range(name: str, value: float, least: float, most: float = MOST) -> None:
    """Raises NotSupported for what is no number, too small, or beyond anything that is asked for."""
    if not least <= value:
        raise NotSupported(f"{name} must be at least {least:g}, got {value:g}")
    if not value <= most:
        raise NotSupported(f"{name} must be at most {most:g}, got {value:g}")


def check_load(
    *,
    batch: float,
    prompt_tokens: float,
    output_tokens: float,
    users: float | None = None,
    usd_per_gpu_hour: float | None = None,
) -> None:
    """Raises NotSupported unless every number of a load has a meaning."""
    check_range("batch", batch, 1)
    check_range("input", prompt_tokens, 0)
    check_range("output", output_tokens, 1)
    if users is not None:
        check_range("users", users, 1)
    if usd_per_gpu_hour is not None:
        check_range("the price of an accelerator hour", usd_per_gpu_hour, 0)


def one_group(chosen: Layout) -> None:
    """Raises NotSupported unless all accelerators form one tensor-parallel group."""
    if chosen.gpus != chosen.tp or chosen.ep != 1:
        raise NotSupported(
            f"want one tensor-parallel group, got {chosen.gpus:g} accelerators, TP {chosen.tp:g}, EP {chosen.ep:g}"
        )


def hourly_price(accelerator: Accelerator, library: Library, given: float | None) -> Number | None:
    """Price of an accelerator hour: as given, else the dated price point of the accelerator, else None."""
    if given is not None:
        return chosen_number(given, "usd_per_gpu_hour", "USD/h")
    prices = library.collections["prices/gpus"].values()
    return next((price.typical for price in prices if price.accelerator == accelerator.id), None)


def layout(model: Model, *, gpus: int | None, tp: int | None, pp: int = 1, ep: int = 1) -> Layout:
    """A layout from what was given: all accelerators in one tensor-parallel group unless said otherwise.

    Raises NotSupported with the rule and the valid choices.
    """
    moe_group = next((group for group in model.config.ffn if group.kind == "moe"), None)
    for name, degree in {"gpus": gpus, "tp": tp, "pp": pp, "ep": ep}.items():
        if degree is not None and (degree < 1 or degree != int(degree)):
            raise NotSupported(f"{name} must be a whole number from 1, got {degree}")
        if degree is not None:
            check_range(name, degree, 1, MOST_GPUS)
    if gpus is None:
        gpus = max((tp or 1) * pp, ep * pp)
    if tp is None:
        tp = 1 if ep > 1 else gpus // pp
    if pp > model.config.layers:
        raise NotSupported(
            f"{pp} pipeline stages for {model.config.layers:g} layers; valid: 1 to {model.config.layers:g}"
        )
    if tp * pp > gpus or gpus % (tp * pp):
        raise NotSupported(f"{gpus} accelerators do not divide into groups of tp {tp} x pp {pp} = {tp * pp}")
    if ep > 1:
        if moe_group is None:
            raise NotSupported(f"{model.id} has no routed experts to spread over ep {ep}; valid: 1")
        valid = [n for n in range(1, gpus // pp + 1) if (gpus // pp) % n == 0 and n <= moe_group.experts]
        if ep not in valid:
            raise NotSupported(
                f"ep {ep} does not divide {gpus // pp} accelerators; valid: {', '.join(map(str, valid))}"
            )
    return Layout(
        chosen_number(gpus, "gpus"), chosen_number(tp, "tp"), chosen_number(pp, "pp"), chosen_number(ep, "ep")
    )

"""Seeded runs of a fleet: from the choices of a worksheet or of the command line to a day and its metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.estimates.architecture import NotSupported
from generator.estimates.entities import once
from generator.estimates.layouts import MOST_GPUS, check_range, chosen_number, hourly_price
from generator.formulas import planning
from generator.provenance import Traced
from generator.simulation.costs import costs, inputs_of
from generator.simulation.fleet import Replica, replica
from generator.simulation.operations import Change, Day, Rule, metrics, operate
from generator.simulation.outcomes import Experiment
from generator.simulation.requests import generator_of
from generator.simulation.scaling import SIGNALS, TARGETS
from generator.simulation.traffic import DAY_S, Traffic
from generator.specs.library import Library
from generator.specs.records import Accelerator, Model
from generator.units import round_significant

SCENARIOS = ("autoscale", "failure", "hybrid")
RECOVERIES = ("none", "restart", "standby", "re-place")
NUMBERS = {
    "peak_rate": "request/s",
    "trough_share": "1",
    "variation": "1",
    "bursts_per_day": "count",
    "burst_factor": "1",
    "burst": "s",
    "input": "token",
    "output": "token",
    "token_limit": "s",
    "ttft_limit": "s",
    "tp": "count",
    "replicas": "count",
    "most_replicas": "count",
    "target": "1",
    "decision": "s",
    "cooldown": "s",
    "storage": "B/s",
    "fixed_start": "s",
    "startup": "s",
    "detection": "s",
    "pause": "s",
    "failure_at": "s",
    "overflow_at": "1",
    "api_price": "USD",
    "usd_per_gpu_hour": "USD/h",
    "horizon": "s",
    "step": "s",
    "step_overhead": "s",
}
"""Arguments that are numbers, with the unit in which a worksheet may write them."""
WORDS = {
    "model": (),
    "accelerator": (),
    "scenario": SCENARIOS,
    "signal": SIGNALS,
    "recovery": RECOVERIES,
    "weights": (),
    "kv": (),
}
"""Arguments that are words; where only some are valid, these."""
_PUBLISHED_NAMES = {
    "peak_rate": "peak_requests_per_s",
    "trough_share": "trough_share",
    "variation": "rate_variation",
    "bursts_per_day": "bursts_per_day",
    "burst_factor": "burst_factor",
    "burst": "burst_s",
    "input": "prompt_tokens",
    "output": "output_tokens",
    "token_limit": "tpot_limit_s",
    "ttft_limit": "ttft_limit_s",
    "most_replicas": "most_replicas",
    "target": "signal_target",
    "decision": "decision_s",
    "cooldown": "cooldown_s",
    "detection": "detection_s",
    "pause": "failure_pause_s",
    "overflow_at": "overflow_at",
    "api_price": "api_request_usd",
    "horizon": "period_s",
}
"""Argument -> name in the nomenclature, for the derivation of a published run."""
_ONLY = {
    "failure": ("detection", "pause"),
    "hybrid": ("overflow_at", "api_price"),
    "autoscale": ("most_replicas", "target", "decision", "cooldown"),
}
MOST_RATE, MOST_FACTOR, MOST_STEPS = 1e9, 1e4, 1_000_000
"""Beyond these a Poisson draw or the memory for a run gives out."""
_BURSTS = ("bursts_per_day", "burst_factor", "burst")


class Operation:
    """A fleet, its load and what happens to it: everything but the seed.

    scenario: autoscale (a day; `signal` none is a fixed fleet), failure (an hour in which one accelerator fails at
    failure_at), hybrid (a day on a fixed fleet, requests beyond overflow_at of the slots on an API for api_price each);
    recovery: restart (a new replica starts), standby (a loaded one takes over after detection), re-place (an
    expert-parallel group stands still for `pause`, goes on without the accelerator, is whole after a start-up), none
    (nothing fails); storage: bytes per second that reach one replica; startup: instead of storage and
    fixed_start; replicas: planned for the load if not given.
    """

    def __init__(
        self,
        library: Library,
        model: Model,
        accelerator: Accelerator,
        *,
        scenario: str = "autoscale",
        signal: str = "none",
        recovery: str = "restart",
        peak_rate: float = 20.0,
        trough_share: float | None = None,
        variation: float = 0.1,
        bursts_per_day: float = 0.0,
        burst_factor: float = 2.0,
        burst: float = 600.0,
        input: float = 1000,
        output: float = 500,
        token_limit: float = 0.05,
        ttft_limit: float = 1.0,
        tp: float = 1,
        replicas: float | None = None,
        most_replicas: float = 64,
        target: float | None = None,
        decision: float = 30.0,
        cooldown: float = 300.0,
        storage: float = 5e9,
        fixed_start: float = 60.0,
        startup: float | None = None,
        detection: float = 30.0,
        pause: float = 10.0,
        failure_at: float = 600.0,
        overflow_at: float = 1.0,
        api_price: float = 0.0,
        usd_per_gpu_hour: float | None = None,
        horizon: float | None = None,
        step: float | None = None,
        step_overhead: float | None = None,
        weights: str = "native",
        kv: str = "native",
    ):
        failing = scenario == "failure"
        trough_share = (1.0 if failing else 0.3) if trough_share is None else trough_share
        horizon = (3600.0 if failing else DAY_S) if horizon is None else horizon
        step = (1.0 if failing else 15.0) if step is None else step
        target = TARGETS[signal] if target is None else target
        skipped = ("self", "library", "model", "accelerator", "failing", "__class__")
        self.given = {name: value for name, value in locals().items() if name not in skipped}
        for name in (
            "variation", "bursts_per_day", "burst", "fixed_start", "detection", "pause", "failure_at", "overflow_at",
            "api_price", "replicas", "startup", "usd_per_gpu_hour",
        ):  # fmt: skip
            if self.given[name] is not None:
                check_range(name, self.given[name], 0)
        check_range("peak_rate", peak_rate, 0, MOST_RATE)
        check_range("burst_factor", burst_factor, 0, MOST_FACTOR)
        check_range("storage", storage, 1)
        check_range("decision", decision, 0)
        for name in ("input", "output", "tp", "most_replicas"):
            check_range(name, self.given[name], 1)
        check_range("tp", tp, 1, MOST_GPUS)
        for name in ("peak_rate", "token_limit", "ttft_limit", "target", "decision", "storage", "step", "horizon"):
            if not self.given[name] > 0:
                raise NotSupported(f"{name} must be above 0, got {self.given[name]:g}")
        if not 1 <= round(horizon / step) <= MOST_STEPS:
            raise NotSupported(
                f"{horizon:g} s in steps of {step:g} s are {horizon / step:.4g} steps; valid: 1 to {MOST_STEPS:,}"
            )
        if replicas is not None and replicas < 1 and signal != "none":
            raise NotSupported(f"a scaling rule begins with at least one replica, got {replicas:g}")
        if not 0 <= trough_share <= 1:
            raise NotSupported(f"trough_share lies between 0 and 1, got {trough_share:g}")
        if signal != "none" and scenario != "autoscale":
            raise NotSupported(f"a {scenario} run has a fixed fleet; valid signal: none")
        self.model, self.accelerator = model, accelerator
        self.group = int(tp)
        layout = {"tp": self.group, "weights": weights, "kv": kv, "step_overhead_s": step_overhead}
        place = (model.id, repr(model.config), accelerator.id, *map(str, layout.values()))
        # The longest request that any fleet serves sets the length of the tables.
        size = {"longest_prompt_tokens": int(input) + 1, "longest_request_tokens": int(input + output) + 1}
        self.traced = once(library, ("fleet inputs", *place), lambda: inputs_of(model, accelerator, library, **layout))
        self.prepare = lambda: once(
            library,
            ("fleet replica", *place, float(input), float(output), float(token_limit)),
            lambda: replica(
                costs(model, accelerator, library, most_tokens=int(input) + 1, **size, **layout),
                prompt_tokens=float(input),
                output_tokens=float(output),
                token_limit_s=float(token_limit),
            ),
        )
        self.price = hourly_price(accelerator, library, usd_per_gpu_hour)
        storage = self._chosen("storage", "load_bytes_per_s")
        load_s = planning.overlapped_load_s(
            loaded_bytes=self.traced["weights_bytes"], stage_bytes_per_s_by_group=(storage,)
        )
        self.startup_s = planning.startup_s(load_s=load_s, fixed_start_s=self._chosen("fixed_start", "fixed_start_s"))
        if startup is not None:
            self.startup_s = self._chosen("startup", "startup_s")
        self.traffic = Traffic(
            float(peak_rate), float(trough_share), float(variation), float(bursts_per_day), float(burst_factor),
            float(burst),
        )  # fmt: skip

    def _chosen(self, name: str, published: str) -> Traced:
        return chosen_number(self.given[name], published, NUMBERS[name])

    def inputs(self) -> dict[str, Traced]:
        """The traced numbers behind a run; only those that play a part."""
        scenario = self.given["scenario"]
        unused = {name for other, names in _ONLY.items() if other != scenario for name in names}
        if not self.given["bursts_per_day"]:
            unused |= set(_BURSTS)
        if self.given["signal"] == "none":
            unused |= set(_ONLY["autoscale"])
        if self.given["recovery"] != "re-place":
            unused.add("pause")
        found = {
            published: self._chosen(name, published)
            for name, published in _PUBLISHED_NAMES.items()
            if name not in unused
        }
        if self.given["replicas"] is not None:
            found["replicas"] = self._chosen("replicas", "replicas")
        if self.price is not None:
            found["usd_per_gpu_hour"] = self.price
        return {**self.traced, **found, "startup_s": self.startup_s}

    def words(self) -> dict[str, str]:
        """The choices that are words, as a reader of a derivation needs them."""
        named = {"model": self.model.id, "accelerator": self.accelerator.id, "scenario": self.given["scenario"]}
        if named["scenario"] == "autoscale":
            named["signal"] = self.given["signal"]
        if named["scenario"] == "failure":
            named["recovery"] = self.given["recovery"]
        return named | {name: str(self.given[name]) for name in ("weights", "kv") if self.given[name] != "native"}

    def rule(self, one: Replica) -> Rule:
        """The scaling rule, with as many replicas to begin with as the first load needs, or as a fixed fleet has."""
        given = self.given
        fixed = given["signal"] == "none"
        replicas = given["replicas"]
        if replicas is None:
            replicas = planning.groups_by_compute(
                requests_per_s=self.traffic.peak_requests_per_s if fixed else self.traffic.curve(0.0),
                capacity_requests_per_s=one.requests_per_s,
                target_utilisation=TARGETS["forecast"],
            )
            # A rule that multiplies would never leave zero.
            replicas = replicas if fixed else max(replicas, 1)
        return Rule(
            replicas=int(replicas),
            signal=given["signal"],
            target=float(given["target"]),
            most_replicas=int(given["most_replicas"]),
            startup_s=float(self.startup_s),
            decision_s=float(given["decision"]),
            cooldown_s=float(given["cooldown"]),
            ttft_limit_s=float(given["ttft_limit"]),
            standby=int(given["scenario"] == "failure" and given["recovery"] == "standby"),
            forecast=self.traffic.curve,
        )

    def changes(self, replicas: int) -> tuple[Change, ...]:
        """What a failure does to the number of serving replicas."""
        given = self.given
        if given["scenario"] != "failure" or given["recovery"] == "none":
            return ()
        at, found = float(given["failure_at"]), float(given["failure_at"]) + float(given["detection"])
        share = 1 / replicas
        if given["recovery"] == "standby":
            return Change(at, replicas - 1, share), Change(found, replicas)
        whole = Change(found + float(self.startup_s), replicas)
        if given["recovery"] == "restart":
            return Change(at, replicas - 1, share), whole
        rest = replicas - 1 / self.group
        return Change(at, replicas - 1, share / self.group), Change(found + float(given["pause"]), rest), whole

    def day(self, seed: int) -> tuple[Day, Replica]:
        """One run."""
        one, given = self.prepare(), self.given
        rule = self.rule(one)
        if given["scenario"] == "failure" and rule.replicas < 1:
            raise NotSupported("a failure needs a replica that can fail")
        step_s = float(given["step"])
        steps = round(float(given["horizon"]) / step_s)
        generator = generator_of(seed)
        arrived = self.traffic.counts(generator, steps, step_s)
        noise = generator.standard_normal(steps).tolist()
        begun = 0
        if rule.replicas:
            begun = rule.replicas * one.filled_by(self.traffic.curve(0.0) / rule.replicas)
        overflow_at = float(given["overflow_at"]) if given["scenario"] == "hybrid" else None
        day = operate(
            one, arrived, noise, step_s=step_s, rule=rule, begun=begun, changes=self.changes(rule.replicas),
            overflow_at=overflow_at,
        )  # fmt: skip
        return day, one

    def run(self, seed: int) -> Mapping[str, float]:
        """Metrics of one run; those in USD only where the price of the accelerator is known."""
        day, one = self.day(seed)
        failing = self.given["scenario"] == "failure"
        found = metrics(
            day, one, ttft_limit_s=float(self.given["ttft_limit"]),
            failure_s=float(self.given["failure_at"]) if failing else None,
        )  # fmt: skip
        gpus, period_s = found["mean_replicas"] * self.group, len(day.paid) * day.step_s
        found["gpu_hours"] = gpus * period_s / 3600
        found["replica_slots"], found["replica_requests_per_s"] = one.slots, one.requests_per_s
        if self.price is not None:
            found["fleet_usd"] = planning.fleet_usd(gpus=gpus, usd_per_gpu_hour=float(self.price), period_s=period_s)
            found["operation_usd"] = found["fleet_usd"] + sum(day.sent) * float(self.given["api_price"])
            found["usd_per_1000_requests"] = 1000 * found["operation_usd"] / max(found["requests"], 1)
        return {name: round_significant(value, 12) for name, value in found.items()}

    def identity(self) -> list[Any]:
        """Every choice as plain data."""
        plain = [[name, float(one) if isinstance(one, float) else one] for name, one in sorted(self.given.items())]
        return [repr(self.model.config), repr(self.model.formats), self.model.kv_format, plain]


def operation(library: Library, *, model: str | Model, accelerator: str, **choices: Any) -> Operation:
    """A fleet from ids and choices; see `Operation`."""
    record = library.find("models", model) if isinstance(model, str) else model
    return Operation(library, record, library.find("accelerators", accelerator), **choices)


def experiment(library: Library, *, model: str | Model, accelerator: str, **choices: Any) -> Experiment:
    """A fleet over a day or an hour; see `Operation` for the choices."""
    one = operation(library, model=model, accelerator=accelerator, **choices)
    return Experiment("operations", inputs=one.inputs(), settings=one.words(), identity=one.identity(), run=one.run)

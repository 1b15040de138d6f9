"""Seeded runs of agent sessions: from the choices of a worksheet or of the command line to metrics."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from generator.estimates.architecture import NotSupported
from generator.estimates.layouts import MOST_GPUS, check_range, chosen_number
from generator.provenance import Traced
from generator.simulation.costs import Costs, costs, inputs_of
from generator.simulation.outcomes import Experiment
from generator.simulation.records import PERCENTILES
from generator.simulation.requests import LENGTH_SIGMA, generator_of
from generator.simulation.sessions import PAUSES, RELOADS, Habits, Setup, Turns, work_sessions
from generator.simulation.tiers import UNLIMITED
from generator.specs.library import Library
from generator.specs.records import Accelerator, Model
from generator.units import round_significant

LOWER = ("dram", "nvme", "remote")
"""The tiers below the memory of the accelerator, the fastest first."""
NUMBERS = {
    "sessions": "count",
    "rate": "request/s",
    "turns": "count",
    "shared": "token",
    "input": "token",
    "output": "token",
    "pause": "s",
    "sigma": "1",
    "instances": "count",
    "tp": "count",
    "hbm_size": "B",
    "dram_size": "B",
    "nvme_size": "B",
    "remote_size": "B",
    "longest": "token",
    "measured_turns": "count",
    "step_overhead": "s",
}
"""Arguments that are numbers, with the unit in which a worksheet may write them."""
WORDS = {
    "model": (), "accelerator": (), "weights": (), "kv": (), "dram": (), "nvme": (), "remote": (),
    "pauses": PAUSES, "reload": RELOADS, "prefix_cache": ("yes", "no"),
}  # fmt: skip
"""Arguments that are words; where only some are valid, these. A tier is an id of the specs, or `none`."""
EXAMPLE = {
    "model": "llama-3.1-8b", "accelerator": "h100-sxm", "sessions": 16, "rate": 0.1, "dram": "dram-pcie5",
    "measured_turns": 50,
}  # fmt: skip
"""Choices of a small run; sessions come as a stream, so that every input plays a part."""
WARM_TURNS = 2
"""Turns of each session, on average, before the first one that is measured."""


class Plan:
    """One configuration of sessions and tiers: everything but the seed.

    sessions: open at once; rate: sessions that begin per second, 0 for one that follows each that ends; turns of a
    session; shared: tokens that all sessions begin with; input, output, pause: means of a turn; sigma: of the lognormal
    lengths, 0 for equal ones; hbm_size: room of one instance for caches, without it what the weights leave;
    dram, nvme, remote: ids of tiers of one instance; prefix_cache: `no` keeps nothing between turns.
    """

    def __init__(
        self, library: Library, *, model: str | Model, accelerator: str, sessions: float = 32, rate: float = 0.0,
        turns: float = 20, shared: float = 8000, input: float = 1600, output: float = 400, pause: float = 30.0,
        pauses: str = "exponential", sigma: float = LENGTH_SIGMA, instances: float = 1, tp: float = 1,
        hbm_size: float | None = None, dram: str = "none", nvme: str = "none", remote: str = "none",
        dram_size: float | None = None, nvme_size: float | None = None, remote_size: float | None = None,
        reload: str = "faster", prefix_cache: str | bool = "yes", longest: float | None = None,
        measured_turns: float = 300, weights: str = "native", kv: str = "native", step_overhead: float | None = None,
    ):  # fmt: skip
        if isinstance(prefix_cache, bool):
            prefix_cache = "yes" if prefix_cache else "no"
        given = {name: value for name, value in locals().items() if name not in ("self", "library", "__class__")}
        self.library = library
        self.model: Model = library.find("models", model) if isinstance(model, str) else model
        self.accelerator: Accelerator = library.find("accelerators", accelerator)
        for name in ("rate", "shared", "output", "pause", "sigma"):
            check_range(name, given[name], 0)
        for name in ("sessions", "turns", "input", "measured_turns"):
            check_range(name, given[name], 1)
        for name in ("tp", "instances"):
            check_range(name, given[name], 1, MOST_GPUS)
        for name, valid in (("pauses", PAUSES), ("reload", RELOADS), ("prefix_cache", ("yes", "no"))):
            if given[name] not in valid:
                raise NotSupported(f"{name} is {given[name]!r}; valid: {', '.join(valid)}")
        if given["longest"] is None:
            given["longest"] = min(131_072, int(self.model.max_context))
        if shared + input + output > given["longest"]:
            raise NotSupported(f"one turn is longer than the longest context of {given['longest']:g} tokens")
        for name in LOWER:
            if given[name] in ("none", None) and given[f"{name}_size"] is not None:
                raise NotSupported(f"{name}_size is given, but no {name}; name a tier, such as dram-pcie5")
        self.given = given
        self.instance = {"tp": int(tp), "weights": weights, "kv": kv, "step_overhead_s": step_overhead}
        self.tiers = {name: library.find("tiers", given[name]) for name in LOWER if given[name] not in ("none", None)}
        self.habits = Habits(
            int(shared), int(turns), float(input), float(output), float(pause), pauses, float(sigma)
        )  # fmt: skip

    @cached_property
    def costs(self) -> Costs:
        """Costs of one instance. Raises NotSupported for a cache that does not grow by the same bytes each token."""
        longest = int(self.given["longest"])
        made = costs(
            self.model, self.accelerator, self.library, **self.instance, longest_prompt_tokens=longest,
            longest_request_tokens=longest, most_tokens=longest,
        )  # fmt: skip
        if not made.straight or made.moved_bytes[0] or abs(made.moved_bytes[2] - 2 * made.moved_bytes[1]) > 0.5:
            raise NotSupported(
                f"the cache of {self.model.name} does not grow evenly: layers with windows, an index or a state keep "
                "no prefix block by block; valid: models whose layers all see the whole context"
            )
        return made

    def capacity(self, name: str) -> Traced | None:
        """Room of a lower tier for caches; None for as much as comes."""
        size = self.given[f"{name}_size"]
        if size is None:
            return self.tiers[name].capacity
        return chosen_number(size, "tier_cache_bytes", "B")

    def paths(self, name: str) -> int:
        """Ways from a tier to one instance: host memory has one for each of its accelerators."""
        return self.instance["tp"] if self.tiers[name].medium == "host" else 1

    @cached_property
    def setup(self) -> Setup:
        """What serves the sessions, in blocks."""
        made = self.costs
        block = int(self.library.assume("kv-block-tokens"))
        each = made.moved_bytes[1]
        pool = made.pool_bytes if self.given["hbm_size"] is None else float(self.given["hbm_size"])
        capacities: list[float] = [pool // made.request_bytes[block]]
        for name in self.tiers:
            size = self.capacity(name)
            capacities.append(UNLIMITED if size is None else float(size) // (each * block))
        needed = self.habits.shared_tokens + self.habits.input_tokens + self.habits.output_tokens
        if capacities[0] * block < needed:
            raise NotSupported(
                f"one turn needs room for {needed:g} tokens; there is room for {capacities[0] * block:g}"
            )
        return Setup(
            tuple(capacities), tuple(float(one.bandwidth) * self.paths(name) for name, one in self.tiers.items()),
            each, block, int(self.given["instances"]), self.given["reload"], self.given["prefix_cache"] == "yes",
            int(min(self.given["longest"], capacities[0] * block)),
        )  # fmt: skip

    @property
    def warm_turns(self) -> int:
        """Turns before the first one that is measured."""
        return WARM_TURNS * int(self.given["sessions"])

    def run(self, seed: int) -> Turns:
        """One run: what happened to each turn."""
        given = self.given
        # Where sessions begin has a stream of its own, so that their lengths and pauses are the same in all variants.
        return work_sessions(
            self.costs, self.setup, self.habits, generator_of(seed), generator_of(seed + 1_000_003),
            sessions=int(given["sessions"]), rate_per_s=float(given["rate"]), warm_turns=self.warm_turns,
            turns=int(given["measured_turns"]),
        )  # fmt: skip

    def metrics(self, seed: int) -> Mapping[str, float]:
        """What one run comes to."""
        return metrics(self.run(seed), self.setup, tuple(self.tiers), self.warm_turns, self.habits.shared_tokens)

    def inputs(self) -> dict[str, Any]:
        """The traced numbers behind a run."""
        given = self.given
        room = inputs_of(self.model, self.accelerator, self.library, **self.instance)
        if given["hbm_size"] is not None:
            room["kv_capacity_bytes"] = chosen_number(given["hbm_size"], "kv_capacity_bytes", "B")
        chosen = {
            "sessions": "sessions", "turns": "turns", "shared": "shared_tokens", "input": "turn_input_tokens",
            "output": "output_tokens", "pause": "pause_s", "measured_turns": "measured_turns",
        }  # fmt: skip
        if given["rate"]:
            chosen["rate"] = "session_rate_per_s"
        found: dict[str, Any] = room | {
            published: chosen_number(given[name], published, NUMBERS[name]) for name, published in chosen.items()
        }
        if self.tiers:
            found["tier_bytes_per_s"] = tuple(one.bandwidth for one in self.tiers.values())
            sizes = [self.capacity(name) for name in self.tiers]
            found["tier_cache_bytes"] = tuple(size for size in sizes if size is not None)
        return {name: one for name, one in found.items() if one != ()}

    def settings(self) -> dict[str, str]:
        """The choices that are words."""
        words = {"model": self.model.id, "accelerator": self.accelerator.id}
        words |= {name: one.id for name, one in self.tiers.items()}
        usual = {
            "weights": "native",
            "kv": "native",
            "reload": "faster",
            "pauses": "exponential",
            "prefix_cache": "yes",
        }
        return words | {name: self.given[name] for name, plain in usual.items() if self.given[name] != plain}

    def identity(self) -> list[Any]:
        """Everything else that a run depends on, as plain data."""
        model = self.model
        given = [[name, value] for name, value in sorted(self.given.items()) if name not in ("model", "accelerator")]
        plain = [[name, float(value) if isinstance(value, float) else value] for name, value in given]
        return [repr(model.config), repr(model.formats), model.kv_format, plain]


def experiment(library: Library, **choices: Any) -> Experiment:
    """Agent sessions of one configuration, ready for their seeds; the choices are those of `Plan`."""
    plan = Plan(library, **choices)
    assert plan.setup
    return Experiment(
        "sessions", inputs=plan.inputs(), settings=plan.settings(), identity=plan.identity(), run=plan.metrics
    )


def metrics(turns: Turns, setup: Setup, names: tuple[str, ...], warm: int, shared: int) -> dict[str, float]:
    """What the measured turns come to. names: the lower tiers; warm: turns before the first measured one;
    shared: tokens that all sessions begin with, which the accelerator keeps once."""
    import numpy

    count = sum(1 for first in turns.first_token_s[warm:] if first >= 0)
    last = min(len(turns), warm + max(count, 1))
    part = slice(warm, last)
    arrival, first, finish = (numpy.array(one[part]) for one in (turns.arrival_s, turns.first_token_s, turns.finish_s))
    prompts = numpy.array(turns.prompt_tokens[part])
    taken, held = numpy.array(turns.taken[part]), numpy.array(turns.held[part])
    span = float(arrival[-1] - arrival[0]) or 1.0
    ttft, whole = first - arrival, float(prompts.sum())
    found: dict[str, float] = {"ttft_mean_s": float(ttft.mean())}
    for rank, value in zip(PERCENTILES, numpy.percentile(ttft, PERCENTILES), strict=True):
        found[f"ttft_p{rank}_s"] = float(value)
    found["turn_prompt_tokens"] = float(prompts.mean())
    found["turns_per_s"] = len(prompts) / span
    found["prefix_hit_share"] = float(taken.sum()) / whole
    found["computed_share"] = 1 - found["prefix_hit_share"]
    found["passed_over_share"] = float(held.sum() - taken.sum()) / whole
    found["prefill_saved_share"] = 1 - sum(turns.work_s[part]) / sum(turns.whole_work_s[part])
    found["prefill_busy_share"] = min(sum(turns.work_s[part]) / (span * setup.instances), 1.0)
    admitted = numpy.array(turns.admitted_s[part])
    tokens = prompts + numpy.array(turns.output_tokens[part]) - shared
    room = setup.capacities[0] * setup.block_tokens * setup.instances
    found["working_set_share"] = float((tokens * (finish - admitted)).sum()) / (span * room)
    found["room_wait_mean_s"] = float((admitted - arrival).mean())
    found["hbm_hit_share"] = float(taken[:, 0].sum()) / whole
    before, after = turns.written
    for name in LOWER:
        level = names.index(name) + 1 if name in names else None
        tokens = float(taken[:, level].sum()) if level else 0.0
        read = tokens * setup.bytes_per_token / span
        written = (after[level] - before[level]) * setup.block_tokens * setup.bytes_per_token / span if level else 0.0
        found[f"{name}_hit_share"] = tokens / whole
        found[f"{name}_read_bytes_per_s"] = read
        found[f"{name}_written_bytes_per_s"] = written
        found[f"{name}_link_share"] = read / (setup.bandwidths[level - 1] * setup.instances) if level else 0.0
    return {name: round_significant(value, 12) for name, value in found.items()}

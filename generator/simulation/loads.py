"""What is chosen for a run of serving under load: checked, named, and turned into requests and a setup."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from generator.estimates.architecture import NotSupported
from generator.estimates.layouts import MOST_GPUS, check_range, chosen_number
from generator.provenance import Traced
from generator.simulation.costs import Costs, costs
from generator.simulation.iterations import Iterations
from generator.simulation.records import Records
from generator.simulation.requests import ARRIVALS, Requests, generator_of, synthetic
from generator.simulation.router import BALANCES
from generator.simulation.serving import POLICIES, Clients, Setup, serve, speculative_steps
from generator.specs.library import Library
from generator.specs.records import Accelerator, Model

NUMBERS = {
    "rate": "request/s",
    "requests": "count",
    "prompt_median": "token",
    "output_median": "token",
    "ttft_limit": "s",
    "tpot_limit": "s",
    "step_overhead": "s",
    "link": "B/s",
    "gpus": "count",
    "tp": "count",
    "prefill_gpus": "count",
    "budget": "token",
    "prefill_tokens": "token",
    "variation": "1",
    "shared_prefix": "token",
    "acceptance": "1",
    "draft_tokens": "count",
    "draft_cost_ratio": "1",
    "clients": "count",
    "think": "s",
    "handover": "s",
    "speed": "1",
}
"""Arguments that are numbers, with the unit in which a worksheet may write them."""
WORDS = {
    "model": (),
    "accelerator": (),
    "policy": POLICIES,
    "balance": BALANCES,
    "shared_link": ("yes", "no"),
    "trace": (),
    "arrivals": ARRIVALS,
    "weights": (),
    "kv": (),
}
"""Arguments that are words; where only some are valid, these."""
_PUBLISHED_NAMES = {
    "rate": "arrival_rate_per_s",
    "prompt_median": "prompt_median_tokens",
    "output_median": "output_median_tokens",
    "ttft_limit": "ttft_limit_s",
    "tpot_limit": "tpot_limit_s",
    "link": "link_bytes_per_s",
    "gpus": "gpus",
    "prefill_gpus": "prefill_gpus",
    "tp": "tp",
    "requests": "requests",
    "budget": "token_budget",
    "variation": "arrival_variation",
    "shared_prefix": "shared_tokens",
    "acceptance": "acceptance",
    "draft_tokens": "draft_tokens",
    "clients": "clients",
    "think": "think_s",
}
"""Argument -> name in the nomenclature, for the derivation of a published run."""


class Load:
    """Everything that is chosen for a run of serving but model and accelerator.

    rate: requests per second (0: the requests are there at time 0); ttft_limit, tpot_limit: the service level, in s;
    link: bytes per second of one link; variation: coefficient of variation of the arrival gaps; shared_prefix: tokens
    that every prompt begins with and that are cached; acceptance, draft_tokens, draft_cost_ratio: speculative decoding;
    clients, think: a closed loop.
    """

    def __init__(
        self,
        *,
        policy: str = "colocated",
        rate: float = 4.0,
        requests: float = 400,
        prompt_median: float = 1024,
        output_median: float = 256,
        ttft_limit: float = 1.0,
        tpot_limit: float = 0.05,
        gpus: float | None = None,
        tp: float = 1,
        prefill_gpus: float | None = None,
        link: float | None = None,
        handover: float = 0.0,
        shared_link: str | bool = "no",
        step_overhead: float | None = None,
        budget: float = 512,
        prefill_tokens: float = 16_384,
        variation: float = 1.0,
        shared_prefix: float = 0,
        acceptance: float | None = None,
        draft_tokens: float = 0,
        draft_cost_ratio: float = 0.05,
        clients: float = 0,
        think: float = 0.0,
        balance: str = "least-loaded",
        weights: str = "native",
        kv: str = "native",
    ):
        given = {name: value for name, value in locals().items() if name not in ("self", "__class__")}
        for name in ("rate", "ttft_limit", "tpot_limit", "variation", "think", "handover", "shared_prefix"):
            check_range(name, given[name], 0)
        for name in ("requests", "prompt_median", "output_median", "budget", "prefill_tokens"):
            check_range(name, given[name], 1)
        check_range("tp", tp, 1, MOST_GPUS)
        gpus = gpus if gpus is not None else tp * (2 if policy == "disaggregated" else 1)
        if prefill_gpus is None:
            prefill_gpus = max(tp, gpus // (2 * tp) * tp) if policy == "disaggregated" else 0
        for name, value in (("gpus", gpus), ("prefill_gpus", prefill_gpus)):
            check_range(name, value, 0, MOST_GPUS)
            if value % tp:
                raise NotSupported(f"{name} {value:g} do not divide into groups of tp {tp:g}")
        if acceptance is not None and not 0 <= acceptance <= 1:
            raise NotSupported(f"acceptance is a probability, got {acceptance:g}")
        self.given = given | {"gpus": gpus, "prefill_gpus": prefill_gpus}
        self.ttft_limit, self.tpot_limit = float(ttft_limit), float(tpot_limit)
        self.instance = {"tp": int(tp), "weights": weights, "kv": kv, "step_overhead_s": step_overhead}
        self.draft_cost_ratio, self.acceptance = float(draft_cost_ratio), acceptance
        self.draft_tokens = int(draft_tokens)
        self.setup = Setup(
            policy=policy,
            instances=int(gpus // tp),
            prefill_instances=int(prefill_gpus // tp),
            link_bytes_per_s=None if link is None else float(link),
            handover_overhead_s=float(handover),
            shared_link=shared_link in ("yes", True),
            budget_tokens=int(budget),
            prefill_tokens=int(prefill_tokens),
            balance=balance,
            draft_tokens=self.draft_tokens,
        )

    def inputs(self) -> dict[str, Traced]:
        """The chosen numbers as traced leaves, by their names in the nomenclature; only those that play a part."""
        unused = {name for name in ("clients", "think", "shared_prefix", "draft_tokens") if not self.given[name]}
        if self.setup.policy != "chunked":
            unused.add("budget")
        if self.setup.policy != "disaggregated":
            unused |= {"prefill_gpus", "link"}
        if not self.draft_tokens:
            unused.add("acceptance")
        return {
            published: chosen_number(self.given[name], published, NUMBERS[name])
            for name, published in _PUBLISHED_NAMES.items()
            if name not in unused and self.given[name] is not None
        }

    def words(self) -> dict[str, str]:
        """The choices that are words."""
        named = {"policy": self.setup.policy}
        for name in ("weights", "kv", "balance"):
            if self.given[name] not in ("native", "least-loaded"):
                named[name] = str(self.given[name])
        return named

    def identity(self) -> list[Any]:
        """Every choice as plain data."""
        return [[name, float(one) if isinstance(one, float) else one] for name, one in sorted(self.given.items())]

    def costs(
        self, model: Model, accelerator: Accelerator, library: Library, requests: Requests | None = None
    ) -> Costs:
        """Costs of one instance, in tables long enough for the longest request."""
        longest = most = 0
        if requests:
            longest = max(requests.prompt_tokens)
            most = max(p + o for p, o in zip(requests.prompt_tokens, requests.output_tokens, strict=True))
        return costs(
            model, accelerator, library, **self.instance,
            longest_prompt_tokens=max(16_384, longest), longest_request_tokens=max(20_480, most),
            most_tokens=max(16_384, self.setup.budget_tokens),
        )  # fmt: skip

    def requests(self, seed: int) -> Requests:
        """The requests of one run."""
        given = self.given
        return synthetic(
            generator_of(seed), requests=int(given["requests"]), rate_per_s=float(given["rate"]),
            prompt_median_tokens=float(given["prompt_median"]), output_median_tokens=float(given["output_median"]),
            variation=float(given["variation"]),
        )  # fmt: skip

    def run(
        self, prepared: Costs, seed: int, logs: list[Iterations] | None = None, requests: Requests | None = None
    ) -> Records:
        """One run: requests drawn from the seed, or those of a trace."""
        requests = requests or self.requests(seed)
        setup, steps, cached, clients = self.setup, None, None, None
        # Draws that come after the requests have a stream of their own, so that switching them on moves no arrival.
        more = generator_of(seed + 1_000_003)
        if self.draft_tokens:
            if self.acceptance is None:
                raise NotSupported("drafts need an acceptance between 0 and 1")
            steps = speculative_steps(
                more, requests.output_tokens, acceptance=self.acceptance, draft_tokens=self.draft_tokens
            )
            setup = replace(setup, draft_s=self.draft_tokens * self.draft_cost_ratio * prepared.weights_s[1])
        if self.given["shared_prefix"]:
            shared = int(self.given["shared_prefix"])
            cached = [min(shared, prompt - 1) for prompt in requests.prompt_tokens]
        if self.given["clients"]:
            think = float(self.given["think"])
            pauses = more.exponential(think, len(requests)).tolist() if think else [0.0] * len(requests)
            clients = Clients(int(self.given["clients"]), pauses)
            # All clients begin with the run.
            requests = Requests([0.0] * len(requests), requests.prompt_tokens, requests.output_tokens)
        return serve(prepared, requests, setup, decode_steps=steps, cached_tokens=cached, clients=clients, logs=logs)

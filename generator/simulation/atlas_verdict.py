"""What the policies of one question of an atlas come to side by side: which is best, what a split gains or loses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from generator.formulas.nomenclature import NOMENCLATURE
from generator.intervals import interval
from generator.provenance import Simulation, Traced
from generator.simulation.atlas_grid import Cell
from generator.simulation.outcomes import Outcome

RATE, RATIO = "attained_rate_per_gpu", "ratio_of"
SPLIT = "disaggregated"


@dataclass(frozen=True)
class Question:
    """A model on so many accelerators under one load and service level, answered by each policy.

    best: the policy with the highest mean rate, "" if none meets the limits; lead: its rate over that of the second;
    split: rate of the best split over that of the better of the others. Both are means over the seeds, which send all
    policies the same requests, so that their intervals are narrower than those of the rates.
    """

    cells: Mapping[str, Cell]
    outcomes: Mapping[str, Outcome]
    best: str
    lead: Traced | None
    split: Traced | None

    @property
    def any(self) -> Cell:
        """One of the cells, for what they have in common."""
        return next(iter(self.cells.values()))

    @property
    def id(self) -> str:
        """Permanent id of the question."""
        return self.any.id.rpartition("/")[0]

    @property
    def clear(self) -> bool:
        """The best policy is ahead of the second by more than chance."""
        return self.lead is None or self.lead.origin.low > 1.0

    @property
    def why(self) -> str:
        """Why no policy has a rate: what is missing, or what the limits are against."""
        if self.best:
            return ""
        if not self.outcomes:
            return self.any.why
        return "; ".join(dict.fromkeys(self.missed(policy) for policy in self.outcomes))

    def missed(self, policy: str) -> str:
        """Which limit is missed on the lowest rung, in words without numbers; "" for a policy with a rate."""
        found = self.outcomes.get(policy)
        if found is None:
            return self.cells[policy].why
        if found.attained_rate_per_gpu.origin.low > 0:
            return ""
        late = found.ttft_p90_s > found.inputs["ttft_limit_s"]
        slow = found.tpot_p90_s > found.inputs["tpot_limit_s"]
        if late and slow:
            return "both limits are missed at any rate"
        return f"{'the TTFT' if late else 'the TPOT' if slow else 'the'} limit is missed at any rate"


def questions(
    cells: Iterable[Cell], outcomes: Mapping[str, Outcome], values: Mapping[str, Mapping[str, list[float]]]
) -> list[Question]:
    """The cells put together by question, in their order. values: the metrics of each cell, seed by seed."""
    groups: dict[str, dict[str, Cell]] = {}
    for cell in cells:
        groups.setdefault(cell.id.rpartition("/")[0], {})[cell.policy] = cell
    return [_question(group, outcomes, values) for group in groups.values()]


def _question(
    cells: Mapping[str, Cell], outcomes: Mapping[str, Outcome], values: Mapping[str, Mapping[str, list[float]]]
) -> Question:
    found = {policy: outcomes[cell.id] for policy, cell in cells.items() if cell.id in outcomes}
    rates = {policy: values[cells[policy].id][RATE] for policy in found}
    # A rate whose interval holds 0 belongs to limits that only some seeds meet.
    able = [policy for policy in found if found[policy].attained_rate_per_gpu.origin.low > 0]
    order = sorted(able, key=lambda policy: -float(found[policy].attained_rate_per_gpu))
    lead = split = None
    if len(order) > 1:
        lead = _ratio(found[order[0]], rates[order[0]], rates[order[1]])
    others = [policy for policy in order if policy != SPLIT]
    if SPLIT in able and others:
        split = _ratio(found[SPLIT], rates[SPLIT], rates[others[0]])
    return Question(cells, found, order[0] if order else "", lead, split)


def _ratio(of: Outcome, rates: list[float], others: list[float]) -> Traced | None:
    """Ratio of two rates over the seeds; None where a seed has no rate to compare with."""
    if min(others) <= 0:
        return None
    mean, low, high = interval([one / other for one, other in zip(rates, others, strict=True)])
    origin = Simulation(of.simulator, of.inputs, of.settings, of.seed, of.runs, low, high)
    return Traced(mean, name=RATIO, unit=NOMENCLATURE[RATIO].unit, kind="simulated", origin=origin)

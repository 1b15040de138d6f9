"""How a serving run was laid out, read from a row: in words for InferenceX, in columns elsewhere."""

from __future__ import annotations

import re
from dataclasses import dataclass

from generator.validation.rows import Row, Uncovered

SPLITS = (1, 2, 4, 8, 16)
"""Accelerators over which attention of one rank is split; other numbers are sums over several servers."""
_TOGETHER = re.compile(r"agg; tp=(\d+) attn_dp=(\d+) moe_tp=(\d+) moe_ep=(\d+)")
_APART = re.compile(
    r"disagg; prefill (\d*)x\(tp(\d+) dp(\d+) ep(\d+) bs\d*\) decode (\d*)x\(tp(\d+) dp(\d+) ep(\d+) bs\d*\)"
)


@dataclass(frozen=True)
class Worker:
    """Accelerators that hold a model once: ranks of attention, each split over `tp`; experts over `ep` groups."""

    tp: int
    dp: int
    ep: int

    @property
    def gpus(self) -> int:
        return self.tp * self.dp


@dataclass(frozen=True)
class ServingLayout:
    """Workers that decode, and those that take prompts in; the same ones unless they are apart."""

    decoders: int
    decoder: Worker
    prompters: int
    prompter: Worker

    apart: bool

    @property
    def words(self) -> str:
        """Like `tp4 dp1 ep1`, with both sides where they are apart."""
        sides = [(self.prompters, self.prompter), (self.decoders, self.decoder)] if self.apart else [(1, self.decoder)]
        return " to ".join(f"{count} x tp{one.tp} dp{one.dp} ep{one.ep}" for count, one in sides)


def layout_of(row: Row) -> ServingLayout:
    """The layout of a row. Raises Uncovered where it is not stated or has no meaning."""
    note = row.text("note")
    if found := _APART.match(note):
        return _apart(found)
    if note.startswith("disagg"):
        raise Uncovered("servers of a disaggregated run are not stated")
    found = _TOGETHER.match(note)
    if note.startswith("agg;") and not found and not row.number("tp"):
        raise Uncovered("the layout is not stated")
    worker = _together(*map(int, found.groups())) if found else _from_columns(row)
    return ServingLayout(1, _checked(worker), 1, worker, apart=False)


def _apart(found: re.Match[str]) -> ServingLayout:
    if not found[1] or not found[5]:
        raise Uncovered("the number of servers that decode is not stated")
    prompter = Worker(*(int(found[at]) for at in (2, 3, 4)))
    decoder = Worker(*(int(found[at]) for at in (6, 7, 8)))
    return ServingLayout(int(found[5]), _checked(decoder), int(found[1]), _checked(prompter), apart=True)


def _together(tp: int, dp: int, moe_tp: int, moe_ep: int) -> Worker:
    """A worker from four degrees, two of which may have been multiplied.

    A run on TP 8 with EP 8 stands there as `tp=64 moe_tp=8 moe_ep=8`, and one on TP 4 with EP 4 also as `tp=4
    attn_dp=4 moe_ep=16`: both stand there a second time in plain degrees, with times equal within 0.5 %.
    """
    if moe_tp == moe_ep > 2:
        return Worker(moe_ep, 1, moe_ep) if dp == 1 else Worker(1, moe_ep, moe_ep)
    if tp == dp > 1 and moe_ep == tp * dp:
        return Worker(tp, 1, tp)
    if tp == 1 and dp == 1 and moe_tp > 1:
        raise Uncovered("experts are split over more accelerators than the model")
    return Worker(tp, dp, max(moe_ep, 1))


def _from_columns(row: Row) -> Worker:
    gpus = row.number("n_gpus") or row.needed("tp")
    tp = row.number("tp") or gpus
    if (row.number("pp") or 1) > 1:
        raise Uncovered("pipeline stages are not part of this family")
    return Worker(int(tp), max(int(gpus / tp), 1), int(row.number("ep") or 1))


def _checked(worker: Worker) -> Worker:
    if worker.tp < 1 or worker.dp < 1 or worker.ep < 1:
        raise Uncovered("a degree of parallelism is 0")
    if worker.tp not in SPLITS:
        raise Uncovered(f"{worker.tp} accelerators in one tensor-parallel group: a sum over several servers")
    if worker.ep > worker.gpus:
        raise Uncovered("experts are spread over more accelerators than there are")
    return worker

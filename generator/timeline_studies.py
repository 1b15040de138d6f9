"""Timelines: what each accelerator does, second by second, in one short simulated run under several policies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from generator.cache import source_digest
from generator.simulation.iterations import Iterations
from generator.simulation.loads import NUMBERS
from generator.simulation.outcomes import RESULTS
from generator.simulation.records import Records
from generator.simulation.serving_runs import Plan
from generator.specs.library import Library
from generator.study import Moment, Panel, Span, Timelines
from generator.worksheets import evaluate

PREFILL, DECODE, TRANSFER = "prefill", "decode", "transfer"
PARTS = ((PREFILL, "compute-time"), (DECODE, "memory-time"), (TRANSFER, "communication"))
ARRIVALS, LINK = "arrivals", "link"


def timelines(
    library: Library,
    *,
    run: Mapping[str, Any],
    panels: Sequence[Mapping[str, Any]],
    x: Mapping[str, Any],
    seed: int = 1,
) -> Timelines:
    """One run of serving for each panel: the choices of `run` with those of the panel; all have the same requests."""
    drawn = []
    for panel in panels:
        choices = dict(run) | {name: value for name, value in panel.items() if name != "label"}
        plan = Plan(library, **_numbers(library, choices))
        sources = source_digest("simulation/**/*.py", "formulas/*.py", "estimates/*.py", "timeline_studies.py")
        numbers = {name: float(value) for name, value in plan.inputs().items()}
        key = [plan.settings(), numbers, plan.identity(), seed, sources]
        found = RESULTS.cache.get("timeline", key, lambda plan=plan: _drawn(plan, seed))
        # Arrivals are the same in all panels and stand in the first.
        rows = [row for row in found["rows"] if row != ARRIVALS or not drawn]
        moments = [Moment(*one) for one in found["moments"] if one[0] in rows]
        drawn.append(Panel(panel["label"], tuple(rows), tuple(Span(*one) for one in found["spans"]), tuple(moments)))
    return Timelines(tuple(drawn), x["label"], PARTS)


def _numbers(library: Library, choices: Mapping[str, Any]) -> dict[str, Any]:
    """The choices with numbers in base units, as a worksheet reads them."""
    steps = {name: {"value": value, "unit": NUMBERS[name]} for name, value in choices.items() if name in NUMBERS}
    sheet = evaluate("timeline", steps, library)
    return {name: sheet.number(name) if name in steps else value for name, value in choices.items()}


def _drawn(plan: Plan, seed: int) -> dict[str, list[Any]]:
    """Rows, spans and moments of one run."""
    records, logs = plan.run(seed)
    setup = plan.load.setup
    apart = setup.prefill_instances if setup.policy == "disaggregated" else 0
    names = [_name(number, apart) for number in range(len(logs))]
    spans = [one for name, log in zip(names, logs, strict=True) for one in merged(name, log)]
    moments = [[ARRIVALS, "arrival", time, str(k + 1)] for k, time in enumerate(records.arrival_s)]
    moments += [
        [names[records.instance[k]], "first token", time, str(k + 1)] for k, time in enumerate(records.first_token_s)
    ]
    rows = [ARRIVALS, *names]
    if apart:
        spans += transfers(records, logs[:apart], plan)
        rows.insert(1 + apart, LINK)
    return {"rows": rows, "spans": spans, "moments": moments}


def _name(number: int, prefill_instances: int) -> str:
    role = "" if not prefill_instances else ", prefill" if number < prefill_instances else ", decode"
    return f"GPU {number + 1}{role}"


def merged(name: str, log: Iterations) -> list[list[Any]]:
    """Spans of prefill and of decode on one instance; iterations that follow each other at once are one span."""
    found: list[list[Any]] = []
    for what, column in ((PREFILL, 2), (DECODE, 3)):
        last: list[Any] | None = None
        for row in log.rows:
            start, end, share = row[0], row[1], row[column]
            if not share:
                continue
            if last is not None and abs(last[3] - start) < 1e-9:
                last[3] = end
            else:
                last = [name, what, start, end, ""]
                found.append(last)
    return found


def transfers(records: Records, logs: Sequence[Iterations], plan: Plan) -> list[list[Any]]:
    """The caches on the link of each prefill instance: one after another from the end of the prefill they belong to."""
    link_bytes_per_s = plan.load.setup.link_bytes_per_s
    assert link_bytes_per_s
    sent = []
    for log in logs:
        free = 0.0
        for start, end, *_ in log.rows:
            for request, begun in enumerate(records.start_s):
                if begun == start:
                    begin = max(free, end)
                    free = begin + plan.costs.moved_bytes[records.prompt_tokens[request]] / link_bytes_per_s
                    sent.append([LINK, TRANSFER, begin, free, str(request + 1)])
    return sent

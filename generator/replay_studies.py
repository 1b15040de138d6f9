"""Charts of replayed engine runs: what the engine recorded as dots, what the simulation says as lines."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from generator.cache import source_digest
from generator.estimates.studies import StudyFault
from generator.simulation.outcomes import RESULTS
from generator.simulation.replay import Replay
from generator.specs.library import Library
from generator.study import Series, Study

STATES = ("running", "waiting", "kv_use")
DELAYS = ("ttft", "tpot", "e2e")


def engine_timeline(
    library: Library, *, run: str, shown: str, x: Mapping[str, Any], y: Mapping[str, Any],
    series: Sequence[Mapping[str, Any]], every: int = 1, measured: str = "recorded",
) -> Study:  # fmt: skip
    """State of the engine over time, or a delay over the requests in order of arrival, every so many of them.

    series: `label`, and the choices of a replay; dots are what the run recorded.
    """
    if shown not in STATES + DELAYS:
        raise StudyFault(f"`{shown}` is not recorded; valid: {', '.join(STATES + DELAYS)}")
    scale = 0.01 if y.get("unit") == "%" else 1.0

    def scaled(values: list[float | None]) -> tuple[float | None, ...]:
        return tuple(None if value is None else value / scale for value in values)

    replays = []
    for one in series:
        choices = {name: value for name, value in one.items() if name not in ("label", "colour")}
        replay = Replay(library, run=run, **choices)
        numbers = {name: float(value) for name, value in replay.inputs().items()}
        tables = [sha256(library.table("engine_runs", run, what).read_bytes()).hexdigest() for what in ("", "seconds")]
        sources = source_digest(
            "simulation/**/*.py", "formulas/*.py", "estimates/*.py", "units.py", "replay_studies.py"
        )
        key = [run, shown, every, choices, numbers, repr(replay.model.config), tables, sources]
        replays.append(RESULTS.cache.get("engine-timeline", key, lambda replay=replay: _points(replay, shown, every)))
    longest = max(replays, key=lambda found: len(found["axis"]))
    length = len(longest["axis"])
    drawn = [Series(measured, scaled(longest["recorded"]), "measured")]
    for one, found in zip(series, replays, strict=True):
        # A replay that ends earlier than another one has nothing to say about the time after it.
        values = scaled([*found["simulated"], *[None] * (length - len(found["simulated"]))])
        drawn.append(Series(one["label"], values, "simulated", one.get("colour")))
    return Study(
        tuple(longest["axis"]), x["label"], y["label"], tuple(drawn), log_y=bool(y.get("log")),
        ticks=tuple(x.get("ticks", ())),
    )  # fmt: skip


def _points(replay: Replay, shown: str, every: int) -> dict[str, list[Any]]:
    """Places on the axis, recorded values, simulated values."""
    records, _, occupancy = replay.simulate()
    recorded = replay.recorded
    if shown in DELAYS:
        columns = recorded.columns
        rows = zip(
            columns["arrival_s"], columns["first_token_s"], columns["finish_s"], records.output_tokens, strict=True
        )
        truth = [_delay(shown, *row) for row in rows]
        rows = zip(records.arrival_s, records.first_token_s, records.finish_s, records.output_tokens, strict=True)
        simulated = [_delay(shown, *row) for row in rows]
        places = range(0, len(truth), every)
        return {
            "axis": [place + 1 for place in places],
            "recorded": [truth[place] for place in places],
            "simulated": [simulated[place] for place in places],
        }
    seconds = recorded.seconds
    if shown not in seconds:
        raise StudyFault(f"`{shown}` was not recorded in this run; recorded: {', '.join(seconds)}")
    if not occupancy.rows:
        raise StudyFault("the state over time is kept for allocation in blocks")
    axis = seconds["time_s"][::every]
    end = occupancy.rows[-1][0]
    axis += [axis[-1] + step * every for step in range(1, int((end - axis[-1]) // every) + 1)]
    return {
        "axis": axis,
        "recorded": [*seconds[shown][::every], *[None] * (len(axis) - len(seconds[shown][::every]))],
        "simulated": [_state(replay, occupancy.rows, records.arrival_s, shown, time) for time in axis],
    }


def _delay(shown: str, arrival: float, first: float, finish: float, outputs: int) -> float:
    if shown == "ttft":
        return first - arrival
    return finish - arrival if shown == "e2e" else (finish - first) / (outputs - 1)


def _state(replay: Replay, rows: list[Any], arrivals: list[float], shown: str, time: float) -> float:
    """Running, waiting, or share of the blocks in use, after the last iteration that ended by this time."""
    place = bisect_right(rows, time, key=lambda row: row[0]) - 1
    _, running, admitted, used = rows[place] if place >= 0 else (0.0, 0, 0, 0)
    if shown == "running":
        return float(running)
    if shown == "waiting":
        return float(bisect_right(arrivals, time) - admitted)
    return used / replay.blocks

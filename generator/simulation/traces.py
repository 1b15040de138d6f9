"""Request traces: arrival, prompt and output of real requests, from the formats in which they are published.

arrival_s,prompt_tokens,output_tokens[,prefix_blocks]     CSV; block ids with ranges, `0 14-27`
TIMESTAMP,ContextTokens,GeneratedTokens                   the CSV of the Azure traces
{"timestamp": ms, "input_length": ..., "output_length": ..., "hash_ids": [...]}     the JSON lines of Mooncake
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

from generator.cache import source_digest
from generator.provenance import Datum, Traced
from generator.simulation.outcomes import RESULTS
from generator.simulation.requests import Requests
from generator.specs.library import Library, UnknownId

BLOCK_TOKENS = 512
"""Tokens that one block id of a trace stands for, unless its spec says otherwise."""
MOST_FAULTS = 20
"""A file in a wrong format is wrong in every line; the first ones say enough."""

Row = tuple[Fraction, int, int, tuple[int, ...] | None]
"""Arrival without rounding, prompt, output, blocks."""


class TraceFault(ValueError):
    """Every fault of a trace file, one a line: file, line, field, value and rule."""


def read(path: Path, block_tokens: int = BLOCK_TOKENS) -> Requests:
    """The requests of a trace in order of arrival, the first one at time 0. Raises TraceFault, OSError."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise TraceFault(f"{path}:1: not a text file: {error.reason}") from None
    lines = text.splitlines()
    if not lines:
        raise TraceFault(f"{path}:1: the file is empty")
    faults: list[str] = []
    rows: list[Row] = []
    for number, fields in _rows(path, lines):
        try:
            rows.append(_checked(*fields()))
        except (ValueError, KeyError, TypeError) as error:
            said = f"no field {error}" if isinstance(error, KeyError) else error
            faults.append(f"{path}:{number}: {said}")
    if not rows and not faults:
        faults.append(f"{path}:2: no request follows the header")
    if faults:
        more = [f"{path}: {len(faults) - MOST_FAULTS} more"] if len(faults) > MOST_FAULTS else []
        raise TraceFault("\n".join(faults[:MOST_FAULTS] + more))
    rows.sort(key=lambda row: row[0])
    blocks = [row[3] for row in rows]
    return Requests(
        [float(row[0] - rows[0][0]) for row in rows],
        [row[1] for row in rows],
        [row[2] for row in rows],
        [one or () for one in blocks] if any(one is not None for one in blocks) else None,
        block_tokens,
    )


def _rows(path: Path, lines: list[str]) -> Iterator[tuple[int, Callable[[], tuple[Any, ...]]]]:
    """Line number, and how to read its fields, in whichever format the file is."""
    if lines[0].lstrip().startswith("{"):
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield number, lambda line=line: _of_json(line)
        return
    header = [name.strip() for name in next(csv.reader([lines[0]]))]
    readers = {
        ("arrival_s", "prompt_tokens", "output_tokens"): _of_csv,
        ("TIMESTAMP", "ContextTokens", "GeneratedTokens"): _of_azure,
    }
    reader = next((one for names, one in readers.items() if set(names) <= set(header)), None)
    if reader is None:
        valid = " or ".join(",".join(names) for names in readers)
        raise TraceFault(f"{path}:1: the header is `{lines[0]}`; want {valid}, or JSON lines with timestamp")
    for number, values in enumerate(csv.reader(lines[1:]), 2):
        if values:
            yield number, lambda values=values: reader(_named(header, values))


def _named(header: list[str], values: list[str]) -> dict[str, str]:
    if len(values) != len(header):
        raise ValueError(f"{len(values)} values; want {len(header)}, as in the header")
    return dict(zip(header, values, strict=True))


def _of_csv(row: dict[str, str]) -> tuple[Any, ...]:
    blocks = row.get("prefix_blocks")
    return (
        _number(row, "arrival_s"), _whole(row, "prompt_tokens"), _whole(row, "output_tokens"),
        None if blocks is None else tuple(_blocks(blocks)),
    )  # fmt: skip


def _of_azure(row: dict[str, str]) -> tuple[Any, ...]:
    # Seven digits of a second, one more than the standard library reads.
    moment, _, fraction = row["TIMESTAMP"].partition(".")
    arrival = datetime.fromisoformat(moment) - datetime(2000, 1, 1)
    seconds = arrival.days * 86400 + arrival.seconds + Fraction(f"0.{fraction or 0}")
    return seconds, _whole(row, "ContextTokens"), _whole(row, "GeneratedTokens"), None


def _of_json(line: str) -> tuple[Any, ...]:
    row = json.loads(line)
    hashes = row.get("hash_ids")
    return (
        Fraction(str(row["timestamp"])) / 1000, _whole(row, "input_length"), _whole(row, "output_length"),
        None if hashes is None else tuple(hashes),
    )  # fmt: skip


def _number(row: dict[str, Any], field: str) -> Fraction:
    try:
        return Fraction(row[field])
    except ValueError:
        raise ValueError(f"`{field}` is {row[field]!r}; want a number") from None


def _whole(row: dict[str, Any], field: str) -> int:
    try:
        number = float(row[field])
    except (ValueError, TypeError):
        raise ValueError(f"`{field}` is {row[field]!r}; want a whole number") from None
    if number != int(number) or number < 1:
        raise ValueError(f"`{field}` is {row[field]!r}; want a whole number from 1")
    return int(number)


def _blocks(text: str) -> Iterator[int]:
    for part in text.split():
        first, _, last = part.partition("-")
        try:
            yield from range(int(first), int(last or first) + 1)
        except ValueError:
            raise ValueError(f"`prefix_blocks` holds {part!r}; want ids such as 7 or ranges such as 14-27") from None


def _checked(arrival_s: Fraction, prompt: int, output: int, blocks: tuple[int, ...] | None) -> Row:
    if arrival_s < 0:
        raise ValueError(f"the arrival is {float(arrival_s):g}; want a time from 0")
    return arrival_s, prompt, output, blocks


STATISTICS = {
    "arrival_rate_per_s": "request/s",
    "arrival_variation": "1",
    "peak_minute_over_mean": "1",
    "prompt_median_tokens": "token",
    "output_median_tokens": "token",
    "prompt_mean_tokens": "token",
    "output_mean_tokens": "token",
    "prompt_p99_tokens": "token",
    "trace_hit_ratio": "1",
}
"""What can be read off a trace, with units; see `statistics`."""


def statistics(requests: Requests) -> dict[str, float]:
    """Rate, variation of the gaps, busiest minute over the mean minute, lengths, and the most a prefix cache can hit.

    The hit ratio counts tokens of whole blocks that an earlier prompt began with, in a cache that forgets nothing.
    """
    import numpy

    arrivals, prompts, outputs = (
        numpy.array(column, float) for column in (requests.arrival_s, requests.prompt_tokens, requests.output_tokens)
    )
    gaps = numpy.diff(arrivals)
    minutes = numpy.bincount((arrivals // 60).astype(int))
    found = {
        "arrival_rate_per_s": len(gaps) / arrivals[-1],
        "arrival_variation": gaps.std() / gaps.mean(),
        "peak_minute_over_mean": minutes.max() / minutes.mean(),
        "prompt_median_tokens": numpy.median(prompts),
        "output_median_tokens": numpy.median(outputs),
        "prompt_mean_tokens": prompts.mean(),
        "output_mean_tokens": outputs.mean(),
        "prompt_p99_tokens": numpy.percentile(prompts, 99),
    }
    if requests.prefix_blocks is not None:
        found["trace_hit_ratio"] = sum(_hits(requests)) / prompts.sum()
    return {name: float(value) for name, value in found.items()}


def _hits(requests: Requests) -> Iterator[int]:
    """Tokens of each prompt in blocks that came before; a block is only there if all before it are."""
    known: set[int] = set()
    assert requests.prefix_blocks is not None
    for prompt, blocks in zip(requests.prompt_tokens, requests.prefix_blocks, strict=True):
        hit = next((place for place, block in enumerate(blocks) if block not in known), len(blocks))
        known.update(blocks)
        yield min(hit * requests.block_tokens, prompt)


def statistic(library: Library, identifier: str, name: str) -> Traced:
    """One number of a trace of the specs, as a measured datum; computed once for a library."""
    record = library.find("traces", identifier)
    key = ("trace", record.id)
    if key not in library.derived:
        path = library.table("traces", record.id)
        sources = source_digest("simulation/traces.py")
        library.derived[key] = RESULTS.cache.get(
            "trace", [path.read_text(encoding="utf-8"), record.block_tokens, sources],
            lambda: statistics(read(path, int(record.block_tokens or BLOCK_TOKENS))),
        )  # fmt: skip
    known = library.derived[key]
    if name not in known:
        raise UnknownId(f"no number `{name}` of the trace {record.id}; known: {', '.join(known)}")
    origin = record.requests.origin
    return Traced(
        known[name], name=name, unit=STATISTICS[name], kind="measured",
        origin=Datum(f"traces/{record.id}#{name}", origin.file.replace(".yaml", ".csv"), 1, origin.sources),
    )  # fmt: skip

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

from generator.simulation.requests import Requests

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
            yield number, lambda values=values: reader(dict(zip(header, values, strict=True)))


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

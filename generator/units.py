"""Units of the specs, and quantity strings such as `80 GB` or `3.35 TB/s`.

Inside the program every quantity is a plain number in its base unit, and names carry the unit as a suffix.
GB is 10^9 bytes, GiB is 2^30 bytes; both parse, and nothing guesses between them.
"""

from __future__ import annotations

import difflib
import re
from decimal import Decimal

SI_PREFIXES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
BINARY_PREFIXES = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40}


def _prefixed(base: str, *, binary: bool = False) -> dict[str, float]:
    return {prefix + base: factor for prefix, factor in (SI_PREFIXES | (BINARY_PREFIXES if binary else {})).items()}


SPELLINGS: dict[str, dict[str, float]] = {
    "B": _prefixed("B", binary=True),
    "B/s": _prefixed("B/s", binary=True),
    "FLOP": _prefixed("FLOP"),
    "Hz": _prefixed("Hz"),
    "FLOP/s": _prefixed("FLOP/s") | _prefixed("OP/s"),
    "s": {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0},
    "W": _prefixed("W"),
    "USD/h": {"USD/h": 1.0},
    "USD/Mtok": {"USD/Mtok": 1.0},
    "USD": {"USD": 1.0},
    "USD/kWh": {"USD/kWh": 1.0},
    "bit": {"bit": 1.0},
    "token": {"tokens": 1.0, "token": 1.0, "Ttokens": 1e12, "Gtokens": 1e9, "Mtokens": 1e6},
    "token/s": {"tokens/s": 1.0, "token/s": 1.0},
    "request/s": {"requests/s": 1.0, "request/s": 1.0},
    "1/s": {"1/s": 1.0, "1/min": 1 / 60, "1/h": 1 / 3600},
    "GPU-h": {"GPU-h": 1.0, "kGPU-h": 1e3, "MGPU-h": 1e6},
}
"""Base unit -> every accepted spelling and its factor. Counts (`count`) and shares (`1`) are plain numbers."""

PLAIN = ("1", "count", "param", "layer")
"""Units written without a unit: counts and shares."""

_NUMBER_AND_UNIT = re.compile(r"([-+]?\d[\d_]*\.?\d*(?:[eE][-+]?\d+)?)\s*(\S.*)?")


def parse(text: object, unit: str) -> float:
    """Number in the base unit `unit` from a quantity string, or from a plain number where `unit` is a count or a share.

    Raises ValueError with the rule, what was given, and the nearest valid spelling.
    """
    if unit in PLAIN:
        if isinstance(text, bool) or not isinstance(text, (int, float)):
            raise ValueError(f"want a plain number, without unit or quotes, got {text!r}")
        return text
    spellings = SPELLINGS[unit]
    sample = next((s for s in spellings if s.startswith(("GB", "TFLOP"))), next(iter(spellings)))
    if isinstance(text, (int, float)) and not isinstance(text, bool):
        raise ValueError(f"give a unit, for example `{text:g} {sample}`; valid units: {', '.join(spellings)}")
    match = _NUMBER_AND_UNIT.fullmatch(str(text).strip()) if isinstance(text, str) else None
    if match is None:
        raise ValueError(f"want a number and a unit, for example `80 {sample}`, got {text!r}")
    number, spelling = match[1], match[2]
    if spelling not in spellings:
        near = difflib.get_close_matches(spelling or "", spellings, 1, 0.3)
        hint = f"; did you mean `{near[0]}`?" if near else ""
        raise ValueError(f"unknown unit `{spelling or ''}`{hint} valid units: {', '.join(spellings)}")
    # In decimal arithmetic, so that `5 us` is the float nearest to 5e-6.
    return float(Decimal(number.replace("_", "")) * Decimal(repr(spellings[spelling])))


def size_of(name: str, unit: str) -> float:
    """How many base units `unit` one `name` is: GiB in B, KiB/token in B/token. Raises ValueError otherwise."""
    base = unit.removesuffix("/token")
    sizes = SPELLINGS.get(unit) or SPELLINGS.get(base, {})
    spelled = name if unit in SPELLINGS else name.removesuffix("/token")
    if spelled not in sizes:
        raise ValueError(f"`{name}` is no spelling of {unit}; valid: {', '.join(sizes)}")
    return sizes[spelled]


def round_significant(value: float, digits: int = 6) -> float:
    """`value` to `digits` significant digits: what leaves the model layer is equal on any machine."""
    return float(f"{value:.{digits}g}")

"""How numbers read: three significant digits, SI prefixes, thin spaces, units named, words computed."""

from __future__ import annotations

import math

THIN = "\u202f"
"""Narrow no-break space: groups digits, keeps number and unit together."""

EXACT_UNITS = ("count", "param", "layer", "token")
PREFIXES = (
    (1e24, "Y"),
    (1e21, "Z"),
    (1e18, "E"),
    (1e15, "P"),
    (1e12, "T"),
    (1e9, "G"),
    (1e6, "M"),
    (1e3, "k"),
    (1.0, ""),
)
SMALL_PREFIXES = ((1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))
_PREFIXED = {
    "B": "B", "B/s": "B/s", "FLOP": "FLOP", "FLOP/s": "FLOP/s", "W": "W", "Hz": "Hz", "B/token": "B",
    "FLOP/token": "FLOP", "FLOP/USD": "FLOP", "B/USD": "B",
}  # fmt: skip
_PER = {"B/token": "/token", "FLOP/token": "/token", "FLOP/USD": "/USD", "B/USD": "/USD"}
_SUFFIX = {
    "token": "tokens",
    "token/s": "tokens/s",
    "tok/s": "tokens/s",
    "request/s": "requests/s",
    "FLOP/B": "FLOP/B",
    "USD/h": "USD/h",
    "USD/Mtok": "USD per 1M tokens",
    "USD": "USD",
    "token/USD": "tokens per USD",
    "J/token": "J/token",
    "bit": "bit",
    "GPU-h": "GPU-hours",
    "param": "parameters",
    "layer": "",
    "count": "",
    "1": "",
}


def grouped(whole: float) -> str:
    """A whole number with thin spaces between groups of three digits, from five digits on."""
    digits = f"{abs(int(whole))}"
    if len(digits) >= 5:
        digits = f"{int(digits):,}".replace(",", THIN)
    return ("\u2212" if whole < 0 else "") + digits


def significant(value: float, digits: int = 3) -> str:
    """`value` to so many significant digits, without exponent, thin spaces in long numbers."""
    if value == 0:
        return "0"
    exponent = math.floor(math.log10(abs(float(f"{value:.{digits - 1}e}"))))
    decimals = max(digits - 1 - exponent, 0)
    rounded = round(value, digits - 1 - exponent)
    if decimals == 0:
        return grouped(rounded)
    return f"{rounded:.{decimals}f}".replace("-", "\u2212")


_LARGE = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))


def scientific(value: float, digits: int = 3) -> str:
    """A number too large for a prefix that people know: `3.80×10²⁵`."""
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    return f"{mantissa}×10{superscript(int(exponent))}"


def trimmed(number: str) -> str:
    """A decimal number without closing zeros."""
    return number.rstrip("0").rstrip(".") if "." in number else number


def _scaled(value: float, prefixes: tuple[tuple[float, str], ...], digits: int) -> tuple[str, str]:
    magnitude = abs(float(f"{value:.{digits - 1}e}"))
    for factor, prefix in prefixes:
        if magnitude >= factor:
            return significant(value / factor, digits), prefix
    factor, prefix = prefixes[-1]
    return significant(value / factor, digits), prefix


def parts(value: float, unit: str, digits: int = 3) -> tuple[str, str]:
    """Number and unit as text, for example `("16.1", "GB")`."""
    value = float(value)
    if math.isinf(value) or math.isnan(value):
        return "–", ""
    if unit == "FLOP" and abs(value) >= 1e21:
        return scientific(value, digits), unit
    if unit in ("token", "USD", "token/USD") and abs(value) >= 1e6:
        number, words = _scaled(value, _LARGE, digits)
        return number, f"{words} {_SUFFIX[unit]}"
    if unit in _PREFIXED:
        number, prefix = _scaled(value, PREFIXES, digits)
        return number, prefix + _PREFIXED[unit] + _PER.get(unit, "")
    if unit == "s":
        if value == 0:
            return "0", "s"
        if abs(value) >= 1:
            for factor, name in ((86400.0 * 3, "days"), (3600.0 * 3, "h"), (60.0 * 3, "min"), (1.0, "s")):
                if abs(value) >= factor:
                    per = {"days": 86400.0, "h": 3600.0, "min": 60.0, "s": 1.0}[name]
                    return significant(value / per, digits), name
        number, prefix = _scaled(value, SMALL_PREFIXES, digits)
        return number, prefix + "s"
    suffix = _SUFFIX.get(unit, unit)
    if unit in EXACT_UNITS and value == int(value):
        return grouped(value), suffix
    if unit == "GPU-h" and abs(value) >= 1e5:
        number, prefix = _scaled(value, PREFIXES, digits)
        return number, {"M": "million ", "G": "billion ", "k": "thousand "}.get(prefix, "") + suffix
    if unit in ("1", "bit"):
        whole = value == int(value) and abs(value) < 1e6
        return grouped(value) if whole else trimmed(significant(value, digits)), suffix
    if abs(value) >= 1e15:
        return scientific(value, digits), suffix
    return significant(value, digits), suffix


def text(value: float, unit: str, digits: int = 3) -> str:
    """Number and unit as one text that does not break: `16.1 GB`."""
    number, suffix = parts(value, unit, digits)
    return f"{number}\u00a0{suffix}" if suffix else number


def in_unit(value: float, size: float, name: str, digits: int = 3) -> str:
    """A number in a unit of its own, such as GiB, whose size in base units is given."""
    return f"{significant(value / size, digits)}\u00a0{name}"


def short(value: float, unit: str) -> str:
    """As `text`, but parameters with a prefix: `8.03 B` would mean bytes, so `8.03 billion`."""
    if unit == "param" and abs(value) >= 1e6:
        number, prefix = _scaled(value, ((1e12, " trillion"), (1e9, " billion"), (1e6, " million")), 3)
        return number + prefix.replace(" ", "\u00a0")
    return text(value, unit)


def plain(value: float, unit: str) -> str:
    """As `text` with ordinary spaces, for a terminal."""
    return text(value, unit).replace("\u00a0", " ").replace(THIN, " ").replace("\u2212", "-")


def percent(share: float, digits: int = 3) -> str:
    """A share as per cent."""
    return f"{significant(100 * share, digits)}{THIN}%"


def is_share(name: str, unit: str) -> bool:
    """Whether a quantity is a share of a whole or a utilisation, which read as per cent."""
    return unit == "1" and (name.endswith(("_share", "mfu", "hfu", "attainment")) or "utilisation" in name)


def superscript(number: int) -> str:
    """Digits as superscripts."""
    return str(number).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def latex(value: float, unit: str) -> str:
    """A number with unit for an equation: four digits, exact where it is a count."""
    number, suffix = parts(value, unit, 4)
    whole = float(value) == int(value) if math.isfinite(value) else False
    if whole and abs(value) < 1e6 and unit not in ("s",):
        number, suffix = grouped(value), _SUFFIX.get(unit, unit)
    number = number.replace(THIN, r"\,").replace("\u2212", "-").replace("×10", r"\times 10")
    if "." in number and unit in ("1", "bit", "USD/h"):
        number = number.rstrip("0").rstrip(".")
    for digit, raised in zip("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹", strict=True):
        number = number.replace(raised, "^{" + digit + "}")
    number = number.replace("}^{", "")
    suffix = suffix.removesuffix("tokens") if unit == "token" else suffix
    suffix = "" if unit in ("param", "count", "layer", "1") else suffix
    return rf"{number}\text{{ {suffix}}}" if suffix else number


def compared(ratio: float) -> str:
    """A ratio in words: `about twice`, `4.2 times`, `about half`, `about the same`."""
    if ratio <= 0:
        return "not comparable"
    if 0.95 <= ratio <= 1.05:
        return "about the same"
    named = {0.25: "about a quarter of", 0.5: "about half", 2.0: "about twice"}
    for value, words in named.items():
        if abs(ratio / value - 1) <= 0.05:
            return words
    return f"{significant(ratio, 2)} times"


def unit_name(unit: str) -> str:
    """A unit as it stands in a table header."""
    return {
        "token": "tokens",
        "token/s": "tokens/s",
        "request/s": "requests/s",
        "USD/Mtok": "USD per 1M tokens",
        "FLOP/B": "FLOP/B",
    }.get(unit, unit)

"""Chart colours can be read on both backgrounds and told apart, also with a colour blindness."""

from __future__ import annotations

import math
import re
from itertools import combinations
from pathlib import Path

import pytest

ASSETS = Path(__file__).resolve().parents[2] / "docs" / "assets"
LEAST_CONTRAST = 4.5
LEAST_DIFFERENCE = 11.0

GROUPS = {
    "memory": ["weights", "kv", "workspace", "activations", "optimizer"],
    "time": ["memory-time", "compute-time", "communication", "waiting"],
    "policies": ["colocated", "chunked", "disaggregated"],
    "generic": [str(number) for number in range(1, 9)],
}

# Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB.
VISION = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}

Color = tuple[float, float, float]


def schemes() -> dict[str, dict[str, Color]]:
    """Light and dark values of every `--ch-` variable, as linear RGB."""
    light, dark = (ASSETS / "palette.css").read_text(encoding="utf-8").split("@media screen", 1)
    return {
        scheme: {name: linear(value) for name, value in re.findall(r"--ch-([\w-]+): (#[0-9a-f]{6})", css)}
        for scheme, css in (("light", light), ("dark", dark))
    }


def linear(color: str) -> Color:
    channels = (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return tuple(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)


def contrast(one: Color, other: Color) -> float:
    dark, light = sorted(0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in (one, other))
    return (light + 0.05) / (dark + 0.05)


def seen_by(vision: str, color: Color) -> Color:
    mixed = (sum(weight * channel for weight, channel in zip(row, color, strict=True)) for row in VISION[vision])
    return tuple(min(1.0, max(0.0, channel)) for channel in mixed)


def lab(color: Color) -> Color:
    r, g, b = color
    white = (0.95047, 1.0, 1.08883)
    xyz = (
        0.4124 * r + 0.3576 * g + 0.1805 * b,
        0.2126 * r + 0.7152 * g + 0.0722 * b,
        0.0193 * r + 0.1192 * g + 0.9505 * b,
    )
    x, y, z = (
        (v / w) ** (1 / 3) if v / w > 0.008856 else 7.787 * v / w + 16 / 116 for v, w in zip(xyz, white, strict=True)
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def difference(one: Color, other: Color) -> float:
    """CIE94, which grows more slowly than plain distance between saturated colours."""
    (l1, a1, b1), (l2, a2, b2) = lab(one), lab(other)
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    hue_squared = max(0.0, (a1 - a2) ** 2 + (b1 - b2) ** 2 - (c1 - c2) ** 2)
    mean = math.sqrt(c1 * c2)
    return math.sqrt((l1 - l2) ** 2 + ((c1 - c2) / (1 + 0.045 * mean)) ** 2 + hue_squared / (1 + 0.015 * mean) ** 2)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_colour_of_a_mark_has_contrast(scheme: str) -> None:
    colors = schemes()[scheme]
    marks = {name: color for name, color in colors.items() if name not in {"bg", "grid"}}
    poor = {name: contrast(color, colors["bg"]) for name, color in marks.items()}
    assert {name: ratio for name, ratio in poor.items() if ratio < LEAST_CONTRAST} == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("group", GROUPS)
def test_colours_that_meet_in_a_chart_differ(group: str, vision: str, scheme: str) -> None:
    colors = schemes()[scheme]
    alike = [
        (one, other)
        for one, other in combinations(GROUPS[group], 2)
        if difference(seen_by(vision, colors[one]), seen_by(vision, colors[other])) < LEAST_DIFFERENCE
    ]
    assert alike == []


def test_light_and_dark_define_the_same_colours() -> None:
    light, dark = schemes()["light"], schemes()["dark"]
    assert light.keys() == dark.keys()
    assert {name for group in GROUPS.values() for name in group} <= light.keys()

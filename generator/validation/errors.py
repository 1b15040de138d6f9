"""How far predictions are off, in numbers: median, 90th percentile, bias, share inside the band."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy


@dataclass(frozen=True)
class Errors:
    """Errors of some predictions as shares of the measured value; what cannot be known is None.

    bias: median of the signed error, above 0 if too much is predicted. inside: share of those that have a band.
    """

    n: int
    median: float | None
    p90: float | None
    bias: float | None
    inside: float | None


def errors(
    predicted: Sequence[float], measured: Sequence[float],
    bands: Sequence[tuple[float, float] | None] = (),
) -> Errors:  # fmt: skip
    """Errors of predictions; `bands` are the ends of the 80 % band of each, in the unit of the prediction."""
    if not len(predicted):
        return Errors(0, None, None, None, None)
    signed = numpy.asarray(predicted, float) / numpy.asarray(measured, float) - 1
    given = [(value, band) for value, band in zip(measured, bands, strict=False) if band is not None]
    inside = [low <= value <= high for value, (low, high) in given]
    return Errors(
        len(predicted),
        float(numpy.median(abs(signed))),
        float(numpy.quantile(abs(signed), 0.9)),
        float(numpy.median(signed)),
        sum(inside) / len(inside) if inside else None,
    )

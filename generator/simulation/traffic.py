"""What arrives at a fleet: a daily curve, noise from one five minutes to the next, bursts; counts by step of time."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi
from typing import TYPE_CHECKING, Any

from generator.simulation.requests import EVEN

if TYPE_CHECKING:
    from numpy.random import Generator

DAY_S = 86_400.0
NOISE_S = 300.0


@dataclass(frozen=True)
class Traffic:
    """A load over time. The curve is lowest at 0:00 and highest at 12:00.

    trough_share: lowest rate over the highest; variation: of the rate of one five minutes (Gamma); bursts begin
    as a Poisson stream, last burst_s each and multiply the rate by burst_factor.
    """

    peak_requests_per_s: float
    trough_share: float = 1.0
    variation: float = 0.0
    bursts_per_day: float = 0.0
    burst_factor: float = 1.0
    burst_s: float = 600.0

    def curve(self, time_s: float) -> float:
        """The rate without noise and bursts."""
        low = self.trough_share
        return self.peak_requests_per_s * (low + (1 - low) * (1 - cos(2 * pi * time_s / DAY_S)) / 2)

    def counts(self, generator: Generator, steps: int, step_s: float) -> list[int]:
        """Arrivals in each step. The draws are noise, number and times of the bursts, counts, in this order."""
        import numpy

        middle_s = (numpy.arange(steps) + 0.5) * step_s
        low = self.trough_share
        rate = self.peak_requests_per_s * (low + (1 - low) * (1 - numpy.cos(2 * numpy.pi * middle_s / DAY_S)) / 2)
        if self.variation >= EVEN:
            shape = 1.0 / self.variation**2
            noise = generator.gamma(shape, 1.0 / shape, int(steps * step_s / NOISE_S) + 1)
            rate = rate * noise[(middle_s / NOISE_S).astype(int)]
        if self.bursts_per_day:
            begins_s = (
                generator.random(generator.poisson(self.bursts_per_day * steps * step_s / DAY_S)) * steps * step_s
            )
            burning: Any = numpy.zeros(steps, bool)
            for begin_s in begins_s:
                burning |= (middle_s >= begin_s) & (middle_s < begin_s + self.burst_s)
            rate = numpy.where(burning, rate * self.burst_factor, rate)
        return generator.poisson(rate * step_s).tolist()

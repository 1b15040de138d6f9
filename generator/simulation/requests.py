"""What arrives: times, prompt and output lengths, drawn from a passed-in generator or read from a trace."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.random import Generator

SHORTEST_PROMPT, LONGEST_PROMPT = 16, 16_384
SHORTEST_OUTPUT, LONGEST_OUTPUT = 2, 4_096
LENGTH_SIGMA = 0.8
"""Standard deviation of the logarithm of a length, and where lengths are clipped: the published runs' conventions."""
MOST_SEED = 2**63 - 1
EVEN = 1e-6
"""A variation below this is none: the shape of its Gamma distribution has no bound."""
ARRIVALS = ("recorded", "poisson")
"""How the requests of a trace arrive: as they did, or drawn anew at the same mean rate."""


@dataclass(frozen=True)
class Requests:
    """Requests in order of arrival; one entry of each list a request.

    prefix_blocks: ids of the blocks that a prompt consists of, where a trace tells which prompts begin alike;
    block_tokens is how many tokens one of them holds.
    """

    arrival_s: list[float]
    prompt_tokens: list[int]
    output_tokens: list[int]
    prefix_blocks: list[tuple[int, ...]] | None = None
    block_tokens: int = 0

    def __post_init__(self) -> None:
        lengths = {len(self.arrival_s), len(self.prompt_tokens), len(self.output_tokens)}
        if len(lengths) != 1:
            raise ValueError(f"every request has an arrival, a prompt and an output, got {sorted(lengths)} of them")

    def __len__(self) -> int:
        return len(self.arrival_s)

    def first(self, count: int) -> Requests:
        """The first requests alone."""
        blocks = None if self.prefix_blocks is None else self.prefix_blocks[:count]
        return Requests(
            self.arrival_s[:count], self.prompt_tokens[:count], self.output_tokens[:count], blocks, self.block_tokens
        )

    def beginning_alike(self, shared_tokens: int) -> Requests:
        """The same requests, their prompts beginning with the same tokens, in blocks of 16."""
        block = 16
        pieces = tuple(range(shared_tokens // block))
        prefixes = [pieces[: prompt // block] for prompt in self.prompt_tokens]
        return replace(self, prefix_blocks=prefixes, block_tokens=block)

    def at_rate(self, factor: float) -> Requests:
        """The same requests, arriving `factor` times as fast."""
        return Requests(
            [time / factor for time in self.arrival_s],
            self.prompt_tokens,
            self.output_tokens,
            self.prefix_blocks,
            self.block_tokens,
        )


def arrivals_s(generator: Generator, *, requests: int, rate_per_s: float, variation: float = 1.0) -> list[float]:
    """Arrival times with Gamma gaps of mean 1/rate; a coefficient of variation of 1 is a Poisson stream, 0 a clock.

    With a rate of 0 all requests are there at time 0.
    """
    import numpy

    gap = 1.0 / rate_per_s if rate_per_s else 0.0
    if variation < EVEN:
        gaps = numpy.full(requests, gap)
    elif variation == 1:
        gaps = generator.exponential(gap, requests)
    else:
        shape = 1.0 / variation**2
        gaps = generator.gamma(shape, gap / shape, requests)
    return numpy.cumsum(gaps).tolist()


def lengths_tokens(
    generator: Generator, *, requests: int, median: float, sigma: float = LENGTH_SIGMA, shortest: int, longest: int
) -> list[int]:
    """Lognormal lengths around a median, whole tokens, clipped to the shortest and the longest."""
    import math

    import numpy

    drawn = generator.lognormal(math.log(median), sigma, requests)
    return numpy.clip(numpy.rint(drawn), shortest, longest).astype(int).tolist()


def synthetic(
    generator: Generator,
    *,
    requests: int,
    rate_per_s: float,
    prompt_median_tokens: float,
    output_median_tokens: float,
    sigma: float = LENGTH_SIGMA,
    variation: float = 1.0,
) -> Requests:
    """Requests of a stream: the order of the draws is arrivals, prompts, outputs."""
    return Requests(
        arrivals_s(generator, requests=requests, rate_per_s=rate_per_s, variation=variation),
        lengths_tokens(
            generator, requests=requests, median=prompt_median_tokens, sigma=sigma,
            shortest=SHORTEST_PROMPT, longest=LONGEST_PROMPT,
        ),
        lengths_tokens(
            generator, requests=requests, median=output_median_tokens, sigma=sigma,
            shortest=SHORTEST_OUTPUT, longest=LONGEST_OUTPUT,
        ),
    )  # fmt: skip


def generator_of(seed: int) -> Any:
    """The one kind of generator that published runs use: PCG64, the same stream on any machine."""
    import numpy

    return numpy.random.Generator(numpy.random.PCG64(seed))

"""Which experts the tokens of a step take: popularity of experts, exact choices token by token, and fast counts.

Popularity is a share of all choices, and a token takes an expert at most once: an expert that would be taken more
often than by every token is taken by every token, and the others share what is left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from generator.estimates.architecture import NotSupported

if TYPE_CHECKING:
    from numpy.random import Generator

SKEWS = ("uniform", "zipf", "measured")
EXACT_TOKENS = 8
"""Steps of at most this many tokens are routed token by token; above it the counts of each expert are drawn."""
NORMAL_VARIANCE = 9.0
"""From this variance on a count is drawn from the normal distribution and rounded, below it from the binomial."""


def popularity(
    generator: Generator, *, layers: int, experts: int, skew: str, exponent: float = 1.0, sigma: float = 1.0
) -> Any:
    """Share of each expert of each layer in all choices: (layers, experts), each row sums to 1.

    zipf: falls with the rank to the power of `exponent`, in an order of its own in each layer; measured: lognormal
    with `sigma`.
    """
    import numpy

    if skew == "uniform":
        shares = numpy.ones((layers, experts))
    elif skew == "zipf":
        ranked = numpy.arange(1, experts + 1, dtype=float) ** -exponent
        shares = generator.permuted(numpy.tile(ranked, (layers, 1)), axis=1)
    elif skew == "measured":
        shares = generator.lognormal(0.0, sigma, (layers, experts))
    else:
        raise NotSupported(f"no skew is called `{skew}`; valid: {', '.join(SKEWS)}")
    return shares / shares.sum(axis=1, keepdims=True)


def inclusion(shares: Any, top_k: int) -> Any:
    """Probability that a token takes an expert: k times its share, never above 1; each row sums to k."""
    import numpy

    taken = shares * top_k
    while (over := taken > 1).any():
        taken = numpy.minimum(taken, 1.0)
        free = numpy.where(taken < 1, taken, 0.0)
        room = free.sum(axis=1, keepdims=True)
        missing = top_k - taken.sum(axis=1, keepdims=True)
        taken = taken + free * missing / numpy.where(room > 0, room, 1.0)
        if not (over & (taken < 1)).any() and (taken <= 1 + 1e-12).all():
            break
    return numpy.minimum(taken, 1.0)


def routed(generator: Generator, taken: Any, tokens: int) -> Any:
    """Experts of each token, exactly: (tokens, k) ids, all of a token distinct, each with its probability.

    Systematic sampling in a random order of the experts (Madow 1949): a token walks along the probabilities with
    steps of 1 from a random start.
    """
    import numpy

    count = len(taken)
    top_k = round(float(taken.sum()))
    order = numpy.argsort(generator.random((tokens, count)), axis=1)
    ends = numpy.cumsum(taken[order], axis=1)
    ends[:, -1] = top_k
    walked = numpy.floor(ends + generator.random((tokens, 1)))
    hits = numpy.diff(walked, axis=1, prepend=0.0) > 0
    return order[hits].reshape(tokens, top_k)


def counted(generator: Generator, taken: Any, tokens: int) -> Any:
    """Tokens of each expert of each layer in one step, exactly: (layers, experts)."""
    import numpy

    layers, experts = taken.shape
    found = [
        numpy.bincount(routed(generator, taken[layer], tokens).ravel(), minlength=experts) for layer in range(layers)
    ]
    return numpy.asarray(found, numpy.float32)


def drawn(generator: Generator, taken: Any, tokens: int, steps: int) -> Any:
    """Tokens of each expert in each step, drawn count by count: (steps, layers, experts).

    taken: (1, layers, experts) if all steps are alike, else (steps, layers, experts). Each count is binomial, as it is
    exactly; that all of a layer add up to k for each token is then put right by one factor for the layer, so counts
    are not quite whole numbers.
    """
    import numpy

    mean = (tokens * taken).astype(numpy.float32)
    variance = mean * (1 - taken).astype(numpy.float32)
    counts = generator.standard_normal((steps, *taken.shape[1:]), dtype=numpy.float32)
    counts *= numpy.sqrt(variance)
    counts += mean
    numpy.rint(counts, out=counts)
    few = variance < NORMAL_VARIANCE
    if few.any():
        if len(taken) == 1:
            rare = taken[0][few[0]]
            counts[:, few[0]] = generator.binomial(tokens, rare, (steps, len(rare)))
        else:
            counts[few] = generator.binomial(tokens, taken[few])
    numpy.clip(counts, 0, tokens, out=counts)
    wanted = mean.sum(axis=-1, keepdims=True)
    found = counts.sum(axis=-1, keepdims=True)
    if not found.all():
        # All counts of a layer can be 0 only in steps of a handful of tokens: such a layer gets its mean.
        counts = numpy.where(found > 0, counts, mean)
        found = counts.sum(axis=-1, keepdims=True)
    counts *= wanted / found
    return counts


def foreign_shares(generator: Generator, *, steps: int, mean: float, concentration: float) -> Any:
    """Share of the tokens of each step that come from other traffic: beta around a mean, one value a step."""
    import numpy

    if mean in (0.0, 1.0):
        return numpy.full(steps, mean)
    return generator.beta(mean * concentration, (1 - mean) * concentration, steps)

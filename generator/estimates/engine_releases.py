"""What an engine does by release: defaults that it picks for a memory size, and the assumptions that hold for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from generator.specs.library import Library
from generator.specs.records import Accelerator

Number = Any
DEFAULT_RELEASE = (0, 19)
"""The release that an estimate stands for unless it is told another one."""
V1_SINCE = (0, 8)
SLIM_SAMPLER_SINCE = (0, 15)
"""From this release sampling keeps fewer copies of the logits."""
FLASH_SAMPLER = ((0, 10), (0, 11))
"""Between these releases the sampler of FlashInfer was used where it was installed."""
HYBRID_POOL_SINCE = (0, 10)
"""From this release layers with windows have block tables of their own; before, they were kept as full layers."""
COUNTED_BY_REQUESTS_SINCE = (0, 21)
"""From this release the printed tokens are requests of the longest length times that length."""
GRAPHS_INSIDE_SINCE = (0, 21)
"""From this release the share that an engine may use covers its captured graphs."""
LARGER_SHARE_SINCE = (0, 21)
"""From this release the default share is larger, to make up for the graphs in it."""
TWO_STATES_SINCE = (0, 21)
"""From this release a linear layer keeps a second state for the prefix cache."""
LATENT_CACHE_SINCE = (0, 7)
"""Before this release the latent of a cache was expanded to the keys and values of all heads."""
SMALL_BATCH_SINCE = (0, 9)
"""From this release small cards sample fewer sequences than large ones."""
CHUNKED_BEYOND_TOKENS = 32768
"""V0 engines cut prompts into steps only for longer contexts than this."""


@dataclass(frozen=True)
class Release:
    """A release of vLLM, by the numbers of its version and by the generation of its core."""

    version: tuple[int, ...] = DEFAULT_RELEASE
    generation: str = "V1"

    def since(self, version: tuple[int, ...]) -> bool:
        """Whether it is that release or a later one."""
        return self.version >= version

    @property
    def flash_sampler(self) -> bool:
        return self.generation == "V1" and FLASH_SAMPLER[0] <= self.version[:2] < FLASH_SAMPLER[1]

    @property
    def hybrid_pool(self) -> bool:
        return self.generation == "V1" and self.since(HYBRID_POOL_SINCE)


USUAL = Release()
"""What an estimate stands for unless it is told another release."""


def memory_share(release: Release, library: Library) -> Number:
    """Share of the memory that the engine takes unless it is told another one."""
    since = release.since(LARGER_SHARE_SINCE)
    return library.assume("engine-memory-utilization" if since else "memory-utilization")


def sampler_bytes(release: Release, library: Library) -> Number:
    """Bytes that sampling keeps for a logit beside the logit itself."""
    if release.generation == "V0":
        return library.assume("engine-logit-bytes-v0")
    if release.since(SLIM_SAMPLER_SINCE):
        return library.assume("engine-logit-bytes")
    return library.assume("engine-logit-bytes-flash" if release.flash_sampler else "engine-logit-bytes-sorted")


def has_multicast(card: Accelerator) -> bool:
    """Whether collectives reduce in the switch, which takes large buffers: NVLink through a switch, from Hopper on."""
    return card.vendor == "NVIDIA" and card.scale_up is not None and card.dense_peak.fp8 is not None


def non_torch_bytes(
    release: Release, card: Accelerator, library: Library, tp: Number, across_nodes: bool = False
) -> Number:
    """Memory outside the allocator that libraries and collectives take."""
    if tp > 1 and across_nodes:
        return library.assume("engine-non-torch-network")
    if tp > 1:
        modern = release.generation == "V1" and has_multicast(card)
        return library.assume("engine-non-torch-tensor-parallel" if modern else "engine-non-torch-plain-collectives")
    if release.generation == "V0":
        return library.assume("engine-non-torch-v0")
    old = not release.since(SLIM_SAMPLER_SINCE)
    return library.assume("engine-non-torch-early" if old else "engine-non-torch")


def step_defaults(
    release: Release, card: Accelerator, visible: Number, longest: Number, library: Library
) -> tuple[Number, Number]:
    """Step tokens and sampled sequences that the engine picks."""
    if release.generation == "V0":
        tokens = library.assume("engine-step-tokens-small-memory")
        if tokens < longest <= CHUNKED_BEYOND_TOKENS:
            tokens = longest
        return tokens, library.assume("engine-sampled-sequences-small-memory")
    if visible < library.assume("engine-large-memory") or "a100" in card.id:
        sequences = (
            "engine-sampled-sequences-small-memory" if release.since(SMALL_BATCH_SINCE) else "engine-sampled-sequences"
        )
        return library.assume("engine-step-tokens-small-memory"), library.assume(sequences)
    very_large = visible >= library.assume("engine-very-large-memory")
    steps = "engine-step-tokens-very-large-memory" if very_large else "engine-step-tokens"
    return library.assume(steps), library.assume("engine-sampled-sequences")

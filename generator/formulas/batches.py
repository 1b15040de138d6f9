"""Slots that requests share: what static batches lose, what reserved cache wastes, how long a request waits."""

from __future__ import annotations

from generator.formulas.elementary import exponential, logarithm, square_root
from generator.formulas.formula import formula


@formula(reference="definition")
def mean_output_tokens(*, output_median_tokens, output_sigma):
    """Mean of lognormal outputs: longer than the median, since few long ones weigh much."""
    return output_median_tokens * exponential(output_sigma**2 / 2)


@formula(reference="definition")
def output_variation(*, output_sigma):
    """Standard deviation over mean of lognormal outputs."""
    return square_root(exponential(output_sigma**2) - 1)


@formula(reference="definition")
def arrivals_per_step(*, slot_load, slots, mean_output_tokens):
    """Requests per step that ask for this share of the slots; a slot makes one token a step."""
    return slot_load * slots / mean_output_tokens


@formula(reference="yu-2022-orca")
def static_gain(*, batch_longest_tokens, mean_output_tokens):
    """A full static batch takes as many steps as its longest output has tokens; a slot makes the mean output in it."""
    return batch_longest_tokens / mean_output_tokens


@formula(reference="definition", kind="bound")
def static_gain_limit(*, slots, output_sigma):
    """No more than this for lognormal outputs: the mean of the largest of b numbers is at most the p-th root of b times
    the mean of their p-th powers, for any p; here p is the best, the root of 2 ln b over sigma."""
    return exponential(output_sigma * square_root(2 * logarithm(slots)) - output_sigma**2 / 2)


@formula(reference="definition")
def waited_s(*, waited_steps, tpot_s):
    """Time of so many steps."""
    return waited_steps * tpot_s


@formula(reference="definition")
def mean_held_tokens(*, prompt_tokens, mean_output_tokens, output_variation):
    """The prompt, and half of the output of the request that a step meets; long outputs are met more often."""
    return prompt_tokens + mean_output_tokens * (1 + output_variation**2) / 2


@formula(reference="kwon-2023-pagedattention")
def reserved_waste_share(*, mean_held_tokens, longest_request_tokens):
    """What is reserved for the longest request and not filled."""
    return 1 - mean_held_tokens / longest_request_tokens


@formula(reference="kwon-2023-pagedattention")
def block_waste_share(*, mean_held_tokens, block_tokens):
    """On average half of the last block is empty."""
    return (block_tokens - 1) / (2 * mean_held_tokens + block_tokens - 1)


@formula(reference="sakasegawa-1977-waiting")
def slot_wait_steps(*, slot_load, slots, arrival_variation, output_variation, mean_output_tokens):
    """Approximate mean wait before b slots that work independently; for one slot it is the formula of Kingman."""
    return (
        slot_load ** (square_root(2 * (slots + 1)) - 1)
        / (slots * (1 - slot_load))
        * (arrival_variation**2 + output_variation**2)
        / 2
        * mean_output_tokens
    )

"""Expert routing token by token and slot by slot: slow, and plain enough to be believed."""

from __future__ import annotations

import random


def routed(taken: list[float], top_k: int, tokens: int, seed: int) -> list[list[int]]:
    """Experts of each token: a walk along the probabilities, in a random order, with steps of 1."""
    draw = random.Random(seed)
    found = []
    for _ in range(tokens):
        order = list(range(len(taken)))
        draw.shuffle(order)
        mark, reached, chosen = draw.random(), 0.0, []
        for expert in order:
            reached += taken[expert]
            if reached > mark + len(chosen) and len(chosen) < top_k:
                chosen.append(expert)
        while len(chosen) < top_k:
            chosen.append(next(expert for expert in order if expert not in chosen))
        found.append(chosen)
    return found


def balanced(shares: list[float], gpus: int, redundant: int) -> list[list[tuple[int, int]]]:
    """(expert, copy) pairs of each accelerator: copies to the hottest, then the heaviest first to the emptiest."""
    copies = [1] * len(shares)
    for _ in range(redundant):
        copies[max(range(len(shares)), key=lambda one: shares[one] / copies[one])] += 1
    items = [(expert, 0) for expert in range(len(shares))]
    items += [(expert, copy) for expert in range(len(shares)) for copy in range(1, copies[expert])]
    slots = -(-len(items) // gpus)
    items.sort(key=lambda item: -shares[item[0]] / copies[item[0]])
    held: list[list[tuple[int, int]]] = [[] for _ in range(gpus)]
    load = [0.0] * gpus
    for expert, copy in items:
        gpu = min((one for one in range(gpus) if len(held[one]) < slots), key=load.__getitem__)
        held[gpu].append((expert, copy))
        load[gpu] += shares[expert] / copies[expert]
    return held


def loads(held: list[list[tuple[int, int]]], counts: list[float]) -> tuple[list[float], list[int]]:
    """Tokens of each accelerator, and experts it reads."""
    copies = [sum(expert == one for gpu in held for expert, _ in gpu) for one in range(len(counts))]
    tokens = [sum(counts[expert] / copies[expert] for expert, _ in gpu) for gpu in held]
    read = [sum(counts[expert] > copy for expert, copy in gpu) for gpu in held]
    return tokens, read


def experts_s(tokens: list[float], read: list[int], read_s: float, token_s: float) -> float:
    """Time of one layer: that of its slowest accelerator."""
    return max(max(one * read_s, many * token_s) for one, many in zip(read, tokens, strict=True))

"""The decoding requests of a model whose layers do not all see the whole context, by piece of their cost lines."""

from __future__ import annotations

from math import floor

from generator.simulation.costs import Line


class Pieces:
    """Which request is on which line, and the sums of each line."""

    def __init__(self, lines: tuple[Line, ...]):
        self._lines = lines
        self._sums: list[list[float]] = [[0, 0, 0] for _ in lines]
        """For each line, of the requests on it: how many, their contexts, what a step adds to these."""
        self._members: dict[int, tuple[int, float, int, float, int]] = {}
        """request -> line, context at a step, that step, growth, step of its end."""

    def join(self, request: int, context: float, growth: float, step: int, end: int) -> int | None:
        """A request comes to a line, to decode until the step of its end; the step at which it crosses to the next."""
        line = 0
        while context > self._lines[line].upto_tokens:
            line += 1
        self._members[request] = line, context, step, growth, end
        sums = self._sums[line]
        sums[0] += 1
        sums[1] += context
        sums[2] += growth
        if line == len(self._lines) - 1:
            return None
        crossing = step + floor((self._lines[line].upto_tokens - context) / growth) + 1
        return crossing if crossing < end else None

    def leave(self, request: int, step: int) -> float:
        """A request leaves its line; its context."""
        line, context, since, growth, _ = self._members.pop(request)
        context += growth * (step - since)
        sums = self._sums[line]
        sums[0] -= 1
        sums[1], sums[2] = (sums[1] - context, sums[2] - growth) if sums[0] else (0, 0)
        return context

    def cross(self, request: int, step: int) -> int | None:
        """A request goes over to the line of its context; the step of its next crossing."""
        *_, growth, end = self._members[request]
        return self.join(request, self.leave(request, step), growth, step, end)

    def grow(self, steps: int) -> None:
        """All contexts grow by so many steps."""
        for one in self._sums:
            one[1] += steps * one[2]

    def times(self) -> tuple[float, float, float, float]:
        """Memory and compute time of the caches in this step, and by how much each grows from step to step."""
        memory = memory_growth = compute = compute_growth = 0.0
        for line, (count, context, growth) in zip(self._lines, self._sums, strict=True):
            if count:
                memory += line.memory_s * count + line.memory_per_token_s * context
                memory_growth += line.memory_per_token_s * growth
                compute += line.compute_s * count + line.compute_per_token_s * context
                compute_growth += line.compute_per_token_s * growth
        return memory, memory_growth, compute, compute_growth

"""Resamples of cases: how often each distinct difference is drawn, without drawing every case by itself."""

import math
from bisect import bisect_left
from collections.abc import Mapping
from random import Random
from typing import Final

# Beyond this many standard deviations, a binomial count is never drawn.
_REACH: Final = 9.0


class Resampler:
    """Draws `size` cases with replacement; `weights` say how often each distinct value occurs, all above 0."""

    def __init__(self, weights: Mapping[int, float], size: int, seed: int) -> None:
        self._size = size
        self._random = Random(seed).random  # noqa: S311 -- a resample, not a secret
        # The most frequent first, so that few cases are left for the others; then by value, so that the result does not
        # depend on the order.
        *values, self._last = sorted(weights, key=lambda value: (-weights[value], value))
        left, self._steps = math.fsum(weights.values()), []
        for value in values:
            tables: dict[int, tuple[int, list[float]]] = {}
            self._steps.append((value, min(1.0, weights[value] / left), tables))
            left -= weights[value]

    def draw(self) -> int:
        """Return the sum of the values of one resample: each value is drawn a binomial number of times."""
        left, total = self._size, 0
        for value, share, tables in self._steps:
            if left not in tables:
                tables[left] = _cumulated(left, share)
            lowest, table = tables[left]
            count = lowest + bisect_left(table, self._random() * table[-1])
            total += value * count
            left -= count
        return total + self._last * left


def _cumulated(trials: int, share: float) -> tuple[int, list[float]]:
    """Return the lowest likely binomial count, and the cumulated probabilities from there on."""
    if share >= 1.0 or not trials:
        return trials, [1.0]
    spread = _REACH * math.sqrt(trials * share * (1 - share)) + _REACH
    lowest = max(0, math.floor(trials * share - spread))
    highest = min(trials, math.ceil(trials * share + spread))
    odds = share / (1 - share)
    logarithm = (
        math.lgamma(trials + 1) - math.lgamma(lowest + 1) - math.lgamma(trials - lowest + 1)
        + lowest * math.log(share) + (trials - lowest) * math.log1p(-share)
    )  # fmt: skip
    probability, total, table = math.exp(logarithm), 0.0, []
    for count in range(lowest, highest + 1):
        total += probability
        table.append(total)
        probability *= (trials - count) / (count + 1) * odds
    return lowest, table

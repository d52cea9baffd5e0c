"""Resamples of cases: how often each distinct difference is drawn, without drawing every case by itself."""

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

# Beyond so many standard deviations, a binomial count is never drawn.
_REACH: Final = 9.0


class Resampler:
    """Draws `size` cases with replacement; `weights` say how often each distinct value occurs."""

    def __init__(self, weights: Sequence[float], size: int, seed: int) -> None:
        self._size = size
        self._random = Random(seed).random  # noqa: S311 -- a resample, not a secret
        left = math.fsum(weights)  # all weights are above 0
        self._shares = []
        for weight in weights:
            self._shares.append(min(1.0, weight / left) if left > 0 else 1.0)
            left -= weight
        self._tables: list[dict[int, tuple[int, list[float]]]] = [{} for _ in weights]

    def draw(self) -> Iterator[int]:
        """Yield how often each value is drawn: a binomial count of the cases that are left."""
        left = self._size
        last = len(self._shares) - 1
        for index, share in enumerate(self._shares):
            if index == last or not left:
                yield left
                left = 0
                continue
            tables = self._tables[index]
            if left not in tables:
                tables[left] = _cumulated(left, share)
            lowest, table = tables[left]
            count = lowest + bisect_left(table, self._random() * table[-1])
            yield count
            left -= count


def _cumulated(trials: int, share: float) -> tuple[int, list[float]]:
    """Return the lowest likely binomial count, and the cumulated probabilities from there on."""
    if share >= 1.0:
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

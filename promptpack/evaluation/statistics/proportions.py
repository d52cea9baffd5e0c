"""Rates and their certainty: the Wilson interval of one rate, the exact McNemar test of two, and percentiles."""

import math
from collections.abc import Sequence
from fractions import Fraction
from statistics import NormalDist
from typing import NamedTuple


class Interval(NamedTuple):
    """An estimate and the interval that contains the true value with the given confidence."""

    estimate: float
    low: float
    high: float


def wilson_interval(rate: float, cases: int, confidence: float = 0.95) -> Interval:
    """Return the Wilson interval of a rate; the unit is the case, however often each was repeated."""
    if not cases:
        return Interval(0.0, 0.0, 1.0)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    weight = z * z / cases
    centre = (rate + weight / 2) / (1 + weight)
    half = z * math.sqrt(rate * (1 - rate) / cases + weight / (4 * cases)) / (1 + weight)
    return Interval(rate, max(0.0, min(rate, centre - half)), min(1.0, max(rate, centre + half)))


def mcnemar_p(better: int, worse: int) -> float:
    """Return the exact two-sided p value of McNemar's test: how likely so uneven a split of the differing cases is."""
    total, least = better + worse, min(better, worse)
    tail, ways = 0, 1
    for count in range(least + 1):
        tail, ways = tail + ways, ways * (total - count) // (count + 1)
    return min(1.0, float(Fraction(2 * tail, 1 << total)))


def percentile(values: Sequence[float], share: float) -> float:
    """Return the nearest-rank percentile of sorted values; 0 if there are none."""
    return values[max(0, math.ceil(share * len(values)) - 1)] if values else 0.0

"""The conclusion of a comparison: one of four, decided by the paired bootstrap, never a bare p value."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import Final, Literal

from promptpack.evaluation.statistics.paired import RESAMPLES, bootstrap_interval, spread
from promptpack.evaluation.statistics.proportions import Interval, mcnemar_p

ConclusionKind = Literal["better", "worse", "no difference", "too few cases"]
# Fewer cases decide nothing: the false alarms of the interval were measured from here on.
FEWEST_CASES: Final = 20
_POWER: Final = 0.8


@dataclass(frozen=True, slots=True)
class RateComparison:
    """Two versions on the same cases: the difference of their pass rates, second minus first, and what it means."""

    kind: ConclusionKind
    difference: Interval
    cases: int
    better: int
    worse: int
    mcnemar: float
    margin: float
    cases_needed: int

    @property
    def text(self) -> str:
        """The conclusion in words."""
        margin = f"{self.margin * 100:g} points"
        match self.kind:
            case "no difference":
                return f"no difference larger than {margin}"
            case "too few cases":
                return f"too few cases ({self.cases_needed:,} needed to find or exclude a difference of {margin})"
            case _:
                return self.kind


def compare(
    differences: Sequence[Fraction], margin: float, seed: int, resamples: int = RESAMPLES, confidence: float = 0.95
) -> RateComparison:
    """Compare two versions by the difference of each case: the mean of its repetitions, second minus first."""
    interval = bootstrap_interval(differences, seed, resamples, confidence) if differences else Interval(0.0, -1.0, 1.0)
    cases = len(differences)
    better, worse = sum(one > 0 for one in differences), sum(one < 0 for one in differences)
    kind = _kind(interval, cases, margin)
    needed = _cases_needed(differences, interval, margin, confidence) if kind == "too few cases" else 0
    return RateComparison(kind, interval, cases, better, worse, mcnemar_p(better, worse), margin, needed)


def _kind(interval: Interval, cases: int, margin: float) -> ConclusionKind:
    if cases < FEWEST_CASES:
        return "too few cases"
    if interval.low > 0:
        return "better"
    if interval.high < 0:
        return "worse"
    return "no difference" if max(-interval.low, interval.high) <= margin else "too few cases"


def _cases_needed(differences: Sequence[Fraction], interval: Interval, margin: float, confidence: float) -> int:
    """Estimate the cases that find this difference, or one of `margin`, with a power of 80 %."""
    cases, normal, distance = len(differences), NormalDist(), abs(interval.estimate)
    certain = normal.inv_cdf((1 + confidence) / 2) + normal.inv_cdf(_POWER)
    planned = certain * spread(differences) / max(margin, distance)
    half = (interval.high - interval.low) / 2
    decided = cases * (half / max(distance, margin - distance)) ** 2
    return max(FEWEST_CASES, cases + 1, math.ceil(planned**2), math.ceil(decided))

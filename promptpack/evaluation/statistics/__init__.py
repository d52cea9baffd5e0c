"""Differences of cases -> `Comparison`: intervals, tests and the conclusion."""

from promptpack.evaluation.statistics.conclusion import Comparison, compare
from promptpack.evaluation.statistics.proportions import Interval, percentile, wilson_interval

__all__ = ["Comparison", "Interval", "compare", "percentile", "wilson_interval"]

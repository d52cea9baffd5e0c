"""Differences of cases -> `RateComparison`: intervals, tests and the conclusion."""

from promptpack.evaluation.statistics.conclusion import RateComparison, compare
from promptpack.evaluation.statistics.proportions import Interval, percentile, wilson_interval

__all__ = ["Interval", "RateComparison", "compare", "percentile", "wilson_interval"]

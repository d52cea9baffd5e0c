"""Packs + cases + a model -> `Evaluation`: pass rates with intervals, and whether a new version is better."""

from promptpack.evaluation.cases import Case, check_cases, read_cases
from promptpack.evaluation.evaluate import Plan, evaluate
from promptpack.evaluation.journal import open_journals
from promptpack.evaluation.judge import Judge
from promptpack.evaluation.prices import read_prices
from promptpack.evaluation.results import Evaluation
from promptpack.evaluation.subject import Subject

__all__ = [
    "Case", "Evaluation", "Judge", "Plan", "Subject", "check_cases", "evaluate", "open_journals", "read_cases",
    "read_prices",
]  # fmt: skip

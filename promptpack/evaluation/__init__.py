"""Packs + cases + a model -> `Evaluation`, by `evaluate.evaluate`: pass rates, and whether a new version is better."""

from promptpack.evaluation.cases import Case, check_cases, read_cases
from promptpack.evaluation.evaluate import EvaluationPlan, evaluate
from promptpack.evaluation.evaluated_pack import EvaluatedPack
from promptpack.evaluation.journal import open_journals
from promptpack.evaluation.judge_pack import JudgePack
from promptpack.evaluation.prices import read_prices
from promptpack.evaluation.results import Evaluation

__all__ = [
    "Case",
    "EvaluatedPack",
    "Evaluation",
    "EvaluationPlan",
    "JudgePack",
    "check_cases",
    "evaluate",
    "open_journals",
    "read_cases",
    "read_prices",
]  # fmt: skip

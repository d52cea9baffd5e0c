"""`Evaluation` -> plain data for JSON; the same answers and seed give the same data."""

from typing import Any

from promptpack.cycle import Usage
from promptpack.evaluation.results import Evaluation, GradedAnswer, SideResult
from promptpack.evaluation.statistics import Interval, RateComparison


def to_data(evaluation: Evaluation) -> dict[str, Any]:
    """Return an evaluation as plain data."""
    judge = evaluation.judge
    return {
        "evaluation": 1,
        "cases": evaluation.cases,
        "repeat": evaluation.repeat,
        "seed": evaluation.seed,
        "complete": evaluation.is_complete,
        "stop": evaluation.stop,
        "conclusion": evaluation.comparison.text if evaluation.comparison else None,
        "comparison": _comparison(evaluation.comparison) if evaluation.comparison else None,
        "versions": [_side(side) for side in evaluation.sides],
        "judge": {**judge.subject.description, "questions": judge.questions, "tokens": _usage(judge.usage),
                  "cost": judge.cost} if judge else None,
        "cost": evaluation.cost,
        "currency": evaluation.currency,
    }  # fmt: skip


def _side(side: SideResult) -> dict[str, Any]:
    return {
        **side.subject.description,
        "pass_rate": _interval(side.pass_rate),
        "answers": len(side.graded),
        "valid_first_replies": side.first_replies,
        "corrected": side.corrected,
        "valid_but_failed": side.refused,
        "repairs": dict(sorted(side.repairs.items())),
        "violations": dict(sorted(side.violations.items())),
        "tokens": _usage(side.usage),
        "seconds": {"p50": side.latency(0.5), "p95": side.latency(0.95)},
        "cost": side.cost,
        "failed": [_failed(one) for one in side.failed],
        "missing": [
            {"case": one.case.id, "repetition": one.repetition, "reason": one.reason} for one in side.missing
        ],
    }  # fmt: skip


def _failed(one: GradedAnswer) -> dict[str, Any]:
    return {
        "case": one.case.id,
        "repetition": one.answer.repetition,
        "location": str(one.case.location),
        "reasons": list(one.reasons),
        "reply": one.answer.text,
    }


def _comparison(found: RateComparison) -> dict[str, Any]:
    return {
        "kind": found.kind,
        "difference": _interval(found.difference),
        "margin": found.margin,
        "cases": found.cases,
        "better": found.better,
        "worse": found.worse,
        "mcnemar_p": found.mcnemar,
        "cases_needed": found.cases_needed,
    }


def _interval(found: Interval) -> dict[str, float]:
    return {"estimate": found.estimate, "low": found.low, "high": found.high}


def _usage(usage: Usage) -> dict[str, int]:
    return {"input": usage.input_tokens, "output": usage.output_tokens, "cached": usage.cached_tokens}

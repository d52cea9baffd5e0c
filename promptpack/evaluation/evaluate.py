"""`EvaluationPlan` -> `Evaluation`: ask about every case, grade the answers, ask the judge, compare the versions."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from fractions import Fraction

from promptpack.cycle import Clock, SystemClock, Usage
from promptpack.cycle.providers.sdk_provider import SdkProvider
from promptpack.evaluation.cases import Case
from promptpack.evaluation.collecting import Collector, Sample
from promptpack.evaluation.evaluated_pack import EvaluatedPack
from promptpack.evaluation.grades import Grades
from promptpack.evaluation.grading import ExpectationGrader, Grader, RuleGrader, VerdictGrader
from promptpack.evaluation.journal import Journal
from promptpack.evaluation.judge_pack import JudgePack
from promptpack.evaluation.pace import Pace
from promptpack.evaluation.prices import Price, Prices
from promptpack.evaluation.results import Evaluation, JudgeUsage, SideResult
from promptpack.evaluation.spending import CostLimit
from promptpack.evaluation.statistics import RateComparison, compare
from promptpack.private_folder import PrivateFolder
from promptpack.problem import Problem, UsageError


@dataclass(frozen=True, slots=True)
class EvaluationPlan:
    """The plan of an evaluation: one or two subjects, the cases, the graders and the limits."""

    subjects: tuple[EvaluatedPack, ...]
    cases: tuple[Case, ...]
    repeat: int = 1
    rules: tuple[str, ...] = ()
    judge: JudgePack | None = None
    prices: Prices | None = None
    max_cost: float | None = None
    concurrency: int = 4
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    margin: float = 0.05
    seed: int = 0
    clock: Clock = field(default_factory=SystemClock)

    def price(self, subject: EvaluatedPack) -> Price | None:
        """Return the price of a subject's model; None without a price file."""
        return self.prices.find(subject.settings.model) if self.prices else None

    def graders(self, subject: EvaluatedPack) -> tuple[Grader, ...]:
        """Return the graders of a subject, besides the judge; raise a `UsageError` if nothing is graded."""
        pack = subject.pack
        if pack.contract is None and not self.rules and not self.judge and not any(one.expect for one in self.cases):
            hint = "add 'reply:' to the pack, 'expect' to the cases, --rule or --judge"
            raise UsageError(Problem("PP973", f"nothing grades the replies of {pack.label}", None, hint))
        rules = (RuleGrader(pack, self.rules),) if self.rules else ()
        return (VerdictGrader(), ExpectationGrader(), *rules)


def evaluate(
    plan: EvaluationPlan, folder: PrivateFolder, *, fresh: bool = False, on_done: Callable[[], object] = lambda: None
) -> Evaluation:
    """Evaluate, and continue where an earlier evaluation ended; `fresh` asks about every case again."""
    graders = [plan.graders(subject) for subject in plan.subjects]
    with ExitStack() as stack:
        journals = [_open(stack, folder, subject, fresh) for subject in plan.subjects]
        judging = _open(stack, folder, plan.judge.subject, fresh) if plan.judge else None
        return asyncio.run(_evaluate(plan, graders, journals, judging, on_done))


def plan_samples(plan: EvaluationPlan, journals: Sequence[Journal]) -> list[Sample]:
    """Return all samples, the versions side by side, so that an early stop leaves pairs."""
    return [
        Sample(subject, journal, case, repetition)
        for case in plan.cases
        for repetition in range(1, plan.repeat + 1)
        for subject, journal in zip(plan.subjects, journals, strict=True)
    ]


def _open(stack: ExitStack, folder: PrivateFolder, subject: EvaluatedPack, fresh: bool) -> Journal:
    journal = Journal.open(folder, subject, fresh=fresh)
    stack.callback(journal.close)
    return journal


async def _evaluate(
    plan: EvaluationPlan,
    graders: Sequence[tuple[Grader, ...]],
    journals: Sequence[Journal],
    judging: Journal | None,
    on_done: Callable[[], object],
) -> Evaluation:
    samples = plan_samples(plan, journals)
    pace = Pace(plan.clock, plan.requests_per_minute, plan.tokens_per_minute)
    collector = Collector(plan.clock, pace, CostLimit(plan.max_cost, _spent(plan, samples)), plan.price)
    try:
        await collector.collect(samples, plan.concurrency, on_done)
        grades = Grades(samples, dict(zip((one.key for one in plan.subjects), graders, strict=True)))
        if plan.judge and judging:
            await collector.collect(grades.questions(plan.judge, judging), plan.concurrency)
    finally:
        await _close_providers(plan)
    failures = {(one.subject.key, one.case.key, one.repetition): str(found) for one, found in collector.done.failures}
    sides = tuple(grades.side(subject, failures, plan.price(subject)) for subject in plan.subjects)
    currency = plan.prices.currency if plan.prices else ""
    judge = _judge_result(plan, grades) if plan.judge else None
    comparison = _compare(plan, *sides) if len(sides) == 2 else None
    return Evaluation(
        sides, len(plan.cases), plan.repeat, plan.seed, currency, judge, comparison, collector.done.stop
    )  # fmt: skip


def _spent(plan: EvaluationPlan, samples: Sequence[Sample]) -> float:
    """Return the cost of the stored answers, so that `max_cost` limits an evaluation with all its continuations."""
    found = [(plan.price(one.subject), one.stored) for one in samples]
    return sum(price.cost(answer.usage) for price, answer in found if price and answer)


def _judge_result(plan: EvaluationPlan, grades: Grades) -> JudgeUsage | None:
    if plan.judge is None:
        return None
    answers = grades.judged
    usage = sum((one.usage for one in answers), Usage())
    price = plan.price(plan.judge.subject)
    return JudgeUsage(plan.judge.subject, len(answers), usage, price.cost(usage) if price else None)


def _compare(plan: EvaluationPlan, first: SideResult, second: SideResult) -> RateComparison:
    """Compare the cases that both versions have grades for."""
    before, after = first.rates, second.rates
    differences: list[Fraction] = [
        after[case.key] - before[case.key] for case in plan.cases if case.key in before and case.key in after
    ]
    return compare(differences, plan.margin, plan.seed)


async def _close_providers(plan: EvaluationPlan) -> None:
    """Close the connections, which belong to the event loop of this evaluation."""
    subjects = (*plan.subjects, plan.judge.subject) if plan.judge else plan.subjects
    for provider in {id(one.provider): one.provider for one in subjects}.values():
        if isinstance(provider, SdkProvider):
            await provider.aclose()

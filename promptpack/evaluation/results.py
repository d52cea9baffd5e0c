"""Graded answers -> `SideResult`: rates, repairs, violations, tokens, times and cost of one version."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from promptpack.cycle import Usage
from promptpack.evaluation.answer import Answer
from promptpack.evaluation.cases import Case
from promptpack.evaluation.evaluated_pack import EvaluatedPack
from promptpack.evaluation.prices import Price
from promptpack.evaluation.statistics import Interval, RateComparison, percentile, wilson_interval


@dataclass(frozen=True, slots=True)
class GradedAnswer:
    """An answer and the reasons why it does not pass; none if it passes."""

    case: Case
    answer: Answer
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MissingAnswer:
    """A sample without a grade, and why: the server failed, or the judge's reply is unusable."""

    case: Case
    repetition: int
    reason: str


@dataclass(frozen=True, slots=True)
class SideResult:
    """One version on all cases, in the order of the cases and repetitions."""

    subject: EvaluatedPack
    graded: tuple[GradedAnswer, ...]
    missing: tuple[MissingAnswer, ...]
    price: Price | None

    @property
    def rates(self) -> Mapping[str, Fraction]:
        """The share of passed repetitions of each case, by its key; the case is the unit of all statistics."""
        passed: dict[str, list[bool]] = {}
        for one in self.graded:
            passed.setdefault(one.case.key, []).append(not one.reasons)
        return {key: Fraction(sum(found), len(found)) for key, found in passed.items()}

    @property
    def pass_rate(self) -> Interval:
        """The mean of the rates of the cases, with its Wilson interval for their number."""
        rates = self.rates
        mean = float(sum(rates.values(), Fraction(0)) / len(rates)) if rates else 0.0
        return wilson_interval(mean, len(rates))

    @property
    def first_replies(self) -> int:
        """How many answers meet the contract with their first reply."""
        return sum(not one.answer.replies[0].codes for one in self.graded)

    @property
    def corrected(self) -> int:
        """How many answers meet the contract only after a correction."""
        return sum(one.answer.ok and len(one.answer.replies) > 1 for one in self.graded)

    @property
    def refused(self) -> int:
        """How many answers meet the contract, but not an expectation, a rule or the judge."""
        return sum(one.answer.ok and bool(one.reasons) for one in self.graded)

    @property
    def repairs(self) -> Counter[str]:
        """How many answers needed each kind of repair."""
        return Counter(kind for one in self.graded for kind in set(one.answer.repairs))

    @property
    def violations(self) -> Counter[str]:
        """How many first replies have each kind of violation, by code; rules of the pack by code and name."""
        return Counter(code for one in self.graded for code in set(one.answer.replies[0].codes))

    @property
    def usage(self) -> Usage:
        """The tokens of all answers."""
        return sum((one.answer.usage for one in self.graded), Usage())

    @property
    def seconds(self) -> tuple[float, ...]:
        """How long each answer took, sorted."""
        return tuple(sorted(one.answer.seconds for one in self.graded))

    def latency(self, share: float) -> float:
        """Return a percentile of the seconds."""
        return percentile(self.seconds, share)

    @property
    def cost(self) -> float | None:
        """The cost of the answers; None without prices."""
        return None if self.price is None else self.price.cost(self.usage)

    @property
    def failed(self) -> tuple[GradedAnswer, ...]:
        """The answers that do not pass."""
        return tuple(one for one in self.graded if one.reasons)


@dataclass(frozen=True, slots=True)
class JudgeUsage:
    """The usage of the judge of an evaluation."""

    subject: EvaluatedPack
    questions: int
    usage: Usage
    cost: float | None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One or two versions on the same cases; with two, their comparison."""

    sides: tuple[SideResult, ...]
    cases: int
    repeat: int
    seed: int
    currency: str
    judge: JudgeUsage | None = None
    comparison: RateComparison | None = None
    stop: str = ""
    """Why it stopped before all answers were there; empty if it did not."""

    @property
    def is_complete(self) -> bool:
        """Whether every sample has a grade."""
        return not self.stop and not any(side.missing for side in self.sides)

    @property
    def cost(self) -> float | None:
        """The cost of all answers together; None without prices."""
        costs = [side.cost for side in self.sides] + ([self.judge.cost] if self.judge else [])
        known = [cost for cost in costs if cost is not None]
        return sum(known) if known else None

"""The grades of all samples: from their answers, and from a judge, which is asked about those that pass otherwise."""

from collections.abc import Mapping, Sequence

from promptpack.evaluation.answer import Answer
from promptpack.evaluation.collecting import Sample
from promptpack.evaluation.evaluated_pack import EvaluatedPack
from promptpack.evaluation.grading import Grader, grade
from promptpack.evaluation.journal import Journal
from promptpack.evaluation.judge_pack import JudgePack
from promptpack.evaluation.prices import Price
from promptpack.evaluation.results import GradedAnswer, MissingAnswer, SideResult

Failures = Mapping[tuple[str, str, int], str]
"""Why a sample has no answer: by the keys of its subject and case, and its repetition."""


class Grades:
    """The answers to the samples, with the reasons why some do not pass."""

    def __init__(self, samples: Sequence[Sample], graders: Mapping[str, Sequence[Grader]]) -> None:
        self._samples = samples
        self._reasons = {
            number: grade(graders[sample.subject.key], sample.case, answer)
            for number, sample in enumerate(samples)
            if (answer := sample.stored) is not None
        }
        self._judge: JudgePack | None = None
        self._questions: dict[int, Sample] = {}

    def questions(self, judge: JudgePack, journal: Journal) -> list[Sample]:
        """Return the questions for the judge: one about each answer that passes otherwise."""
        self._judge = judge
        for number, sample in enumerate(self._samples):
            if sample.stored is not None and not self._reasons[number]:
                self._questions[number] = Sample(
                    judge.subject, journal, judge.question(sample.case, sample.stored), sample.repetition
                )
        return list(self._questions.values())

    @property
    def judged(self) -> list[Answer]:
        """The different answers of the judge."""
        found = {(one.case.key, one.repetition): one.stored for one in self._questions.values()}
        return [answer for answer in found.values() if answer is not None]

    def side(self, subject: EvaluatedPack, failures: Failures, price: Price | None) -> SideResult:
        """Return the result of one subject."""
        graded: list[GradedAnswer] = []
        missing: list[MissingAnswer] = []
        for number, sample in enumerate(self._samples):
            if sample.subject.key != subject.key:
                continue
            reasons = self._final_reasons(number, failures)
            if isinstance(reasons, str) or sample.stored is None:
                missing.append(MissingAnswer(sample.case, sample.repetition, str(reasons)))
            else:
                graded.append(GradedAnswer(sample.case, sample.stored, reasons))
        return SideResult(subject, tuple(graded), tuple(missing), price)

    def _final_reasons(self, number: int, failures: Failures) -> tuple[str, ...] | str:
        """Return the reasons of a sample, or why it has no grade."""
        if number not in self._reasons:
            return _find_failure(self._samples[number], failures)
        question = self._questions.get(number)
        if question is None or self._judge is None:
            return self._reasons[number]
        if question.stored is None:
            return f"the judge gave no answer: {_find_failure(question, failures)}"
        said = self._judge.read(question.stored)
        if said is None:
            return f"the judge's own reply is unusable: {question.stored.outcome}, no grade at {self._judge.path}"
        return (said,) if said else ()


def _find_failure(sample: Sample, failures: Failures) -> str:
    return failures.get((sample.subject.key, sample.case.key, sample.repetition), "not asked yet")

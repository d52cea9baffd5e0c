"""Graders: why an answer does not pass; a judge, which is asked itself, has its own module."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from promptpack.evaluation.answer import Answer
from promptpack.evaluation.cases import Case
from promptpack.evaluation.expectations import check_expectations
from promptpack.pack.model import Pack
from promptpack.problem import ContextError
from promptpack.template.compiling import compile_expression
from promptpack.template.engine import Engine
from promptpack.template.model import Expression, Source


class Grader(Protocol):
    """Yields the reasons why an answer does not pass; none if it passes."""

    def grade(self, case: Case, answer: Answer) -> Iterator[str]:
        """Yield the reasons."""
        ...


class VerdictGrader:
    """An answer passes if its last reply meets the contract."""

    def grade(self, case: Case, answer: Answer) -> Iterator[str]:  # noqa: ARG002 -- the signature of graders
        """Yield the violations."""
        for one in answer.violations:
            yield f"{one['code']} {one['path'] or '(reply)'}: {one['message']}"


class ExpectationGrader:
    """An answer passes if it meets the expectations of its case."""

    def grade(self, case: Case, answer: Answer) -> Iterator[str]:
        """Yield the expectations that are not met."""
        yield from check_expectations(case.expect, answer)


class RuleGrader:
    """An answer passes if Jinja expressions over `reply` and the inputs are true."""

    def __init__(self, pack: Pack, rules: Sequence[str]) -> None:
        self._pack = pack
        self._rules = [_compile(text, f"--rule {number}", pack) for number, text in enumerate(rules, 1)]

    def grade(self, case: Case, answer: Answer) -> Iterator[str]:
        """Yield the rules that do not hold."""
        reply = answer.text if self._pack.contract is None else answer.data
        scope = {**self._pack.render(case.context).context, "reply": reply, "pack": self._pack._about}
        for rule in self._rules:
            try:
                if not rule.evaluate(scope):
                    yield f"the rule {str(rule)!r} does not hold"
            except ContextError as error:
                yield f"the rule {str(rule)!r} cannot be evaluated: {error.problems[0].message}"


def _compile(text: str, name: str, pack: Pack) -> Expression:
    return compile_expression(Source.of_text(text, name), Engine(limits=pack.limits), (*pack.inputs, "reply", "pack"))


def grade(graders: Sequence[Grader], case: Case, answer: Answer) -> tuple[str, ...]:
    """Return all reasons of all graders."""
    return tuple(reason for one in graders for reason in one.grade(case, answer))

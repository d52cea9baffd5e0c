"""The interface of a lint rule: a module with a code, a name, a severity and `check`; its docstring is its page."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from promptpack.linter.lint_report import Fix
from promptpack.linter.subject import Subject
from promptpack.problem import Location, Severity


@dataclass(frozen=True, slots=True)
class LintProblem:
    """A problem that a rule found.

    `severity` overrides the severity of the rule for this problem; the settings override both.
    """

    message: str
    location: Location
    hint: str = ""
    fixes: tuple[Fix, ...] = ()
    severity: Severity | None = None


def find_type_problems(code: str, subject: Subject, /) -> Iterator[LintProblem]:
    """Iterate over the type problems with a code; the `check` of every type rule."""
    for problem in subject.type_check.problems:
        if problem.code == code and problem.location is not None:
            yield LintProblem(problem.message, problem.location, problem.hint, severity=problem.severity)


class LintRule(Protocol):
    """A lint rule; each module in `linter/rules/` is one, and `linter/catalogue.py` lists them."""

    @property
    def CODE(self) -> str:  # noqa: N802 -- a constant of the module
        """The code, which never changes."""

    @property
    def NAME(self) -> str:  # noqa: N802
        """The name, which can be used in place of the code."""

    @property
    def SEVERITY(self) -> Severity:  # noqa: N802
        """How serious a problem is: `error` and `warning` fail a run, `note` does not."""

    def check(self, subject: Subject, /) -> Iterable[LintProblem]:
        """Iterate over the problems of one pack."""

"""What a rule is: a module with a code, a name, a severity and a `check`; its docstring is its page."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from promptpack.linter.edit import Edit
from promptpack.linter.subject import Subject
from promptpack.problem import Location, Problem, Severity


@dataclass(frozen=True, slots=True)
class Advice:
    """What a rule has to say about one place; `edits` mend it without changing what the pack does.

    `severity` is there where the rule is less or more sure than it usually is; settings have the last word.
    """

    message: str
    location: Location
    hint: str = ""
    edits: tuple[Edit, ...] = ()
    severity: Severity | None = None

    @classmethod
    def of(cls, problem: Problem) -> "Advice":
        """Take over what was found elsewhere, by a check that several rules share."""
        return cls(problem.message, problem.location or Location(""), problem.hint, severity=problem.severity)


class Rule(Protocol):
    """One rule; modules of `linter/rules/` are such, and `linter/catalogue.py` lists them."""

    @property
    def CODE(self) -> str:  # noqa: N802 -- a constant of the module
        """The code, stable for ever."""

    @property
    def NAME(self) -> str:  # noqa: N802
        """The name that people say."""

    @property
    def SEVERITY(self) -> Severity:  # noqa: N802
        """How sure the rule is: `error` and `warning` fail a run, `note` does not."""

    def check(self, subject: Subject, /) -> Iterable[Advice]:
        """Look at one pack."""

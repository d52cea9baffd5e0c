"""A value of the wrong kind, by the schema of the inputs or of the reply.

Text used as an object, a loop over what is no list, a filter, method or operator that does not take the value. What
fails with every value is an error; what fails with some, or prints nonsense, is a warning.

Bad: `{% for task in USER_GOAL %}` where `USER_GOAL` is text.
Good: `{% for task in TASKS %}` where `TASKS` is a list; a value of several kinds is tested first, as by `X is mapping`.
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.rule import Advice
from promptpack.linter.subject import Subject
from promptpack.problem import Severity

CODE: Final = "PL202"
NAME: Final = "wrong-kind"
SEVERITY: Final[Severity] = "error"


def check(subject: Subject) -> Iterator[Advice]:
    """Take it from what the types say."""
    return (Advice.of(problem) for problem in subject.mistyped if problem.code == CODE)

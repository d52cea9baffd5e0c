"""An argument that a filter, test or macro does not take, or one that it needs.

Bad: `{{ TAGS | join(sep=", ") }}`.
Good: `{{ TAGS | join(", ") }}`.
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.rule import Advice
from promptpack.linter.subject import Subject
from promptpack.problem import Severity

CODE: Final = "PL206"
NAME: Final = "wrong-argument"
SEVERITY: Final[Severity] = "error"


def check(subject: Subject) -> Iterator[Advice]:
    """Take it from what the types say."""
    return (Advice.of(problem) for problem in subject.mistyped if problem.code == CODE)

"""An argument that a filter, test or macro does not accept, or a required argument that is missing.

Bad: `{{ TAGS | join(sep=", ") }}`.
Good: `{{ TAGS | join(", ") }}`.
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.rule import LintProblem, find_type_problems
from promptpack.linter.subject import Subject
from promptpack.problem import Severity

CODE: Final = "PL206"
NAME: Final = "wrong-argument"
SEVERITY: Final[Severity] = "error"


def check(subject: Subject) -> Iterator[LintProblem]:
    """Return the type problems with this code."""
    return find_type_problems(subject, CODE)

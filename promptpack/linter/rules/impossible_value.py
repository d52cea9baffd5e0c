"""A comparison with a value that the other side never has.

The values of an `enum`, and the types of values, are followed through templates and rules.

Bad: `reply.params.route == "new_taks"` where the contract has `new_task`.
Good: `reply.params.route == "new_task"`.
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.rule import LintProblem, find_type_problems
from promptpack.linter.subject import Subject
from promptpack.problem import Severity

CODE: Final = "PL204"
NAME: Final = "impossible-value"
SEVERITY: Final[Severity] = "warning"


def check(subject: Subject) -> Iterator[LintProblem]:
    """Return the type problems with this code."""
    return find_type_problems(subject, CODE)

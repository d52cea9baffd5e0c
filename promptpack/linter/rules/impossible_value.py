"""A comparison with a value that the other side never has.

The words of an `enum` are followed through templates and rules, and so are the kinds of values.

Bad: `reply.params.route == "new_taks"` where the contract knows `new_task`.
Good: `reply.params.route == "new_task"`.
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.rule import Advice
from promptpack.linter.subject import Subject
from promptpack.problem import Severity

CODE: Final = "PL204"
NAME: Final = "impossible-value"
SEVERITY: Final[Severity] = "warning"


def check(subject: Subject) -> Iterator[Advice]:
    """Take it from what the types say."""
    return (Advice.of(problem) for problem in subject.mistyped if problem.code == CODE)

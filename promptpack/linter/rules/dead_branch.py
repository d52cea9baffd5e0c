"""A branch that can never be taken, a message that is never sent, a rule that can never be broken.

The types say that its condition always or never holds. Partials and macros serve more than one place and are not told.
A lazy list, as `select` and `map` give it, counts as true even when it is empty.

Bad: `{% if USER_GOAL is string %}...{% else %}...{% endif %}` where `USER_GOAL` is always text.
Good: a condition that depends on the context; `{% if TASKS | selectattr("done") | list %}`.
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.rule import Advice
from promptpack.linter.subject import Subject
from promptpack.problem import Severity

CODE: Final = "PL205"
NAME: Final = "dead-branch"
SEVERITY: Final[Severity] = "warning"


def check(subject: Subject) -> Iterator[Advice]:
    """Take it from what the types say."""
    return (Advice.of(problem) for problem in subject.mistyped if problem.code == CODE)

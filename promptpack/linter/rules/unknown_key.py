"""A key that a value does not have, according to the schema of the inputs or of the reply.

Types from the schemas are followed through templates, `when` and rules. A key that a closed object
(`additionalProperties: false`) does not declare is an error. A key that an open object does not declare is a warning if
it looks like a misspelling of a declared key; other keys of an open object are not reported.

Bad: `{{ TASK_CONTEXT.taskid }}` where the schema declares `taskId`.
Good: `{{ TASK_CONTEXT.taskId }}`.
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.rule import LintProblem, find_type_problems
from promptpack.linter.subject import Subject
from promptpack.problem import Severity

CODE: Final = "PL201"
NAME: Final = "unknown-key"
SEVERITY: Final[Severity] = "error"


def check(subject: Subject) -> Iterator[LintProblem]:
    """Return the type problems with this code."""
    return find_type_problems(subject, CODE)

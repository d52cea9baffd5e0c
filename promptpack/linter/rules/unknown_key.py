"""A key that a value does not have, by the schema of the inputs or of the reply.

Templates, `when` and rules are followed with the types that the schemas give. A key that a closed object does not have
(`additionalProperties: false`) is an error; one that an open object does not declare, but that is a slip of one that
it does, is a warning. Any other key of an open object is left alone.

Bad: `{{ TASK_CONTEXT.taskid }}` where the schema declares `taskId`.
Good: `{{ TASK_CONTEXT.taskId }}`.
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.rule import Advice
from promptpack.linter.subject import Subject
from promptpack.problem import Severity

CODE: Final = "PL201"
NAME: Final = "unknown-key"
SEVERITY: Final[Severity] = "error"


def check(subject: Subject) -> Iterator[Advice]:
    """Take it from what the types say."""
    return (Advice.of(problem) for problem in subject.mistyped if problem.code == CODE)

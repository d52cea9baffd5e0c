"""A value that may be missing where it is used, so that some contexts cannot be rendered.

A key that the schema does not require, a name that only one branch of an `if` sets, an argument that a call leaves out.
After `is defined`, inside of `{% if "key" in X %}` or with a `default`, it is no longer told.

Bad: `{{ TASK_CONTEXT.note }}` where `note` is not in `required`.
Good: `{{ TASK_CONTEXT.note | default("") }}`, or `{% if TASK_CONTEXT.note is defined %}`, or `required: [note]`.
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.rule import Advice
from promptpack.linter.subject import Subject
from promptpack.problem import Severity

CODE: Final = "PL203"
NAME: Final = "maybe-missing"
SEVERITY: Final[Severity] = "warning"


def check(subject: Subject) -> Iterator[Advice]:
    """Take it from what the types say."""
    return (Advice.of(problem) for problem in subject.mistyped if problem.code == CODE)

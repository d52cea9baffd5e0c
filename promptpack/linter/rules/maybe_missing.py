"""A value that may be missing where it is used, so that some contexts fail to render.

A key that the schema does not require, a name that only one branch of an `if` sets, an argument that a call omits. It
is not reported after `is defined`, inside `{% if "key" in X %}`, or with a `default`.

Bad: `{{ TASK_CONTEXT.note }}` where `note` is not in `required`.
Good: `{{ TASK_CONTEXT.note | default("") }}`, or `{% if TASK_CONTEXT.note is defined %}`, or `required: [note]`.
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.rule import LintProblem, find_type_problems
from promptpack.linter.subject import Subject
from promptpack.problem import Severity

CODE: Final = "PL203"
NAME: Final = "maybe-missing"
SEVERITY: Final[Severity] = "warning"


def check(subject: Subject) -> Iterator[LintProblem]:
    """Return the type problems with this code."""
    return find_type_problems(subject, CODE)

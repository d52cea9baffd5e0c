"""An input without a description.

Callers, editors and `promptpack show` rely on the description: without it, only the author knows what `TASK_CONTEXT`
should contain.

Bad: `USER_GOAL: {type: string}`
Good: `USER_GOAL: {type: string, description: What the user wants, in their own words.}`
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.rule import LintProblem
from promptpack.linter.subject import Subject

CODE: Final = "PL002"
NAME: Final = "input-without-description"
SEVERITY: Final = "warning"


def check(subject: Subject) -> Iterator[LintProblem]:
    """Check the inputs that the pack's own file declares."""
    for name, placed in subject.sections.inputs.items():
        description = subject.inputs[name].schema.get("description") or subject.inputs[name].description
        if subject.owns(placed) and not str(description or "").strip() and "$ref" not in placed.value:
            hint = "describe the value that callers must provide"
            yield LintProblem(f"input {name!r} has no description", placed.locate_key(), hint)

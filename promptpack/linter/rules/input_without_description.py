"""An input without a description.

The description is what callers, editors and `promptpack show` have to go by: without it, only its author knows what
`TASK_CONTEXT` should hold.

Bad: `USER_GOAL: {type: string}`
Good: `USER_GOAL: {type: string, description: What the user wants, in their own words.}`
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.rule import Advice
from promptpack.linter.subject import Subject
from promptpack.problem import Severity

CODE: Final = "PL002"
NAME: Final = "input-without-description"
SEVERITY: Final[Severity] = "warning"


def check(subject: Subject) -> Iterator[Advice]:
    """Look at the inputs that the pack declares itself."""
    for name, placed in subject.parts.inputs.items():
        described = subject.inputs[name].schema.get("description") or subject.inputs[name].description
        if subject.owns(placed) and not str(described or "").strip() and "$ref" not in placed.value:
            yield Advice(f"input {name!r} has no description", placed.locate_key(), "say what callers should give")

"""A test that asserts nothing.

It only shows that the context renders. A reply without a `verdict` is checked, but the result is discarded.

Bad: `{name: plans, context: {USER_GOAL: x}}`
Good: `{name: plans, context: {USER_GOAL: x}, expect: {contains: [x]}}`
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.rule import LintProblem
from promptpack.linter.subject import Subject

CODE: Final = "PL010"
NAME: Final = "test-without-assertion"
SEVERITY: Final = "warning"

_ALSO_EMPTY: Final = ("equals", "roles", "warnings")  # these expect something even if it is nothing


def check(subject: Subject) -> Iterator[LintProblem]:
    """Check that each test expects something."""
    for test in subject.sections.tests:
        expected = test.value.get("expect", {})
        if any(expected.values()) or any(key in expected for key in _ALSO_EMPTY) or "verdict" in test.value:
            continue
        message = f"test {test.value['name']!r} asserts nothing"
        if "reply" in test.value:
            yield LintProblem(message, test.locate(), "add the expected verdict, such as 'verdict: valid'")
        else:
            yield LintProblem(message, test.locate(), "add 'expect' with text that the prompt must contain")

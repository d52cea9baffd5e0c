"""A test that asserts nothing.

It only shows that the context renders. A reply without a `verdict` is judged, and the verdict is thrown away.

Bad: `{name: plans, context: {USER_GOAL: x}}`
Good: `{name: plans, context: {USER_GOAL: x}, expect: {contains: [x]}}`
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.rule import Advice
from promptpack.linter.subject import Subject
from promptpack.problem import Severity

CODE: Final = "PL010"
NAME: Final = "test-without-assertion"
SEVERITY: Final[Severity] = "warning"


def check(subject: Subject) -> Iterator[Advice]:
    """Look at what each test expects."""
    for test in subject.parts.tests:
        expected = test.value.get("expect", {})
        if any(expected.values()) or "roles" in expected or "verdict" in test.value:
            continue
        message = f"test {test.value['name']!r} asserts nothing"
        if "reply" in test.value:
            yield Advice(message, test.locate(), "say what becomes of the reply, such as 'verdict: valid'")
        else:
            yield Advice(message, test.locate(), "add 'expect' with what the prompt must contain")

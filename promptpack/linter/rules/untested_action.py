"""An action that no test of the pack replies with.

A test with a reply and a verdict shows that the params schema accepts a typical reply, and that the rules hold.

Bad: `actions` has `TASK_PLAN`, and no test has a `reply` with `action: TASK_PLAN`.
Good: at least one test for each action, with `reply` and `verdict`.
"""

import re
from collections.abc import Iterator
from typing import Final

from promptpack.linter.rule import LintProblem
from promptpack.linter.subject import Subject
from promptpack.pack.contract import ERROR_ACTIONS
from promptpack.problem import nearest

CODE: Final = "PL011"
NAME: Final = "untested-action"
SEVERITY: Final = "warning"

_ACTION: Final = re.compile(r"\baction\b\W{1,6}(\w[\w.:/-]*)")


def check(subject: Subject) -> Iterator[LintProblem]:
    """Compare the actions with the replies in the tests."""
    if subject.sections.abstract or subject.is_pruned:
        return
    replies = [test.value["reply"] for test in subject.sections.tests if "reply" in test.value]
    tested = {str(reply.get("action")) for reply in replies if isinstance(reply, dict)}
    tested.update(name for reply in replies if isinstance(reply, str) for name in _ACTION.findall(reply))
    known = (*subject.sections.actions, *ERROR_ACTIONS)
    for name, placed in subject.sections.actions.items():
        # A test whose action misspells this one is reported as such (PL026).
        is_misspelled = any(nearest(one, [name]) for one in tested if one not in known)
        if subject.owns(placed) and name not in tested and not is_misspelled:
            hint = f"add a test with a reply of action {name!r} and its verdict"
            yield LintProblem(f"action {name!r} has no test", placed.locate_key(), hint)

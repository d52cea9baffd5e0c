"""A pack whose templates take too many steps to check, so that they are checked only in part.

The types of values and the way of each input into the prompt are followed through all partials and macros, without
rendering. Macros that call each other, or partials that are included with other values each time, can make this
endless. Each of the two checks stops after 30,000 steps, about a second of work; a normal pack takes a few thousand.

Bad: twenty macros, each of which calls the next one twice.
Good: one macro with a loop.
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.analysis_meter import MAX_STEPS
from promptpack.linter.data_flow import trace_prompt
from promptpack.linter.rule import LintProblem
from promptpack.linter.subject import Subject

CODE: Final = "PL023"
NAME: Final = "too-complex"
SEVERITY: Final = "warning"


def check(subject: Subject) -> Iterator[LintProblem]:
    """Report the checks that have stopped at the limit."""
    checks = (
        ("checking the types", subject.type_check.is_complete),
        ("following the inputs", trace_prompt(subject).is_complete),
    )
    for what, is_complete in checks:
        if not is_complete:
            message = f"{what} takes more than {MAX_STEPS:,} steps; the rest of the templates is not checked"
            hint = "simplify macros and includes that multiply each other"
            yield LintProblem(message, subject.document.locate(), hint)

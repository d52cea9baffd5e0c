"""An input in single braces, which is sent to the model unchanged.

Python's `format` writes `{NAME}`, and shells and slots write `${NAME}`; templates write `{{ NAME }}`. Only names of
inputs are reported.

Bad: `Hello {USER_NAME}`, `Hello ${USER_NAME}`
Good: `Hello {{ USER_NAME }}`
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.prompt_words import find_braces
from promptpack.linter.rule import LintProblem
from promptpack.linter.subject import Subject

CODE: Final = "PL028"
NAME: Final = "single-braces"
SEVERITY: Final = "warning"


def check(subject: Subject) -> Iterator[LintProblem]:
    """Find the names of inputs in single braces, in the literal text of the prompt."""
    for passage, found in find_braces(subject):
        message = f"{found[0]!r} is sent unchanged, without the value of the input"
        name, is_bare = found["name"], "{" not in found[0]
        hint = f"write '${{{name}}}'" if is_bare and subject.sections.slots else f"write '{{{{ {name} }}}}'"
        yield LintProblem(message, passage.locate(found.start()), hint)

"""An input in single braces, which is sent to the model as it is written.

Python's `format` writes `{NAME}`, and shells and slots write `${NAME}`; templates write `{{ NAME }}`. Only names of
inputs are reported.

Bad: `Hello {USER_NAME}`, `Hello ${USER_NAME}`
Good: `Hello {{ USER_NAME }}`
"""

import re
from collections.abc import Iterator
from typing import Final

from promptpack.linter.prompt_words import Passage, find_passages
from promptpack.linter.rule import LintProblem
from promptpack.linter.subject import Subject

CODE: Final = "PL028"
NAME: Final = "single-braces"
SEVERITY: Final = "warning"

_BRACES: Final = re.compile(r"(?<![{$\w\\])\$?\{[ \t]*([A-Za-z]\w*)[ \t]*\}(?!\})", re.ASCII)

_DOLLAR: Final = re.compile(r"\$([A-Za-z]\w*)", re.ASCII)


def check(subject: Subject) -> Iterator[LintProblem]:
    """Find the names of inputs in single braces, in the literal text of the prompt."""
    for passage, found in _find(subject):
        message = f"{found[0]!r} is sent as it is, without the value of the input"
        start, end = ("${", "}") if found.re is _DOLLAR and subject.sections.slots else ("{{ ", " }}")
        yield LintProblem(message, passage.locate(found.start()), f"write '{start}{found[1]}{end}'")


def find_names(subject: Subject) -> frozenset[str]:
    """Return the inputs whose names are in single braces."""
    return frozenset(found[1] for _, found in _find(subject))


def _find(subject: Subject) -> Iterator[tuple[Passage, re.Match[str]]]:
    for passage in find_passages(subject):
        for found in _BRACES.finditer(passage.text):
            # In a slot, '${NAME}' is the value of the input (or PP243).
            if found[1] in subject.inputs and not (subject.sections.slots and found[0].startswith("${")):
                yield passage, found
        only = _DOLLAR.fullmatch(passage.text.strip())
        if only and only[1] in subject.inputs:
            yield passage, only

"""A custom slot whose name is similar to a standard slot.

Any name is allowed for a slot, so a misspelled `instruct` becomes a custom slot with its own heading in the prompt.

Bad: `slots: {instrct: Summarize the text.}`
Good: `slots: {instruct: Summarize the text.}`
"""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Final

from promptpack.linter.rule import LintProblem
from promptpack.linter.subject import Subject
from promptpack.pack.pack_schema import pack_schema

CODE: Final = "PL029"
NAME: Final = "misspelled-slot"
SEVERITY: Final = "warning"

_SIMILARITY: Final = 0.8


def check(subject: Subject) -> Iterator[LintProblem]:
    """Compare the names of custom slots with the standard ones."""
    if not subject.sections.slots:
        return
    standard = pack_schema().source["properties"]["slots"]["properties"]
    for name, placed in subject.sections.slots.items():
        near = [] if name in standard else get_close_matches(name.casefold(), standard, 1, _SIMILARITY)
        if near and near[0] not in subject.sections.slots and subject.owns(placed):
            yield LintProblem(f"{name!r} is a custom slot", placed.locate_key(), f"did you mean {near[0]!r}?")

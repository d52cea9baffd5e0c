"""An ignore that silences nothing, or that names no rule.

`# promptpack: ignore=PL004` stays behind when the trouble is mended, and would hide the next one; a misspelt code hides
nothing at all. Only rules count that were asked in this run. Problems of a pack itself (PP...) cannot be ignored.

Bad: `USER_GOAL: {type: string, description: The goal.}  # promptpack: ignore=PL002`
Good: the same line without the comment. `promptpack lint --fix` takes it away.
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.rule import Advice
from promptpack.linter.subject import Subject
from promptpack.problem import Severity

CODE: Final = "PL020"
NAME: Final = "unused-ignore"
SEVERITY: Final[Severity] = "warning"


def check(subject: Subject) -> Iterator[Advice]:
    """Tell the ignores that the other rules left over."""
    for ignore in subject.idle:
        if ignore.hint:
            yield Advice(f"no rule {ignore.code!r} to ignore", ignore.location, ignore.hint)
            continue
        edits = (ignore.removal,) if ignore.removal else ()
        yield Advice(f"nothing to ignore: {ignore.code} is not found on this line", ignore.location, "remove it", edits)

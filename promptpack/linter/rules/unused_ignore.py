"""An ignore that silences nothing, or that names no rule.

`# promptpack: ignore=PL004` stays behind when the trouble is mended, and would hide the next one; a misspelt code hides
nothing at all. Only rules count that were asked in this run. Problems of a pack itself (PP...) cannot be ignored. An
ignore in a partial or schema file that packs share is told when all packs are linted and none has a use for it.

Bad: `USER_GOAL: {type: string, description: The goal.}  # promptpack: ignore=PL002`
Good: the same line without the comment. `promptpack lint --fix` takes it away.
"""

from typing import Final

from promptpack.linter.ignores import Ignore
from promptpack.linter.rule import Advice
from promptpack.linter.subject import Subject
from promptpack.problem import Severity

CODE: Final = "PL020"
NAME: Final = "unused-ignore"
SEVERITY: Final[Severity] = "warning"


def check(_: Subject) -> tuple[Advice, ...]:
    """Say nothing: what is left over is known only when all other rules have been asked."""
    return ()


def tell(ignore: Ignore) -> Advice:
    """Tell one ignore that the other rules left over."""
    if ignore.hint:
        return Advice(f"no rule {ignore.code!r} to ignore", ignore.location, ignore.hint)
    edits = (ignore.removal,) if ignore.removal else ()
    where = "this line" if ignore.location.line in ignore.lines else "the next line"
    where += " or in its block" if len(ignore.lines) > 1 else ""
    return Advice(f"nothing to ignore: {ignore.code} is not found on {where}", ignore.location, "remove it", edits)

"""An ignore comment that silences nothing, or that does not name a rule.

`# promptpack: ignore=PL004` is left behind when the problem is fixed, and would hide the next one; a misspelled code
has no effect, and neither has a comment that only looks like an ignore: `# promptpack: ignroe=PL004`, `# noqa: PL004`.
Only rules that are checked in this run count. Errors of the pack itself (PP...) cannot be ignored. An ignore in a
partial or schema file that packs share is reported when all packs are linted and none of them needs it.

Bad: `USER_GOAL: {type: string, description: The goal.}  # promptpack: ignore=PL002`
Good: the same line without the comment. `promptpack lint --fix` removes it.
"""

from typing import TYPE_CHECKING, Final

from promptpack.linter.lint_report import Fix
from promptpack.linter.rule import LintProblem
from promptpack.linter.subject import Subject

if TYPE_CHECKING:
    from promptpack.linter.ignores import Ignore

CODE: Final = "PL020"
NAME: Final = "unused-ignore"
SEVERITY: Final = "warning"


def check(_: Subject) -> tuple[LintProblem, ...]:
    """Return nothing: unused ignores are known only after all other rules have been checked."""
    return ()


def report(ignore: "Ignore") -> LintProblem:
    """Return the problem of an unused ignore."""
    if ignore.is_mistake:
        return LintProblem("this comment looks like an ignore, but is not valid", ignore.location, ignore.hint)
    if ignore.hint:
        return LintProblem(f"{ignore.code!r} is not a lint rule", ignore.location, ignore.hint)
    fixes = (Fix("remove the unused ignore", (ignore.removal,), is_safe=True),) if ignore.removal else ()
    where = "this line" if ignore.location.line in ignore.lines else "the next line"
    where += " or in its block" if len(ignore.lines) > 1 else ""
    message = f"unused ignore: there is no {ignore.code} problem on {where}"
    return LintProblem(message, ignore.location, "remove it", fixes)

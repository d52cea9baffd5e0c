"""A partial of the pack's own file that no template includes.

A partial with the name of a shared or inherited one replaces it; a misspelled name replaces nothing.

Bad: `partials: {principle: ...}`, while the parent includes `principles`.
Good: `partials: {principles: ...}`
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.rule import LintProblem
from promptpack.linter.subject import Subject
from promptpack.pack.placed import Placed, children_at
from promptpack.problem import did_you_mean

CODE: Final = "PL032"
NAME: Final = "unused-partial"
SEVERITY: Final = "warning"


def check(subject: Subject) -> Iterator[LintProblem]:
    """Compare the partials of the pack's own file with those that its templates include."""
    if subject.sections.abstract or not subject.is_complete:
        return
    document = subject.document
    used = subject.compiled.compiler.used_partials
    for name, placed in children_at(Placed(document.data, document, ()), "partials").items():
        if name not in used and document.owns(placed.path):
            hint = did_you_mean(name, used) or "include it, or remove it"
            yield LintProblem(f"no template includes the partial {name!r}", placed.locate_key(), hint)
